#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <stdio.h>
#include <string.h>

#define MOST_SHOWN 24 /* lengths, before only the lengths of the preset are shown */

void f2l_outcome_init(f2l_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->devices = 1;
}

static void clear_seed(f2l_outcome_seed *seed)
{
    f2l_free(seed->score);
    f2l_free(seed->every);
    f2l_history_clear(&seed->course);
}

void f2l_outcome_clear(f2l_outcome *outcome)
{
    for (size_t i = 0; i < outcome->seeds; i++) clear_seed(&outcome->seed[i]);
    f2l_free(outcome->seed);
    json_decref(outcome->config);
    f2l_outcome_init(outcome);
}

const f2l_outcome_seed *f2l_outcome_scored(const f2l_outcome *outcome)
{
    for (size_t i = 0; i < outcome->seeds; i++)
        if (outcome->seed[i].score != NULL) return &outcome->seed[i];
    return NULL;
}

bool f2l_outcome_ended(const f2l_outcome *outcome)
{
    for (size_t i = 0; i < outcome->seeds; i++)
        if (outcome->seed[i].end == F2L_TRAIN_GOES_ON) return false;
    return true;
}

/* --- a seed --- */

/* Copies the scores that a table shows; *shown is their number. */
static f2l_train_accuracies *copy_shown(size_t *shown, const f2l_outcome *w,
                                        const f2l_history_look *look)
{
    f2l_train_accuracies *copy = f2l_calloc(look->scores + 1, sizeof *copy);
    *shown = 0;
    for (size_t i = 0; copy != NULL && i < look->scores; i++)
        if (look->scores <= MOST_SHOWN ||
            f2l_preset_shows(w->preset, w->setting, look->score[i].length))
            copy[(*shown)++] = look->score[i];
    return copy;
}

static f2l_status check_lengths(const f2l_outcome *w, const f2l_train_accuracies *score,
                                size_t scores, f2l_error *err)
{
    const f2l_outcome_seed *other = f2l_outcome_scored(w);
    bool same = other == NULL || w->lengths == scores;
    for (size_t i = 0; other != NULL && same && i < scores; i++)
        same = other->score[i].length == score[i].length;
    return same ? F2L_OK
                : f2l_fail(err, F2L_EDOMAIN, "the seeds were evaluated at different lengths");
}

static f2l_status take_scores(f2l_outcome *w, f2l_outcome_seed *seed, const f2l_history_look *look,
                              f2l_error *err)
{
    size_t shown;
    seed->score = copy_shown(&shown, w, look);
    if (seed->score == NULL) return f2l_fail_memory(err);
    const f2l_status status = check_lengths(w, seed->score, shown, err);
    if (status != F2L_OK) return status;
    w->lengths = shown;
    if (shown == look->scores) return F2L_OK;
    seed->every = f2l_calloc(look->scores, sizeof *seed->every);
    if (seed->every == NULL) return f2l_fail_memory(err);
    seed->everys = look->scores;
    for (size_t i = 0; i < look->scores; i++)
        seed->every[i] = (f2l_train_accuracies){
            .length = look->score[i].length, .sequence_accuracy = look->score[i].sequence_accuracy};
    return F2L_OK;
}

/* Copies the evaluations, and the points at even distances, with the first and the last. */
static f2l_status take_course(const f2l_outcome *w, f2l_outcome_seed *seed, const f2l_history *h,
                              f2l_error *err)
{
    const size_t most = h->points < F2L_OUTCOME_POINTS ? h->points : F2L_OUTCOME_POINTS;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < most && status == F2L_OK; i++) {
        const size_t at = most < 2 ? 0 : (i * (h->points - 1) + (most - 1) / 2) / (most - 1);
        status = f2l_history_add_point(&seed->course, &h->point[at], err);
    }
    for (size_t i = 0; i < h->looks && status == F2L_OK; i++) {
        size_t shown;
        f2l_train_accuracies *score = copy_shown(&shown, w, &h->look[i]);
        if (score == NULL) return f2l_fail_memory(err);
        status = f2l_history_add_look(&seed->course, h->look[i].step, score, shown, err);
        f2l_free(score);
    }
    return status;
}

f2l_status f2l_outcome_add(f2l_outcome *outcome, uint32_t seed, const f2l_history *history,
                           double share, bool stopped, f2l_error *err)
{
    const f2l_history *h = history;
    f2l_outcome_seed one = {.seed = seed,
                            .end = h->end,
                            .stopped = stopped && h->end == F2L_TRAIN_GOES_ON,
                            .steps = h->step,
                            .tokens = h->tokens,
                            .seconds = h->seconds,
                            .share = share,
                            .loss = h->loss};
    f2l_outcome_seed *seeds = f2l_realloc(outcome->seed, outcome->seeds + 1, sizeof *seeds);
    if (seeds == NULL) return f2l_fail_memory(err);
    outcome->seed = seeds;
    f2l_status status = take_course(outcome, &one, h, err);
    if (status == F2L_OK && h->looks > 0 && h->end != F2L_TRAIN_DIVERGED)
        status = take_scores(outcome, &one, &h->look[h->looks - 1], err);
    if (status == F2L_OK)
        seeds[outcome->seeds++] = one;
    else
        clear_seed(&one);
    return status;
}

const f2l_outcome_seed *f2l_outcome_seed_of(const f2l_outcome *outcome, uint32_t seed)
{
    for (size_t i = 0; outcome && i < outcome->seeds; i++)
        if (outcome->seed[i].seed == seed) return &outcome->seed[i];
    return NULL;
}

double f2l_outcome_share(const f2l_outcome_seed *before, double seconds, double share)
{
    if (!before || !(before->seconds > 0)) return share;
    if (!(seconds > before->seconds)) return before->share;
    return share + (before->share - share) * before->seconds / seconds;
}

bool f2l_outcome_has_curves(const f2l_outcome *outcome)
{
    bool curves = true;
    for (size_t i = 0; i < outcome->seeds; i++) {
        const f2l_outcome_seed *s = &outcome->seed[i];
        curves = curves && (s->course.points > 0 || s->end == F2L_TRAIN_GOES_ON);
    }
    return curves;
}

double f2l_outcome_seconds(const f2l_outcome *outcome)
{
    double sum = 0;
    for (size_t i = 0; i < outcome->seeds; i++) sum += outcome->seed[i].seconds;
    return sum;
}

double f2l_outcome_device_seconds(const f2l_outcome *outcome)
{
    double sum = 0;
    for (size_t i = 0; i < outcome->seeds; i++)
        sum += outcome->seed[i].seconds * outcome->seed[i].share;
    return sum;
}

/* --- devices --- */

#define BETWEEN "; " /* two devices of a list */
#define OTHERS "others"

/* Returns the size of the first name of a list. */
static size_t name_size(const char *list)
{
    const char *end = strstr(list, BETWEEN);
    return end ? (size_t)(end - list) : strlen(list);
}

/* Returns what follows the first name of a list; NULL: nothing does. */
static const char *next_name(const char *list)
{
    const size_t size = name_size(list);
    return list[size] ? list + size + strlen(BETWEEN) : NULL;
}

static bool has_name(const char *list, const char *name, size_t size)
{
    for (; list; list = next_name(list))
        if (name_size(list) == size && memcmp(list, name, size) == 0) return true;
    return false;
}

/* Appends a name; where there is no room for it and for the end of the list, that end. */
static void add_name(char *list, size_t room, const char *name, size_t size)
{
    const size_t there = strlen(list);
    if (size == 0 || has_name(list, OTHERS, strlen(OTHERS)) || has_name(list, name, size)) return;
    const bool fits = there + strlen(BETWEEN) + size + strlen(BETWEEN OTHERS) < room;
    snprintf(list + there, room - there, "%s%.*s", there ? BETWEEN : "",
             (int)(fits ? size : strlen(OTHERS)), fits ? name : OTHERS);
}

void f2l_outcome_add_devices(f2l_outcome *w, const char *devices)
{
    for (const char *name = devices; name; name = next_name(name))
        add_name(w->device, sizeof w->device, name, name_size(name));
}
