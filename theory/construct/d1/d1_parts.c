/* The product of a block in portions of few transpositions (theory/pages/d1.md, D1.3). */
#include "numeric/base/mem.h"
#include "theory/construct/d1/impl.h"
#include <string.h>

void f2l_d1_parts_clear(f2l_d1_parts *parts)
{
    f2l_rowset_clear(&parts->factor);
    f2l_rowset_clear(&parts->rest);
    f2l_free(parts->factor_of);
    f2l_free(parts->rest_of);
    *parts = (f2l_d1_parts){0};
}

typedef struct splitting {
    f2l_d1 *d;
    uint32_t *part;       /* [block][points] */
    uint32_t *rest, *one; /* [points] */
    bool *met;            /* [points] */
} splitting;

/* Appends (i j) to portion number `made / n_h`. */
static void then_swap(splitting *s, size_t made, uint32_t i, uint32_t j)
{
    const size_t n = s->d->points;
    uint32_t *part = s->part + made / s->d->householders * n;
    for (size_t p = 0; p < n; p++) part[p] = part[p] == i ? j : part[p] == j ? i : part[p];
}

/* Cuts a permutation into transpositions. T3.9: the cycle (p1 p2 .. pr) is (p1 p2), (p1 p3), ..,
 * the first one first. */
static void cut_permutation(splitting *s, const uint32_t *image)
{
    const size_t n = s->d->points;
    size_t made = 0;
    memset(s->met, 0, n * sizeof *s->met);
    for (size_t i = 0; i < s->d->block * n; i++) s->part[i] = (uint32_t)(i % n);
    for (uint32_t p = 0; p < n; p++) {
        if (s->met[p]) continue;
        for (uint32_t x = image[p]; x != p; x = image[x]) {
            s->met[x] = true;
            then_swap(s, made++, p, x);
        }
    }
}

/* Numbers the portions of element `e`, and the products still to come after each portion. */
static f2l_status split_element(splitting *s, uint32_t e, f2l_error *err)
{
    const f2l_d1 *d = s->d;
    const size_t n = d->points, block = d->block;
    f2l_d1_parts *parts = &s->d->parts;
    f2l_status status = F2L_OK;
    cut_permutation(s, f2l_rowset_get(&d->words.element, e, NULL));
    for (size_t p = 0; p < n; p++) s->rest[p] = (uint32_t)p;
    for (size_t tau = block; status == F2L_OK && tau-- > 0;) {
        const uint32_t *part = s->part + tau * n;
        size_t factor = 0, rest = 0;
        status = f2l_rowset_add(&parts->factor, part, n, &factor, err);
        if (status == F2L_OK) status = f2l_rowset_add(&parts->rest, s->rest, n, &rest, err);
        parts->factor_of[e * block + tau] = (uint32_t)factor;
        parts->rest_of[e * block + tau] = (uint32_t)rest;
        for (size_t p = 0; p < n; p++) s->one[p] = s->rest[part[p]];
        memcpy(s->rest, s->one, n * sizeof *s->one);
    }
    return status;
}

static f2l_status split_all(splitting *s, f2l_error *err)
{
    f2l_d1 *d = s->d;
    f2l_meter meter = {.task = d->task, .phase = "factoring"};
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < f2l_d1_products(d); i++) {
        status = f2l_meter_spend(&meter, d->points * (2 * d->block + d->points / 4) + 20 * d->block,
                                 (double)i, (double)f2l_d1_products(d), err);
        if (status == F2L_OK) status = split_element(s, f2l_d1_product(d, i), err);
    }
    return status;
}

f2l_status f2l_d1_split(f2l_d1 *d, f2l_error *err)
{
    f2l_d1_parts *parts = &d->parts;
    const size_t n = d->points;
    splitting s = {.d = d};
    f2l_status status =
        f2l_task_spend(d->task, "factoring",
                       d->words.element.count * d->block * 2 * sizeof *parts->rest_of +
                           (d->block + 3) * n * sizeof *s.part,
                       err);
    if (status != F2L_OK) return status;
    parts->factor_of = f2l_calloc(d->words.element.count, d->block * sizeof *parts->factor_of);
    parts->rest_of = f2l_calloc(d->words.element.count, d->block * sizeof *parts->rest_of);
    s.part = f2l_calloc(d->block, n * sizeof *s.part);
    s.rest = f2l_calloc(n, sizeof *s.rest);
    s.one = f2l_calloc(n, sizeof *s.one);
    s.met = f2l_calloc(n, sizeof *s.met);
    const bool room = parts->factor_of && parts->rest_of && s.part && s.rest && s.one && s.met;
    status = room ? split_all(&s, err) : f2l_fail_memory(err);
    f2l_free(s.part);
    f2l_free(s.rest);
    f2l_free(s.one);
    f2l_free(s.met);
    return status;
}
