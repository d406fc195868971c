/* Linear characters: the characters of the group modulo its derived subgroup (R1.4). */
#include "numeric/base/mem.h"
#include "theory/rep/characters/abelianisation.h"
#include "theory/rep/characters/members.h"
#include <string.h>

/* Computes the derived subgroup: the least normal subgroup with all commutators of generators. */
static f2l_status derive_commutators(f2l_members *h, const f2l_task *task, f2l_error *err)
{
    const f2l_group *g = h->group;
    for (size_t s = 0; s < g->needed; s++)
        for (size_t t = 0; t < s; t++) {
            const uint32_t a = f2l_needed_generator(g, s), b = f2l_needed_generator(g, t);
            f2l_members_add(
                h, f2l_group_multiply(g, f2l_group_inverse(g, a), f2l_group_conjugate(g, a, b)));
            f2l_status status = f2l_task_poll(task, "derived subgroup", (double)h->count, 0, err);
            if (status != F2L_OK) return status;
        }
    for (size_t i = 0; i < h->generators; i++)
        for (size_t s = 0; s < g->needed; s++) {
            f2l_members_add(h, f2l_group_conjugate(g, h->generator[i], f2l_needed_generator(g, s)));
            f2l_status status = f2l_task_poll(task, "derived subgroup", (double)h->count, 0, err);
            if (status != F2L_OK) return status;
        }
    return F2L_OK;
}

static void number_cosets(f2l_abelianisation *a, const f2l_members *h)
{
    for (size_t x = 0; x < h->group->order; x++) a->coset[x] = UINT32_MAX;
    for (uint32_t x = 0; x < h->group->order; x++) {
        if (a->coset[x] != UINT32_MAX) continue;
        for (size_t i = 0; i < h->count; i++)
            a->coset[f2l_group_multiply(h->group, h->member[i], x)] = (uint32_t)a->cosets;
        a->representative[a->cosets++] = x;
    }
}

void f2l_abelianisation_clear(f2l_abelianisation *a)
{
    f2l_free(a->coset);
    f2l_free(a->representative);
    memset(a, 0, sizeof *a);
}

f2l_status f2l_abelianisation_build(f2l_abelianisation *out, const f2l_group *group,
                                    const f2l_task *task, f2l_error *err)
{
    f2l_members h;
    memset(out, 0, sizeof *out);
    f2l_status status = f2l_members_init(&h, group, err);
    if (status == F2L_OK) status = derive_commutators(&h, task, err);
    if (status == F2L_OK) {
        out->coset = f2l_calloc(group->order, sizeof *out->coset);
        out->representative = f2l_calloc(group->order / h.count, sizeof *out->representative);
        if (out->coset && out->representative)
            number_cosets(out, &h);
        else
            status = f2l_fail_memory(err);
    }
    f2l_members_clear(&h);
    if (status != F2L_OK) f2l_abelianisation_clear(out);
    return status;
}

/* The characters of a subgroup B of the quotient, which grows by one generator at a time. A value
 * is the exponent of a root of unity of order `exponent`. */
typedef struct dual {
    size_t order, exponent;
    uint32_t *member; /* [order] cosets */
    uint32_t *value;  /* [order characters][order members] */
    uint32_t *at;     /* [cosets] position in member, or UINT32_MAX */
} dual;

static uint32_t multiply_cosets(const f2l_group *g, const f2l_abelianisation *a, uint32_t x,
                                uint32_t y)
{
    return a->coset[f2l_group_multiply(g, a->representative[x], a->representative[y])];
}

/* Extends the values to x by R1.4: with k least such that x^k is in B, chi(x) runs through the k-th
 * roots of chi(x^k). */
static void extend_values(uint32_t *value, const dual *b, size_t k, uint32_t power)
{
    const size_t n = b->order;
    for (size_t c = 0; c < n; c++)
        for (size_t j = 0; j < k; j++) {
            const size_t root = b->value[c * n + b->at[power]] / k + j * (b->exponent / k);
            uint32_t *row = value + (c * k + j) * k * n;
            for (size_t i = 0; i < k; i++)
                for (size_t m = 0; m < n; m++)
                    row[i * n + m] = (uint32_t)((b->value[c * n + m] + i * root) % b->exponent);
        }
}

static f2l_status extend_dual(dual *b, const f2l_group *g, const f2l_abelianisation *a, uint32_t x,
                              f2l_error *err)
{
    size_t k = 1;
    uint32_t power = x;
    while (b->at[power] == UINT32_MAX) {
        power = multiply_cosets(g, a, power, x);
        k++;
    }
    if (k == 1) return F2L_OK;
    uint32_t *value = f2l_calloc(k * b->order, k * b->order * sizeof *value);
    if (!value) return f2l_fail_memory(err);
    extend_values(value, b, k, power);
    const size_t n = b->order;
    for (size_t i = n; i < k * n; i++) {
        b->member[i] = multiply_cosets(g, a, b->member[i - n], x);
        b->at[b->member[i]] = (uint32_t)i;
    }
    f2l_free(b->value);
    b->value = value;
    b->order = k * n;
    return F2L_OK;
}

static f2l_status build_dual(dual *b, const f2l_group *g, const f2l_abelianisation *a,
                             f2l_error *err)
{
    b->order = 1;
    b->member = f2l_calloc(a->cosets, sizeof *b->member);
    b->at = f2l_calloc(a->cosets, sizeof *b->at);
    b->value = f2l_calloc(1, sizeof *b->value);
    if (!b->member || !b->at || !b->value) return f2l_fail_memory(err);
    for (size_t i = 1; i < a->cosets; i++) b->at[i] = UINT32_MAX;
    f2l_status status = F2L_OK;
    for (size_t s = 0; status == F2L_OK && s < g->needed; s++)
        status = extend_dual(b, g, a, a->coset[f2l_needed_generator(g, s)], err);
    return status;
}

f2l_status f2l_characters_linear(f2l_characters *t, size_t *count, const f2l_group *group,
                                 const f2l_classes *classes, const f2l_abelianisation *a,
                                 f2l_error *err)
{
    dual b = {.exponent = t->exponent};
    uint64_t *power = f2l_calloc(t->exponent, sizeof *power);
    f2l_status status = power ? build_dual(&b, group, a, err) : f2l_fail_memory(err);
    if (status == F2L_OK) {
        power[0] = 1;
        for (size_t i = 1; i < t->exponent; i++)
            power[i] = f2l_mod_multiply(power[i - 1], t->root, t->prime);
        for (size_t i = 0; i < b.order; i++)
            for (size_t c = 0; c < t->classes; c++)
                t->value[i * t->classes + c] =
                    power[b.value[i * b.order + b.at[a->coset[classes->representative[c]]]]];
        *count = b.order;
    }
    f2l_free(power);
    f2l_free(b.member);
    f2l_free(b.at);
    f2l_free(b.value);
    return status;
}
