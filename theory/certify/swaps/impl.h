/* The form of a network whose factors exchange points; private to this folder. */
#ifndef F2L_THEORY_CERTIFY_SWAPS_IMPL_H
#define F2L_THEORY_CERTIFY_SWAPS_IMPL_H

#include "theory/certify/swaps/swaps.h"

#define F2L_SWAPS_UNSET UINT32_MAX

typedef struct f2l_swaps {
    const f2l_layer *layer; /* the only one; borrowed */
    size_t n, d;            /* of its only head */
    uint32_t *copy;         /* [n] next row of the same point, in a circle */
    uint32_t *image;        /* [letters][n] row to which the letter moves a row's numbers; NULL
                               until composed */
} f2l_swaps;

/* Finds the points of a valid network. Returns F2L_UNKNOWN, with the reason, where it is not of the
 * form SW.1, or at a limit. *out, zero before, is to be cleared in every case. */
f2l_status f2l_swaps_find(f2l_swaps *out, const f2l_net *net, const f2l_task *task, f2l_error *err);
/* Sets swaps->image. */
f2l_status f2l_swaps_compose(f2l_swaps *swaps, const f2l_task *task, f2l_error *err);
void f2l_swaps_clear(f2l_swaps *swaps);

#endif
