/* Formats to test with, their values in order, and random and corner operands. */
#ifndef FORMAT_SUPPORT_H
#define FORMAT_SUPPORT_H

#include "numeric/base/rng.h"
#include "numeric/format/format.h"
#include <stdlib.h>

/* Under valgrind and the sanitizers the large random tests are cut down; with optimisation there is
 * time for more. */
static inline size_t repetitions(size_t n)
{
#if defined __SANITIZE_ADDRESS__
    return n / 8;
#elif defined __OPTIMIZE__
    n *= 2;
#endif
    return getenv("F2L_TEST_SHORT") ? n / 200 : n;
}

static inline uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

#define TO_NEAREST F2L_ROUND_NEAREST_EVEN, NULL
enum {
    FLUSH,
    FINITE,
    TWO_BITS,
    FLUSH_FINITE,
    WIDE,
    FAR,
    SATURATING,
    ONE_BINADE,
    CUT,
    FLUSH_WIDE,
    FIFTY_ONE,
    FIFTY_TWO,
    HALF_53,
    FLUSH_64,
    SHORT_64,
    ALL_SUBNORMAL,
    HIGH,
    STRANGE
};

/* Formats beyond those of the table: flush to zero, NaN instead of infinity, a top binade that is
 * cut, few bits, one binade, and those that are not narrow (theory/pages/formats.md, F2). */
static const f2l_format strange[STRANGE] = {
    [FLUSH] = {"flush", 8, -126, 127, 0x1.fep127, false, F2L_OVERFLOW_INFINITY, TO_NEAREST},
    [FINITE] = {"finite", 4, -6, 8, 480, true, F2L_OVERFLOW_NAN, TO_NEAREST},
    [TWO_BITS] = {"two-bit", 2, -3, 3, 12, true, F2L_OVERFLOW_INFINITY, TO_NEAREST},
    [FLUSH_FINITE] = {"flush-finite", 5, -6, 7, 248, false, F2L_OVERFLOW_NAN, TO_NEAREST},
    [WIDE] = {"wide", 40, -500, 500, 0x1.fffffffffep500, true, F2L_OVERFLOW_INFINITY, TO_NEAREST},
    [FAR] = {"far", 11, -900, 900, 0x1.ffcp900, true, F2L_OVERFLOW_INFINITY, TO_NEAREST},
    [SATURATING] = {"saturating", 4, -6, 8, 448, true, F2L_OVERFLOW_SATURATE, TO_NEAREST},
    [ONE_BINADE] = {"one-binade", 3, 0, 0, 1.75, true, F2L_OVERFLOW_INFINITY, TO_NEAREST},
    [CUT] = {"cut", 9, -20, 20, 0x1p20, true, F2L_OVERFLOW_INFINITY, TO_NEAREST},
    [FLUSH_WIDE] = {"flush-wide", 30, -100, 100, 0x1.fffffff8p100, false, F2L_OVERFLOW_SATURATE,
                    TO_NEAREST},
    [FIFTY_ONE] = {"51 bits", 51, -1021, 1023, 0x1.ffffffffffffcp1023, true, F2L_OVERFLOW_INFINITY,
                   TO_NEAREST},
    [FIFTY_TWO] = {"52 bits", 52, -1021, 1023, 0x1.ffffffffffffep1023, true, F2L_OVERFLOW_INFINITY,
                   TO_NEAREST},
    [HALF_53] = {"53 bits", 53, -50, 50, 0x1.fffffffffffffp50, true, F2L_OVERFLOW_NAN, TO_NEAREST},
    [FLUSH_64] = {"flush-64", 53, -1022, 1023, 0x1.fffffffffffffp1023, false, F2L_OVERFLOW_INFINITY,
                  TO_NEAREST},
    [SHORT_64] = {"short-64", 53, -1022, 1023, 0x1.8p1023, true, F2L_OVERFLOW_SATURATE, TO_NEAREST},
    [ALL_SUBNORMAL] = {"26 bits", 26, -3, -2, 0x1.ffffff8p-2, true, F2L_OVERFLOW_SATURATE,
                       TO_NEAREST},
    [HIGH] = {"high", 5, 1021, 1023, 0x1.fp1023, true, F2L_OVERFLOW_INFINITY, TO_NEAREST}};

/* The n-th non-negative value of the format, counted as its bit patterns are; in a format without
 * subnormals some are none. */
static inline double nth_value(const f2l_format *f, uint64_t n)
{
    int field = f->precision - 1;
    uint64_t fraction = n & ((UINT64_C(1) << field) - 1), exponent = n >> field;
    if (exponent == 0) return f->subnormals ? ldexp((double)fraction, f->emin - field) : 0;
    return ldexp((double)(fraction | UINT64_C(1) << field), f->emin - field + (int)exponent - 1);
}

static inline uint64_t count_values(const f2l_format *f)
{
    uint64_t beyond =
        (uint64_t)(2 * ldexp(1, f->precision - 1) - ldexp(f->largest, f->precision - 1 - f->emax)) -
        1;
    return ((uint64_t)(f->emax - f->emin + 2) << (f->precision - 1)) - beyond;
}

/* A random value: any bit pattern, one near 1, or one near `other`, which makes sums cancel and
 * round. */
static inline double random_value(const f2l_format *f, f2l_rng *r, double other)
{
    uint64_t kind = f2l_rng_u32(r) % 4;
    double x;
    if (kind == 0 || other == 0 || !isfinite(other)) {
        x = nth_value(f, f2l_rng_u64(r) % count_values(f));
    } else {
        int spread = kind == 1 ? 3 : f->precision + 3;
        int shift = (int)(f2l_rng_u32(r) % (unsigned)(2 * spread + 1)) - spread;
        double fraction = 1 + (double)(f2l_rng_u64(r) >> 12) * 0x1p-52;
        x = f2l_format_round_nearest(f, ldexp(fraction, (kind == 3 ? 0 : ilogb(other)) + shift));
    }
    return f2l_rng_u32(r) % 2 ? -x : x;
}

enum { CORNERS = 96 };

/* Zeros, infinities, NaN, and the neighbourhoods of the ends of the ranges and of 1. */
static inline void corner_values(const f2l_format *f, double corner[CORNERS])
{
    uint64_t count = count_values(f), normal = UINT64_C(1) << (f->precision - 1);
    uint64_t one = (uint64_t)(int64_t)(1 - f->emin) << (f->precision - 1);
    const uint64_t centre[] = {2,   normal,       2 * normal,       one / 2,  one - normal,
                               one, one + normal, one + normal / 2, count - 3};
    const bool infinity = f->overflow == F2L_OVERFLOW_INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < sizeof centre / sizeof *centre; i++)
        for (int d = -2; d <= 2; d++) {
            double x = nth_value(f, (centre[i] + (uint64_t)(int64_t)d) % count);
            corner[n++] = x;
            corner[n++] = -x;
        }
    const double rest[] = {0,
                           -0.0,
                           infinity ? INFINITY : 0,
                           infinity ? -INFINITY : 0,
                           NAN,
                           nth_value(f, (one + 1) % count)};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) corner[n++] = rest[i];
}

#endif
