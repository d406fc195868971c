#include "automata/group/structure.h"
#include "automata/group/impl.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <string.h>

/* Goes through the terms of [H, G] (`lower`) or [H, H], starting from H = G, until the order is
 * stable. holds[class] becomes G'. */
static f2l_status series(size_t *orders, size_t *terms, uint8_t *holds, f2l_subgroup *h, bool lower,
                         const f2l_classes *c, f2l_error *err)
{
    const f2l_group *g = h->g;
    uint32_t term[F2L_SUBGROUP_GENERATORS];
    size_t generators = g->needed;
    f2l_status status = F2L_OK;
    memcpy(term, h->letter, sizeof term);
    *terms = 0;
    for (size_t order = g->order;
         status == F2L_OK && (*terms == 0 || order < orders[*terms - 1]);) {
        orders[(*terms)++] = order;
        status = f2l_subgroup_commutators(h, term, generators, lower ? h->letter : term,
                                          lower ? g->needed : generators, err);
        if (status == F2L_OK && *terms == 1) f2l_subgroup_classes(holds, h, c);
        order = h->order;
        generators = h->generators;
        memcpy(term, h->generator, sizeof term);
    }
    return status;
}

/* Returns log_p of the number of x in G/G' with x^(p^i) = 1, which is the sum over cyclic factors
 * of p^e of min(e, i). */
static size_t killed(const f2l_classes *c, const uint8_t *holds, size_t derived, size_t p,
                     size_t power)
{
    size_t count = 0;
    for (size_t k = 0; k < c->classes; k++)
        if (holds[f2l_classes_power(c, (uint32_t)k, power)]) count += c->size[k];
    return f2l_exact_log(count / derived, p);
}

static void put_prime(f2l_structure *out, const f2l_classes *c, const uint8_t *holds,
                      size_t derived, size_t p, size_t part)
{
    size_t before = 0, at = killed(c, holds, derived, p, p);
    for (size_t power = p; before < at && power <= part; power *= p) {
        const size_t after = killed(c, holds, derived, p, power * p);
        for (size_t i = 2 * at - before - after; i > 0; i--)
            out->quotient[out->quotients++] = power;
        before = at;
        at = after;
    }
}

static void put_quotient(f2l_structure *out, const f2l_classes *c, const uint8_t *holds)
{
    size_t derived = 1;
    for (size_t k = 1; k < c->classes; k++)
        if (holds[k]) derived += c->size[k];
    n_factor_t factors;
    n_factor_init(&factors);
    n_factor(&factors, out->order / derived, 1);
    for (int i = 0; i < factors.num; i++) {
        const size_t p = factors.p[i];
        put_prime(out, c, holds, derived, p, n_pow(p, (ulong)factors.exp[i]));
    }
}

f2l_status f2l_structure_build(f2l_structure *out, const f2l_group *g, const f2l_classes *c,
                               const f2l_task *task, f2l_error *err)
{
    f2l_subgroup h;
    memset(out, 0, sizeof *out);
    f2l_status status = f2l_subgroup_init(&h, g, task, err);
    if (status != F2L_OK) return status;
    uint8_t *holds = f2l_calloc(c->classes, 1);
    if (!holds) status = f2l_fail_memory(err);
    out->order = g->order;
    for (size_t k = 0; k < c->classes; k++) out->centre += c->size[k] == 1;
    if (status == F2L_OK)
        status = series(out->central, &out->central_terms, holds, &h, true, c, err);
    if (status == F2L_OK)
        status = series(out->derived, &out->derived_terms, holds, &h, false, c, err);
    if (status == F2L_OK) {
        out->abelian = out->centre == out->order;
        out->solvable = out->derived[out->derived_terms - 1] == 1;
        out->nilpotent = out->central[out->central_terms - 1] == 1;
        put_quotient(out, c, holds);
    }
    f2l_free(holds);
    f2l_subgroup_clear(&h);
    return status == F2L_OK ? f2l_structure_factors(out, g, c, task, err) : status;
}
