#ifndef REAL
#include "models/op/op_point.h"
#include "models/op/op_clones.h"
#include <math.h>
#include <string.h>

/* Returns exp(x) for x <= 0, to two units in the last place, in a form that the compiler can put on
 * vectors (expf is a call): with n the integer next to x / log 2, exp(x) = 2^n exp(r),
 * |r| <= log(2) / 2, where eight terms of the series leave an error of 6e-9. Where the result would
 * be subnormal it is 0. NaN stays NaN. */
F2L_OP_INLINE float exp_down_f32(float x)
{
    const float least = -87.3F, shift = 0x1.8p23F; /* adding it leaves n in the low bits */
    const float log2_high = 0x1.62ep-1F, log2_low = 0x1.0bfbe8p-15F; /* n log2_high is exact */
    const float bounded = x >= least ? x : least, shifted = bounded * 0x1.715476p0F + shift,
                n = shifted - shift;
    const float r = (bounded - n * log2_high) - n * log2_low;
    float sum = 1.0F / 5040;
    sum = sum * r + 1.0F / 720;
    sum = sum * r + 1.0F / 120;
    sum = sum * r + 1.0F / 24;
    sum = sum * r + 1.0F / 6;
    sum = sum * r + 0.5F;
    sum = sum * (r * r) + r + 1;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + 0x3F800000U;
    float power;
    memcpy(&power, &bits, sizeof power);
    const float value = sum * power + (x - x);
    return x < least ? 0 : value;
}

F2L_OP_INLINE double exp_down_f64(double x)
{
    return exp(x);
}

#define F2L_OP_SELF "models/op/op_point.c"
#include "models/op/op_twice.h"
#else

/* Returns sigmoid(x). It takes exp only of numbers that are not positive, so nothing overflows. */
F2L_OP_INLINE REAL OP(sigmoid)(REAL x)
{
    const REAL e = OP(exp_down)(-R(fabs)(x)), part = 1 / (1 + e), other = e * part;
    return x >= 0 ? part : other;
}

/* Returns the derivative of the sigmoid, without the loss of digits of s (1 - s) for s near 1. */
F2L_OP_INLINE REAL OP(sigmoid_slope)(REAL x)
{
    const REAL e = OP(exp_down)(-R(fabs)(x)), part = 1 / (1 + e);
    return e * part * part;
}

static inline REAL OP(softplus)(REAL x)
{
    return R(fmax)(x, 0) + R(log1p)(R(exp)(-R(fabs)(x)));
}

F2L_OP_INLINE REAL OP(silu_slope)(REAL x)
{
    return OP(sigmoid)(x) + x * OP(sigmoid_slope)(x);
}

void OP(f2l_add)(REAL *y, const REAL *x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}

void OP(f2l_multiply_forward)(REAL *y, const REAL *a, const REAL *b, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = a[i] * b[i];
}

void OP(f2l_multiply_backward)(REAL *da, REAL *db, const REAL *dy, const REAL *a, const REAL *b,
                               size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const REAL g = dy[i], to_a = g * b[i], to_b = g * a[i];
        da[i] = to_a;
        db[i] = to_b;
    }
}

F2L_OP_CLONES
void OP(f2l_silu_forward)(REAL *y, const REAL *x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i] * OP(sigmoid)(x[i]);
}

F2L_OP_CLONES
void OP(f2l_silu_backward)(REAL *dx, const REAL *dy, const REAL *x, size_t n)
{
    for (size_t i = 0; i < n; i++) dx[i] = dy[i] * OP(silu_slope)(x[i]);
}

F2L_OP_CLONES
void OP(f2l_swiglu_forward)(REAL *y, const REAL *a, const REAL *b, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = a[i] * OP(sigmoid)(a[i]) * b[i];
}

F2L_OP_CLONES
void OP(f2l_swiglu_backward)(REAL *da, REAL *db, const REAL *dy, const REAL *a, const REAL *b,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const REAL g = dy[i], x = a[i];
        const REAL to_a = g * b[i] * OP(silu_slope)(x), to_b = g * x * OP(sigmoid)(x);
        da[i] = to_a;
        db[i] = to_b;
    }
}

/* The value is computed from the nearer end, so that low and high are reached exactly. */
F2L_OP_CLONES
void OP(f2l_sigmoid_forward)(REAL *y, const REAL *x, REAL low, REAL high, REAL slope, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const REAL z = slope * x[i], far = (high - low) * OP(sigmoid)(-R(fabs)(z));
        const REAL above = high - far, below = low + far;
        y[i] = z >= 0 ? above : below;
    }
}

F2L_OP_CLONES
void OP(f2l_sigmoid_backward)(REAL *dx, const REAL *dy, const REAL *x, REAL low, REAL high,
                              REAL slope, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dx[i] = dy[i] * (high - low) * slope * OP(sigmoid_slope)(slope * x[i]);
}

void OP(f2l_decay_forward)(REAL *y, const REAL *x, const REAL *rate, const REAL *bias, REAL low,
                           REAL high, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        const size_t c = i % width;
        y[i] = low + (high - low) * R(exp)(-R(exp)(rate[c]) * OP(softplus)(x[i] + bias[c]));
    }
}

void OP(f2l_decay_backward)(REAL *dx, REAL *drate, REAL *dbias, const REAL *dy, const REAL *x,
                            const REAL *rate, const REAL *bias, REAL low, REAL high, size_t n,
                            size_t width)
{
    for (size_t i = 0; i < n; i++) {
        const size_t c = i % width;
        const REAL z = x[i] + bias[c], speed = R(exp)(rate[c]), amount = speed * OP(softplus)(z);
        const REAL to_amount = -dy[i] * (high - low) * R(exp)(-amount);
        const REAL to_z = to_amount * speed * OP(sigmoid)(z);
        dx[i] = to_z;
        if (drate) drate[c] += to_amount * amount;
        if (dbias) dbias[c] += to_z;
    }
}

#endif
