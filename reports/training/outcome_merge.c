/* Rows of one experiment: further seeds, and other rates. */
#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Returns whether everything that belongs to a recipe but its rate, and what it ran on, is
 * equal. */
static bool alike(const f2l_outcome *a, const f2l_outcome *b)
{
    return a->preset == b->preset && a->setting == b->setting && a->model == b->model &&
           a->scale == b->scale && a->full_steps == b->full_steps && a->steps == b->steps &&
           a->batch == b->batch && same(a->backend, b->backend) && same(a->device, b->device);
}

static bool same_lengths(const f2l_outcome *a, const f2l_outcome *b)
{
    const f2l_outcome_seed *s = f2l_outcome_scored(a), *t = f2l_outcome_scored(b);
    if (s == NULL || t == NULL) return true;
    bool equal = a->lengths == b->lengths;
    for (size_t i = 0; equal && i < a->lengths; i++)
        equal = s->score[i].length == t->score[i].length &&
                s->score[i].sequences == t->score[i].sequences;
    return equal;
}

static bool share_a_seed(const f2l_outcome *a, const f2l_outcome *b)
{
    for (size_t i = 0; i < a->seeds; i++)
        for (size_t k = 0; k < b->seeds; k++)
            if (a->seed[i].seed == b->seed[k].seed) return true;
    return false;
}

static bool same_recipe(const f2l_outcome *a, const f2l_outcome *b)
{
    if (a->recipe[0] != '\0' || b->recipe[0] != '\0') return same(a->recipe, b->recipe);
    return same(a->commit, b->commit) && same(a->version, b->version);
}

static bool is_one_row(const f2l_outcome *a, const f2l_outcome *b)
{
    return alike(a, b) && a->rate == b->rate && same(a->note, b->note) && same_recipe(a, b) &&
           same_lengths(a, b) && !share_a_seed(a, b);
}

/* Adds a name: "17b6a24, f7b7d55"; the names become "several" when there is no room. */
static void add_name(char *names, size_t room, const char *name)
{
    const size_t size = strlen(names);
    if (strstr(names, name) != NULL || same(names, "several")) return;
    if (size + 2 + strlen(name) < room)
        snprintf(names + size, room - size, ", %s", name);
    else
        snprintf(names, room, "several");
}

#define DAY 10 /* "2026-11-21" */

/* Adds a date: "2026-11-21 to 2026-11-23". Dates of another form are listed. */
static void add_date(char *dates, size_t room, const char *date)
{
    const size_t sizes[] = {strlen(dates), strlen(date)};
    const char *const from[] = {dates, date};
    const char *first = dates, *last = dates + sizes[0] - (sizes[0] < DAY ? sizes[0] : DAY);
    char range[2 * DAY + 5];
    if (same(dates, date)) return;
    if (sizes[0] < DAY || sizes[1] < DAY || room < sizeof range) {
        add_name(dates, room, date);
        return;
    }
    if (strncmp(from[1], first, DAY) < 0) first = from[1];
    if (strcmp(date + sizes[1] - DAY, last) > 0) last = date + sizes[1] - DAY;
    memcpy(range, first, DAY);
    memcpy(range + DAY, " to ", 4);
    memcpy(range + DAY + 4, last, DAY);
    range[2 * DAY + 4] = '\0';
    if (strncmp(range, range + DAY + 4, DAY) == 0) range[DAY] = '\0';
    memcpy(dates, range, strlen(range) + 1);
}

static int by_seed(const void *a, const void *b)
{
    const uint32_t x = ((const f2l_outcome_seed *)a)->seed, y = ((const f2l_outcome_seed *)b)->seed;
    return (x > y) - (x < y);
}

/* Takes the seeds out of `more`. */
static f2l_status join(f2l_outcome *w, f2l_outcome *more, f2l_error *err)
{
    f2l_outcome_seed *seed = f2l_realloc(w->seed, w->seeds + more->seeds, sizeof *seed);
    if (seed == NULL) return f2l_fail_memory(err);
    memcpy(seed + w->seeds, more->seed, more->seeds * sizeof *seed);
    w->seed = seed;
    w->seeds += more->seeds;
    more->seeds = 0;
    qsort(seed, w->seeds, sizeof *seed, by_seed);
    if (w->lengths == 0) w->lengths = more->lengths;
    if (more->devices > w->devices) w->devices = more->devices;
    add_name(w->commit, sizeof w->commit, more->commit);
    add_name(w->version, sizeof w->version, more->version);
    add_date(w->date, sizeof w->date, more->date);
    return F2L_OK;
}

static void drop(f2l_outcomes *list, size_t row)
{
    f2l_outcome_clear(&list->row[row]);
    memmove(&list->row[row], &list->row[row + 1], (--list->rows - row) * sizeof *list->row);
}

f2l_status f2l_outcomes_merge(f2l_outcomes *list, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < list->rows; i++)
        for (size_t k = i + 1; status == F2L_OK && k < list->rows;) {
            if (!is_one_row(&list->row[i], &list->row[k])) {
                k++;
                continue;
            }
            status = join(&list->row[i], &list->row[k], err);
            if (status == F2L_OK) drop(list, k);
        }
    return status;
}

/* --- rates --- */

static f2l_status rank(f2l_train_spread *spread, double *mean, const f2l_outcome *w, f2l_error *err)
{
    double *value = f2l_calloc(w->seeds + 1, sizeof *value);
    if (value == NULL) return f2l_fail_memory(err);
    *mean = 0;
    for (size_t i = 0; i < w->seeds; i++) {
        if (w->seed[i].score != NULL)
            (void)f2l_outcome_mean(&value[i], w, &w->seed[i], w->preset->when != F2L_DATA_LAST);
        *mean += value[i] / (double)w->seeds;
    }
    const f2l_status status = f2l_train_spread_of(spread, value, w->seeds, err);
    f2l_free(value);
    return status;
}

/* Returns whether the rate of row k came before in the group of the first row. */
static bool seen(const f2l_outcomes *list, const f2l_outcome *of, size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (alike(&list->row[i], of) && list->row[i].rate == list->row[k].rate) return true;
    return false;
}

f2l_status f2l_outcomes_rates(f2l_outcome_rates *out, const f2l_outcomes *list, size_t row,
                              f2l_error *err)
{
    const f2l_outcome *of = &list->row[row];
    f2l_train_spread best = {0};
    double best_mean = 0;
    *out = (f2l_outcome_rates){0, row};
    for (size_t k = 0; k < list->rows; k++) {
        f2l_train_spread spread;
        double mean;
        if (!alike(&list->row[k], of)) continue;
        const f2l_status status = rank(&spread, &mean, &list->row[k], err);
        if (status != F2L_OK) return status;
        const bool better = out->rates == 0 || spread.median > best.median ||
                            (spread.median == best.median && mean > best_mean);
        out->rates += !seen(list, of, k);
        if (!better) continue;
        out->best = k;
        best = spread;
        best_mean = mean;
    }
    return F2L_OK;
}
