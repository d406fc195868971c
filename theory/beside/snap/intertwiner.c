#include "theory/beside/snap/intertwiner.h"
#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <stdbool.h>

/* |A X - X rho|^2 = <X, A^T A X> + <X, X rho rho^T> - 2 <A X, X rho>, and rho rho^T = I. */
void f2l_intertwiner_add(double *form, const double *a, const double *square, const double *rho,
                         size_t K, size_t d)
{
    const size_t n = K * d;
    for (size_t i = 0; i < K; i++)
        for (size_t k = 0; k < K; k++) {
            const double here = a[i * K + k], there = a[k * K + i];
            for (size_t j = 0; j < d; j++) {
                double *to = form + (i * d + j) * n + k * d;
                to[j] += square[i * K + k] + (i == k);
                for (size_t l = 0; l < d; l++)
                    to[l] -= here * rho[j * d + l] + there * rho[l * d + j];
            }
        }
}

/* The rows of x^T are the columns of x: its left singular vectors u are the right ones of x, and p
 * = x u diag(1 / s) u^T. */
f2l_status f2l_intertwiner_polar(double *p, double *even, const double *x, size_t K, size_t d,
                                 f2l_error *err)
{
    double *turned = f2l_calloc(K * d, sizeof *turned), *s = f2l_calloc(d, sizeof *s),
           *u = f2l_calloc(d * d, sizeof *u);
    f2l_status status = turned && s && u ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; status == F2L_OK && i < K * d; i++) turned[i % d * K + i / d] = x[i];
    if (status == F2L_OK) status = f2l_dense_singular_values(s, u, turned, d, K, err);
    const bool whole = status == F2L_OK && s[0] > 0 && s[d - 1] > 0;
    *even = whole ? s[d - 1] / s[0] : 0;
    for (size_t i = 0; whole && i < K; i++)
        for (size_t j = 0; j < d; j++) {
            p[i * d + j] = 0;
            for (size_t r = 0; r < d; r++)
                p[i * d + j] += f2l_dense_dot(x + i * d, u + r * d, d) / s[r] * u[r * d + j];
        }
    f2l_free(turned);
    f2l_free(s);
    f2l_free(u);
    return status;
}

double f2l_intertwiner_distance(double *leaves, double *work, const double *a, const double *p,
                                const double *rho, size_t K, size_t d)
{
    double difference = 0, outside = 0;
    for (size_t i = 0; i < K * d; i++) {
        work[i] = 0;
        for (size_t k = 0; k < K; k++) work[i] += a[i / d * K + k] * p[k * d + i % d];
    }
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < d; j++) {
            double x = work[i * d + j];
            for (size_t l = 0; l < d; l++) x -= p[i * d + l] * rho[l * d + j];
            difference += x * x;
        }
    for (size_t j = 0; j < d && leaves != NULL; j++) {
        double inside = 0;
        for (size_t l = 0; l < d; l++) {
            double part = 0;
            for (size_t i = 0; i < K; i++) part += p[i * d + l] * work[i * d + j];
            inside += part * part;
        }
        for (size_t i = 0; i < K; i++) outside += work[i * d + j] * work[i * d + j];
        outside -= inside;
    }
    if (leaves != NULL) *leaves = sqrt(fmax(outside, 0));
    return sqrt(difference);
}
