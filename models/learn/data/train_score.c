#include "models/learn/data/train_score.h"
#include "numeric/base/mem.h"
#include "numeric/base/order.h"
#include "numeric/json/members.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double fraction(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (double)part / (double)whole;
}

double f2l_train_accuracy(const f2l_train_score *score)
{
    return fraction(score->right, score->supervised);
}

double f2l_train_sequence_accuracy(const f2l_train_score *score)
{
    return fraction(score->right_ones, score->sequences);
}

double f2l_train_constant_accuracy(const f2l_train_score *score)
{
    return fraction(score->constant, score->supervised);
}

static double scale_accuracy(const f2l_train_score *score, double accuracy)
{
    return score->supervised == 0 ? 0 : (accuracy - score->chance) / (1 - score->chance);
}

double f2l_train_scaled_accuracy(const f2l_train_score *score)
{
    return scale_accuracy(score, f2l_train_accuracy(score));
}

double f2l_train_scaled_constant(const f2l_train_score *score)
{
    return scale_accuracy(score, f2l_train_constant_accuracy(score));
}

static double of_words(const f2l_train_words *words)
{
    return words->sequences > 0 ? fraction(words->right_ones, words->sequences) : (double)NAN;
}

double f2l_train_live_accuracy(const f2l_train_score *score)
{
    return of_words(&score->live);
}

double f2l_train_periodic_accuracy(const f2l_train_score *score)
{
    return of_words(&score->periodic);
}

double f2l_train_least_of(const f2l_train_accuracies *a)
{
    const double others = fmin(a->sink_free_accuracy, a->periodic_accuracy);
    return isnan(others) ? others : fmin(others, a->sequence_accuracy);
}

double f2l_train_least_accuracy(const f2l_train_score *score)
{
    const f2l_train_accuracies a = f2l_train_accuracies_of(score);
    return f2l_train_least_of(&a);
}

f2l_train_accuracies f2l_train_accuracies_of(const f2l_train_score *score)
{
    return (f2l_train_accuracies){.length = score->length,
                                  .sequences = score->sequences,
                                  .sequence_accuracy = f2l_train_sequence_accuracy(score),
                                  .accuracy = f2l_train_accuracy(score),
                                  .scaled_accuracy = f2l_train_scaled_accuracy(score),
                                  .constant_accuracy = f2l_train_constant_accuracy(score),
                                  .scaled_constant = f2l_train_scaled_constant(score),
                                  .sink_free_accuracy = f2l_train_live_accuracy(score),
                                  .periodic_accuracy = f2l_train_periodic_accuracy(score)};
}

#define FRACTION(member, least, how_) \
    F2L_MEMBER(f2l_train_accuracies, member, F2L_IN(least, 1), .digits = 15, .how = (how_))
static const f2l_member rows[] = {F2L_MEMBER(f2l_train_accuracies, length, F2L_IN(1, UINT32_MAX)),
                                  F2L_MEMBER(f2l_train_accuracies, sequences, F2L_ANY),
                                  FRACTION(sequence_accuracy, 0, 0),
                                  FRACTION(accuracy, 0, 0),
                                  FRACTION(scaled_accuracy, -DBL_MAX, 0),
                                  FRACTION(constant_accuracy, 0, F2L_MAY_MISS | F2L_SKIP_NAN),
                                  FRACTION(scaled_constant, -DBL_MAX, F2L_MAY_MISS | F2L_SKIP_NAN),
                                  FRACTION(sink_free_accuracy, 0, F2L_MAY_MISS | F2L_SKIP_NAN),
                                  FRACTION(periodic_accuracy, 0, F2L_MAY_MISS | F2L_SKIP_NAN)};
const f2l_members f2l_train_accuracies_members = F2L_MEMBERS(rows);

void f2l_train_score_json(f2l_buf *out, const f2l_train_score *score)
{
    const f2l_train_accuracies a = f2l_train_accuracies_of(score);
    f2l_members_write(out, &f2l_train_accuracies_members, &a);
}

f2l_status f2l_train_accuracies_read(f2l_train_accuracies *out, const json_t *object,
                                     const char *what, f2l_error *err)
{
    *out = (f2l_train_accuracies){.constant_accuracy = (double)NAN,
                                  .scaled_constant = (double)NAN,
                                  .sink_free_accuracy = (double)NAN,
                                  .periodic_accuracy = (double)NAN};
    const f2l_status status =
        f2l_members_read(out, &f2l_train_accuracies_members, object, what, err);
    if (status != F2L_OK || isnan(out->constant_accuracy) == isnan(out->scaled_constant))
        return status;
    return f2l_fail(err, F2L_EFORMAT, "%s has one of constant_accuracy and scaled_constant", what);
}

enum { NONE, ALL_RIGHT, ONE_WRONG };

f2l_status f2l_train_tally_init(f2l_train_tally *tally, f2l_train_score *score, size_t scores,
                                size_t sequences, f2l_error *err)
{
    *tally = (f2l_train_tally){0};
    for (size_t i = 0; i < scores; i++)
        if (score[i].length <= (i == 0 ? 0 : score[i - 1].length))
            return f2l_fail(err, F2L_EDOMAIN, "the lengths of an evaluation must ascend from 1 on");
    unsigned char *so_far = f2l_calloc(sequences, 1);
    if (!so_far) return f2l_fail_memory(err);
    *tally = (f2l_train_tally){
        .score = score, .scores = scores, .sequences = sequences, .so_far = so_far};
    return F2L_OK;
}

void f2l_train_tally_clear(f2l_train_tally *tally)
{
    f2l_free(tally->so_far);
    *tally = (f2l_train_tally){0};
}

static void count_sequence(f2l_train_tally *tally, size_t sequence, const uint32_t *answer,
                           const uint32_t *label, const unsigned char *mask, size_t letters)
{
    for (size_t t = 0; t < letters; t++) {
        if (mask && !mask[t]) continue;
        tally->supervised++;
        if (answer[t] == label[t])
            tally->right++;
        else
            tally->so_far[sequence] = ONE_WRONG;
        if (tally->so_far[sequence] == NONE) tally->so_far[sequence] = ALL_RIGHT;
    }
}

static void close_score(f2l_train_tally *tally)
{
    f2l_train_score *score = &tally->score[tally->next++];
    score->supervised += tally->supervised;
    score->right += tally->right;
    for (size_t i = 0; i < tally->sequences; i++) {
        score->sequences += tally->so_far[i] != NONE;
        score->right_ones += tally->so_far[i] == ALL_RIGHT;
    }
}

void f2l_train_tally_add(f2l_train_tally *tally, const uint32_t *answer, const uint32_t *label,
                         const unsigned char *mask, size_t letters)
{
    size_t from = 0;
    while (from < letters && tally->next < tally->scores) {
        const size_t left = tally->score[tally->next].length - tally->at;
        const size_t now = left < letters - from ? left : letters - from;
        for (size_t i = 0; i < tally->sequences; i++) {
            const size_t first = i * letters + from;
            count_sequence(tally, i, answer + first, label + first, mask ? mask + first : NULL,
                           now);
        }
        from += now;
        tally->at += now;
        if (now == left) close_score(tally);
    }
}

#define SPREAD(member) F2L_MEMBER(f2l_train_spread, member, F2L_ANY)
static const f2l_member spread_rows[] = {SPREAD(median), SPREAD(least), SPREAD(greatest),
                                         SPREAD(deviation)};
const f2l_members f2l_train_spread_members = F2L_MEMBERS(spread_rows);

f2l_status f2l_train_spread_of(f2l_train_spread *spread, const double *value, size_t count,
                               f2l_error *err)
{
    *spread = (f2l_train_spread){0};
    if (count == 0) return f2l_fail(err, F2L_EDOMAIN, "no runs to take the median of");
    double *sorted = f2l_calloc(count, sizeof *sorted);
    if (!sorted) return f2l_fail_memory(err);
    memcpy(sorted, value, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, f2l_order_doubles);
    double mean = 0, squares = 0;
    for (size_t i = 0; i < count; i++) mean += sorted[i] / (double)count;
    for (size_t i = 0; i < count; i++) squares += (sorted[i] - mean) * (sorted[i] - mean);
    spread->count = count;
    spread->median =
        count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
    spread->least = sorted[0];
    spread->greatest = sorted[count - 1];
    spread->deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
    f2l_free(sorted);
    return F2L_OK;
}
