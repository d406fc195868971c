/* Random pairs of words at edit distance 1, one in a language and one outside it: every such pair
 * (x, y), where the automaton accepts x, of a given number of letters, and rejects y, is equally
 * likely. One letter of x is replaced by another one, left out, or put in.
 *
 * The pairs are counted, not tried. A pair has several edits only where the letter that is left out
 * or put in is in a run of equal letters; the last place of the run counts. With
 *   both(t, p, r) = the words w of t letters with p w accepting and r w not,
 *   both(t, p, r, a) = those that do not begin with a: both(t, p, r) - both(t - 1, p a, r a),
 *   pairs(t, q) = sum over letters a of both(t, q, q a, a)     (a is put in)
 *     + for t > 0 the sum over a of both(t - 1, q a, q, a)     (a is left out)
 *     + both(t - 1, q a, q b) for b other than a               (b replaces a)
 *     + pairs(t - 1, q a)                                      (the edit comes later),
 * pairs(n, start) is the number of pairs, and a uniform number below it says which pair it is. */
#ifndef F2L_EDIT_PAIRS_H
#define F2L_EDIT_PAIRS_H

#include "automata/fsa/fsa.h"
#include "models/learn/data/counts.h"

/* Which edits of x are allowed beside the exchange of a letter. */
typedef struct f2l_pair_edits {
    bool shorter, longer;
} f2l_pair_edits;

typedef struct f2l_edit_pairs {
    const f2l_fsa *fsa; /* borrowed */
    size_t longest;
    f2l_counts both;  /* [longest + 1][states][states] */
    f2l_counts pairs; /* [longest + 1][states], of the edits at hand */
    f2l_pair_edits edits;
    mp_limb_t *rest, *part; /* [limbs] owned */
} f2l_edit_pairs;

/* Counts for words x of at most `longest` letters; *out is all zero. The automaton is deterministic
 * and total. */
f2l_status f2l_edit_pairs_init(f2l_edit_pairs *out, const f2l_fsa *fsa, size_t longest,
                               const f2l_task *task, f2l_error *err);
void f2l_edit_pairs_clear(f2l_edit_pairs *pairs);

/* Counts the pairs with these edits, for words x of at most `longest` letters, no more than in
 * f2l_edit_pairs_init. */
void f2l_edit_pairs_allow(f2l_edit_pairs *pairs, f2l_pair_edits edits, size_t longest);

/* Returns whether there are at least `wanted` pairs whose x has `length` letters. */
bool f2l_edit_pairs_has(const f2l_edit_pairs *pairs, size_t length, uint64_t wanted);

/* Draws such a pair, which exists: x[length], and y[length + 1], of which *size are used. */
void f2l_edit_pairs_draw(f2l_edit_pairs *pairs, uint32_t *x, uint32_t *y, size_t *size,
                         size_t length, f2l_rng *rng);

#endif
