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

/* Precision of all enclosures, in bits. */
#define F2L_BALL_BITS 256

/* No number is a multiple of a larger power of two than 2^F2L_BALL_GRID, except 0. */
#define F2L_BALL_GRID 1000000
/* The number of significant bits of a value about which nothing is known. */
#define F2L_BALL_ANY 1000000

/* Return an upper and a lower bound of |x|; INFINITY and 0 when nothing is known. */
double f2l_ball_above(const arb_t x);
double f2l_ball_below(const arb_t x);

/* Widens x to x +- radius; x becomes the whole line when the radius is not finite. */
void f2l_ball_widen(arb_t x, double radius);

/* Sets out to an enclosure of the rational. */
void f2l_ball_set_q(arb_t out, const mpq_t value);

/* Returns the least double above x >= 0; INFINITY and NaN are returned unchanged. Horizons spend
 * most of their time here, and nextafter is not an inline function. */
static inline double f2l_next_up(double x)
{
    uint64_t bits;
    if (!(x < INFINITY)) return x;
    memcpy(&bits, &x, sizeof bits);
    bits++; /* doubles >= 0 are in the order of their bits */
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Return upper bounds of a + b and a * b for a, b >= 0; exact where an operand is 0, or a factor is
 * 1. */
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

/* Return the largest g such that x is a multiple of 2^g, and the number of bits that the
 * significand of x needs. For x = 0 and for x not finite: F2L_BALL_GRID and 0. */
long f2l_ball_grid(double x);
int f2l_ball_significant(double x);

/* Returns an upper bound of |y - round(y)| for all y with low <= |y| <= high that are multiples of
 * 2^grid and have at most `bits` significant bits, where round(y) is in the format, in the rounding
 * of the format. INFINITY when y may overflow. */
double f2l_ball_rounding(const f2l_format *format, double low, double high, long grid, int bits);

/* Returns the largest g such that every value v of the format with |v| >= low is a multiple of 2^g.
 */
long f2l_ball_spacing(const f2l_format *format, double low);

/* Returns an upper bound of the Euclidean operator norm of the n x n matrix, given row by row.
 * `above` must be an upper bound, and the result is at most `above`. The result is too large by a
 * factor of at most n^(2^-51), and by the width of the enclosures. */
double f2l_ball_operator_norm(arb_srcptr matrix, slong n, double above);

#endif
