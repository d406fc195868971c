#include "theory/construct/keys/keys.h"
#include <assert.h>
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANK 8
#define MAX_ROOT_POINTS 9

/* A root system with dyadic unit roots and a chain of its roots that are simple roots of type A:
 * neighbours have inner product -1/2, others 0 (theory/pages/keys.md, R3.5). Coordinates are
 * doubled. The first m-1 serve m points. */
typedef struct root_system {
    size_t points, dimension; /* most points, and n */
    const char *text;
    signed char twice_root[MAX_RANK][MAX_RANK];
} root_system;

static const root_system root_systems[] = {
    {2, 1, "sign (dimension 1)", {{2}}},
    {4, 4, "D4 roots (dimension 4)", {{2, 0, 0, 0}, {-1, 1, 1, 1}, {0, 0, 0, -2}}},
    {6,
     6,
     "D6 roots (dimension 6)",
     {{2, 0, 0, 0, 0, 0},
      {-1, 1, 1, 1, 0, 0},
      {0, 0, 0, -2, 0, 0},
      {0, 0, -1, 1, 1, 1},
      {0, 0, 0, 0, 0, -2}}},
    {8,
     7,
     "E7 roots (dimension 7)",
     {{2, 0, 0, 0, 0, 0, 0},
      {-1, 1, 0, 1, 0, 0, 1},
      {0, 0, 0, 0, 0, 0, -2},
      {0, 0, 0, -1, 1, 1, 1},
      {0, 0, 0, 0, -2, 0, 0},
      {0, -1, 1, 1, 1, 0, 0},
      {0, 0, -2, 0, 0, 0, 0}}},
    {9,
     8,
     "E8 roots (dimension 8)",
     {{2, 0, 0, 0, 0, 0, 0, 0},
      {-1, 1, 1, 0, 0, 0, 0, 1},
      {0, 0, 0, 0, 0, 0, 0, -2},
      {0, 0, -1, 1, 0, 0, 1, 1},
      {0, 0, 0, 0, 0, 0, -2, 0},
      {0, 0, 0, -1, 1, 1, 1, 0},
      {0, 0, 0, 0, -2, 0, 0, 0},
      {0, -1, 1, 1, 1, 0, 0, 0}}},
};

static const root_system *root_system_for(size_t m)
{
    if (m < 2 || m > MAX_ROOT_POINTS) return NULL;
    const root_system *system = root_systems;
    while (system->points < m) system++;
    return system;
}

bool f2l_keys_dimension(f2l_key_kind kind, size_t m, size_t *n)
{
    const root_system *system = root_system_for(m);
    switch (kind) {
    case F2L_KEYS_NAIVE:
        *n = m;
        return m >= 1;
    case F2L_KEYS_DOUBLED:
        *n = 2 * m;
        return m >= 2;
    case F2L_KEYS_ROOTS:
        if (system == NULL) return false;
        *n = system->dimension;
        return true;
    }
    return false;
}

/* Appends the four coordinates of a doubled key, or the two of a naive one, in increasing order. */
static f2l_status push_unit_differences(f2l_qvec *out, size_t copies, size_t m, size_t i, size_t j,
                                        uint32_t offset, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t copy = 0; copy < copies && status == F2L_OK; copy++) {
        status = f2l_qvec_push_si(out, offset + (uint32_t)(copy * m + i), 1, 1, err);
        if (status == F2L_OK)
            status = f2l_qvec_push_si(out, offset + (uint32_t)(copy * m + j), -1, 1, err);
    }
    return status;
}

/* Appends u_ij = alpha_i + .. + alpha_{j-1}, which is again a unit root (R3.4). */
static f2l_status push_unit_root(f2l_qvec *out, const root_system *system, size_t i, size_t j,
                                 uint32_t offset, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t c = 0; c < system->dimension && status == F2L_OK; c++) {
        long twice = 0;
        for (size_t r = i; r < j; r++) twice += system->twice_root[r][c];
        bool half = twice % 2 != 0;
        if (twice != 0) {
            status = f2l_qvec_push_si(out, offset + (uint32_t)c, half ? twice : twice / 2,
                                      half ? 2 : 1, err);
        }
    }
    return status;
}

f2l_status f2l_keys_transposition(f2l_qvec *out, f2l_key_kind kind, size_t m, size_t i, size_t j,
                                  uint32_t offset, f2l_error *err)
{
    assert(i < j && j < m);
    f2l_qvec_clear(out);
    f2l_qvec_init(out);
    f2l_status status = F2L_OK;
    switch (kind) {
    case F2L_KEYS_NAIVE:
        status = push_unit_differences(out, 1, m, i, j, offset, err);
        break;
    case F2L_KEYS_DOUBLED:
        status = push_unit_differences(out, 2, m, i, j, offset, err);
        break;
    case F2L_KEYS_ROOTS:
        if (root_system_for(m) == NULL) {
            status = f2l_fail(err, F2L_EDOMAIN, "there are no dyadic root keys for %zu points", m);
            break;
        }
        status = push_unit_root(out, root_system_for(m), i, j, offset, err);
        break;
    }
    if (status != F2L_OK) f2l_qvec_clear(out);
    return status;
}

/* Sets the weight (R3.4): w_i = sum_j c_j alpha_j with c_j = -j for j < i and m - j from i on
 * (1-based i and j), so that w_i - w_{i+1} = m alpha_i and the weights sum to zero. */
static void root_weight(long *twice_w, const root_system *system, size_t m, size_t i)
{
    memset(twice_w, 0, system->dimension * sizeof *twice_w);
    for (size_t r = 0; r + 1 < m; r++) {
        long c = r < i ? -(long)(r + 1) : (long)(m - r - 1);
        for (size_t k = 0; k < system->dimension; k++) twice_w[k] += c * system->twice_root[r][k];
    }
}

void f2l_keys_weight(long *twice_w, f2l_key_kind kind, size_t m, size_t i)
{
    assert(i < m);
    if (kind == F2L_KEYS_ROOTS) {
        assert(root_system_for(m) != NULL);
        root_weight(twice_w, root_system_for(m), m, i);
        return;
    }
    size_t copies = kind == F2L_KEYS_DOUBLED ? 2 : 1;
    memset(twice_w, 0, copies * m * sizeof *twice_w);
    for (size_t copy = 0; copy < copies; copy++) twice_w[copy * m + i] = 2;
}

const char *f2l_keys_describe(f2l_key_kind kind, size_t m)
{
    const root_system *system = root_system_for(m);
    switch (kind) {
    case F2L_KEYS_NAIVE:
        return "one coordinate a point";
    case F2L_KEYS_DOUBLED:
        return "two coordinates a point";
    case F2L_KEYS_ROOTS:
        return system != NULL ? system->text : "none";
    }
    return "?";
}

long f2l_keys_gcd(long a, long b)
{
    return (long)n_gcd((ulong)labs(a), (ulong)labs(b));
}
