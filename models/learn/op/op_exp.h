/* exp of numbers that are not positive, for models/learn/op/op_point.c. */
#ifndef F2L_OP_EXP_H
#define F2L_OP_EXP_H

#include "numeric/base/clones.h"
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Returns exp(x) for x <= 0, to two units in the last place, in a form that the compiler can put on
 * vectors (expf is a call): with n the integer next to x / log 2, exp(x) = 2^n exp(r),
 * |r| <= log(2) / 2, where eight terms of the series leave an error of 6e-9. Where the result would
 * be subnormal it is 0. NaN stays NaN. */
F2L_INLINE float exp_down_f32(float x)
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

F2L_INLINE double exp_down_f64(double x)
{
    return exp(x);
}

#endif
