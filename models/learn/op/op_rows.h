/* Sums over rows in a fixed order, for the operators that weigh pairs of letters. */
#ifndef F2L_OP_ROWS_H
#define F2L_OP_ROWS_H

#include "numeric/base/clones.h"

enum { ROW_PARTS = 8 }; /* partial sums of a row: their order is fixed, and vectors can hold them */

/* Returns a^T b. */
F2L_INLINE float row_product(const float *a, const float *b, size_t n)
{
    float part[ROW_PARTS] = {0};
    size_t i = 0;
    for (; i + ROW_PARTS <= n; i += ROW_PARTS)
        for (size_t l = 0; l < ROW_PARTS; l++) part[l] += a[i + l] * b[i + l];
    for (; i < n; i++) part[0] += a[i] * b[i];
    for (size_t half = ROW_PARTS / 2; half; half /= 2)
        for (size_t l = 0; l < half; l++) part[l] += part[l + half];
    return part[0];
}

/* Computes y = the sum of weight_j x_j over rows first .. last. */
F2L_INLINE void sum_rows(float *y, const float *weight, const float *x, size_t first, size_t last,
                         size_t width)
{
    for (size_t i = 0; i < width; i++) y[i] = 0;
    for (size_t j = first; j <= last; j++)
        for (size_t i = 0; i < width; i++) y[i] += weight[j] * x[j * width + i];
}

/* Adds weight_j x to rows first .. last of y. */
F2L_INLINE void add_rows(float *y, const float *weight, const float *x, size_t first, size_t last,
                         size_t width)
{
    for (size_t j = first; j <= last; j++)
        for (size_t i = 0; i < width; i++) y[j * width + i] += weight[j] * x[i];
}

#endif
