/* Rows of one experiment: further seeds, and other rates. */
#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool texts_are_equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Returns whether everything that belongs to a recipe but its rate, and what it ran on, is
 * equal. */
static bool alike(const f2l_outcome *a, const f2l_outcome *b)
{
    return a->preset == b->preset && a->setting == b->setting && a->model == b->model &&
           a->scale == b->scale && a->full_steps == b->full_steps && a->steps == b->steps &&
           a->batch == b->batch && texts_are_equal(a->backend, b->backend) &&
           texts_are_equal(a->device, b->device);
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
    if (a->recipe[0] != '\0' || b->recipe[0] != '\0') return texts_are_equal(a->recipe, b->recipe);
    return texts_are_equal(a->commit, b->commit) && texts_are_equal(a->version, b->version);
}

static bool is_one_row(const f2l_outcome *a, const f2l_outcome *b)
{
    /* a note may tell of another recipe, unless the recipes are known */
    return alike(a, b) && a->rate == b->rate && same_recipe(a, b) &&
           (a->recipe[0] != '\0' || texts_are_equal(a->note, b->note)) && same_lengths(a, b) &&
           !share_a_seed(a, b);
}

/* Adds a name: "17b6a24, f7b7d55"; the names become "several" when there is no room. */
static void add_distinct_name(char *names, size_t room, const char *name)
{
    const size_t size = strlen(names);
    if (strstr(names, name) != NULL || texts_are_equal(names, "several")) return;
    if (size + 2 + strlen(name) < room)
        snprintf(names + size, room - size, "%s%s", size > 0 ? ", " : "", name);
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
    if (texts_are_equal(dates, date)) return;
    if (sizes[0] < DAY || sizes[1] < DAY || room < sizeof range) {
        add_distinct_name(dates, room, date);
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
static f2l_status join_seeds(f2l_outcome *w, f2l_outcome *more, f2l_error *err)
{
    f2l_outcome_seed *seed = f2l_realloc(w->seed, w->seeds + more->seeds, sizeof *seed);
    if (seed == NULL) return f2l_fail_memory(err);
    memcpy(seed + w->seeds, more->seed, more->seeds * sizeof *seed);
    w->seed = seed;
    w->seeds += more->seeds;
    more->seeds = 0;
    qsort(seed, w->seeds, sizeof *seed, by_seed);
    if (w->lengths == 0) w->lengths = more->lengths;
    if (w->config == NULL) w->config = json_incref(more->config);
    if (more->devices > w->devices) w->devices = more->devices;
    add_distinct_name(w->commit, sizeof w->commit, more->commit);
    add_distinct_name(w->version, sizeof w->version, more->version);
    if (!texts_are_equal(w->note, more->note))
        add_distinct_name(w->note, sizeof w->note, more->note);
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
            status = join_seeds(&list->row[i], &list->row[k], err);
            if (status == F2L_OK) drop(list, k);
        }
    return status;
}

/* --- rates --- */

/* Returns whether a path of config.json belongs to the rate. */
static bool is_rate(const char *name)
{
    return texts_are_equal(name, "rate") || texts_are_equal(name, "last_rate");
}

/* Returns whether two configurations agree apart from the rates. */
static bool same_config(json_t *a, json_t *b)
{
    const char *name;
    json_t *value, *train = json_object_get(a, "train"), *other = json_object_get(b, "train");
    json_object_foreach(a, name,
                        value) if (value != train &&
                                   !json_equal(value, json_object_get(b, name))) return false;
    json_object_foreach(train, name,
                        value) if (!is_rate(name) &&
                                   !json_equal(value, json_object_get(other, name))) return false;
    return json_object_size(a) == json_object_size(b) &&
           json_object_size(train) == json_object_size(other);
}

/* Returns whether the rows are runs of one experiment, at any rate. */
static bool one_experiment(const f2l_outcome *a, const f2l_outcome *b)
{
    if (a->config != NULL && b->config != NULL)
        return alike(a, b) && same_config(a->config, b->config);
    return alike(a, b) && texts_are_equal(a->note, b->note);
}

/* One rate with all of its seeds. */
typedef struct candidate {
    double *value; /* [seeds] */
    uint32_t *seed;
    size_t seeds;
    f2l_train_spread spread;
    double mean;
} candidate;

static bool has_seed(const candidate *c, uint32_t seed)
{
    for (size_t i = 0; i < c->seeds; i++)
        if (c->seed[i] == seed) return true;
    return false;
}

static void pool_row(candidate *c, const f2l_outcome *w)
{
    for (size_t i = 0; i < w->seeds; i++) {
        double value = 0; /* guessing, for a seed without scores */
        if (has_seed(c, w->seed[i].seed)) continue;
        if (w->seed[i].score != NULL)
            (void)f2l_outcome_mean(&value, w, &w->seed[i], !f2l_preset_has_mean(w->preset));
        c->value[c->seeds] = value;
        c->seed[c->seeds++] = w->seed[i].seed;
    }
}

/* Fills the candidate of the rate of row k, among the rows of the experiment of `of`. */
static f2l_status pool(candidate *c, const f2l_outcomes *list, const f2l_outcome *of, size_t k,
                       f2l_error *err)
{
    size_t most = 1;
    for (size_t i = 0; i < list->rows; i++) most += list->row[i].seeds;
    *c = (candidate){.value = f2l_calloc(most, sizeof *c->value),
                     .seed = f2l_calloc(most, sizeof *c->seed)};
    f2l_status status = c->value && c->seed ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; i < list->rows && status == F2L_OK; i++)
        if (one_experiment(&list->row[i], of) && list->row[i].rate == list->row[k].rate)
            pool_row(c, &list->row[i]);
    if (status == F2L_OK) status = f2l_train_spread_of(&c->spread, c->value, c->seeds, err);
    for (size_t i = 0; i < c->seeds; i++) c->mean += c->value[i] / (double)c->seeds;
    f2l_free(c->value);
    f2l_free(c->seed);
    return status;
}

/* Returns whether the rate of row k came before in the experiment of the row. */
static bool seen(const f2l_outcomes *list, const f2l_outcome *of, size_t k)
{
    for (size_t i = 0; i < k; i++)
        if (one_experiment(&list->row[i], of) && list->row[i].rate == list->row[k].rate)
            return true;
    return false;
}

f2l_status f2l_outcomes_rates(f2l_outcome_rates *out, const f2l_outcomes *list, size_t row,
                              f2l_error *err)
{
    const f2l_outcome *of = &list->row[row];
    candidate best = {0};
    *out = (f2l_outcome_rates){.best = (double)NAN};
    for (size_t k = 0; k < list->rows; k++) {
        candidate c;
        if (!one_experiment(&list->row[k], of) || seen(list, of, k)) continue;
        const f2l_status status = pool(&c, list, of, k, err);
        if (status != F2L_OK) return status;
        out->rates++;
        if (c.seeds < out->seeds) continue;
        if (c.seeds > out->seeds) out->compared = 0;
        const bool better = out->compared == 0 || c.spread.median > best.spread.median ||
                            (c.spread.median == best.spread.median && c.mean > best.mean);
        out->compared++;
        out->seeds = c.seeds;
        if (!better) continue;
        out->best = list->row[k].rate;
        best = c;
    }
    if (out->compared < 2) out->best = (double)NAN;
    return F2L_OK;
}
