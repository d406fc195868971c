/* Formats to test with, their values in order, and random and corner operands. */
#ifndef FORMAT_SUPPORT_H
#define FORMAT_SUPPORT_H

#include "numeric/base/rng.h"
#include "numeric/format/format.h"
#include <stdlib.h>

/* Returns the number of repetitions for a test that asks for n: fewer under valgrind and the
 * sanitizers, more with optimisation. */
size_t repetitions(size_t n);

uint64_t bits_of(double x);

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

/* Formats beyond the table's: flush to zero, NaN instead of infinity, a top binade that is cut, few
 * bits, one binade, and formats that are not narrow (theory/pages/formats.md, F2). */
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

/* Returns the n-th non-negative value of the format, in the order of bit patterns; in a format
 * without subnormals some of these are not values. */
double nth_value(const f2l_format *f, uint64_t n);

uint64_t count_values(const f2l_format *f);

/* Returns a random value: any bit pattern, one near 1, or one near `other`, which makes sums cancel
 * and round. */
double random_value(const f2l_format *f, f2l_rng *r, double other);

enum { CORNERS = 96 };

/* Fills corner[] with zeros, infinities, NaN, and the neighbourhoods of 1 and of the ends of the
 * ranges. */
void corner_values(const f2l_format *f, double corner[CORNERS]);

#endif
