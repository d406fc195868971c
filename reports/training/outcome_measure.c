/* The papers' measures of an outcome. */
#include "numeric/base/mem.h"
#include "reports/training/impl.h"
#include <math.h>

/* The lengths of the papers' tests of the formal languages, which were drawn evenly. */
#define MEAN_FROM 40
#define MEAN_TO 256

typedef double measure(const f2l_train_accuracies *score);

static double scaled_accuracy_of(const f2l_train_accuracies *score)
{
    return score->scaled_accuracy;
}

static double sequences(const f2l_train_accuracies *score)
{
    return score->sequence_accuracy;
}

static double constant(const f2l_train_accuracies *score)
{
    return score->scaled_constant;
}

static measure *measure_of(const f2l_outcome *outcome)
{
    return f2l_preset_is_scaled(outcome->preset) ? scaled_accuracy_of : sequences;
}

/* Computes a mean over lengths by the trapezoid rule; a single length is its own mean. */
static bool mean_over(double *mean, const f2l_train_accuracies *score, size_t scores,
                      measure *value, bool all)
{
    const f2l_train_accuracies *last = NULL;
    double sum = 0, width = 0;
    for (size_t i = 0; i < scores; i++) {
        const f2l_train_accuracies *s = &score[i];
        /* 39 where the data have no words of 40 letters */
        if (!all && (s->length + 1 < MEAN_FROM || s->length > MEAN_TO)) continue;
        if (last != NULL) {
            const double step = (double)(s->length - last->length);
            sum += step * (value(s) + value(last)) / 2;
            width += step;
        }
        last = s;
    }
    if (last != NULL) *mean = width > 0 ? sum / width : value(last);
    return last != NULL;
}

bool f2l_outcome_mean(double *mean, const f2l_outcome *outcome, const f2l_outcome_seed *seed,
                      bool all)
{
    return mean_over(mean, seed->score, outcome->lengths, measure_of(outcome), all);
}

bool f2l_outcome_values(double *value, const f2l_outcome *w, size_t at)
{
    bool known = f2l_outcome_scored(w) != NULL && at <= w->lengths;
    for (size_t i = 0; known && i < w->seeds; i++) {
        const f2l_outcome_seed *seed = &w->seed[i];
        value[i] = 0;
        if (seed->score == NULL) continue;
        if (at < w->lengths)
            value[i] = measure_of(w)(&seed->score[at]);
        else
            known = f2l_outcome_mean(&value[i], w, seed, false);
    }
    return known;
}

bool f2l_outcome_every(double *value, size_t *length, const f2l_outcome *w, size_t at)
{
    const f2l_outcome_seed *scored = f2l_outcome_scored(w);
    if (scored == NULL || at >= scored->everys) return false;
    *length = scored->every[at].length;
    for (size_t i = 0; i < w->seeds; i++) {
        const f2l_outcome_seed *s = &w->seed[i];
        value[i] = at < s->everys ? s->every[at].sequence_accuracy : 0;
    }
    return true;
}

f2l_status f2l_outcome_measure(f2l_train_spread *spread, const f2l_outcome *outcome, size_t at,
                               f2l_error *err)
{
    double *value = f2l_calloc(outcome->seeds + 1, sizeof *value);
    if (value == NULL) return f2l_fail_memory(err);
    const f2l_status status = f2l_outcome_values(value, outcome, at)
                                  ? f2l_train_spread_of(spread, value, outcome->seeds, err)
                                  : f2l_fail(err, F2L_EDOMAIN, "the outcome has no such length");
    f2l_free(value);
    return status;
}

double f2l_outcome_constant(const f2l_outcome *w, size_t at)
{
    double sum = 0;
    size_t count = 0;
    if (!f2l_preset_is_scaled(w->preset)) return (double)NAN;
    for (size_t i = 0; i < w->seeds; i++) {
        const f2l_train_accuracies *score = w->seed[i].score;
        double value = (double)NAN;
        if (score == NULL) continue;
        if (at < w->lengths)
            value = constant(&score[at]);
        else
            (void)mean_over(&value, score, w->lengths, constant, false);
        sum += value;
        count++;
    }
    return sum / (double)count;
}
