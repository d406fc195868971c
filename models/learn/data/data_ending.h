/* Random words with a given last label: every word of a length whose last letter gives that label
 * is equally likely. The words are counted, not tried: count(t, q) is the number of words of t
 * letters from state q that end with the label, and a uniform number below the count of all words
 * says which word it is. The counts are exact, so the probabilities are. */
#ifndef F2L_DATA_ENDING_H
#define F2L_DATA_ENDING_H

#include "automata/fsa/fsa.h"
#include "models/learn/data/counts.h"

typedef struct f2l_ending {
    const f2l_fsa *fsa;       /* borrowed */
    const uint32_t *label_of; /* [states][letters] label after the letter; borrowed */
    size_t longest;
    uint32_t label;
    f2l_counts count; /* [longest + 1][states]; row 0 is not used */
    mp_limb_t *rest;  /* [limbs] the number of the word that is being drawn; owned */
} f2l_ending;

/* Counts the words of at most `longest` letters; *out is all zero. The automaton is deterministic
 * and total. */
f2l_status f2l_ending_init(f2l_ending *out, const f2l_fsa *fsa, const uint32_t *label_of,
                           uint32_t label, size_t longest, const f2l_task *task, f2l_error *err);
void f2l_ending_clear(f2l_ending *ending);

/* Returns whether a word of `length` letters, 1 .. longest, ends with the label. */
bool f2l_ending_exists(const f2l_ending *ending, size_t length);

/* Returns whether at least `words` words of that length end with the label. */
bool f2l_ending_has(const f2l_ending *ending, size_t length, uint64_t words);

/* Draws such a word, which exists, into letter[length]. */
void f2l_ending_draw(f2l_ending *ending, uint32_t *letter, size_t length, f2l_rng *rng);

#endif
