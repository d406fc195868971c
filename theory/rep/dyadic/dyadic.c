#include "theory/rep/dyadic/dyadic.h"
#include "numeric/base/mem.h"
#include "numeric/exact/arb_headers.h"
#include "theory/rep/characters/abelianisation.h"
#include "theory/rep/dyadic/impl.h"
#include <string.h>

#define WORK ((size_t)20000000)

void f2l_dyadic_init(f2l_dyadic *d)
{
    memset(d, 0, sizeof *d);
}

void f2l_dyadic_clear(f2l_dyadic *d)
{
    for (size_t i = 0; i < d->heads; i++) f2l_free(d->head[i].image);
    f2l_free(d->head);
    f2l_dyadic_init(d);
}

/* Counts points minus cycles with an even number of changes, which is rank(P - I). */
size_t f2l_dyadic_factors(const int32_t *image, size_t points)
{
    size_t rank = points;
    for (size_t p = 0; p < points; p++) {
        size_t least = p, q = p;
        bool negative = false;
        do {
            negative ^= image[q] < 0;
            q = (size_t)(image[q] < 0 ? -image[q] : image[q]) - 1;
            if (q < least) least = q;
        } while (q != p);
        rank -= least == p && !negative;
    }
    return rank;
}

static size_t find_root(uint32_t *parent, size_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Sets size[i], 0 before, to the number of Galois conjugates of character i. */
static f2l_status galois_orbits(uint32_t *size, const f2l_classes *classes, const f2l_characters *t,
                                f2l_error *err)
{
    const size_t n = t->characters;
    dirichlet_group_t units; /* modulo the exponent */
    dirichlet_group_init(units, t->exponent);
    uint32_t *parent = f2l_calloc(n, sizeof *parent);
    uint64_t *value = f2l_calloc(n, sizeof *value);
    f2l_status status = parent && value ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        for (uint32_t i = 0; i < n; i++) parent[i] = i;
        for (slong u = 0; u < units->num; u++)
            for (size_t i = 0; i < n; i++) {
                const ulong unit = units->generators[u];
                for (uint32_t c = 0; c < n; c++)
                    value[c] = t->value[i * n + f2l_classes_power(classes, c, unit)];
                parent[find_root(parent, i)] =
                    (uint32_t)find_root(parent, f2l_characters_find(t, value));
            }
        for (size_t i = 0; i < n; i++) size[find_root(parent, i)]++;
        for (size_t i = 0; i < n; i++) size[i] = size[find_root(parent, i)];
    }
    dirichlet_group_clear(units);
    f2l_free(parent);
    f2l_free(value);
    return status;
}

/* Returns whether each letter acts with order 1, 2 or 3. */
static bool small_orders(const f2l_householders *h, size_t irrep, const f2l_classes *classes)
{
    for (uint32_t c = 0; c < h->classes; c++)
        if (h->letter[c] && f2l_householders_rank(h, irrep, f2l_classes_power(classes, c, 2)) > 0 &&
            f2l_householders_rank(h, irrep, f2l_classes_power(classes, c, 3)) > 0)
            return false;
    return true;
}

f2l_status f2l_dyadic_lower(size_t *lower, const f2l_classes *classes, const f2l_characters *t,
                            const f2l_householders *h, f2l_error *err)
{
    uint32_t *conjugates = f2l_calloc(t->characters, sizeof *conjugates);
    size_t *cost = f2l_calloc(h->irreps, sizeof *cost);
    f2l_status status =
        conjugates && cost ? galois_orbits(conjugates, classes, t, err) : f2l_fail_memory(err);
    *lower = 0;
    for (size_t i = 0; status == F2L_OK && i < h->irreps; i++) {
        const uint32_t chi = h->irrep[i].character;
        const size_t complex_rank = h->irrep[i].most / (h->irrep[i].dimension / t->degree[chi]);
        cost[i] = complex_rank * conjugates[chi] * (t->indicator[chi] == -1 ? 2 : 1);
        if (cost[i] == 2 && !small_orders(h, i, classes)) cost[i] = 3;
    }
    for (size_t k = 0; status == F2L_OK && k < h->socle.targets; k++) {
        size_t least = SIZE_MAX;
        for (size_t i = 0; i < h->irreps; i++)
            if (cost[i] < least && f2l_householders_rank(h, i, h->socle.target[k]) > 0)
                least = cost[i];
        if (least > *lower) *lower = least;
    }
    f2l_free(conjugates);
    f2l_free(cost);
    return status;
}

static bool same_source(const f2l_signed_subgroup *a, const f2l_signed_subgroup *b)
{
    return a->generators == b->generators && a->negative == b->negative &&
           memcmp(a->generator, b->generator, a->generators * sizeof *a->generator) == 0;
}

static f2l_status build_heads(f2l_dyadic *d, const f2l_signed_subgroup *least, size_t targets,
                              const f2l_group *group, f2l_error *err)
{
    f2l_status status = F2L_OK;
    d->head = f2l_calloc(targets, sizeof *d->head);
    if (!d->head) return f2l_fail_memory(err);
    for (size_t k = 0; status == F2L_OK && k < targets; k++) {
        bool met = false;
        for (size_t j = 0; j < k && !met; j++) met = same_source(&least[j], &least[k]);
        if (least[k].factors > d->upper) d->upper = least[k].factors;
        if (met) continue;
        status = f2l_dyadic_head_build(&d->head[d->heads], group, &least[k], err);
        if (status == F2L_OK) d->heads++;
    }
    return status;
}

f2l_status f2l_dyadic_build(f2l_dyadic *out, const f2l_group *group, const f2l_classes *classes,
                            const f2l_characters *t, const f2l_householders *h, size_t work,
                            const f2l_task *task, f2l_error *err)
{
    f2l_dyadic_init(out);
    const size_t targets = h->socle.targets;
    f2l_signed_subgroup *least = f2l_calloc(targets, sizeof *least);
    f2l_status status =
        least ? f2l_dyadic_lower(&out->lower, classes, t, h, err) : f2l_fail_memory(err);
    if (status == F2L_OK)
        status = f2l_dyadic_search(least, &out->complete, group, classes, h, out->lower,
                                   work ? work : WORK, task, err);
    if (status == F2L_OK) status = build_heads(out, least, targets, group, err);
    f2l_free(least);
    if (status != F2L_OK) f2l_dyadic_clear(out);
    return status;
}
