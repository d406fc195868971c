/* Pointwise operators on n numbers. Every output may be any of the inputs of its call. */
#ifndef F2L_OP_POINT_H
#define F2L_OP_POINT_H

#include "models/learn/op/op.h"

/* - add: y += x.
 * - multiply: y = a * b; backward da = dy b, db = dy a.
 * - silu: y = x / (1 + exp(-x)); backward dx.
 * - swiglu: y = silu(a) * b, the gated MLP; backward da, db.
 * - sigmoid: y = low + (high - low) sigmoid(slope x); backward dx. beta in [0,2] is low 0, high 2;
 *   a transition in [-1,1] is low -1, high 1. y saturates to low and high exactly.
 * - clamp, the hard sigmoid: y = low + (high - low) c(slope x), c(z) = 1/2 + z/4 between 0 and 1,
 * so that y is low for z <= -2 and high for z >= 2, exactly; at z = 0 it has the slope of the
 *   sigmoid. backward passes straight through: dx = dy (high - low) slope / 4 also where y is low
 * or high, so that what is clamped can come back.
 * - decay: y = low + (high - low) exp(-exp(rate_c) softplus(x + bias_c)) with c = index mod width,
 *   the forget gate of Mamba and of gated delta rules (rate is their A_log, bias their
 *   dt_bias); x [n / width][width], rate, bias [width]; backward dx =, drate +=, dbias += (both may
 *   be NULL). width divides n. */
#define F2L_OP_POINT(real, name) \
    void name(f2l_add)(real * y, const real *x, size_t n); \
    void name(f2l_multiply_forward)(real * y, const real *a, const real *b, size_t n); \
    void name(f2l_multiply_backward)(real * da, real * db, const real *dy, const real *a, \
                                     const real *b, size_t n); \
    void name(f2l_silu_forward)(real * y, const real *x, size_t n); \
    void name(f2l_silu_backward)(real * dx, const real *dy, const real *x, size_t n); \
    void name(f2l_swiglu_forward)(real * y, const real *a, const real *b, size_t n); \
    void name(f2l_swiglu_backward)(real * da, real * db, const real *dy, const real *a, \
                                   const real *b, size_t n); \
    void name(f2l_sigmoid_forward)(real * y, const real *x, real low, real high, real slope, \
                                   size_t n); \
    void name(f2l_sigmoid_backward)(real * dx, const real *dy, const real *x, real low, real high, \
                                    real slope, size_t n); \
    void name(f2l_clamp_forward)(real * y, const real *x, real low, real high, real slope, \
                                 size_t n); \
    void name(f2l_clamp_backward)(real * dx, const real *dy, real low, real high, real slope, \
                                  size_t n); \
    void name(f2l_decay_forward)(real * y, const real *x, const real *rate, const real *bias, \
                                 real low, real high, size_t n, size_t width); \
    void name(f2l_decay_backward)(real * dx, real * drate, real * dbias, const real *dy, \
                                  const real *x, const real *rate, const real *bias, real low, \
                                  real high, size_t n, size_t width);
F2L_OP_BOTH(F2L_OP_POINT)

#endif
