/* The exact matrix of a letter on a head's parts, as reflections near the learned ones. */
#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/mem.h"
#include "theory/beside/snap/put.h"
#include <math.h>
#include <string.h>

/* A vector of the range of Q - I whose rest is shorter than this is a rounding error: |Q x - x| is
 * at least 2 sin(pi / order) for unit vectors x orthogonal to what Q fixes. */
#define NOTHING 1e-6

/* Adds P (rho(letter) - I) P^T to q [K][K]. */
static void add_part_action(double *q, const f2l_snap *snap, const f2l_snap_part *part,
                            size_t letter)
{
    const f2l_irrep_float *rho = &snap->irrep[part->irrep].value;
    const size_t K = snap->key_dim, d = rho->dimension;
    const double *r = rho->letter + letter * d * d, *p = part->basis;
    for (size_t l = 0; l < d; l++)
        for (size_t m = 0; m < d; m++) {
            const double by = r[l * d + m] - (l == m);
            for (size_t i = 0; i < K; i++)
                for (size_t k = 0; k < K; k++) q[i * K + k] += by * p[i * d + l] * p[k * d + m];
        }
}

void f2l_snap_exact_matrix(double *q, const f2l_snap *snap, size_t head, size_t letter)
{
    const size_t K = snap->key_dim;
    memset(q, 0, K * K * sizeof *q);
    for (size_t i = 0; i < K; i++) q[i * K + i] = 1;
    for (size_t p = 0; p < snap->parts; p++)
        if (snap->part[p].head == head) add_part_action(q, snap, &snap->part[p], letter);
}

/* Removes from x [K] what lies in the `count` orthonormal rows, twice, because once leaves rounding
 * errors as large as a small rest. */
static void remove_rows(double *x, const double *row, size_t count, size_t K)
{
    for (size_t twice = 0; twice < 2; twice++)
        for (size_t r = 0; r < count; r++) {
            const double part = f2l_dense_dot(x, row + r * K, K);
            for (size_t i = 0; i < K; i++) x[i] -= part * row[r * K + i];
        }
}

/* Sets the rows of `row` [K][K] to an orthonormal basis of the range of q - I, and returns its
 * dimension: the number of reflections that q takes. */
static size_t range_of_reflections(double *row, const double *q, size_t K)
{
    size_t rank = 0;
    for (size_t k = 0; k < K; k++) {
        double *x = row + rank * K;
        for (size_t i = 0; i < K; i++) x[i] = q[i * K + k] - (i == k);
        remove_rows(x, row, rank, K);
        const double length = sqrt(f2l_dense_dot(x, x, K));
        if (length <= NOTHING) continue;
        for (size_t i = 0; i < K; i++) x[i] /= length;
        rank++;
        if (rank == K) break;
    }
    return rank;
}

/* Sets u [K] to the unit vector of the span of the rows that is nearest to the key. */
static void nearest_in(double *u, const double *key, const double *row, size_t rank, size_t K)
{
    memset(u, 0, K * sizeof *u);
    for (size_t r = 0; r < rank; r++) {
        const double part = f2l_dense_dot(key, row + r * K, K);
        for (size_t i = 0; i < K; i++) u[i] += part * row[r * K + i];
    }
    const double length = sqrt(f2l_dense_dot(u, u, K));
    for (size_t i = 0; i < K; i++) u[i] = length > 1e-3 ? u[i] / length : row[i];
}

/* Sets acts[n] for the `count` factors with the largest betas. */
static void choose_slots(bool *acts, const double *beta, size_t N, size_t count)
{
    memset(acts, 0, N * sizeof *acts);
    for (size_t c = 0; c < count; c++) {
        size_t best = N;
        for (size_t n = 0; n < N; n++)
            if (!acts[n] && (best == N || beta[n] > beta[best])) best = n;
        acts[best] = true;
    }
}

/* Q H_u fixes one dimension more than Q when u is in the range of Q - I (R. Scherk, 1950), so any
 * such u may be the first of the least number of reflections. */
f2l_status f2l_snap_factors(double *u, bool *acts, double *q, const double *key, const double *beta,
                            size_t N, size_t K, f2l_error *err)
{
    double *row = f2l_calloc(K * K, sizeof *row);
    if (row == NULL) return f2l_fail_memory(err);
    size_t rank = range_of_reflections(row, q, K);
    f2l_status status = F2L_OK;
    if (rank > N)
        status =
            f2l_fail(err, F2L_EDOMAIN, "a letter takes %zu factors on the parts of one head", rank);
    else
        choose_slots(acts, beta, N, rank);
    for (size_t n = 0; status == F2L_OK && n < N; n++) {
        if (!acts[n]) continue;
        nearest_in(u + n * K, key + n * K, row, rank, K);
        for (size_t i = 0; i < K; i++) {
            const double by = 2 * f2l_dense_dot(q + i * K, u + n * K, K);
            for (size_t k = 0; k < K; k++) q[i * K + k] -= by * u[n * K + k];
        }
        rank = range_of_reflections(row, q, K);
    }
    f2l_free(row);
    return status;
}
