#include "models/learn/inspect/impl.h"
#include "models/learn/inspect/inspect_dense.h"
#include <math.h>
#include <string.h>

/* Expresses the keys of a letter in an orthonormal basis of their span, coordinate [N][SMALL], and
 * returns the dimension. `basis` has room for M vectors. */
static size_t reduce_keys(double coordinate[][F2L_DENSE_SMALL], double *basis, const double *key,
                          size_t N, size_t K)
{
    size_t rank = 0;
    for (size_t n = 0; n < N && rank < K; n++) {
        double *left = basis + rank * K;
        memcpy(left, key + n * K, K * sizeof *left);
        for (int twice = 0; twice < 2; twice++) /* one pass leaves rounding errors as large as a
                                                 * small remainder */
            for (size_t b = 0; b < rank; b++) {
                const double part = f2l_dense_dot(left, basis + b * K, K);
                for (size_t i = 0; i < K; i++) left[i] -= part * basis[b * K + i];
            }
        const double length = sqrt(f2l_dense_dot(left, left, K));
        if (length <= 1e-12)
            continue; /* the part that this loses is below the rounding errors of float weights */
        for (size_t i = 0; i < K; i++) left[i] /= length;
        rank++;
    }
    for (size_t n = 0; n < N; n++)
        for (size_t b = 0; b < rank; b++)
            coordinate[n][b] = f2l_dense_dot(key + n * K, basis + b * K, K);
    return rank;
}

/* Computes A(w) on the span of its keys, [rank][rank]. */
static void reduced_matrix(double *a, double coordinate[][F2L_DENSE_SMALL], size_t rank,
                           const double *beta, double gate, size_t N)
{
    for (size_t i = 0; i < rank * rank; i++) a[i] = i / rank == i % rank ? gate : 0;
    for (size_t n = 0; n < N; n++)
        for (size_t j = 0; j < rank; j++) {
            double part = 0;
            for (size_t i = 0; i < rank; i++) part += coordinate[n][i] * a[i * rank + j];
            for (size_t i = 0; i < rank; i++) a[i * rank + j] -= beta[n] * coordinate[n][i] * part;
        }
}

double f2l_inspect_line_angle(const double *x, const double *y, size_t K)
{
    double sum = 0, difference = 0;
    if (f2l_dense_dot(x, x, K) < 0.5 || f2l_dense_dot(y, y, K) < 0.5) return NAN;
    for (size_t i = 0; i < K; i++) {
        sum += (x[i] + y[i]) * (x[i] + y[i]);
        difference += (x[i] - y[i]) * (x[i] - y[i]);
    }
    const double least = sqrt(fmin(sum, difference)), most = sqrt(fmax(sum, difference));
    return 2 * atan2(least, most) * (180 / 3.14159265358979323846);
}

f2l_status f2l_inspect_letter(f2l_inspect_head *h, double *basis, size_t letter, size_t N, size_t K,
                              size_t M, f2l_error *err)
{
    double coordinate[F2L_SEQ_MAX_HOUSEHOLDERS][F2L_DENSE_SMALL] = {{0}};
    double a[F2L_DENSE_SMALL * F2L_DENSE_SMALL] = {0};
    const double gate = h->gate[letter], *key = h->key + letter * N * K,
                 *beta = h->beta + letter * N;
    double *re = h->re + letter * M, *im = h->im + letter * M, *singular = h->singular + letter * M;
    const size_t rank = reduce_keys(coordinate, basis, key, N, K);
    reduced_matrix(a, coordinate, rank, beta, gate, N);
    for (size_t i = 0; i < M; i++) {
        re[i] = gate;
        im[i] = 0;
        singular[i] = fabs(gate);
    }
    f2l_status status = f2l_dense_eigenvalues(re, im, a, rank, err);
    if (status == F2L_OK) status = f2l_dense_singular_values(singular, NULL, a, rank, rank, err);
    if (status != F2L_OK) return status;
    double square = (double)(K - rank) * (gate - 1) * (gate - 1);
    for (size_t i = 0; i < rank; i++) square += (singular[i] - 1) * (singular[i] - 1);
    h->distance[letter] = sqrt(square);
    for (size_t n = 0; n + 1 < N; n++)
        h->angle[letter * (N - 1) + n] = f2l_inspect_line_angle(key + n * K, key + (n + 1) * K, K);
    return isfinite(square) ? F2L_OK : f2l_fail(err, F2L_EDOMAIN, "a distance is not finite");
}

/* Number of columns that are computed together. */
enum { STRIP = 32 };

/* Computes x <- x - beta k (k^T x) in `width` columns from x on. */
static void apply_key_factor(double *x, const double *key, double beta, size_t K, size_t columns,
                             size_t width)
{
    double part[STRIP] = {0};
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < width; j++) part[j] += key[i] * x[i * columns + j];
    for (size_t i = 0; i < K; i++) {
        const double by = beta * key[i];
        for (size_t j = 0; j < width; j++) x[i * columns + j] -= by * part[j];
    }
}

void f2l_inspect_apply(double *x, const f2l_inspect *inspect, size_t head, size_t letter,
                       size_t columns)
{
    const f2l_inspect_head *h = &inspect->head[head];
    const size_t N = inspect->householders, K = inspect->key_dim;
    for (size_t i = 0; i < K * columns; i++) x[i] *= h->gate[letter];
    for (size_t from = 0; from < columns; from += STRIP) {
        const size_t left = columns - from;
        for (size_t n = 0; n < N; n++)
            apply_key_factor(x + from, h->key + (letter * N + n) * K, h->beta[letter * N + n], K,
                             columns, left < STRIP ? left : STRIP);
    }
}
