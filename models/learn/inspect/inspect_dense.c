#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include <lapacke.h>
#include <math.h>
#include <string.h>

double f2l_dense_dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static bool all_finite(const double *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

/* LAPACK's matrices are columns one after the other: its matrix is the transpose of a, and its
 * right singular vectors are the left ones of a. */
f2l_status f2l_dense_singular_values(double *singular, double *direction, double *a, size_t count,
                                     size_t columns, f2l_error *err)
{
    const lapack_int n = (lapack_int)count, m = (lapack_int)columns;
    const size_t room = 2 * columns + 4 * count + 7;
    if (!all_finite(a, count * columns))
        return f2l_fail(err, F2L_EDOMAIN, "a number is not finite");
    if (count == 0) return F2L_OK;
    double *work = f2l_calloc(room, sizeof *work);
    lapack_int *places = f2l_calloc(columns + 3 * count, sizeof *places), failed = 0;
    f2l_status status = work && places ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK)
        failed = LAPACKE_dgejsv_work(LAPACK_COL_MAJOR, 'F', 'N', direction ? 'V' : 'N', 'R', 'N',
                                     'P', m, n, a, m, singular, NULL, m, direction, n, work,
                                     (lapack_int)room, places);
    for (size_t i = 0; status == F2L_OK && i < count; i++) singular[i] *= work[0] / work[1];
    if (status == F2L_OK && (failed != 0 || !all_finite(singular, count)))
        status = f2l_fail(err, F2L_EDOMAIN, "a singular value is not finite");
    f2l_free(work);
    f2l_free(places);
    return status;
}

f2l_status f2l_dense_spectrum(double *singular, double *a, size_t rows, size_t columns,
                              f2l_error *err)
{
    const lapack_int m = (lapack_int)columns, n = (lapack_int)rows;
    double wanted, none;
    lapack_int *places, failed;
    if (!all_finite(a, rows * columns)) return f2l_fail(err, F2L_EDOMAIN, "a number is not finite");
    if (rows == 0 || columns == 0) return F2L_OK;
    places = f2l_calloc(8 * (rows < columns ? rows : columns), sizeof *places);
    if (places == NULL) return f2l_fail_memory(err);
    failed = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', m, n, a, m, singular, &none, 1, &none, 1,
                                 &wanted, -1, places);
    const size_t room = failed == 0 ? (size_t)wanted + 1 : 1;
    double *work = f2l_calloc(room, sizeof *work);
    f2l_status status = work ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK && failed == 0)
        failed = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', m, n, a, m, singular, &none, 1, &none,
                                     1, work, (lapack_int)room, places);
    if (status == F2L_OK && failed != 0)
        status = f2l_fail(err, F2L_EDOMAIN, "the singular values are not found");
    f2l_free(work);
    f2l_free(places);
    return status;
}

double f2l_dense_effective_rank(const double *singular, size_t n)
{
    double sum = 0, entropy = 0;
    for (size_t i = 0; i < n; i++) sum += singular[i];
    if (!(sum > 0)) return 0;
    for (size_t i = 0; i < n; i++) {
        const double p = singular[i] / sum;
        if (p > 0) entropy -= p * log(p);
    }
    return exp(entropy);
}

enum { PANEL = 32 }; /* columns that LAPACK factors at a time */

f2l_status f2l_dense_triangle(double *a, size_t rows, size_t columns, f2l_error *err)
{
    const lapack_int m = (lapack_int)rows, n = (lapack_int)columns;
    double *tau = f2l_calloc((PANEL + 1) * columns, sizeof *tau);
    if (!tau) return f2l_fail_memory(err);
    const lapack_int failed =
        LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, m, n, a, m, tau, tau + columns, PANEL * n);
    f2l_free(tau);
    return failed == 0 ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "no triangle is found");
}

static void exchange_numbers(double *x, double *y)
{
    const double old = *x;
    *x = *y;
    *y = old;
}

static void sort_pairs(double *re, double *im, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i;
             k > 0 && (re[k] < re[k - 1] || (re[k] == re[k - 1] && im[k] < im[k - 1])); k--) {
            exchange_numbers(re + k, re + k - 1);
            exchange_numbers(im + k, im + k - 1);
        }
}

/* The transpose, which LAPACK reads, has the same eigenvalues. */
f2l_status f2l_dense_eigenvalues(double *re, double *im, const double *a, size_t n, f2l_error *err)
{
    const lapack_int size = (lapack_int)n;
    double copy[F2L_DENSE_MOST * F2L_DENSE_MOST], work[8 * F2L_DENSE_MOST], largest = 0;
    if (!all_finite(a, n * n)) return f2l_fail(err, F2L_EDOMAIN, "a number is not finite");
    if (n == 0) return F2L_OK;
    memcpy(copy, a, n * n * sizeof *a);
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(a[i]));
    if (LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', size, copy, size, re, im, NULL, 1, NULL, 1,
                           work, sizeof work / sizeof *work) != 0)
        return f2l_fail(err, F2L_EDOMAIN, "the eigenvalues are not found");
    for (size_t i = 0; i < n; i++)
        if (fabs(im[i]) <= 1e-12 * largest) im[i] = 0;
    sort_pairs(re, im, n);
    return F2L_OK;
}
