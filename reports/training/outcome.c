#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA 2 /* of the file, which has its own version */

#define MOST_SHOWN 24 /* lengths, before only the lengths of the preset are shown */

static const char *const end_name[] = {"running", "completed", "reached", "diverged", "stopped"};
enum { STOPPED = F2L_TRAIN_DIVERGED + 1 };

const char *f2l_outcome_end_name(const f2l_outcome_seed *seed)
{
    return end_name[seed->stopped ? (int)STOPPED : (int)seed->end];
}

bool f2l_outcome_end_find(f2l_outcome_seed *seed, const char *name)
{
    for (int e = 0; e <= STOPPED; e++)
        if (strcmp(name, end_name[e]) == 0) {
            seed->stopped = e == STOPPED;
            seed->end = e == STOPPED ? F2L_TRAIN_GOES_ON : (f2l_train_end)e;
            return true;
        }
    return false;
}

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

static void say_scores(f2l_fact seed, const f2l_outcome *outcome, const f2l_outcome_seed *s)
{
    f2l_fact lengths = f2l_say_list(seed, "lengths");
    for (size_t i = 0; s->score != NULL && i < outcome->lengths; i++) {
        const f2l_train_accuracies *score = &s->score[i];
        f2l_fact one = f2l_say_object(lengths, NULL);
        f2l_say_count(one, "length", score->length);
        f2l_say_count(one, "sequences", score->sequences);
        f2l_say_number(one, "sequence_accuracy", score->sequence_accuracy);
        f2l_say_number(one, "accuracy", score->accuracy);
        f2l_say_number(one, "scaled_accuracy", score->scaled_accuracy);
        if (isnan(score->constant_accuracy)) continue;
        f2l_say_number(one, "constant_accuracy", score->constant_accuracy);
        f2l_say_number(one, "scaled_constant", score->scaled_constant);
    }
    if (s->everys > 0)
        f2l_columns_say(seed, "every_length", &f2l_every_columns, s->every, s->everys);
}

static void say_course(f2l_fact seed, const f2l_history *course)
{
    if (course->looks > 0) {
        f2l_fact list = f2l_say_list(seed, "evaluations");
        for (size_t i = 0; i < course->looks; i++) {
            f2l_fact one = f2l_say_object(list, NULL);
            f2l_say_count(one, "step", course->look[i].step);
            f2l_columns_say(one, "scores", &f2l_look_columns, course->look[i].score,
                            course->look[i].scores);
        }
    }
    if (course->points > 0)
        f2l_columns_say(seed, "curve", &f2l_curve_columns, course->point, course->points);
}

static void say_seed(f2l_fact list, const f2l_outcome *outcome, const f2l_outcome_seed *s)
{
    f2l_fact seed = f2l_say_object(list, NULL);
    f2l_say_count(seed, "seed", s->seed);
    f2l_say_text(seed, "end", f2l_outcome_end_name(s));
    f2l_say_count(seed, "steps", s->steps);
    f2l_say_count(seed, "tokens", s->tokens);
    f2l_say_number(seed, "loss", s->loss);
    f2l_say_reason(seed, "weights", s->weights);
    f2l_fact timing = f2l_say_object(seed, "timing");
    f2l_say_number(timing, "seconds", s->seconds);
    f2l_say_number(timing, "share", s->share);
    say_scores(seed, outcome, s);
    say_course(seed, &s->course);
}

/* Puts a text that is not empty. */
static void say_given(f2l_fact in, const char *name, const char *text)
{
    if (text[0] != '\0') f2l_say_text(in, name, text);
}

void f2l_outcome_say(f2l_fact in, const f2l_outcome *w)
{
    f2l_say_count(in, "schema", SCHEMA);
    f2l_say_text(in, "kind", F2L_OUTCOME_KIND);
    f2l_say_text(in, "preset", w->preset->name);
    f2l_say_text(in, "setting", f2l_preset_setting_name(w->setting));
    f2l_say_text(in, "model", w->model->name);
    f2l_say_number(in, "scale", w->scale);
    f2l_say_count(in, "full_steps", w->full_steps);
    f2l_say_count(in, "steps", w->steps);
    f2l_say_count(in, "batch", w->batch);
    f2l_say_number(in, "rate", w->rate);
    f2l_say_text(in, "backend", w->backend);
    f2l_say_text(in, "device", w->device);
    f2l_say_count(in, "devices", w->devices);
    f2l_say_text(in, "version", w->version);
    f2l_say_text(in, "commit", w->commit);
    say_given(in, "recipe", w->recipe);
    say_given(in, "trained", w->trained);
    f2l_fact timing = f2l_say_object(in, "timing");
    f2l_say_text(timing, "date", w->date);
    f2l_say_number(timing, "seconds", f2l_outcome_seconds(w));
    f2l_say_number(timing, "device_seconds", f2l_outcome_device_seconds(w));
    say_given(in, "note", w->note);
    if (w->config != NULL) f2l_say_json(in, "config", json_incref(w->config));
    f2l_fact seeds = f2l_say_list(in, "seeds");
    for (size_t i = 0; i < w->seeds; i++) say_seed(seeds, w, &w->seed[i]);
}

f2l_status f2l_outcome_write(f2l_buf *out, const f2l_outcome *outcome, f2l_error *err)
{
    f2l_facts facts;
    f2l_facts_init(&facts);
    f2l_outcome_say(f2l_facts_root(&facts), outcome);
    const f2l_status status = f2l_facts_write(out, &facts, (f2l_facts_style){.digits = 17}, err);
    f2l_facts_clear(&facts);
    return status;
}
