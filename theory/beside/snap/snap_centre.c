/* The point around which the states of a head turn, near the learned one, for values that pass
 * SiLU. */
#include "models/learn/inspect/inspect_dense.h"
#include "theory/beside/snap/put.h"
#include <math.h>
#include <string.h>

/* Values are kept this far above the least one, where the slope of SiLU is 0. */
#define LEAST (F2L_SNAP_SILU_LEAST + 0.005)

/* Sweeps over the keys. The centre 0 is within all of the bounds, so that a sweep comes nearer to
 * it until none is left to correct. */
enum { SWEEPS = 2000 };

/* Moves column v of the centre into the half-space of one key; returns whether it was outside. */
static bool correct(double *centre, const double *u, size_t K, size_t V, size_t v)
{
    double value = 0;
    for (size_t i = 0; i < K; i++) value += u[i] * centre[i * V + v];
    if (value >= LEAST) return false;
    for (size_t i = 0; i < K; i++) centre[i * V + v] += (LEAST - value) * u[i];
    return true;
}

/* Turns a key to its negative, which is the same reflection, where the centre is nearer to what
 * SiLU can give for that. */
static void choose_side(double *u, const double *centre, size_t K, size_t V)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t v = 0; v < V; v++) {
        double value = 0;
        for (size_t i = 0; i < K; i++) value += u[i] * centre[i * V + v];
        least = fmin(least, value);
        most = fmax(most, value);
    }
    if (least >= LEAST || -most <= least) return;
    for (size_t i = 0; i < K; i++) u[i] = -u[i];
}

void f2l_snap_reachable_centre(double *centre, const f2l_snap *snap, double *key, size_t head,
                               size_t letters, size_t N)
{
    const size_t K = snap->key_dim, V = snap->value_dim;
    bool moved = true;
    memset(centre, 0, K * V * sizeof *centre);
    for (size_t p = 0; p < snap->parts; p++) {
        const f2l_snap_part *part = &snap->part[p];
        const size_t d = snap->irrep[part->irrep].value.dimension;
        for (size_t i = 0; part->head == head && i < K * V; i++)
            for (size_t l = 0; l < d; l++)
                centre[i] += part->basis[i / V * d + l] * part->centre[l * V + i % V];
    }
    for (size_t f = 0; f < letters * N; f++) choose_side(key + f * K, centre, K, V);
    for (size_t sweep = 0; moved && sweep < SWEEPS; sweep++) {
        moved = false;
        for (size_t f = 0; f < letters * N; f++) {
            const double *u = key + f * K;
            if (f2l_dense_dot(u, u, K) == 0) continue;
            for (size_t v = 0; v < V; v++) moved = correct(centre, u, K, V, v) || moved;
        }
    }
}
