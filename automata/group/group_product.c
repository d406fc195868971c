/* Names of direct products. G = A x B if and only if A and B are normal, A and B intersect in 1,
 * and |A| |B| = |G|. All normal subgroups are joins of normal closures of single classes; a direct
 * factor of least order does not split further, and the normal subgroups of a direct factor are the
 * normal subgroups of G inside it. */
#include "automata/group/impl.h"
#include "numeric/base/mem.h"
#include <flint/ulong_extras.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORK ((uint64_t)1 << 22) /* products of elements in the search */
#define MAX_NORMAL 1024
#define MAX_CLASSES 4096

typedef struct normal_subgroup {
    size_t order;
    uint8_t *holds; /* [classes] */
    uint32_t generator[F2L_SUBGROUP_GENERATORS];
    size_t generators;
} normal_subgroup;

typedef struct normal_list {
    const f2l_group *g;
    const f2l_classes *c;
    f2l_subgroup h;
    uint8_t *holds; /* scratch */
    normal_subgroup *item;
    size_t count, room;
    bool complete; /* no limit was reached */
} normal_list;

static void list_clear(normal_list *list)
{
    for (size_t i = 0; i < list->count; i++) f2l_free(list->item[i].holds);
    f2l_free(list->item);
    f2l_free(list->holds);
    f2l_subgroup_clear(&list->h);
}

/* Appends list->h unless it is there. */
static f2l_status list_add(normal_list *list, f2l_error *err)
{
    const size_t classes = list->c->classes;
    f2l_subgroup_classes(list->holds, &list->h, list->c);
    for (size_t i = 0; i < list->count; i++)
        if (list->item[i].order == list->h.order &&
            memcmp(list->item[i].holds, list->holds, classes) == 0)
            return F2L_OK;
    if (!f2l_grow((void **)&list->item, &list->room, list->count, sizeof *list->item))
        return f2l_fail_memory(err);
    normal_subgroup *n = &list->item[list->count];
    n->holds = f2l_calloc(classes, 1);
    if (!n->holds) return f2l_fail_memory(err);
    memcpy(n->holds, list->holds, classes);
    memcpy(n->generator, list->h.generator, sizeof n->generator);
    n->generators = list->h.generators;
    n->order = list->h.order;
    list->count++;
    list->complete = list->count < MAX_NORMAL && list->h.work < MAX_WORK;
    return F2L_OK;
}

/* Adds the normal closures of the classes of prime power order; powers that generate the same
 * cyclic group give the same closure. */
static f2l_status add_closures(normal_list *list, f2l_error *err)
{
    const f2l_classes *c = list->c;
    uint8_t *met = f2l_calloc(c->classes, 1);
    f2l_status status = met ? F2L_OK : f2l_fail_memory(err);
    for (size_t k = 1; status == F2L_OK && list->complete && k < c->classes; k++) {
        const size_t order = c->element_order[k];
        if (met[k] || !f2l_prime_of_power(order)) continue;
        for (size_t i = 1; i < order; i++)
            if (n_gcd(i, order) == 1) met[f2l_classes_power(c, (uint32_t)k, i)] = 1;
        status = f2l_subgroup_generate(&list->h, &c->representative[k], 1, err);
        if (status == F2L_OK) status = f2l_subgroup_close(&list->h, err);
        if (status == F2L_OK) status = list_add(list, err);
    }
    f2l_free(met);
    return status;
}

/* Returns whether every class of a is one of b. */
static bool within(const normal_subgroup *a, const normal_subgroup *b, size_t classes)
{
    for (size_t k = 0; k < classes; k++)
        if (a->holds[k] && !b->holds[k]) return false;
    return true;
}

static bool disjoint(const normal_subgroup *a, const normal_subgroup *b, size_t classes)
{
    for (size_t k = 1; k < classes; k++)
        if (a->holds[k] && b->holds[k]) return false;
    return true;
}

static f2l_status add_joins(normal_list *list, f2l_error *err)
{
    const size_t closures = list->count;
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && list->complete && i < list->count; i++)
        for (size_t j = 0; status == F2L_OK && list->complete && j < closures; j++) {
            if (within(&list->item[j], &list->item[i], list->c->classes)) continue;
            const normal_subgroup *b = &list->item[j];
            status = f2l_subgroup_generate(&list->h, list->item[i].generator,
                                           list->item[i].generators, err);
            for (size_t s = 0; status == F2L_OK && s < b->generators; s++)
                status = f2l_subgroup_add(&list->h, b->generator[s], err);
            if (status == F2L_OK) status = list_add(list, err);
        }
    return status;
}

static int by_order(const void *left, const void *right)
{
    const normal_subgroup *a = left, *b = right;
    return (a->order > b->order) - (a->order < b->order);
}

/* Finds the indecomposable direct factors of the last item, G, as item numbers; returns their
 * number. */
static size_t split_direct_factors(size_t factor[F2L_SUBGROUP_GENERATORS], const normal_list *list)
{
    const size_t classes = list->c->classes;
    size_t whole = list->count - 1, factors = 0;
    for (size_t a = 0; a < whole; a++) { /* factors come by order: an earlier item cannot be one
                                            later */
        const normal_subgroup *n = &list->item[whole], *first = &list->item[a];
        if (first->order > n->order / first->order || !within(first, n, classes)) continue;
        for (size_t b = a; b < whole; b++) {
            const normal_subgroup *rest = &list->item[b];
            if (rest->order * first->order != n->order || !within(rest, n, classes) ||
                !disjoint(first, rest, classes))
                continue;
            factor[factors++] = a;
            whole = b;
            break;
        }
    }
    factor[factors++] = whole;
    return factors;
}

/* A factor's name with its order, for sorting. */
typedef struct named_factor {
    size_t order;
    f2l_buf name;
} named_factor;

static int by_name(const void *left, const void *right)
{
    const named_factor *a = left, *b = right;
    return a->order != b->order ? (a->order > b->order) - (a->order < b->order)
                                : strcmp(a->name.data, b->name.data);
}

/* Makes a factor a group of its own. */
static f2l_status factor_group(f2l_group *out, const normal_list *list, const normal_subgroup *n,
                               f2l_error *err)
{
    const size_t degree = list->g->degree;
    uint32_t *image = f2l_calloc(n->generators * degree, sizeof *image);
    f2l_group_init(out);
    if (!image) return f2l_fail_memory(err);
    for (size_t s = 0; s < n->generators; s++)
        memcpy(image + s * degree, f2l_group_row(list->g, n->generator[s]), degree * sizeof *image);
    const f2l_status status =
        f2l_group_build(out, image, n->generators, degree, n->order, list->h.task, err);
    f2l_free(image);
    return status;
}

static f2l_status name_factor(f2l_buf *out, bool *done, const normal_list *list,
                              const normal_subgroup *n, f2l_error *err)
{
    const f2l_task *task = list->h.task;
    f2l_group g;
    f2l_classes c;
    f2l_structure s;
    f2l_classes_init(&c);
    f2l_status status = factor_group(&g, list, n, err);
    if (status == F2L_OK) status = f2l_classes_build(&c, &g, task, err);
    if (status == F2L_OK) status = f2l_structure_build(&s, &g, &c, task, err);
    const f2l_group_view view = {.g = &g, .c = &c, .s = &s, .indecomposable = true};
    if (status == F2L_OK) status = f2l_group_name_view(out, done, &view, task, err);
    if (status == F2L_OK) status = f2l_buf_status(out, err);
    f2l_classes_clear(&c);
    f2l_group_clear(&g);
    return status;
}

static bool is_abelian(const f2l_group *g, const normal_subgroup *n)
{
    for (size_t s = 0; s < n->generators; s++)
        for (size_t t = 0; t < s; t++)
            if (!f2l_subgroup_commute(g, n->generator[s], n->generator[t])) return false;
    return true;
}

/* Names the factors; abelian ones are cyclic of prime power order. */
static f2l_status name_factors(f2l_buf *out, bool *done, const normal_list *list,
                               const size_t *factor, size_t factors, named_factor *named,
                               f2l_error *err)
{
    size_t power[F2L_SUBGROUP_GENERATORS], powers = 0, others = 0;
    f2l_status status = F2L_OK;
    *done = true;
    for (size_t i = 0; status == F2L_OK && *done && i < factors; i++) {
        const normal_subgroup *n = &list->item[factor[i]];
        if (is_abelian(list->g, n)) {
            power[powers++] = n->order;
            continue;
        }
        named[others].order = n->order;
        *done = false;
        status = name_factor(&named[others++].name, done, list, n, err);
    }
    if (status != F2L_OK || !*done) return status;
    qsort(named, others, sizeof *named, by_name);
    if (powers > 0) status = f2l_group_name_prime_powers(out, power, powers, err);
    for (size_t i = 0; i < others; i++) {
        const char *name = named[i].name.data;
        const bool split_product = strchr(name, ':') != NULL;
        f2l_buf_printf(out, "%s%s%s%s", powers > 0 || i > 0 ? "x" : "", split_product ? "(" : "",
                       name, split_product ? ")" : "");
    }
    return status;
}

static f2l_status find_normal(normal_list *list, f2l_error *err)
{
    f2l_status status = add_closures(list, err);
    if (status == F2L_OK) status = add_joins(list, err);
    if (status == F2L_OK) qsort(list->item, list->count, sizeof *list->item, by_order);
    return status;
}

f2l_status f2l_group_name_product(f2l_buf *out, bool *done, const f2l_group_view *view,
                                  const f2l_task *task, f2l_error *err)
{
    normal_list list = {.g = view->g, .c = view->c, .complete = true};
    named_factor named[F2L_SUBGROUP_GENERATORS];
    size_t factor[F2L_SUBGROUP_GENERATORS];
    if (view->s->abelian || list.c->classes > MAX_CLASSES) return F2L_OK;
    for (size_t i = 0; i < F2L_SUBGROUP_GENERATORS; i++) f2l_buf_init(&named[i].name);
    f2l_status status = f2l_subgroup_init(&list.h, list.g, task, err);
    list.holds = f2l_calloc(list.c->classes, 1);
    if (status == F2L_OK && !list.holds) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = find_normal(&list, err);
    if (status == F2L_OK && list.complete) {
        const size_t factors = split_direct_factors(factor, &list);
        if (factors > 1) status = name_factors(out, done, &list, factor, factors, named, err);
    }
    for (size_t i = 0; i < F2L_SUBGROUP_GENERATORS; i++) f2l_buf_clear(&named[i].name);
    list_clear(&list);
    return status;
}
