/* Degrees of the fields that the characters of real irreducible representations generate: the
 * number of conjugates g -> psi(g^u), u prime to the exponent. These conjugates are characters of
 * real irreps again, so it is enough to find which, for generators u of the units. Characters are
 * compared by hashes, so a degree might be wrong; degrees only order candidates and exclude fields
 * that are too large. */
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include "theory/construct/r1/impl.h"
#include <flint/ulong_extras.h>
#include <stdlib.h>

#define MAX_UNITS 64 /* each generator doubles the units at least */

typedef struct named_hash {
    uint64_t hash;
    uint32_t irrep;
} named_hash;

/* Returns the hash of g -> psi(g^u). */
static uint64_t hash_of_power_character(const f2l_r1_tables *t, size_t irrep, size_t u)
{
    uint64_t hash = 0;
    for (uint32_t c = 0; c < t->classes.classes; c++) {
        const uint32_t power = f2l_classes_power(&t->classes, c, u);
        hash +=
            f2l_hash_spread(c + 1) * f2l_hash_spread(f2l_r1_psi(t, irrep, power) + F2L_HASH_STRIDE);
    }
    return hash;
}

static int by_hash(const void *a, const void *b)
{
    const named_hash *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Sets unit[] to generators of the units modulo e and returns their number; list[e] and in[e],
 * zeroed, are scratch. */
static size_t unit_generators(size_t unit[MAX_UNITS], size_t e, size_t *list, uint8_t *in)
{
    size_t units = 0, count = 1;
    list[0] = 1 % e;
    in[list[0]] = 1;
    for (size_t u = 2; u < e; u++) {
        if (in[u] || n_gcd(u, e) != 1) continue;
        unit[units++] = u;
        for (size_t i = 0; i < count; i++)
            for (size_t g = 0; g < units; g++) {
                const size_t product = list[i] * unit[g] % e;
                if (in[product]) continue;
                in[product] = 1;
                list[count++] = product;
            }
    }
    return units;
}

static uint32_t find_parent_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

typedef struct scratch {
    size_t *list;
    uint8_t *in;
    named_hash *known;
    uint32_t *parent;
} scratch;

static void join_conjugates(const scratch *s, const f2l_r1_tables *t)
{
    const uint32_t n = (uint32_t)t->householders.irreps;
    size_t unit[MAX_UNITS];
    const size_t units = unit_generators(unit, t->characters.exponent, s->list, s->in);
    for (uint32_t i = 0; i < n; i++) {
        s->known[i] = (named_hash){.hash = hash_of_power_character(t, i, 1), .irrep = i};
        s->parent[i] = i;
    }
    qsort(s->known, n, sizeof *s->known, by_hash);
    for (uint32_t i = 0; i < n; i++)
        for (size_t g = 0; g < units; g++) {
            const named_hash key = {.hash = hash_of_power_character(t, i, unit[g])};
            const named_hash *same = bsearch(&key, s->known, n, sizeof key, by_hash);
            if (same)
                s->parent[find_parent_root(s->parent, i)] =
                    find_parent_root(s->parent, same->irrep);
        }
}

f2l_status f2l_r1_field_degrees(size_t *degree, const f2l_r1_tables *t, f2l_error *err)
{
    const size_t n = t->householders.irreps, e = t->characters.exponent;
    scratch s = {.list = f2l_calloc(e, sizeof *s.list),
                 .in = f2l_calloc(e, 1),
                 .known = f2l_calloc(n, sizeof *s.known),
                 .parent = f2l_calloc(n, sizeof *s.parent)};
    const bool room = s.list && s.in && s.known && s.parent;
    if (room) {
        join_conjugates(&s, t);
        for (size_t i = 0; i < n; i++) degree[i] = 0;
        for (uint32_t i = 0; i < n; i++) degree[find_parent_root(s.parent, i)]++;
        for (uint32_t i = 0; i < n; i++) degree[i] = degree[find_parent_root(s.parent, i)];
    }
    f2l_free(s.list);
    f2l_free(s.in);
    f2l_free(s.known);
    f2l_free(s.parent);
    return room ? F2L_OK : f2l_fail_memory(err);
}
