/* Accuracy of a model by length: counts, the accuracies that are reported, and a tally that takes
 * the answers in pieces, so that sequences of any length are scored in memory that does not grow
 * with the length. */
#ifndef F2L_TRAIN_SCORE_H
#define F2L_TRAIN_SCORE_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include <stddef.h>
#include <stdint.h>

struct json_t;
struct f2l_members;

/* Words of another kind than random ones (models/learn/data/data_walk.h), of the same length. */
typedef struct f2l_train_words {
    uint64_t sequences, right_ones; /* as of a score; sequences 0: none were tested */
} f2l_train_words;

/* Counts for the first `length` letters of the sequences. Sequences without a supervised position
 * among these letters do not count. */
typedef struct f2l_train_score {
    size_t length;                  /* letters */
    uint64_t sequences;             /* number of sequences with a supervised position */
    uint64_t right_ones;            /* sequences that are right at every supervised position */
    uint64_t supervised;            /* number of supervised positions */
    uint64_t right;                 /* number of supervised positions answered right */
    uint64_t constant;              /* supervised positions that have the most frequent label */
    double chance;                  /* accuracy of blind guessing, in [0, 1) */
    f2l_train_words live, periodic; /* all other counts are of random words */
} f2l_train_score;

/* Return fractions in [0, 1]; 0 where nothing was counted. */
double f2l_train_accuracy(const f2l_train_score *score);          /* of positions */
double f2l_train_sequence_accuracy(const f2l_train_score *score); /* of sequences */
/* Returns the accuracy at positions of the best answer that is always the same, chosen with these
 * sequences in view: an upper bound of what a network reaches that ignores its letters. */
double f2l_train_constant_accuracy(const f2l_train_score *score);
/* Returns (accuracy - chance) / (1 - chance), negative below chance; the measure of Grazzi et al.
 * 2025, section 5.1. 0 where nothing was counted. */
double f2l_train_scaled_accuracy(const f2l_train_score *score);
/* Returns the scaled accuracy of that best constant answer. */
double f2l_train_scaled_constant(const f2l_train_score *score);

/* Return the fraction of sink-free and of periodic words that are right at every supervised
 * position, and the least of these and of f2l_train_sequence_accuracy; NAN where none were
 * tested. */
double f2l_train_live_accuracy(const f2l_train_score *score);
double f2l_train_periodic_accuracy(const f2l_train_score *score);
double f2l_train_least_accuracy(const f2l_train_score *score);

/* What is reported of a score. */
typedef struct f2l_train_accuracies {
    size_t length;
    uint64_t sequences;
    double sequence_accuracy, accuracy, scaled_accuracy;
    double constant_accuracy, scaled_constant;    /* NAN: not known, as in earlier records */
    double sink_free_accuracy, periodic_accuracy; /* of sequences; NAN: not tested, as in earlier
                                                   * records */
} f2l_train_accuracies;
f2l_train_accuracies f2l_train_accuracies_of(const f2l_train_score *score);

/* Returns the least of the sequence accuracies; NAN: only random words were tested. */
double f2l_train_least_of(const f2l_train_accuracies *score);

/* Their members in JSON, and reading them. Either both members of the best constant answer are
 * there, or neither is, and they are NAN. */
extern const struct f2l_members f2l_train_accuracies_members;
f2l_status f2l_train_accuracies_read(f2l_train_accuracies *out, const struct json_t *object,
                                     const char *what, f2l_error *err);

/* Appends {"length":64,"sequences":512,"sequence_accuracy":1,"accuracy":1,"scaled_accuracy":1,
 * "constant_accuracy":0.25,"scaled_constant":0.1}, with "sink_free_accuracy" and
 * "periodic_accuracy" where such words were tested, numbers with 15 digits. */
void f2l_train_score_json(f2l_buf *out, const f2l_train_score *score);

/* A tally of the answers of `sequences` sequences that grow together. */
typedef struct f2l_train_tally {
    f2l_train_score *score; /* borrowed */
    size_t scores;
    /* private */
    size_t at, next; /* letters so far; the first score that is still open */
    size_t sequences;
    unsigned char *so_far; /* [sequences]: none supervised yet, all right, one wrong */
    uint64_t supervised, right;
} f2l_train_tally;

/* Begins a tally. score[scores], lengths strictly ascending from 1 on, is borrowed until clear; the
 * counts are added to the counts in score (a caller starts with zeros), so that several tallies
 * make one evaluation. */
f2l_status f2l_train_tally_init(f2l_train_tally *tally, f2l_train_score *score, size_t scores,
                                size_t sequences, f2l_error *err);
void f2l_train_tally_clear(f2l_train_tally *tally);
/* Counts the next `letters` positions of every sequence: answer, label and mask are
 * [sequences][letters]; mask NULL: all positions are supervised. A score counts once its length is
 * reached; positions beyond the last length are ignored. */
void f2l_train_tally_add(f2l_train_tally *tally, const uint32_t *answer, const uint32_t *label,
                         const unsigned char *mask, size_t letters);

/* Statistics over several runs (seeds) of one experiment. */
typedef struct f2l_train_spread {
    size_t count;
    double median, least, greatest;
    double deviation; /* sample standard deviation (divisor count - 1); 0 for one value */
} f2l_train_spread;

/* All but the count. */
extern const struct f2l_members f2l_train_spread_members;

/* Computes *spread of value[count], count >= 1, none of them NaN; the median of an even count is
 * the mean of the middle two. */
f2l_status f2l_train_spread_of(f2l_train_spread *spread, const double *value, size_t count,
                               f2l_error *err);

#endif
