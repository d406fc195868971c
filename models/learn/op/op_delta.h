/* The delta product operator (DeltaNet with one factor per token; Siems et al. 2025 with several).
 * Every sequence and head has a matrix S [key][value], and at token t
 *
 *     S <- gate_t S;
 *     for n = 0 .. N-1:  S <- S - beta_n k_n (k_n^T S) + beta_n k_n v_n^T;
 *     o_t = S^T q_t.
 *
 * Keys come as they are: normalising keys is a separate operator (models/learn/op/op_norm.h), and
 * so are the ranges of beta and gate (models/learn/op/op_point.h). o is not scaled. */
#ifndef F2L_OP_DELTA_H
#define F2L_OP_DELTA_H

#include "models/learn/op/op.h"

typedef struct f2l_delta_shape {
    size_t batch, tokens, heads;
    size_t householders; /* N, factors per token */
    size_t key, value;
} f2l_delta_shape;

/* Returns the bytes that a call of forward or backward for floats allocates and frees again; they
 * grow with the square root of the number of tokens, not with batch or heads. SIZE_MAX: overflow.
 */
size_t f2l_delta_work_f32(const f2l_delta_shape *shape);
size_t f2l_delta_work_f64(const f2l_delta_shape *shape);

/* q [batch][tokens][heads][key], k [batch][tokens][N][heads][key],
 * v [batch][tokens][N][heads][value] or NULL (no additive path: B = 0),
 * beta [batch][tokens][N][heads], gate [batch][tokens][heads] or NULL (1),
 * h0 [heads][key][value] or NULL (0), one for all sequences. */
typedef struct f2l_delta_in_f32 {
    const float *q, *k, *v, *beta, *gate, *h0;
} f2l_delta_in_f32;
typedef struct f2l_delta_in_f64 {
    const double *q, *k, *v, *beta, *gate, *h0;
} f2l_delta_in_f64;

/* Computes out [batch][tokens][heads][value]. `state` [batch][heads][key][value], when not NULL, is
 * S before the first token (h0 is not read then) and is replaced by S after the last token: so a
 * long word can be fed in pieces. F2L_ENOMEM. */
#define F2L_OP_DELTA_FORWARD(real, name) \
    f2l_status name(f2l_delta_forward)(real * out, real * state, const name(f2l_delta_in) * in, \
                                       const f2l_delta_shape *shape, f2l_error *err);
F2L_OP_BOTH(F2L_OP_DELTA_FORWARD)

/* dq, dk, dv, dbeta, dgate are written; dh0 is added to. Each may be NULL; dv, dgate and dh0 must
 * be NULL where v, gate and h0 are. */
typedef struct f2l_delta_grad_f32 {
    float *dq, *dk, *dv, *dbeta, *dgate, *dh0;
} f2l_delta_grad_f32;
typedef struct f2l_delta_grad_f64 {
    double *dq, *dk, *dv, *dbeta, *dgate, *dh0;
} f2l_delta_grad_f64;

/* Computes the gradients. The loss depends on S through o only (dout is the gradient of the loss
 * with respect to o). S is recomputed from checkpoints inside one (sequence, head). F2L_ENOMEM:
 * gradients are then undefined. */
#define F2L_OP_DELTA_BACKWARD(real, name) \
    f2l_status name(f2l_delta_backward)(const name(f2l_delta_grad) * grad, const real *dout, \
                                        const name(f2l_delta_in) * in, \
                                        const f2l_delta_shape *shape, f2l_error *err);
F2L_OP_BOTH(F2L_OP_DELTA_BACKWARD)

#endif
