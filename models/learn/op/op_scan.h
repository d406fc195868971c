/* The diagonal recurrence of selective state space models, real: h_t = a_t h_(t-1) + b_t, one
 * number per channel. The ranges of a ([0,1] or [-1,1]) and the making of b are pointwise operators
 * (models/learn/op/op_point.h). */
#ifndef F2L_OP_SCAN_H
#define F2L_OP_SCAN_H

#include "models/learn/op/op.h"

typedef struct f2l_scan_shape {
    size_t batch, tokens, width;
} f2l_scan_shape;

/* - forward: h, a, b [batch][tokens][width]; h0 [width] or NULL (0). h may be b. `state`
 *   [batch][width], when not NULL, is h before the first token (h0 is not read then) and is
 *   replaced by h after the last token.
 * - backward: from dh (the gradient at every h_t), h, a: da =, db =, dh0 += (each may be NULL). db
 *   may be dh. The word began with h0 (state was NULL). */
#define F2L_OP_SCAN(real, name) \
    void name(f2l_scan_forward)(real * h, real * state, const real *a, const real *b, \
                                const real *h0, const f2l_scan_shape *shape); \
    f2l_status name(f2l_scan_backward)(real * da, real * db, real * dh0, const real *dh, \
                                       const real *h, const real *a, const real *h0, \
                                       const f2l_scan_shape *shape, f2l_error *err);
F2L_OP_BOTH(F2L_OP_SCAN)

#endif
