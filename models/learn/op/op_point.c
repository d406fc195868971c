#include "models/learn/op/op_point.h"
#include "models/learn/op/op_exp.h"
#include <math.h>
#include <string.h>

/* Returns sigmoid(x). It takes exp only of numbers that are not positive, so nothing overflows. */
F2L_INLINE float sigmoid_of(float x)
{
    const float e = exp_down_f32(-fabsf(x)), part = 1 / (1 + e), other = e * part;
    return x >= 0 ? part : other;
}

/* Returns the derivative of the sigmoid, without the loss of digits of s (1 - s) for s near 1. */
F2L_INLINE float slope_of_sigmoid(float x)
{
    const float e = exp_down_f32(-fabsf(x)), part = 1 / (1 + e);
    return e * part * part;
}

static inline float softplus_of(float x)
{
    return fmaxf(x, 0) + log1pf(expf(-fabsf(x)));
}

F2L_INLINE float silu_slope(float x)
{
    return sigmoid_of(x) + x * slope_of_sigmoid(x);
}

void f2l_add_f32(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += x[i];
}

void f2l_multiply_forward_f32(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = a[i] * b[i];
}

void f2l_multiply_backward_f32(float *da, float *db, const float *dy, const float *a,
                               const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float g = dy[i], to_a = g * b[i], to_b = g * a[i];
        da[i] = to_a;
        db[i] = to_b;
    }
}

F2L_CLONES
void f2l_silu_forward_f32(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = x[i] * sigmoid_of(x[i]);
}

F2L_CLONES
void f2l_silu_backward_f32(float *dx, const float *dy, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) dx[i] = dy[i] * silu_slope(x[i]);
}

F2L_CLONES
void f2l_swiglu_forward_f32(float *y, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] = a[i] * sigmoid_of(a[i]) * b[i];
}

F2L_CLONES
void f2l_swiglu_backward_f32(float *da, float *db, const float *dy, const float *a, const float *b,
                             size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float g = dy[i], x = a[i];
        const float to_a = g * b[i] * silu_slope(x), to_b = g * x * sigmoid_of(x);
        da[i] = to_a;
        db[i] = to_b;
    }
}

/* The value is computed from the nearer end, so that low and high are reached exactly. */
F2L_CLONES
void f2l_sigmoid_forward_f32(float *y, const float *x, float low, float high, float slope, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float z = slope * x[i], far = (high - low) * sigmoid_of(-fabsf(z));
        const float above = high - far, below = low + far;
        y[i] = z >= 0 ? above : below;
    }
}

F2L_CLONES
void f2l_sigmoid_backward_f32(float *dx, const float *dy, const float *x, float low, float high,
                              float slope, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dx[i] = dy[i] * (high - low) * slope * slope_of_sigmoid(slope * x[i]);
}

void f2l_clamp_forward_f32(float *y, const float *x, float low, float high, float slope, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const float z = slope * x[i], part = 0.5F + z / 4;
        const float inside = low + (high - low) * part, above = z >= 2 ? high : inside;
        y[i] = z <= -2 ? low : above;
    }
}

void f2l_clamp_backward_f32(float *dx, const float *dy, float low, float high, float slope,
                            size_t n)
{
    for (size_t i = 0; i < n; i++) dx[i] = dy[i] * (high - low) * slope / 4;
}

void f2l_decay_forward_f32(float *y, const float *x, const float *rate, const float *bias,
                           float low, float high, size_t n, size_t width)
{
    for (size_t i = 0; i < n; i++) {
        const size_t c = i % width;
        y[i] = low + (high - low) * expf(-expf(rate[c]) * softplus_of(x[i] + bias[c]));
    }
}

void f2l_decay_backward_f32(float *dx, float *drate, float *dbias, const float *dy, const float *x,
                            const float *rate, const float *bias, float low, float high, size_t n,
                            size_t width)
{
    for (size_t i = 0; i < n; i++) {
        const size_t c = i % width;
        const float z = x[i] + bias[c], speed = expf(rate[c]), amount = speed * softplus_of(z);
        const float to_amount = -dy[i] * (high - low) * expf(-amount);
        const float to_z = to_amount * speed * sigmoid_of(z);
        dx[i] = to_z;
        if (drate) drate[c] += to_amount * amount;
        if (dbias) dbias[c] += to_z;
    }
}
