/* Composition factors from a chief series. Above a normal subgroup N a least normal subgroup M is
 * found among normal closures of single classes: M/N is minimal normal in G/N iff no class of M
 * outside N that has prime order modulo N generates less together with N. Such an M/N is a direct
 * power of a simple group. */
#include "automata/group/impl.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED ((size_t)1000000) /* simple groups below this order are known by name */

typedef struct chief_series {
    const f2l_group *g;
    const f2l_classes *c;
    f2l_subgroup trial;
    uint8_t *below, *inside, *tried; /* [classes] of N; of the least M so far; settled */
    size_t order, upper;             /* of N and of that M */
    uint32_t generator[F2L_SUBGROUP_GENERATORS], upper_generator[F2L_SUBGROUP_GENERATORS];
    size_t generators, upper_generators;
} chief_series;

/* Returns the order of a class's elements modulo N. */
static size_t order_above(const chief_series *s, size_t class_number)
{
    const uint32_t *power = s->c->power + s->c->power_at[class_number];
    for (size_t i = 1; i < s->c->element_order[class_number]; i++)
        if (s->below[power[i]]) return i;
    return s->c->element_order[class_number];
}

/* Settles the class and its powers outside N, which generate the same subgroup modulo N because the
 * order modulo N is prime. */
static void settle_class(chief_series *s, size_t class_number)
{
    const uint32_t *power = s->c->power + s->c->power_at[class_number];
    for (size_t i = 1; i < s->c->element_order[class_number]; i++)
        if (!s->below[power[i]]) s->tried[power[i]] = 1;
    s->tried[class_number] = 1;
}

/* Replaces M by the normal subgroup that N and the class generate when that is smaller. */
static f2l_status try_class(chief_series *s, size_t class_number, f2l_error *err)
{
    f2l_subgroup *h = &s->trial;
    f2l_status status = f2l_subgroup_generate(h, s->generator, s->generators, err);
    if (status == F2L_OK) status = f2l_subgroup_add(h, s->c->representative[class_number], err);
    if (status == F2L_OK) status = f2l_subgroup_close(h, err);
    if (status != F2L_OK) return status;
    settle_class(s, class_number);
    if (h->order >= s->upper && s->upper_generators > 0) return F2L_OK;
    s->upper = h->order;
    s->upper_generators = h->generators;
    memcpy(s->upper_generator, h->generator, sizeof s->upper_generator);
    f2l_subgroup_classes(s->inside, h, s->c);
    return F2L_OK;
}

static f2l_status find_upper(chief_series *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    memset(s->tried, 0, s->c->classes);
    memset(s->inside, 1, s->c->classes);
    s->upper = s->g->order;
    s->upper_generators = 0;
    for (size_t k = 1; status == F2L_OK && k < s->c->classes; k++) {
        if (s->below[k] || !s->inside[k] || s->tried[k] || !n_is_prime(order_above(s, k))) continue;
        status = try_class(s, k, err);
        if (n_is_prime(s->upper / s->order)) break;
    }
    return status;
}

static bool has_six(const chief_series *s)
{
    for (size_t k = 1; k < s->c->classes; k++)
        if (s->inside[k] && order_above(s, k) == 6) return true;
    return false;
}

static void put_factor(f2l_structure *out, size_t order, const char *name)
{
    f2l_simple_factor *f = &out->factor[out->factors++];
    f->order = order;
    snprintf(f->name, sizeof f->name, "%s", name);
}

/* Returns the integer k-th root when n is a k-th power, otherwise 0. */
static size_t exact_root(size_t n, size_t k)
{
    ulong rest;
    const size_t root = n_rootrem(&rest, n, k);
    return rest == 0 ? root : 0;
}

/* Names the simple factors of M/N. Below 10^6 no order is a power of a simple group's order in two
 * ways: the list's orders are no powers of each other. */
static void put_chief_factor(f2l_structure *out, const chief_series *s)
{
    const size_t order = s->upper / s->order, p = f2l_prime_of_power(order);
    char name[40];
    if (p > 0) {
        snprintf(name, sizeof name, "Z_%zu", p);
        for (size_t k = f2l_exact_log(order, p); k > 0; k--) put_factor(out, p, name);
        return;
    }
    for (size_t k = 1; order < LISTED && k <= 3; k++) { /* 60^4 is more */
        const size_t root = k == 1 ? order : exact_root(order, k);
        if (root == 0 || !f2l_simple_name(name, sizeof name, root, has_six(s))) continue;
        for (size_t i = 0; i < k; i++) put_factor(out, root, name);
        return;
    }
    snprintf(name, sizeof name, "non-abelian of order %zu", order);
    put_factor(out, order, name);
}

static f2l_status climb_chief_series(f2l_structure *out, chief_series *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    while (status == F2L_OK && s->order < s->g->order) {
        status = find_upper(s, err);
        if (status != F2L_OK) break;
        put_chief_factor(out, s);
        s->order = s->upper;
        s->generators = s->upper_generators;
        memcpy(s->generator, s->upper_generator, sizeof s->generator);
        memcpy(s->below, s->inside, s->c->classes);
    }
    return status;
}

static int compare_factors(const void *left, const void *right)
{
    const f2l_simple_factor *a = left, *b = right;
    return a->order != b->order ? (a->order > b->order) - (a->order < b->order)
                                : strcmp(a->name, b->name);
}

f2l_status f2l_structure_factors(f2l_structure *out, const f2l_group *g, const f2l_classes *c,
                                 const f2l_task *task, f2l_error *err)
{
    chief_series s = {.g = g, .c = c, .order = 1};
    f2l_status status = f2l_subgroup_init(&s.trial, g, task, err);
    s.below = f2l_calloc(c->classes, 1);
    s.inside = f2l_calloc(c->classes, 1);
    s.tried = f2l_calloc(c->classes, 1);
    out->factors = 0;
    if (status == F2L_OK && (!s.below || !s.inside || !s.tried)) status = f2l_fail_memory(err);
    if (status == F2L_OK) {
        s.below[0] = 1;
        status = climb_chief_series(out, &s, err);
    }
    if (status == F2L_OK) qsort(out->factor, out->factors, sizeof *out->factor, compare_factors);
    f2l_free(s.below);
    f2l_free(s.inside);
    f2l_free(s.tried);
    f2l_subgroup_clear(&s.trial);
    return status;
}
