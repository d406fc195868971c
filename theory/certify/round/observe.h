/* What a rounded network does on long words: the first failure seen, and how its error grows.
 * Observations, no proofs; a failure is a witness. Words: random    uniform letters from a seed;
 * greedy    each letter the one after which the state is farthest from the exact one, ties to
 * the least letter; one whose
 *             label is wrong at once is taken. Of L > 16 letters, i L / 16 for i < 16 are tried.
 *                 It reads the letters of a
 *             word divided by the number tried. Not for wired networks and chunk64, nor where
 *                 the exact network has no codes;
 * periodic  each of the first 64 letters repeated, then all pairs of different letters if they
 * are at most 64, then all
 *             triples that are not thrice the same letter if those are at most 64; the first
 *                 failure over them. Together they
 *             read at most eight times the letters of a word. A word whose state recurs ends
 *                 there. */
#ifndef F2L_OBSERVE_H
#define F2L_OBSERVE_H

#include "automata/fsa/fsa.h"
#include "models/network/schedule/schedule.h"
#include "models/network/wired/network_text.h"
#include "numeric/base/task.h"

typedef enum f2l_words {
    F2L_WORDS_RANDOM,
    F2L_WORDS_GREEDY,
    F2L_WORDS_PERIODIC,
    F2L_WORDS_KINDS
} f2l_words;

/* Returns "random", "greedy" or "periodic". */
const char *f2l_words_name(f2l_words kind);

typedef struct f2l_observed {
    uint64_t letters; /* letters read in the longest word of this kind */
    uint64_t failed;  /* length at the first wrong label, least over the words of this kind; 0: none
                         found */
    size_t label; /* after a failure: the label given, F2L_NO_INDEX: none; and the expected label */
    size_t expected;
    char word[160]; /* description of the word: "random, seed 7", "(a b) repeated"; "periodic words"
                       when none of several failed */
    bool cyclic; /* periodic: the state recurred with every word before `letters`, so no longer word
                    differs */
} f2l_observed;

/* Largest observed distance of a layer's state to its exact state up to lengths 1, 2, 4, ..; for
 * the figure. Only for ordinary networks, and not for chunk64. */
typedef struct f2l_observed_point {
    uint64_t length;
    double error;
} f2l_observed_point;

typedef struct f2l_observe_options {
    uint64_t letters; /* the most letters of a word; 0: 1,000,000 */
    uint64_t seed;    /* of the random word */
    bool kinds[F2L_WORDS_KINDS];
} f2l_observe_options;

/* Simulates the network beside the automaton, whose labels are right. Also runs chunk64
 * (models/network/schedule/chunk.h). Stochastic rounding takes its choices from the seed.
 * point[kind] is owned by the caller (f2l_free; NULL when not asked for). An interruption or a time
 * limit ends a word early: `letters` is then the number of letters read. Returns F2L_EDOMAIN when
 * the automaton has other letters or labels, or the schedule is not for the network or the
 * format. */
f2l_status f2l_observe(f2l_observed out[F2L_WORDS_KINDS],
                       f2l_observed_point *point[F2L_WORDS_KINDS], size_t points[F2L_WORDS_KINDS],
                       const f2l_net *model, const f2l_fsa *fsa, const f2l_format *format,
                       const f2l_schedule *schedule, const f2l_observe_options *options,
                       const f2l_task *task, f2l_error *err);

#endif
