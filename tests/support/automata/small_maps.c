#include "tests/support/automata/small_maps.h"
#include <string.h>

/* Adds a map unless it is there; returns false when there is no room. */
static bool add(small_maps *m, const uint8_t *map)
{
    for (size_t i = 0; i < m->count; i++)
        if (memcmp(m->map[i], map, m->n) == 0) return true;
    if (m->count == SMALL_MAPS) return false;
    memcpy(m->map[m->count++], map, m->n);
    return true;
}

bool small_maps_list(small_maps *out, const f2l_fsa *fsa)
{
    const size_t k = fsa->letters.count;
    out->n = fsa->states.count;
    out->count = 0;
    if (out->n > SMALL_STATES) return false;
    for (size_t i = 0; i <= out->count; i++)
        for (size_t a = 0; a < k; a++) {
            uint8_t map[SMALL_STATES];
            for (size_t q = 0; q < out->n; q++) {
                const size_t from = i == 0 ? q : out->map[i - 1][q];
                map[q] = (uint8_t)fsa->next[from * k + a];
            }
            if (!add(out, map)) return false;
        }
    return true;
}

static bool is_idempotent(const uint8_t *map, size_t n)
{
    for (size_t q = 0; q < n; q++)
        if (map[map[q]] != map[q]) return false;
    return true;
}

/* Returns whether two idempotent maps have one image: each fixes what the other one gives. */
static bool same_image(const uint8_t *e, const uint8_t *f, size_t n)
{
    for (size_t q = 0; q < n; q++)
        if (f[e[q]] != e[q] || e[f[q]] != f[q]) return false;
    return true;
}

bool small_maps_collide(const small_maps *m)
{
    for (size_t i = 0; i < m->count; i++)
        for (size_t j = i + 1; j < m->count; j++)
            if (is_idempotent(m->map[i], m->n) && is_idempotent(m->map[j], m->n) &&
                same_image(m->map[i], m->map[j], m->n))
                return true;
    return false;
}
