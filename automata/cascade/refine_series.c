/* Cells of a solvable group from a composition series (theory/pages/diagonal.md, G.3): G > G' > G''
 * > .. refined to prime steps, every element e being n t^c for the step N_{i-1} > N_i with t in
 * N_{i-1} and n in N_i. */
#include "automata/cascade/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

#define MAX_GENERATORS \
    64 /* of a subgroup; each enlarges it, so that log2 of the order suffices \
        */

typedef struct step {
    uint32_t prime, by; /* t */
    uint8_t *inside;    /* [order] the elements of N_i */
} step;

typedef struct series {
    const f2l_group *g;
    const f2l_task *task;
    step step[F2L_REFINE_CELLS];
    size_t steps;
    uint32_t *queue; /* [order] scratch */
} series;

/* A subgroup, with its elements by their numbers. */
typedef struct subgroup {
    uint32_t generator[MAX_GENERATORS];
    size_t generators;
    uint8_t *inside; /* [order] */
} subgroup;

static f2l_status generate_subgroup(const series *s, subgroup *h, f2l_error *err)
{
    size_t count = 1;
    f2l_status status =
        f2l_task_spend(s->task, "composition series", s->g->order * (1 + 4 * h->generators), err);
    if (status != F2L_OK) return status;
    memset(h->inside, 0, s->g->order);
    h->inside[0] = 1;
    s->queue[0] = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < h->generators; k++) {
            const uint32_t e = f2l_group_multiply(s->g, s->queue[i], h->generator[k]);
            if (h->inside[e]) continue;
            h->inside[e] = 1;
            s->queue[count++] = e;
        }
    return F2L_OK;
}

static f2l_status enlarge(const series *s, subgroup *h, uint32_t e, f2l_error *err)
{
    if (h->inside[e]) return F2L_OK;
    if (h->generators == MAX_GENERATORS)
        return f2l_fail(err, F2L_UNKNOWN, "a subgroup with too many generators");
    h->generator[h->generators++] = e;
    f2l_status status = generate_subgroup(s, h, err);
    return status == F2L_OK ? f2l_task_poll(s->task, "composition series", 0, 0, err) : status;
}

/* Sets d = H', the normal closure in H of the commutators of its generators. */
static f2l_status derive_subgroup(const series *s, subgroup *d, const subgroup *h, f2l_error *err)
{
    const f2l_group *g = s->g;
    d->generators = 0;
    f2l_status status = generate_subgroup(s, d, err);
    for (size_t i = 0; i < h->generators; i++)
        for (size_t k = 0; k < i && status == F2L_OK; k++) {
            const uint32_t a = h->generator[i], b = h->generator[k];
            const uint32_t conjugate = f2l_group_conjugate(g, b, a);
            status = enlarge(s, d, f2l_group_multiply(g, f2l_group_inverse(g, b), conjugate), err);
        }
    for (size_t i = 0; i < d->generators; i++)
        for (size_t k = 0; k < h->generators && status == F2L_OK; k++)
            status = enlarge(s, d, f2l_group_conjugate(g, d->generator[i], h->generator[k]), err);
    return status;
}

static uint32_t power(const f2l_group *g, uint32_t e, size_t n)
{
    uint32_t out = 0;
    for (size_t i = 0; i < n; i++) out = f2l_group_multiply(g, out, e);
    return out;
}

static size_t order_of(const f2l_group *g, uint32_t e)
{
    size_t order = 1;
    for (uint32_t at = e; at != 0; at = f2l_group_multiply(g, at, e)) order++;
    return order;
}

static size_t least_prime(size_t n)
{
    size_t p = 2;
    while (p * p <= n && n % p != 0) p++;
    return p * p <= n ? p : n;
}

/* Returns a step made from e outside N, where H/N is abelian: t of prime order modulo N, and of a
 * prime power order where the order of e allows it, so that t^p is the identity where possible. */
static step next_step(const f2l_group *g, uint32_t e, const uint8_t *inside)
{
    size_t modulo = 1;
    for (uint32_t at = e; !inside[at]; at = f2l_group_multiply(g, at, e)) modulo++;
    const size_t p = least_prime(modulo);
    size_t others = order_of(g, e);
    while (others % p == 0) others /= p;
    uint32_t t = power(g, e, others);
    for (uint32_t next = power(g, t, p); !inside[next]; next = power(g, t, p)) t = next;
    return (step){.prime = (uint32_t)p, .by = t};
}

/* Adds the steps from H down to H', the lowest last. n: H' at first, H in the end. */
static f2l_status ascend(series *s, uint8_t *n, const subgroup *h, f2l_error *err)
{
    const size_t order = s->g->order;
    step up[F2L_REFINE_CELLS];
    size_t ups = 0;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < h->generators && status == F2L_OK; i++)
        while (status == F2L_OK && !n[h->generator[i]]) {
            if (s->steps + ups == F2L_REFINE_CELLS) {
                status = f2l_fail(err, F2L_UNKNOWN, "a composition series of too many steps");
                break;
            }
            step next = next_step(s->g, h->generator[i], n);
            next.inside = f2l_calloc(order, 1);
            if (!next.inside) {
                status = f2l_fail_memory(err);
                break;
            }
            status = f2l_task_spend(s->task, "composition series", 8 * order, err);
            memcpy(next.inside, n, order);
            up[ups++] = next;
            for (uint32_t e = 0; e < order; e++) {
                uint32_t at = e;
                for (size_t c = 1; next.inside[e] && c < next.prime; c++)
                    n[at = f2l_group_multiply(s->g, at, next.by)] = 1;
            }
        }
    while (ups > 0) s->step[s->steps++] = up[--ups];
    return status;
}

/* Takes h through G, G', G'', .. and adds the steps. */
static f2l_status descend_derived_series(series *s, bool *solvable, subgroup *h, subgroup *d,
                                         uint8_t *n, f2l_error *err)
{
    const f2l_group *g = s->g;
    for (size_t i = 0; i < g->needed && i < MAX_GENERATORS; i++)
        h->generator[h->generators++] =
            (uint32_t)f2l_group_find(g, g->generator + g->need[i] * g->degree);
    f2l_status status = generate_subgroup(s, h, err);
    while (status == F2L_OK && h->generators > 0) {
        status = derive_subgroup(s, d, h, err);
        if (status != F2L_OK) break;
        *solvable = memcmp(d->inside, h->inside, g->order) != 0;
        if (!*solvable) break;
        memcpy(n, d->inside, g->order);
        status = ascend(s, n, h, err);
        const subgroup kept = *h;
        *h = *d;
        *d = kept;
    }
    return status;
}

static void write_digits(const series *s, f2l_refine_cells *out)
{
    const f2l_group *g = s->g;
    uint32_t *rest = s->queue;
    out->cells = s->steps;
    for (uint32_t e = 0; e < g->order; e++) rest[e] = e;
    for (size_t i = 0; i < s->steps; i++) {
        const uint32_t back = f2l_group_inverse(g, s->step[i].by);
        out->prime[i] = s->step[i].prime;
        for (uint32_t e = 0; e < g->order; e++) {
            uint32_t *c = &out->digit[e * F2L_REFINE_CELLS + i];
            for (; !s->step[i].inside[rest[e]]; ++*c)
                rest[e] = f2l_group_multiply(g, rest[e], back);
        }
    }
}

f2l_status f2l_refine_series(f2l_refine_cells *out, bool *solvable, const f2l_group *g,
                             const f2l_task *task, f2l_error *err)
{
    series s = {.g = g, .task = task};
    subgroup h = {.generators = 0}, d = {.generators = 0};
    *out = (f2l_refine_cells){0};
    *solvable = true;
    f2l_status status = f2l_task_memory(task, "a composition series",
                                        g->order * F2L_REFINE_CELLS * sizeof *out->digit, err);
    if (status == F2L_OK)
        status =
            f2l_task_spend(task, "composition series", g->order * (F2L_REFINE_CELLS * 5 + 8), err);
    if (status != F2L_OK) return status;
    out->digit = f2l_calloc(g->order, F2L_REFINE_CELLS * sizeof *out->digit);
    s.queue = f2l_calloc(g->order, sizeof *s.queue);
    h.inside = f2l_calloc(g->order, 1);
    d.inside = f2l_calloc(g->order, 1);
    uint8_t *n = f2l_calloc(g->order, 1);
    if (out->digit && s.queue && h.inside && d.inside && n)
        status = descend_derived_series(&s, solvable, &h, &d, n, err);
    else
        status = f2l_fail_memory(err);
    if (status == F2L_OK && *solvable) write_digits(&s, out);
    for (size_t i = 0; i < s.steps; i++) f2l_free(s.step[i].inside);
    f2l_free(s.queue);
    f2l_free(h.inside);
    f2l_free(d.inside);
    f2l_free(n);
    if (status != F2L_OK || !*solvable) f2l_refine_cells_clear(out);
    return status;
}
