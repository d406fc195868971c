#ifndef REAL
#define _DEFAULT_SOURCE /* for MAP_ANONYMOUS */
#include "models/op/op_linear.h"
#include <cblas.h>
#include <limits.h>
#include <sys/mman.h>

f2l_status f2l_linear_ready(f2l_error *err)
{
    void *room =
        mmap(NULL, F2L_LINEAR_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return f2l_fail(err, F2L_ENOMEM,
                        "out of memory: products of matrices take %zu MiB of address space, which "
                        "is limited",
                        F2L_LINEAR_BUFFER >> 20);
    (void)munmap(room, F2L_LINEAR_BUFFER);
    float one = 1, square = 0; /* small products take no buffer, but this product always does */
    cblas_ssyrk(CblasRowMajor, CblasUpper, CblasNoTrans, 1, 1, 1, &one, 1, 0, &square, 1);
    return F2L_OK;
}

static f2l_status sizes_fit(size_t rows, size_t in, size_t out, f2l_error *err)
{
    if (rows <= INT_MAX && in <= INT_MAX && out <= INT_MAX) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "a linear map of %zu rows, %zu to %zu, is too large for BLAS",
                    rows, in, out);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): no type is put in parentheses */
/* Computes c [m][n] += a b, where a [m][k] and b [k][n] may be stored transposed; k >= 1. */
#define F2L_PRODUCT(real, name, gemm) \
    static void name(real *c, const real *a, bool transpose_a, const real *b, bool transpose_b, \
                     size_t m, size_t n, size_t k) \
    { \
        openblas_set_num_threads(1); \
        gemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans, \
             transpose_b ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k, 1, a, \
             (int)(transpose_a ? m : k), b, (int)(transpose_b ? k : n), 1, c, (int)n); \
    }
F2L_PRODUCT(float, product_f32, cblas_sgemm)
F2L_PRODUCT(double, product_f64, cblas_dgemm)
/* NOLINTEND(bugprone-macro-parentheses) */

#define F2L_OP_SELF "models/op/op_linear.c"
#include "models/op/op_twice.h"
#else

f2l_status OP(f2l_linear_forward)(REAL *y, const REAL *x, const REAL *w, const REAL *bias,
                                  size_t rows, size_t in, size_t out, f2l_error *err)
{
    f2l_status status = sizes_fit(rows, in, out, err);
    if (status || !rows || !out) return status;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < out; j++) y[i * out + j] = bias ? bias[j] : 0;
    if (in) OP(product)(y, x, false, w, true, rows, out, in);
    return F2L_OK;
}

f2l_status OP(f2l_linear_backward)(REAL *dx, bool add_dx, REAL *dw, REAL *dbias, const REAL *dy,
                                   const REAL *x, const REAL *w, size_t rows, size_t in, size_t out,
                                   f2l_error *err)
{
    f2l_status status = sizes_fit(rows, in, out, err);
    if (status || !rows) return status;
    for (size_t i = 0; dx && !add_dx && i < rows * in; i++) dx[i] = 0;
    if (dx && in && out) OP(product)(dx, dy, false, w, false, rows, in, out);
    if (dw && in && out) OP(product)(dw, dy, true, x, false, out, in, rows);
    for (size_t i = 0; dbias && i < rows; i++)
        for (size_t j = 0; j < out; j++) dbias[j] += dy[i * out + j];
    return F2L_OK;
}

#endif
