#include "models/learn/op/op_linear.h"
#include <cblas.h>
#include <limits.h>

static f2l_status sizes_fit(size_t rows, size_t in, size_t out, f2l_error *err)
{
    if (rows <= INT_MAX && in <= INT_MAX && out <= INT_MAX) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "a linear map of %zu rows, %zu to %zu, is too large for BLAS",
                    rows, in, out);
}

/* Computes c [m][n] += a b, where a [m][k] and b [k][n] may be stored transposed; k >= 1. */
static void add_blas_product(float *c, const float *a, bool transpose_a, const float *b,
                             bool transpose_b, size_t m, size_t n, size_t k)
{
    openblas_set_num_threads(1);
    cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
                transpose_b ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k, 1, a,
                (int)(transpose_a ? m : k), b, (int)(transpose_b ? k : n), 1, c, (int)n);
}

f2l_status f2l_linear_forward_f32(float *y, const float *x, const float *w, const float *bias,
                                  size_t rows, size_t in, size_t out, f2l_error *err)
{
    f2l_status status = sizes_fit(rows, in, out, err);
    if (status || !rows || !out) return status;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < out; j++) y[i * out + j] = bias ? bias[j] : 0;
    if (in) add_blas_product(y, x, false, w, true, rows, out, in);
    return F2L_OK;
}

f2l_status f2l_linear_backward_f32(float *dx, bool add_dx, float *dw, float *dbias, const float *dy,
                                   const float *x, const float *w, size_t rows, size_t in,
                                   size_t out, f2l_error *err)
{
    f2l_status status = sizes_fit(rows, in, out, err);
    if (status || !rows) return status;
    for (size_t i = 0; dx && !add_dx && i < rows * in; i++) dx[i] = 0;
    if (dx && in && out) add_blas_product(dx, dy, false, w, false, rows, in, out);
    if (dw && in && out) add_blas_product(dw, dy, true, x, false, out, in, rows);
    for (size_t i = 0; dbias && i < rows; i++)
        for (size_t j = 0; j < out; j++) dbias[j] += dy[i * out + j];
    return F2L_OK;
}
