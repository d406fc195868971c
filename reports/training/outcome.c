#include "numeric/base/mem.h"
#include "reports/compile/report_json.h"
#include "reports/training/impl.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA 1

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

static json_t *score_json(const f2l_outcome_score *s)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "length", f2l_json_number(s->length)) &&
               f2l_json_put(o, "sequences", f2l_json_number((size_t)s->sequences)) &&
               f2l_json_put(o, "sequence_accuracy", json_real(s->sequence_accuracy)) &&
               f2l_json_put(o, "accuracy", json_real(s->accuracy)) &&
               f2l_json_put(o, "scaled_accuracy", json_real(s->scaled_accuracy)));
}

static json_t *scores_json(const f2l_outcome *outcome, const f2l_outcome_seed *s)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && s->score != NULL && i < outcome->lengths; i++)
        complete = f2l_json_append(a, score_json(&s->score[i]));
    return f2l_json_finish(a, complete);
}

static json_t *seed_json(const f2l_outcome *outcome, const f2l_outcome_seed *s)
{
    json_t *o = json_object();
    return f2l_json_finish(
        o, f2l_json_put(o, "seed", json_integer((json_int_t)s->seed)) &&
               f2l_json_put(o, "end", f2l_json_text(f2l_outcome_end_name(s->end))) &&
               f2l_json_put(o, "steps", json_integer((json_int_t)s->steps)) &&
               f2l_json_put(o, "tokens", json_integer((json_int_t)s->tokens)) &&
               f2l_json_put(o, "loss", isfinite(s->loss) ? json_real(s->loss) : json_null()) &&
               f2l_json_put(o, "timing",
                            json_pack("{s:f, s:f}", "seconds", s->seconds, "share", s->share)) &&
               f2l_json_put(o, "lengths", scores_json(outcome, s)));
}

static json_t *seeds_json(const f2l_outcome *outcome)
{
    json_t *a = json_array();
    bool complete = true;
    for (size_t i = 0; complete && i < outcome->seeds; i++)
        complete = f2l_json_append(a, seed_json(outcome, &outcome->seed[i]));
    return f2l_json_finish(a, complete);
}

static json_t *timing_json(const f2l_outcome *w)
{
    return json_pack("{s:o, s:f, s:f}", "date", f2l_json_text(w->date), "seconds",
                     f2l_outcome_seconds(w), "device_seconds", f2l_outcome_device_seconds(w));
}

json_t *f2l_outcome_json(const f2l_outcome *w)
{
    json_t *o = json_object();
    const bool complete =
        f2l_json_put(o, "schema", f2l_json_number(SCHEMA)) &&
        f2l_json_put(o, "kind", f2l_json_text(F2L_OUTCOME_KIND)) &&
        f2l_json_put(o, "preset", f2l_json_text(w->preset->name)) &&
        f2l_json_put(o, "setting", f2l_json_text(f2l_preset_setting_name(w->setting))) &&
        f2l_json_put(o, "model", f2l_json_text(w->model->name)) &&
        f2l_json_put(o, "scale", json_real(w->scale)) &&
        f2l_json_put(o, "full_steps", json_integer((json_int_t)w->full_steps)) &&
        f2l_json_put(o, "steps", json_integer((json_int_t)w->steps)) &&
        f2l_json_put(o, "batch", f2l_json_number(w->batch)) &&
        f2l_json_put(o, "rate", json_real(w->rate)) &&
        f2l_json_put(o, "backend", f2l_json_text(w->backend)) &&
        f2l_json_put(o, "device", f2l_json_text(w->device)) &&
        f2l_json_put(o, "devices", f2l_json_number(w->devices)) &&
        f2l_json_put(o, "version", f2l_json_text(w->version)) &&
        f2l_json_put(o, "commit", f2l_json_text(w->commit)) &&
        (w->recipe[0] == '\0' || f2l_json_put(o, "recipe", f2l_json_text(w->recipe))) &&
        (w->trained[0] == '\0' || f2l_json_put(o, "trained", f2l_json_text(w->trained))) &&
        f2l_json_put(o, "timing", timing_json(w)) &&
        (w->note[0] == '\0' || f2l_json_put(o, "note", f2l_json_text(w->note))) &&
        f2l_json_put(o, "seeds", seeds_json(w));
    return f2l_json_finish(o, complete);
}

f2l_status f2l_outcome_write(f2l_buf *out, const f2l_outcome *outcome, f2l_error *err)
{
    return f2l_json_write(out, f2l_outcome_json(outcome), JSON_COMPACT, err);
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
