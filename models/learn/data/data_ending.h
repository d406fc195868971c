/* Random words with a given last label: every word of a length whose last letter gives that label
 * is equally likely. The words are counted, not tried: count(t, q) is the number of words of t
 * letters from state q that end with the label, and a letter is drawn in proportion to the count
 * behind it. Counts are kept as logarithms, so that probabilities have a relative error of about
 * 1e-12. */
#ifndef F2L_DATA_ENDING_H
#define F2L_DATA_ENDING_H

#include "automata/fsa/fsa.h"
#include "numeric/base/rng.h"
#include "numeric/base/task.h"

typedef struct f2l_ending {
    const f2l_fsa *fsa;       /* borrowed */
    const uint32_t *label_of; /* [states][letters] label after the letter; borrowed */
    size_t longest;
    uint32_t label;
    double *count; /* [longest + 1][states] logarithms to base 2, -INFINITY for 0; owned */
} f2l_ending;

/* Counts the words of at most `longest` letters; *out is all zero. The automaton is deterministic
 * and total. */
f2l_status f2l_ending_init(f2l_ending *out, const f2l_fsa *fsa, const uint32_t *label_of,
                           uint32_t label, size_t longest, const f2l_task *task, f2l_error *err);
void f2l_ending_clear(f2l_ending *ending);

/* Returns whether a word of `length` letters, 1 .. longest, ends with the label. */
bool f2l_ending_exists(const f2l_ending *ending, size_t length);

/* Draws such a word, which exists, into letter[length]. */
void f2l_ending_draw(const f2l_ending *ending, uint32_t *letter, size_t length, f2l_rng *rng);

#endif
