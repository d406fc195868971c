#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <stdlib.h>
#include <string.h>

#define SCHEMA 1 /* of the file, which has its own version */

/* The lengths of the papers' tests of the formal languages. */
#define MEAN_FROM 40
#define MEAN_TO 256

static const char *const end_name[] = {NULL, "completed", "reached", "diverged"};

const char *f2l_outcome_end_name(f2l_train_end end)
{
    return end_name[end];
}

bool f2l_outcome_end_find(f2l_train_end *end, const char *name)
{
    for (int e = F2L_TRAIN_COMPLETED; e <= F2L_TRAIN_DIVERGED; e++)
        if (strcmp(name, end_name[e]) == 0) {
            *end = (f2l_train_end)e;
            return true;
        }
    return false;
}

void f2l_outcome_init(f2l_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    outcome->devices = 1;
}

void f2l_outcome_clear(f2l_outcome *outcome)
{
    for (size_t i = 0; i < outcome->seeds; i++) f2l_free(outcome->seed[i].score);
    f2l_free(outcome->seed);
    f2l_outcome_init(outcome);
}

const f2l_outcome_seed *f2l_outcome_scored(const f2l_outcome *outcome)
{
    for (size_t i = 0; i < outcome->seeds; i++)
        if (outcome->seed[i].score != NULL) return &outcome->seed[i];
    return NULL;
}

static f2l_status check_lengths(const f2l_outcome *outcome, const f2l_train_result *result,
                                f2l_error *err)
{
    const f2l_outcome_seed *other = f2l_outcome_scored(outcome);
    if (result->end == F2L_TRAIN_DIVERGED) return F2L_OK;
    if (result->end == F2L_TRAIN_GOES_ON || result->scores == 0)
        return f2l_fail(err, F2L_EDOMAIN, "the run has no outcome yet");
    bool same = other == NULL || outcome->lengths == result->scores;
    for (size_t i = 0; other != NULL && same && i < result->scores; i++)
        same = other->score[i].length == result->score[i].length;
    return same ? F2L_OK
                : f2l_fail(err, F2L_EDOMAIN,
                           "the seeds were evaluated at different "
                           "lengths");
}

static f2l_outcome_score *scores_of(const f2l_train_result *result)
{
    f2l_outcome_score *score = f2l_calloc(result->scores, sizeof *score);
    for (size_t i = 0; score != NULL && i < result->scores; i++) {
        const f2l_train_score *s = &result->score[i];
        score[i] = (f2l_outcome_score){s->length, s->sequences, f2l_train_sequence_accuracy(s),
                                       f2l_train_accuracy(s), f2l_train_scaled_accuracy(s)};
    }
    return score;
}

f2l_status f2l_outcome_add(f2l_outcome *outcome, uint32_t seed, const f2l_train_result *result,
                           double share, f2l_error *err)
{
    const bool scored = result->end != F2L_TRAIN_DIVERGED;
    const f2l_status status = check_lengths(outcome, result, err);
    if (status != F2L_OK) return status;
    f2l_outcome_seed *seeds = f2l_realloc(outcome->seed, outcome->seeds + 1, sizeof *seeds);
    if (seeds == NULL) return f2l_fail_memory(err);
    outcome->seed = seeds;
    f2l_outcome_score *score = scored ? scores_of(result) : NULL;
    if (scored && score == NULL) return f2l_fail_memory(err);
    if (scored) outcome->lengths = result->scores;
    seeds[outcome->seeds++] = (f2l_outcome_seed){.seed = seed,
                                                 .end = result->end,
                                                 .steps = result->step,
                                                 .tokens = result->tokens,
                                                 .seconds = result->seconds,
                                                 .share = share,
                                                 .loss = result->loss,
                                                 .score = score};
    return F2L_OK;
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

static void say_seed(f2l_fact list, const f2l_outcome *outcome, const f2l_outcome_seed *s)
{
    f2l_fact seed = f2l_say_object(list, NULL);
    f2l_say_count(seed, "seed", s->seed);
    f2l_say_text(seed, "end", f2l_outcome_end_name(s->end));
    f2l_say_count(seed, "steps", s->steps);
    f2l_say_count(seed, "tokens", s->tokens);
    f2l_say_number(seed, "loss", s->loss);
    f2l_fact timing = f2l_say_object(seed, "timing");
    f2l_say_number(timing, "seconds", s->seconds);
    f2l_say_number(timing, "share", s->share);
    f2l_fact lengths = f2l_say_list(seed, "lengths");
    for (size_t i = 0; s->score != NULL && i < outcome->lengths; i++) {
        const f2l_outcome_score *score = &s->score[i];
        f2l_fact one = f2l_say_object(lengths, NULL);
        f2l_say_count(one, "length", score->length);
        f2l_say_count(one, "sequences", score->sequences);
        f2l_say_number(one, "sequence_accuracy", score->sequence_accuracy);
        f2l_say_number(one, "accuracy", score->accuracy);
        f2l_say_number(one, "scaled_accuracy", score->scaled_accuracy);
    }
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

double f2l_outcome_value(const f2l_outcome *outcome, const f2l_outcome_score *s)
{
    return outcome->preset->when == F2L_DATA_LAST ? s->scaled_accuracy : s->sequence_accuracy;
}

bool f2l_outcome_mean(double *mean, const f2l_outcome *outcome, const f2l_outcome_seed *seed,
                      bool all)
{
    size_t count = 0;
    double sum = 0;
    for (size_t i = 0; i < outcome->lengths; i++) {
        const f2l_outcome_score *s = &seed->score[i];
        /* 39 where the data have no words of 40 letters */
        if (!all && (s->length + 1 < MEAN_FROM || s->length > MEAN_TO)) continue;
        sum += f2l_outcome_value(outcome, s);
        count++;
    }
    if (count > 0) *mean = sum / (double)count;
    return count > 0;
}

f2l_status f2l_outcome_measure(f2l_train_spread *spread, const f2l_outcome *outcome, size_t at,
                               f2l_error *err)
{
    size_t count = 0;
    bool known = f2l_outcome_scored(outcome) != NULL && at <= outcome->lengths;
    double *value = f2l_calloc(outcome->seeds + 1, sizeof *value);
    if (value == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; known && i < outcome->seeds; i++) {
        const f2l_outcome_seed *seed = &outcome->seed[i];
        if (seed->score == NULL) continue;
        if (at < outcome->lengths)
            value[count++] = f2l_outcome_value(outcome, &seed->score[at]);
        else
            known = f2l_outcome_mean(&value[count++], outcome, seed, false);
    }
    const f2l_status status = known ? f2l_train_spread_of(spread, value, count, err)
                                    : f2l_fail(err, F2L_EDOMAIN, "the outcome has no such length");
    f2l_free(value);
    return status;
}
