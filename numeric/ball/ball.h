/* Rigorous bounds: enclosures by Arb (F. Johansson, IEEE Trans. Comput. 66, 2017), bounds taken
 * from them as doubles, and how far a rounding into a format can be off (theory/pages/horizon.md,
 * H1). */
#ifndef F2L_BALL_H
#define F2L_BALL_H

#include "numeric/exact/arb_headers.h"
#include "numeric/format/format.h"
#include <gmp.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Precision of all enclosures. */
#define F2L_BALL_BITS 256

/* No number is a multiple of a larger power of two than 2^F2L_BALL_GRID, except 0. */
#define F2L_BALL_GRID 1000000
/* Significant bits: not known. */
#define F2L_BALL_ANY 1000000

/* Upper and lower bounds of |x|; INFINITY and 0 when nothing is known. */
double f2l_ball_above(const arb_t x);
double f2l_ball_below(const arb_t x);

/* x becomes x +- radius; everything when the radius is not finite. */
void f2l_ball_widen(arb_t x, double radius);

void f2l_ball_set_q(arb_t out, const mpq_t value);

/* The least double above x >= 0; INFINITY and NaN stay. Horizons spend most of their time here, and
 * nextafter is no inline function. */
static inline double f2l_next_up(double x)
{
    uint64_t bits;
    if (!(x < INFINITY)) return x;
    memcpy(&bits, &x, sizeof bits);
    bits++; /* doubles >= 0 are in the order of their bits */
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* sums and products of numbers >= 0, never too small; exact where one is 0, or a factor is 1. */
static inline double f2l_add_up(double a, double b)
{
    if (a == 0) return b;
    return b == 0 ? a : f2l_next_up(a + b);
}

static inline double f2l_mul_up(double a, double b)
{
    if (a == 0 || b == 0) return 0;
    if (a == 1) return b;
    return b == 1 ? a : f2l_next_up(a * b);
}

/* The largest g such that x is a multiple of 2^g, and the bits that its significand needs. 0, and
 * what is not finite: F2L_BALL_GRID and 0. */
long f2l_ball_grid(double x);
int f2l_ball_significant(double x);

/* An upper bound of |y - round(y)| for all y with low <= |y| <= high that are multiples of 2^grid
 * and have at most `bits` significant bits, y rounded into the format in its mode. INFINITY when y
 * may overflow. */
double f2l_ball_rounding(const f2l_format *format, double low, double high, long grid, int bits);

/* The largest g such that every value of the format of absolute value >= low is a multiple of 2^g.
 */
long f2l_ball_spacing(const f2l_format *format, double low);

/* An upper bound of the Euclidean operator norm of the n x n matrix, row by row, at most `above`,
 * which must be one. It overestimates by a factor of at most n^(2^-51) and what the enclosures
 * leave open. */
double f2l_ball_operator_norm(arb_srcptr matrix, slong n, double above);

#endif
