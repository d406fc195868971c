/* Numbers that are the sum of two doubles, high + low, where low is at most half a unit in the last
 * place of high (T. J. Dekker, Numerische Mathematik 18, 1971): about 32 decimal digits. Loops over
 * them are compiled for wide vectors, too; all versions compute the same numbers. */
#ifndef F2L_SEPARATION_WIDE_H
#define F2L_SEPARATION_WIDE_H

#include "numeric/base/clones.h"
#include <math.h>
#include <stddef.h>

/* Before a function: like F2L_CLONES, with versions in which fma is an instruction. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__OPTIMIZE__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE_CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define WIDE_CLONES
#endif

typedef struct f2l_wide {
    double high, low;
} f2l_wide;

/* high + low, where low is small. */
F2L_INLINE f2l_wide f2l_wide_join(double high, double low)
{
    const double sum = high + low;
    return (f2l_wide){sum, low - (sum - high)};
}

F2L_INLINE f2l_wide f2l_wide_add_product(f2l_wide to, f2l_wide x, f2l_wide y)
{
    const double product = x.high * y.high;
    const double rest = fma(x.high, y.high, -product) + (x.high * y.low + x.low * y.high);
    const double sum = to.high + product, part = sum - to.high;
    const double lost = (to.high - (sum - part)) + (product - part);
    return f2l_wide_join(sum, lost + (to.low + rest));
}

/* Adds factor * from to numbers that lie elsewhere. */
F2L_INLINE void f2l_wide_add_multiple(double *restrict to, double *restrict to_low,
                                      const double *restrict from, const double *restrict from_low,
                                      f2l_wide factor, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const f2l_wide sum = f2l_wide_add_product((f2l_wide){to[i], to_low[i]}, factor,
                                                  (f2l_wide){from[i], from_low[i]});
        to[i] = sum.high;
        to_low[i] = sum.low;
    }
}

/* x / y, y not 0. */
F2L_INLINE f2l_wide f2l_wide_quotient(f2l_wide x, f2l_wide y)
{
    const double high = x.high / y.high;
    const f2l_wide rest = f2l_wide_add_product(x, (f2l_wide){-high, 0}, y);
    return f2l_wide_join(high, rest.high / y.high);
}

#endif
