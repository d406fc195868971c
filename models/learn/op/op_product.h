/* Products of matrices, for the linear maps: sums in one fixed order, whatever the sizes.
 *
 * Every element is the sum over 256 products at a time, one after the other from 0, and these sums
 * are added up in their order. On processors of x86-64 with AVX2 and FMA a product and its sum are
 * rounded once, on all others each is rounded: so two kinds of processors give equal bits each. */
#ifndef F2L_OP_PRODUCT_H
#define F2L_OP_PRODUCT_H

#include "models/learn/op/op.h"

/* The element (i, j) is at[i * row + j * column]. */
typedef struct f2l_matrix_f32 {
    const float *at;
    size_t row, column;
} f2l_matrix_f32;
typedef struct f2l_matrix_f64 {
    const double *at;
    size_t row, column;
} f2l_matrix_f64;

/* Computes c [m][n] = a b, or += when add; a is m x k and b is k x n. */
#define F2L_OP_PRODUCT(real, name) \
    void name(f2l_product)(real * c, bool add, const name(f2l_matrix) * a, \
                           const name(f2l_matrix) * b, size_t m, size_t n, size_t k);
F2L_OP_BOTH(F2L_OP_PRODUCT)

#endif
