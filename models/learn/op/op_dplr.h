/* The recurrence with a diagonal and a rank-one term, the "generalised delta rule" (Peng et al.
 * 2025), of which gated linear attention (Yang et al. 2024) is the case without the rank-one term.
 * Every sequence and head has a matrix S [key][value], 0 before the first token, and at token t
 *
 *     S <- diag(w_t) S + a_t (b_t^T S) + k_t v_t^T;   o_t = S^T q_t.
 *
 * The rank-one term reads S as it was before the token. Rows of S belong to keys; publications that
 * write the state as [value][key] have the transposed matrices. w, a, b are made by
 * models/learn/op/op_rates.h. o is not scaled. */
#ifndef F2L_OP_DPLR_H
#define F2L_OP_DPLR_H

#include "models/learn/op/op.h"

typedef struct f2l_dplr_shape {
    size_t batch, tokens, heads, key, value;
} f2l_dplr_shape;

/* q, k, w, a, b [batch][tokens][heads][key]; a and b are NULL together (no rank-one term);
 * v [batch][tokens][heads][value]. Gradients have the same shapes and are written; da and db are
 * NULL where a and b are. */
#define F2L_OP_DPLR(real, name) \
    typedef struct name(f2l_dplr_in) \
    { \
        const real *q, *k, *v, *w, *a, *b; \
    } \
    name(f2l_dplr_in); \
    typedef struct name(f2l_dplr_grad) \
    { \
        real *dq, *dk, *dv, *dw, *da, *db; \
    } \
    name(f2l_dplr_grad); \
    /* Computes out [batch][tokens][heads][value]. `state` [batch][heads][key][value], when not \
     * NULL, is S before the first token and is replaced by S after the last one. F2L_ENOMEM. */ \
    f2l_status name(f2l_dplr_forward)(real * out, real * state, const name(f2l_dplr_in) * in, \
                                      const f2l_dplr_shape *shape, f2l_error *err); \
    /* Computes the gradients of a loss that depends on S through o only, for words that begin \
     * with S = 0. S is recomputed from checkpoints, which need memory that grows with the square \
     * root of the number of tokens. F2L_ENOMEM: the gradients are then undefined. */ \
    f2l_status name(f2l_dplr_backward)(const name(f2l_dplr_grad) * grad, const real *dout, \
                                       const name(f2l_dplr_in) * in, const f2l_dplr_shape *shape, \
                                       f2l_error *err);
F2L_OP_BOTH(F2L_OP_DPLR)

#endif
