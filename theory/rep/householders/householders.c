#include "theory/rep/householders/householders.h"
#include "numeric/base/mem.h"
#include "theory/rep/householders/selection.h"
#include "theory/rep/householders/socle.h"
#include <string.h>

#define STEPS ((size_t)1000000000)
#define LEAST_NODES ((size_t)1000)

void f2l_householders_init(f2l_householders *h)
{
    memset(h, 0, sizeof *h);
}

void f2l_householders_clear(f2l_householders *h)
{
    f2l_free(h->irrep);
    f2l_free(h->rank);
    f2l_free(h->letter);
    f2l_free(h->head);
    f2l_socle_clear(&h->socle);
    f2l_householders_init(h);
}

/* Lists one real irrep for each real or quaternionic character and for each pair of conjugate ones
 * (R1.6). */
static void list_real_irreps(f2l_householders *h, const f2l_characters *t)
{
    for (size_t i = 0; i < t->characters; i++) {
        if (t->conjugate[i] < i) continue;
        const size_t times = t->indicator[i] == 1 ? 1 : 2;
        h->irrep[h->irreps++] =
            (f2l_real_irrep){.character = (uint32_t)i, .dimension = times * t->degree[i]};
    }
}

static f2l_status fill_ranks(f2l_householders *h, const f2l_classes *classes,
                             const f2l_characters *t, const f2l_task *task, f2l_error *err)
{
    uint32_t *leader = f2l_calloc(h->classes, sizeof *leader);
    f2l_status status = leader ? F2L_OK : f2l_fail_memory(err);
    if (leader) f2l_rational_leaders(leader, classes);
    for (size_t i = 0; status == F2L_OK && i < h->irreps; i++) {
        uint32_t *rank = h->rank + i * h->classes;
        const size_t character = h->irrep[i].character,
                     times = h->irrep[i].dimension / t->degree[character];
        for (size_t c = 0; c < h->classes; c++)
            rank[c] = leader[c] < c
                          ? rank[leader[c]]
                          : (uint32_t)(times * (t->degree[character] -
                                                f2l_characters_fixed(t, classes, character, c)));
        status = f2l_task_poll(task, "ranks", (double)i, (double)h->irreps, err);
    }
    f2l_free(leader);
    return status;
}

static void fill_most(f2l_householders *h)
{
    for (size_t i = 0; i < h->irreps; i++)
        for (size_t c = 0; c < h->classes; c++)
            if (h->letter[c] && f2l_householders_rank(h, i, c) > h->irrep[i].most)
                h->irrep[i].most = f2l_householders_rank(h, i, c);
}

/* Finds the minimum by R1.7: every minimal normal subgroup must be outside of some kernel; the most
 * expensive one decides. */
static void find_minimum(f2l_householders *h)
{
    for (size_t t = 0; t < h->socle.targets; t++) {
        size_t least = SIZE_MAX;
        for (size_t i = 0; i < h->irreps; i++)
            if (h->irrep[i].most < least && f2l_householders_rank(h, i, h->socle.target[t]) > 0)
                least = h->irrep[i].most;
        if (least <= h->minimum) continue;
        h->minimum = least;
        h->hidden = h->socle.target[t];
    }
}

/* The irreps that may be heads, as a problem of selection. */
typedef struct candidates {
    size_t count;
    uint32_t *irrep;
    size_t *weight;
    uint8_t *hits;
} candidates;

static f2l_status list_irrep_candidates(candidates *k, const f2l_householders *h, f2l_error *err)
{
    const size_t targets = h->socle.targets;
    k->irrep = f2l_calloc(h->irreps, sizeof *k->irrep);
    k->weight = f2l_calloc(h->irreps, sizeof *k->weight);
    k->hits = f2l_calloc(h->irreps, targets);
    if (!k->irrep || !k->weight || !k->hits) return f2l_fail_memory(err);
    for (uint32_t i = 0; i < h->irreps; i++) {
        if (h->irrep[i].most > h->minimum) continue;
        for (size_t t = 0; t < targets; t++)
            k->hits[k->count * targets + t] = f2l_householders_rank(h, i, h->socle.target[t]) > 0;
        k->irrep[k->count] = i;
        k->weight[k->count++] = h->irrep[i].dimension;
    }
    return F2L_OK;
}

static f2l_status choose_heads(f2l_householders *h, size_t nodes, const f2l_task *task,
                               f2l_error *err)
{
    candidates k = {0};
    f2l_selection s = {0};
    f2l_status status = list_irrep_candidates(&k, h, err);
    if (status == F2L_OK) {
        const f2l_selection_problem problem = {.items = k.count,
                                               .targets = h->socle.targets,
                                               .parts = h->socle.parts,
                                               .weight = k.weight,
                                               .hits = k.hits,
                                               .part = h->socle.part};
        if (nodes == 0) nodes = STEPS / (k.count * h->socle.targets + 1) + LEAST_NODES;
        status = f2l_selection_build(&s, &problem, nodes, task, err);
    }
    if (status == F2L_OK) {
        h->heads = s.count;
        h->dimension = s.weight;
        h->least = s.exhausted;
        h->head = s.item;
        s.item = NULL;
        for (size_t i = 0; i < h->heads; i++) h->head[i] = k.irrep[h->head[i]];
    }
    f2l_selection_clear(&s);
    f2l_free(k.irrep);
    f2l_free(k.weight);
    f2l_free(k.hits);
    return status;
}

static f2l_status allocate_householders(f2l_householders *h, const f2l_characters *t,
                                        const f2l_task *task, f2l_error *err)
{
    const size_t n = t->characters; /* at most 2^13, theory/rep/characters/characters.h */
    f2l_status status = f2l_task_table(task, "ranks", n * n * sizeof *h->rank, err);
    if (status != F2L_OK) return status;
    h->classes = n;
    h->irrep = f2l_calloc(n, sizeof *h->irrep);
    h->rank = f2l_calloc(n, n * sizeof *h->rank);
    h->letter = f2l_calloc(n, sizeof *h->letter);
    return h->irrep && h->rank && h->letter ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_householders_build(f2l_householders *out, const f2l_classes *classes,
                                  const f2l_characters *t, const uint32_t *letter, size_t letters,
                                  size_t nodes, const f2l_task *task, f2l_error *err)
{
    f2l_householders_init(out);
    f2l_status status = allocate_householders(out, t, task, err);
    if (status == F2L_OK) {
        list_real_irreps(out, t);
        if (!letter) memset(out->letter, 1, out->classes);
        for (size_t i = 0; letter && i < letters; i++)
            out->letter[classes->class_of[letter[i]]] = 1;
        status = fill_ranks(out, classes, t, task, err);
    }
    if (status == F2L_OK) status = f2l_socle_build(&out->socle, out, classes, task, err);
    if (status == F2L_OK) {
        fill_most(out);
        find_minimum(out);
        status = choose_heads(out, nodes, task, err);
    }
    if (status != F2L_OK) f2l_householders_clear(out);
    return status;
}
