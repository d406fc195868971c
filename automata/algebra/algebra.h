/* Operations on the languages of deterministic, total automata, and their comparison. */
#ifndef F2L_ALGEBRA_H
#define F2L_ALGEBRA_H

#include "automata/fsa/nfa.h"

/* Returns F2L_EDOMAIN unless the automata have the same letters, in any order; the text lists the
 * letters that only one of them has. */
f2l_status f2l_algebra_same_letters(const f2l_fsa *a, const f2l_fsa *b, f2l_error *err);

/* Exchanges accepting and rejecting states. F2L_EDOMAIN when the automaton does not say which
 * states accept. */
f2l_status f2l_algebra_complement(f2l_fsa *fsa, f2l_error *err);

/* Build the automaton of the words that both accept, and that one of them accepts, into *out
 * (initialised empty): the part of the product that words reach, its states named (p,q).
 * F2L_EDOMAIN for different letters, and for an automaton that does not say which states accept. */
f2l_status f2l_algebra_intersection(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b,
                                    f2l_error *err);
f2l_status f2l_algebra_union(f2l_fsa *out, const f2l_fsa *a, const f2l_fsa *b, f2l_error *err);

/* Builds a deterministic automaton of the accepted words read backwards into *out (initialised
 * empty). F2L_UNKNOWN for more than max_states states (0: 1,000,000). */
f2l_status f2l_algebra_reverse(f2l_fsa *out, const f2l_fsa *fsa, size_t max_states,
                               const f2l_task *task, f2l_error *err);

/* A word on which the labels of two automata differ. */
typedef struct f2l_difference {
    bool found;
    uint32_t *word; /* [letters] letters of the first automaton */
    size_t letters;
    const char *label[2]; /* the labels after the word, borrowed from the automata */
} f2l_difference;

void f2l_difference_init(f2l_difference *difference);
void f2l_difference_clear(f2l_difference *difference);

/* Finds a shortest word after which the labels differ, the first in the order of the letters of
 * `a`, or none. For F2L_LABEL_EDGES the outputs of its last transition differ. F2L_EDOMAIN for
 * different letters, or when an automaton has no such labels; F2L_UNKNOWN when the task stopped it
 * or more than 5,000,000 pairs of states were met. */
f2l_status f2l_algebra_compare(f2l_difference *out, const f2l_fsa *a, const f2l_fsa *b,
                               f2l_label label, const f2l_task *task, f2l_error *err);

/* Finds a shortest word after which an automaton as it was read and the deterministic, total one
 * that was made of it have different labels; it is in the letters of `fsa`, and label[0] is the
 * label of the source. Follows the sets of states that the source can be in, and makes no use of
 * f2l_nfa_total. After a word that the source cannot read it rejects, or it has no label: then the
 * state must be the added one. Names of states that stand for several of the source are not
 * compared: such a state must then stand for one set only. Fails as f2l_algebra_compare does. */
f2l_status f2l_algebra_compare_source(f2l_difference *out, const f2l_nfa *source,
                                      const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                                      f2l_error *err);

#endif
