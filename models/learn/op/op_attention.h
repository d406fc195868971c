/* Causal softmax attention with rotary positions (Vaswani et al. 2017; Su et al. 2021). In every
 * sequence and head, with R_t the rotation by position t,
 *
 *     o_t = sum over s of p_ts v_s,  p_ts = softmax over s of key^-1/2 (R_t q_t)^T (R_s k_s),
 *     t - window < s <= t.
 *
 * R_t turns the pair of numbers i and i + key / 2 by the angle t 10000^(-2 i / key). The products
 * depend on t - s alone, so positions may be counted from any letter: no number of letters is too
 * large. A word of at most `window` letters has full causal attention. */
#ifndef F2L_OP_ATTENTION_H
#define F2L_OP_ATTENTION_H

#include "models/learn/op/op.h"

typedef struct f2l_attention_shape {
    size_t batch, tokens, heads;
    size_t key, value; /* key: even */
    size_t window;     /* letters that a letter sees, itself among them; >= 1 */
} f2l_attention_shape;

/* Returns the numbers of one sequence's state: how many letters it has, and the keys and values of
 * the last window - 1 letters, oldest first, the newest last. Zeros are the state of no letters. */
static inline size_t f2l_attention_state(const f2l_attention_shape *s)
{
    return 1 + (s->window - 1) * s->heads * (s->key + s->value);
}

/* q, k [batch][tokens][heads][key], before rotation; v [batch][tokens][heads][value]. */
typedef struct f2l_attention_in_f32 {
    const float *q, *k, *v;
} f2l_attention_in_f32;
typedef struct f2l_attention_in_f64 {
    const double *q, *k, *v;
} f2l_attention_in_f64;

/* Gradients, with the shapes of the inputs; all are written. */
typedef struct f2l_attention_grad_f32 {
    float *dq, *dk, *dv;
} f2l_attention_grad_f32;
typedef struct f2l_attention_grad_f64 {
    double *dq, *dk, *dv;
} f2l_attention_grad_f64;

/* - forward: out [batch][tokens][heads][value]; `state` [batch][f2l_attention_state], when not
 *   NULL, has the letters before the first token and is then replaced: so a long word can be fed in
 *   pieces.
 * - backward: the gradients, from dout (state was NULL); weights are computed again.
 * F2L_ENOMEM: outputs are then undefined, and the state is unchanged. */
#define F2L_OP_ATTENTION(real, name) \
    f2l_status name(f2l_attention_forward)(real * out, real * state, \
                                           const name(f2l_attention_in) * in, \
                                           const f2l_attention_shape *shape, f2l_error *err); \
    f2l_status name(f2l_attention_backward)(const name(f2l_attention_grad) * grad, \
                                            const real *dout, const name(f2l_attention_in) * in, \
                                            const f2l_attention_shape *shape, f2l_error *err);
F2L_OP_BOTH(F2L_OP_ATTENTION)

#endif
