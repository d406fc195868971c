#include "kernels/base/kernels_number.h"
#include <math.h>
#include <string.h>

size_t f2l_kernels_bytes_of(int type)
{
    static const size_t bytes[] = {4, 2, 2, 8};
    return type >= 0 && type <= FSA2LRNN_KERNELS_F64 ? bytes[type] : 0;
}

static double bf16_to_double(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return (double)x;
}

static double f16_to_double(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const double x = exponent == 31 ? (digits ? (double)NAN : (double)INFINITY)
                     : exponent     ? ldexp(1024 + digits, exponent - 25)
                                    : ldexp(digits, -24);
    return bits >> 15 ? -x : x;
}

/* Rounds to so many binary digits, and to multiples of 2^least. */
static double round_digits(double x, int digits, int least)
{
    int exponent;
    if (!isfinite(x) || x == 0) return x;
    frexp(x, &exponent);
    const int last = exponent - digits > least ? exponent - digits : least;
    return ldexp(nearbyint(ldexp(x, -last)), last);
}

static uint16_t bf16_of(double x)
{
    const float rounded = (float)round_digits(x, 8, -133); /* infinite where it is too large */
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return isnan(x) ? 0x7fc0 : (uint16_t)(bits >> 16);
}

static uint16_t f16_of(double x)
{
    const double rounded = fabs(round_digits(x, 11, -24));
    const unsigned sign = signbit(x) ? 0x8000 : 0;
    int exponent;
    if (isnan(x)) return 0x7e00;
    if (rounded > 65504) return (uint16_t)(sign | 0x7c00);
    const double part = frexp(rounded, &exponent);
    if (exponent < -13 || rounded == 0) return (uint16_t)(sign | (unsigned)ldexp(rounded, 24));
    return (uint16_t)(sign | ((unsigned)(exponent + 14) << 10) |
                      ((unsigned)ldexp(part, 11) & 1023));
}

void f2l_kernels_load(double *to, const void *from, int64_t at, int64_t count, int type)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = type == FSA2LRNN_KERNELS_F64    ? ((const double *)from)[at + i]
                : type == FSA2LRNN_KERNELS_F32  ? (double)((const float *)from)[at + i]
                : type == FSA2LRNN_KERNELS_BF16 ? bf16_to_double(((const uint16_t *)from)[at + i])
                                                : f16_to_double(((const uint16_t *)from)[at + i]);
}

void f2l_kernels_store(void *to, int64_t at, const double *from, int64_t count, int type)
{
    for (int64_t i = 0; i < count; i++)
        if (type == FSA2LRNN_KERNELS_F64)
            ((double *)to)[at + i] = from[i];
        else if (type == FSA2LRNN_KERNELS_F32)
            ((float *)to)[at + i] = (float)from[i];
        else
            ((uint16_t *)to)[at + i] =
                type == FSA2LRNN_KERNELS_BF16 ? bf16_of(from[i]) : f16_of(from[i]);
}
