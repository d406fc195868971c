/* The gates, and the vectors of the rank-one term, of the recurrence in models/learn/op/op_dplr.h.
 *
 * Without removal (gated linear attention, Yang et al. 2024):
 *
 *     w = low + (1 - low) sigmoid(x + gate_bias)^(1/16),  low = -1 when `negative`, else 0.
 *
 * With removal (RWKV-7, Peng et al. 2025), where c = 1 + w when `negative`, else 1:
 *
 *     w = exp(-e^(-1/2) sigmoid(x + gate_bias)),  eta = c sigmoid(y + rate_bias),
 *     b = (k * removal) / |k * removal| per head,  a = -eta * b,
 *     key = k * (1 + (eta - 1) * replacement).
 *
 * Products of vectors are taken number by number. The transition diag(w) + a b^T then has real
 * eigenvalues in [-1, 1], and without `negative`, where eta < 1, above exp(-e^(-1/2)) - 1 > -0.46
 * (theory/pages/ladder.md, after L.18). */
#ifndef F2L_OP_RATES_H
#define F2L_OP_RATES_H

#include "models/learn/op/op.h"

typedef struct f2l_rates_shape {
    size_t rows, heads, key;
    bool removal, negative;
    double epsilon; /* of the length of b: sqrt(sum of squares + epsilon) */
} f2l_rates_shape;

/* x, k, y [rows][heads][key]; the parameters [heads][key]. Without removal x and gate_bias only.
 * Outputs and gradients: w, a, b, key, dw, da, db, dkey, dx, dk, dy have the shape of x and are
 * written, gradients of parameters are added to; without removal w, dw, dx, dgate_bias only. */
#define F2L_OP_RATES(real, name) \
    typedef struct name(f2l_rates_in) \
    { \
        const real *x, *k, *y, *gate_bias, *rate_bias, *removal, *replacement; \
    } \
    name(f2l_rates_in); \
    typedef struct name(f2l_rates_out) \
    { \
        real *w, *a, *b, *key; \
    } \
    name(f2l_rates_out); \
    typedef struct name(f2l_rates_grad) \
    { \
        const real *dw, *da, *db, *dkey; \
        real *dx, *dk, *dy, *dgate_bias, *drate_bias, *dremoval, *dreplacement; \
    } \
    name(f2l_rates_grad); \
    void name(f2l_rates_forward)(const name(f2l_rates_out) * out, const name(f2l_rates_in) * in, \
                                 const f2l_rates_shape *shape); \
    void name(f2l_rates_backward)(const name(f2l_rates_grad) * grad, \
                                  const name(f2l_rates_in) * in, const f2l_rates_shape *shape);
F2L_OP_BOTH(F2L_OP_RATES)

#endif
