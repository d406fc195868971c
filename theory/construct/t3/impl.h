/* The parts of T3; private to this folder. */
#ifndef F2L_THEORY_CONSTRUCT_T3_IMPL_H
#define F2L_THEORY_CONSTRUCT_T3_IMPL_H

#include "theory/construct/t3/t3.h"

/* An orbit of the representation with its key system on coordinates offset .. offset + n - 1. */
typedef struct f2l_t3_orbit {
    f2l_key_kind kind;
    size_t first, m; /* its points */
    size_t n, offset;
} f2l_t3_orbit;

typedef struct f2l_t3_plan {
    const f2l_fsa *fsa;
    const f2l_gset *set;
    const f2l_task *task;
    f2l_reach reach;
    f2l_t3_orbit *orbit; /* [set->orbits] */
    size_t n, d;         /* of the head */
} f2l_t3_plan;

/* Returns the number of value columns for codes up to `largest` (T3.8). */
size_t f2l_t3_columns(uint32_t largest);

/* Writes H_0 and the decoder: a code and the label's index for every state that the start reaches,
 * in state order, labels by first appearance. The layer has its one head; n and d are set. */
f2l_status f2l_t3_decoder(f2l_net *net, const f2l_t3_plan *plan, f2l_error *err);

#endif
