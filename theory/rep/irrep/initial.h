/* Initial states whose orbit separates the states of an automaton (theory/pages/irreps.md, I.12,
 * I.13). */
#ifndef F2L_INITIAL_H
#define F2L_INITIAL_H

#include "theory/rep/irrep/irrep.h"

/* One column vector for every head: the state of head h starts at vector[h], of length
 * head[h]->dimension. Owns the vectors. */
typedef struct f2l_initial {
    size_t heads;
    size_t *dimension;   /* [heads] */
    f2l_number **vector; /* [heads] */
    size_t orbit; /* order of the group / order of the stabiliser: number of states of the tuple */
} f2l_initial;

void f2l_initial_init(f2l_initial *v);
void f2l_initial_clear(f2l_initial *v);

/* Computes the vectors. `stabiliser`: numbers of elements of the group that generate the stabiliser
 * P of the start (none: P is trivial, the states are the group's elements). The tuple (A_h(g)
 * vector[h])_h is the same for g and g' exactly when P g = P g': P fixes it, checked exactly, and
 * no other element does, proved by different residues modulo a prime (I.13). Vectors are small:
 * sums of few basis vectors of the space that P fixes where that is enough. Returns F2L_UNKNOWN
 * when none was found, in particular when the heads together cannot separate the cosets of P.
 *
 * It tries first, for each head, vectors near a multiple of near[h] (of length head[h]->dimension;
 * NULL: nothing is wished): its projection to the space that P fixes, in small rational multiples
 * of that space's basis, with more and more bits. */
f2l_status f2l_initial_near(f2l_initial *out, const double *const *near,
                            const f2l_irrep *const *head, size_t heads, const f2l_group *group,
                            const uint32_t *stabiliser, size_t count, const f2l_task *task,
                            f2l_error *err);

#endif
