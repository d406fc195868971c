/* The recurrence of the matrix LSTM (mLSTM, Beck et al. 2024). Every sequence and head has a matrix
 * C [key][value] and a vector n [key], both 0 before the first token; at token t
 *
 *     i = exp(in_t), f = sigmoid(forget_t);
 *     C <- f C + i k_t v_t^T,  n <- f n + i k_t,  with q = key^-1/2 q_t:
 *     o_t = C^T q / max(|n^T q|, 1).
 *
 * C and n are kept divided by e^m, m <- max(log f + m, in_t), so that no exponential overflows; the
 * lower bound of the divisor is then e^-m, which is 1 of the formula above. It is held at e^-80 at
 * least, so that a letter whose query is 0 divides nothing by 0. m does not change o, and gradients
 * leave it out. */
#ifndef F2L_OP_MLSTM_H
#define F2L_OP_MLSTM_H

#include "models/learn/op/op.h"

typedef struct f2l_mlstm_shape {
    size_t batch, tokens, heads, key, value;
} f2l_mlstm_shape;

/* Returns the numbers of one sequence's state: for each head C and n, [key][value + 1] with n as
 * the last column, and m. Zeros are the state of no letters. */
static inline size_t f2l_mlstm_state(const f2l_mlstm_shape *s)
{
    return s->heads * (s->key * (s->value + 1) + 1);
}

/* q, k [batch][tokens][heads][key], v [batch][tokens][heads][value]; in, forget
 * [batch][tokens][heads]. */
typedef struct f2l_mlstm_in_f32 {
    const float *q, *k, *v, *in, *forget;
} f2l_mlstm_in_f32;
typedef struct f2l_mlstm_in_f64 {
    const double *q, *k, *v, *in, *forget;
} f2l_mlstm_in_f64;

/* Gradients, with the shapes of the inputs; all are written. */
typedef struct f2l_mlstm_grad_f32 {
    float *dq, *dk, *dv, *din, *dforget;
} f2l_mlstm_grad_f32;
typedef struct f2l_mlstm_grad_f64 {
    double *dq, *dk, *dv, *din, *dforget;
} f2l_mlstm_grad_f64;

/* - forward: out [batch][tokens][heads][value], letter by letter; `state`
 *   [batch][f2l_mlstm_state], when not NULL, has the letters before the first token and is then
 *   replaced: so a long word can be fed in pieces.
 * - backward: the gradients, from dout (state was NULL), over all pairs of letters.
 * F2L_ENOMEM: outputs are then undefined. */
#define F2L_OP_MLSTM(real, name) \
    f2l_status name(f2l_mlstm_forward)(real * out, real * state, const name(f2l_mlstm_in) * in, \
                                       const f2l_mlstm_shape *shape, f2l_error *err); \
    f2l_status name(f2l_mlstm_backward)(const name(f2l_mlstm_grad) * grad, const real *dout, \
                                        const name(f2l_mlstm_in) * in, \
                                        const f2l_mlstm_shape *shape, f2l_error *err);
F2L_OP_BOTH(F2L_OP_MLSTM)

#endif
