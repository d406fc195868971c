#include "automata/cascade/cascade_group.h"
#include "automata/cascade/impl.h"
#include "automata/group/group_name.h"
#include <stdlib.h>
#include <string.h>

void f2l_components_init(f2l_components *out)
{
    memset(out, 0, sizeof *out);
}

void f2l_components_clear(f2l_components *out)
{
    for (size_t i = 0; out->component && i < out->count; i++) {
        f2l_free(out->component[i].generator);
        f2l_free(out->component[i].order);
        f2l_free(out->component[i].name);
    }
    f2l_free(out->component);
    f2l_components_init(out);
}

static bool has_level(const f2l_cascade *c, size_t x)
{
    return c->lambda[x] != 0 && c->lambda[x] <= c->levels;
}

static int by_level(const void *a, const void *b)
{
    const f2l_component *x = a, *y = b;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    return x->representative < y->representative ? -1 : x->representative > y->representative;
}

/* Lists the components, without their groups; of_class[k] becomes the component of class k. */
static f2l_status list_components(f2l_components *out, const f2l_cascade *c, uint32_t *of_class,
                                  f2l_error *err)
{
    size_t capacity = 0;
    for (size_t k = 0; k < c->classes; k++) of_class[k] = F2L_NO_SET;
    for (uint32_t x = 0; x < c->sets.count; x++) {
        if (!has_level(c, x)) continue;
        const uint32_t k = c->class_of[x];
        if (of_class[k] == F2L_NO_SET) {
            if (!f2l_grow((void **)&out->component, &capacity, out->count, sizeof *out->component))
                return f2l_fail_memory(err);
            of_class[k] = (uint32_t)out->count;
            out->component[out->count++] = (f2l_component){.class_id = k,
                                                           .level = c->lambda[x],
                                                           .representative = x,
                                                           .degree = c->cover_count[x]};
        }
        out->component[of_class[k]].members++;
    }
    if (out->count) qsort(out->component, out->count, sizeof *out->component, by_level);
    for (uint32_t i = 0; i < out->count; i++) of_class[out->component[i].class_id] = i;
    return F2L_OK;
}

static f2l_status count_contexts(f2l_components *out, const f2l_cascade *c,
                                 const uint32_t *of_class, f2l_meter *meter, f2l_error *err)
{
    for (size_t l = 0; l < c->levels; l++)
        for (size_t i = 0; i < c->level[l].contexts; i++) {
            const f2l_context *x = &c->level[l].context[i];
            f2l_status status = f2l_meter_spend(meter, 2, (double)l, (double)c->levels, err);
            if (status != F2L_OK) return status;
            if (x->action == F2L_ACTION_IDLE) continue;
            f2l_component *to = &out->component[of_class[c->class_of[x->to]]];
            if (x->action == F2L_ACTION_RESET) {
                to->resets++;
                continue;
            }
            bool identity = true;
            for (uint32_t p = 0; identity && p < to->degree; p++)
                identity = c->level[l].image[x->permutation + p] == p;
            if (identity)
                to->identities++;
            else
                to->permutations++;
        }
    return F2L_OK;
}

typedef struct finder {
    const f2l_cascade *c;
    const f2l_task *task;
    f2l_meter meter;
    uint32_t *member; /* sets with a level, grouped by component */
    size_t *first;    /* [components + 1] into member */
    uint32_t *place;  /* [sets] position in a cover, plus 1 */
    uint32_t *pi;     /* [width] */
    uint64_t *set;
} finder;

static uint32_t image_of(const finder *f, uint32_t set, size_t letter)
{
    const f2l_cascade *c = f->c;
    const size_t letters = c->fsa->letters.count;
    const uint32_t known = c->image[(size_t)set * letters + letter];
    if (known != F2L_NO_SET) return known;
    memset(f->set, 0, c->sets.words * sizeof *f->set);
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, set), c->sets.words)
    f2l_set_put(f->set, c->fsa->next[q * letters + letter]);
    return f2l_subsets_find(&c->sets, f->set);
}

/* Finds pi of the edge from x by `letter` to y. Returns false when the covers do not correspond,
 * which (P) excludes for edges that are contexts and the construction for all others. */
static bool find_edge_bijection(const finder *f, uint32_t x, size_t letter, uint32_t y)
{
    const f2l_cascade *c = f->c;
    const size_t m = c->cover_count[x];
    bool good = c->cover_count[y] == m;
    for (size_t j = 0; good && j < m; j++) f->place[c->cover[c->cover_at[y] + j]] = (uint32_t)j + 1;
    for (size_t i = 0; good && i < m; i++) {
        const uint32_t t = image_of(f, c->cover[c->cover_at[x] + i], letter);
        good = t != F2L_NO_SET && f->place[t] != 0;
        if (good) f->pi[i] = f->place[t] - 1;
    }
    for (size_t j = 0; j < c->cover_count[y]; j++) f->place[c->cover[c->cover_at[y] + j]] = 0;
    return good;
}

static f2l_status add_edges(finder *f, f2l_schreier *g, const f2l_component *k, size_t index,
                            f2l_error *err)
{
    const f2l_cascade *c = f->c;
    const size_t letters = c->fsa->letters.count;
    f2l_status status = F2L_OK;
    for (size_t i = f->first[index]; status == F2L_OK && i < f->first[index + 1]; i++) {
        const uint32_t x = f->member[i];
        status = f2l_meter_spend(&f->meter, 1 + letters / 2, (double)i, (double)c->sets.count, err);
        for (size_t a = 0; status == F2L_OK && a < letters; a++) {
            const uint32_t y = c->image[(size_t)x * letters + a];
            if (y == F2L_NO_SET || c->class_of[y] != k->class_id) continue;
            status =
                f2l_meter_spend(&f->meter, 4 + k->degree, (double)i, (double)c->sets.count, err);
            if (status != F2L_OK) break;
            if (!find_edge_bijection(f, x, a, y))
                return f2l_fail(err, F2L_REFUTED, "letter %zu does not permute the cover of set %u",
                                a + 1, x);
            status = f2l_schreier_add(g, f->pi, NULL, f->task, err);
        }
    }
    return status;
}

static f2l_status describe_component_group(f2l_component *k, const f2l_schreier *g,
                                           const f2l_task *task, f2l_error *err)
{
    f2l_buf name;
    f2l_buf_init(&name);
    mpz_t order;
    mpz_init(order);
    f2l_schreier_order(order, g);
    f2l_status status = f2l_group_name(&name, g, task, err);
    if (status == F2L_OK) status = f2l_buf_status(&name, err);
    if (status == F2L_OK) {
        k->name = f2l_strndup(name.data, name.size);
        k->order = f2l_calloc(mpz_sizeinbase(order, 10) + 2, 1);
        if (k->order) mpz_get_str(k->order, 10, order);
        if (!k->name || !k->order) status = f2l_fail_memory(err);
    }
    f2l_buf_clear(&name);
    mpz_clear(order);
    return status;
}

/* Marks the group as beyond the limits; only a cancelled task ends the work. */
static f2l_status give_up_group(f2l_component *k, const f2l_task *task, f2l_error *err)
{
    f2l_status status = f2l_task_poll(task, "groups", 0, 0, err);
    if (status != F2L_OK) return status;
    f2l_free(k->name);
    f2l_free(k->order);
    k->order = NULL;
    k->name = f2l_strndup("not computed", strlen("not computed"));
    return k->name ? F2L_OK : f2l_fail_memory(err);
}

static f2l_status find_component_group(finder *f, f2l_component *k, size_t index, f2l_error *err)
{
    f2l_schreier g;
    f2l_schreier_init(&g, k->degree);
    f2l_status status = add_edges(f, &g, k, index, err);
    if (status == F2L_OK) status = describe_component_group(k, &g, f->task, err);
    if (status == F2L_UNKNOWN) status = give_up_group(k, f->task, err);
    if (status == F2L_OK) {
        k->generators = g.generators;
        k->generator = g.generator;
        g.generator = NULL;
    }
    f2l_schreier_clear(&g);
    return status;
}

/* Puts the members of every component side by side, by counting. */
static void sort_members(finder *f, const f2l_components *all, const uint32_t *of_class)
{
    const f2l_cascade *c = f->c;
    for (size_t i = 0; i < all->count; i++)
        f->first[i + 1] = f->first[i] + all->component[i].members;
    for (uint32_t x = 0; x < c->sets.count; x++)
        if (has_level(c, x)) f->member[f->first[of_class[c->class_of[x]]]++] = x;
    for (size_t i = all->count; i > 0; i--) f->first[i] = f->first[i - 1];
    f->first[0] = 0;
}

static bool finder_init(finder *f, const f2l_components *all)
{
    const f2l_cascade *c = f->c;
    size_t width = 1;
    for (size_t i = 0; i < all->count; i++)
        if (all->component[i].degree > width) width = all->component[i].degree;
    f->member = f2l_calloc(c->sets.count, sizeof *f->member);
    f->first = f2l_calloc(all->count + 1, sizeof *f->first);
    f->place = f2l_calloc(c->sets.count, sizeof *f->place);
    f->pi = f2l_calloc(width, sizeof *f->pi);
    f->set = f2l_calloc(c->sets.words + 1, sizeof *f->set);
    return f->member && f->first && f->place && f->pi && f->set;
}

static void finder_clear(finder *f)
{
    f2l_free(f->member);
    f2l_free(f->first);
    f2l_free(f->place);
    f2l_free(f->pi);
    f2l_free(f->set);
}

/* Computes the groups of the listed components, and the summary flags. */
static f2l_status find_groups(f2l_components *out, finder *f, const uint32_t *of_class,
                              f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (!finder_init(f, out)) return f2l_fail_memory(err);
    status = count_contexts(out, f->c, of_class, &f->meter, err);
    sort_members(f, out, of_class);
    out->complete = true;
    for (size_t i = 0; status == F2L_OK && i < out->count; i++) {
        status = find_component_group(f, &out->component[i], i, err);
        out->nontrivial = out->nontrivial || out->component[i].generators != 0;
        out->complete = out->complete && out->component[i].order != NULL;
    }
    out->trivial = out->complete && !out->nontrivial;
    return status;
}

f2l_status f2l_components_find(f2l_components *out, const f2l_cascade *c, const f2l_task *task,
                               f2l_error *err)
{
    finder f = {.c = c, .task = task, .meter = {.task = task, .phase = "groups"}};
    f2l_components_init(out);
    f2l_status status = f2l_meter_spend(
        &f.meter, c->sets.count * 12 + c->classes * (sizeof *out->component + sizeof(uint32_t)), 0,
        0, err);
    if (status != F2L_OK) return status;
    uint32_t *of_class = f2l_calloc(c->classes + 1, sizeof *of_class);
    if (!of_class) return f2l_fail_memory(err);
    status = list_components(out, c, of_class, err);
    if (status == F2L_OK) status = find_groups(out, &f, of_class, err);
    finder_clear(&f);
    f2l_free(of_class);
    if (status != F2L_OK) f2l_components_clear(out);
    return status;
}
