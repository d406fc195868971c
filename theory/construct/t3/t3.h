/* T3: permutation automata in one layer ([U] Theorem 3; theory/pages/t3.md).
 *
 * Every letter permutes the states, so it permutes the points of a representation Omega, and a
 * permutation is a product of |Omega| - #cycles reflections. H_0 is a vector whose stabiliser is
 * the stabiliser of the start state. */
#ifndef F2L_T3_H
#define F2L_T3_H

#include "automata/gset/gset.h"
#include "models/network/net/net.h"
#include "theory/construct/keys/keys.h"

typedef enum f2l_t3_keys {
    F2L_T3_EXACT,   /* for every orbit the dyadic system of least dimension */
    F2L_T3_DOUBLED, /* doubled coordinates for every orbit */
    F2L_T3_NAIVE    /* the textbook keys (e_i - e_j)/sqrt 2 */
} f2l_t3_keys;

typedef struct f2l_t3_report {
    size_t k_states;     /* most states displaced by one letter ([U]'s k, stated on Q) */
    size_t k_points;     /* most points of the representation displaced by one letter */
    size_t householders; /* max over letters of |Omega| - #cycles: the n_h used */
    size_t points;
    char representation[160]; /* f2l_gset.origin */
    char keys[160];           /* key systems used, by orbit */
    bool search_exhausted;
} f2l_t3_report;

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` must be a
 * permutation automaton on the states its start reaches (after minimising when the labels are
 * outputs or accept); otherwise F2L_EDOMAIN names a letter and the states it merges.
 * `representation` is a result of f2l_gset_smallest for `fsa`; an orbit of one point has a plain
 * coordinate whatever the keys. The decoder has a code for every reached state, in state order; its
 * labels are the labels of reached states by first appearance. fsa_sha256 of the network is left
 * empty: the caller sets it. */
f2l_status f2l_t3_build(f2l_net *out, f2l_t3_report *report, const f2l_fsa *fsa, f2l_label label,
                        f2l_t3_keys keys, const f2l_gset *representation, const f2l_task *task,
                        f2l_error *err);

#endif
