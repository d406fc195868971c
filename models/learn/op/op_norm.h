/* Normalisation of rows. y may be x, and dx may be dy. */
#ifndef F2L_OP_NORM_H
#define F2L_OP_NORM_H

#include "models/learn/op/op.h"

/* - rmsnorm (Zhang and Sennrich 2019): y [rows][width] = weight [width] (NULL:
 *   1) * x / sqrt(mean(x^2) + eps). backward: dx =; dweight += (NULL: not wanted).
 * - l2norm, as in flash-linear-attention for keys: y = x / sqrt(sum(x^2) + eps). With eps = 0 a
 *   zero row is not allowed (division by zero: NaN).
 * - unit: y = x / |x|, of length 1 whatever the length of x, and 0 for a zero row, to which
 * backward gives no gradient. Rows are divided by their largest entry first, so that no square is
 * lost or overflows; a row of one number becomes 1 or -1 exactly, also in floating point.
 * - ternary: y = t / |t| with t_j = 0 where |x_j| is below half of the largest size of the row,
 * else 1 or -1 as x_j; 0 for a zero row. Its gradient is unit's, straight through the rounding.
 * - swap_backward: dx += the gradient of pull / 2 |x - t|^2 / s^2 with s and t held: s is the mean
 * size of the two largest entries (of equal ones the first), t has these two with the size s and 0
 * elsewhere, so that the reflection in t swaps two coordinates, up to signs. Nothing where s is 0.
 * Rows have two entries or more. */
#define F2L_OP_NORM(real, name) \
    void name(f2l_rmsnorm_forward)(real * y, const real *x, const real *weight, size_t rows, \
                                   size_t width, real eps); \
    void name(f2l_rmsnorm_backward)(real * dx, real * dweight, const real *dy, const real *x, \
                                    const real *weight, size_t rows, size_t width, real eps); \
    void name(f2l_l2norm_forward)(real * y, const real *x, size_t rows, size_t width, real eps); \
    void name(f2l_l2norm_backward)(real * dx, const real *dy, const real *x, size_t rows, \
                                   size_t width, real eps); \
    void name(f2l_unit_forward)(real * y, const real *x, size_t rows, size_t width); \
    void name(f2l_unit_backward)(real * dx, const real *dy, const real *x, size_t rows, \
                                 size_t width); \
    void name(f2l_ternary_forward)(real * y, const real *x, size_t rows, size_t width); \
    void name(f2l_swap_backward)(real * dx, const real *x, size_t rows, size_t width, real pull);
F2L_OP_BOTH(F2L_OP_NORM)

#endif
