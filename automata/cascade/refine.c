#include "automata/cascade/refine.h"
#include "automata/cascade/impl.h"
#include "numeric/base/mem.h"
#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTED 65536             /* elements of a group that is listed */
#define MAX_TUPLES ((size_t)1 << 22) /* of a level */

void f2l_refined_init(f2l_refined *r)
{
    *r = (f2l_refined){0};
}

static void part_clear(f2l_refine_part *p)
{
    f2l_free(p->point);
    f2l_free(p->first);
    f2l_free(p->tuple);
    f2l_free(p->at);
    f2l_group_clear(&p->group);
}

void f2l_refined_clear(f2l_refined *r)
{
    for (size_t i = 0; r->part && i < r->parts; i++) part_clear(&r->part[i]);
    f2l_free(r->part);
    f2l_free(r->values);
    f2l_free(r->weight);
    f2l_free(r->layer);
    f2l_refined_init(r);
}

const f2l_refine_part *f2l_refine_part_of(const f2l_refined *r, const f2l_cascade *cascade,
                                          uint32_t set)
{
    const f2l_refine_part *p = r->part;
    while (p->class_id != cascade->class_of[set]) p++;
    return p;
}

f2l_status f2l_refine_map(uint32_t *map, const f2l_refine_part *part, const uint32_t *image,
                          f2l_error *err)
{
    if (!part->regular) {
        memcpy(map, image, part->configurations * sizeof *map);
        return F2L_OK;
    }
    const size_t order = part->group.order, e = f2l_group_find(&part->group, image);
    if (e >= order)
        return f2l_fail(err, F2L_EDOMAIN, "a permutation that is not in the group of its class");
    for (size_t i = 0; i < part->configurations; i++)
        map[i] = (uint32_t)(i - i % order) +
                 f2l_group_multiply(&part->group, (uint32_t)(i % order), (uint32_t)e);
    return F2L_OK;
}

uint32_t f2l_refine_before(const f2l_refined *r, uint32_t tuple, size_t layer)
{
    uint32_t out = 0;
    for (size_t i = 0; i < r->coordinates; i++)
        if (r->layer[i] < layer) out += r->weight[i] * f2l_refine_digit(r, tuple, i);
    return out;
}

/* A class before the level's coordinates are chosen: its orbits, each with cells of its own, or the
 * cells of its group. */
typedef struct draft {
    const f2l_component *of;
    f2l_refine_part *part;
    size_t orbits;
    uint32_t *orbit, *place; /* [points] */
    uint32_t *base, *size;   /* [orbits] a point of it */
    f2l_refine_cells *cells; /* [orbits], or [1] if regular */
    size_t *at;              /* [orbits or 1][F2L_REFINE_CELLS] coordinates of the cells */
} draft;

static void draft_clear(draft *d)
{
    for (size_t o = 0; d->cells && o < d->orbits; o++) f2l_refine_cells_clear(&d->cells[o]);
    f2l_free(d->cells);
    f2l_free(d->orbit);
    f2l_free(d->at);
}

/* Numbers the orbits, and the points of each. */
static f2l_status find_point_orbits(draft *d, const f2l_task *task, f2l_error *err)
{
    const size_t n = d->of->degree;
    f2l_status status = f2l_task_spend(task, "cells of a level",
                                       n * (5 * sizeof *d->orbit + d->of->generators), err);
    if (status != F2L_OK) return status;
    d->orbit = f2l_calloc(5 * n, sizeof *d->orbit);
    if (!d->orbit) return f2l_fail_memory(err);
    d->place = d->orbit + n;
    d->base = d->place + n;
    d->size = d->base + n;
    uint32_t *queue = d->size + n;
    for (size_t x = 0; x < n; x++) d->orbit[x] = UINT32_MAX;
    for (uint32_t x = 0; x < n; x++) {
        size_t count = 0;
        if (d->orbit[x] != UINT32_MAX) continue;
        d->orbit[x] = (uint32_t)d->orbits;
        queue[count++] = d->base[d->orbits] = x;
        for (uint32_t i = 0; i < count; i++) {
            d->place[queue[i]] = i;
            for (size_t a = 0; a < d->of->generators; a++) {
                const uint32_t y = d->of->generator[a * n + queue[i]];
                if (d->orbit[y] != UINT32_MAX) continue;
                d->orbit[y] = (uint32_t)d->orbits;
                queue[count++] = y;
            }
        }
        d->size[d->orbits++] = (uint32_t)count;
    }
    d->cells = f2l_calloc(d->orbits, sizeof *d->cells);
    d->at = f2l_calloc(d->orbits * F2L_REFINE_CELLS, sizeof *d->at);
    return d->cells && d->at ? F2L_OK : f2l_fail_memory(err);
}

/* Finds the cells of every orbit by blocks; sets *found to whether every orbit has a chain of
 * blocks. */
static f2l_status cells_by_blocks(draft *d, bool *found, const f2l_task *task, f2l_error *err)
{
    const size_t n = d->of->degree;
    f2l_status status = F2L_OK;
    uint32_t *image = f2l_calloc(d->of->generators * n + 1, sizeof *image);
    if (!image) return f2l_fail_memory(err);
    *found = true;
    for (size_t o = 0; status == F2L_OK && *found && o < d->orbits; o++) {
        for (size_t a = 0; a < d->of->generators; a++)
            for (size_t x = 0; x < n; x++)
                if (d->orbit[x] == o)
                    image[a * d->size[o] + d->place[x]] = d->place[d->of->generator[a * n + x]];
        status =
            f2l_refine_blocks(&d->cells[o], found, image, d->of->generators, d->size[o], task, err);
    }
    f2l_free(image);
    if (status == F2L_OK && *found) return F2L_OK;
    for (size_t o = 0; o < d->orbits; o++) f2l_refine_cells_clear(&d->cells[o]);
    return status;
}

static f2l_status not_solvable(const draft *d, f2l_error *err)
{
    return f2l_fail(err, F2L_EDOMAIN, "level %zu has the group %s, which is not solvable",
                    d->of->level, d->of->name);
}

/* Returns whether the name is S_n, A_n with n > 4, or the alternating group that a giant
 * contains. */
static bool is_giant(const char *name)
{
    return (name[0] == 'S' || name[0] == 'A') && name[1] == '_' && strtoul(name + 2, NULL, 10) > 4;
}

static f2l_status too_large(const draft *d, f2l_error *err)
{
    return f2l_fail(err, F2L_UNKNOWN, "level %zu has a group (%s) too large to be taken apart",
                    d->of->level, d->of->name);
}

static f2l_status cells_by_series(draft *d, const f2l_task *task, f2l_error *err)
{
    const size_t n = d->of->degree;
    f2l_group *g = &d->part->group;
    bool solvable = true;
    if (is_giant(d->of->name)) return not_solvable(d, err);
    f2l_error why = {0};
    f2l_status status =
        f2l_group_build(g, d->of->generator, d->of->generators, n, MAX_LISTED, task, &why);
    if (status == F2L_UNKNOWN) {
        status = f2l_task_poll(task, "groups of a level", 0, 0, err);
        return status == F2L_OK ? too_large(d, err) : status;
    }
    if (status != F2L_OK) return f2l_fail(err, status, "%s", why.text);
    d->part->regular = true;
    status = f2l_refine_series(&d->cells[0], &solvable, g, task, err);
    return status == F2L_OK && !solvable ? not_solvable(d, err) : status;
}

static bool power_of_two(const char *decimal)
{
    mpz_t order;
    mpz_init_set_str(order, decimal, 10);
    const bool is = mpz_popcount(order) == 1;
    mpz_clear(order);
    return is;
}

/* Returns whether the group acts freely on one orbit: then the cells of a composition series depend
 * on each other less than the cells of blocks. */
static bool is_regular(const draft *d)
{
    return d->orbits == 1 && strlen(d->of->order) < 8 &&
           strtoul(d->of->order, NULL, 10) == d->of->degree;
}

/* Finds the cells of a draft: by blocks of the orbits, or by a series of the group where there are
 * none. A regular group, and a small group with several orbits, whose few elements serve all of
 * them, take the series at once. */
static f2l_status find_cells(draft *d, bool real, const f2l_task *task, f2l_error *err)
{
    bool found = false;
    f2l_status status = F2L_OK;
    if (!d->of->order) return too_large(d, err);
    if (real && !power_of_two(d->of->order))
        return f2l_fail(err, F2L_EDOMAIN, "level %zu has the group %s, which is no 2-group",
                        d->of->level, d->of->name);
    const bool small = strlen(d->of->order) < 5; /* below 10,000 */
    if (!is_regular(d) && (d->orbits == 1 || !small))
        status = cells_by_blocks(d, &found, task, err);
    return status != F2L_OK || found ? status : cells_by_series(d, task, err);
}

/* Gives the cells coordinates in their order, new ones at the end. */
static f2l_status give_coordinates(f2l_refined *r, const f2l_refine_cells *cells, size_t *at,
                                   f2l_error *err)
{
    size_t next = 1;
    for (size_t i = 0; i < cells->cells; i++, next++) {
        while (next < r->coordinates && r->values[next] != cells->prime[i]) next++;
        if (next == r->coordinates) {
            uint32_t *values = f2l_realloc(r->values, next + 1, sizeof *values);
            if (!values) return f2l_fail_memory(err);
            r->values = values;
            r->values[r->coordinates++] = cells->prime[i];
        }
        at[i] = next;
    }
    return F2L_OK;
}

/* Gives coordinates to the longest sequences of cells first, because the others may be parts of
 * them. */
static f2l_status share_coordinates(f2l_refined *r, draft *d, f2l_error *err)
{
    f2l_status status = F2L_OK;
    r->values = f2l_calloc(1, sizeof *r->values);
    if (!r->values) return f2l_fail_memory(err);
    r->values[0] = 1;
    r->coordinates = 1;
    for (size_t cells = F2L_REFINE_CELLS + 1; cells-- > 0;)
        for (size_t i = 0; i < r->parts; i++) {
            if (d[i].orbits > r->values[0]) r->values[0] = (uint32_t)d[i].orbits;
            for (size_t o = 0; status == F2L_OK && o < (d[i].part->regular ? 1 : d[i].orbits); o++)
                if (d[i].cells[o].cells == cells)
                    status =
                        give_coordinates(r, &d[i].cells[o], d[i].at + o * F2L_REFINE_CELLS, err);
        }
    return status;
}

static f2l_status weigh_coordinates(f2l_refined *r, size_t l, const f2l_task *task, f2l_error *err)
{
    r->weight = f2l_calloc(r->coordinates, sizeof *r->weight);
    r->layer = f2l_calloc(r->coordinates, sizeof *r->layer);
    if (!r->weight || !r->layer) return f2l_fail_memory(err);
    r->tuples = 1;
    for (size_t i = 0; i < r->coordinates; i++) {
        r->weight[i] = (uint32_t)r->tuples;
        r->tuples *= r->values[i];
        if (r->tuples > MAX_TUPLES)
            return f2l_fail(err, F2L_UNKNOWN, "level %zu has too many combinations of its cells",
                            l);
    }
    const size_t bytes = r->tuples * (r->parts + 2) * sizeof(uint32_t);
    f2l_status status = f2l_task_memory(task, "the cells of a level", bytes, err);
    return status == F2L_OK ? f2l_task_spend(task, "cells of a level", bytes, err) : status;
}

static uint32_t tuple_of(const f2l_refined *r, const draft *d, size_t orbit, size_t index)
{
    const size_t which = d->part->regular ? 0 : orbit;
    const f2l_refine_cells *cells = &d->cells[which];
    uint32_t tuple = (uint32_t)orbit;
    for (size_t i = 0; i < cells->cells; i++)
        tuple += r->weight[d->at[which * F2L_REFINE_CELLS + i]] *
                 cells->digit[index * F2L_REFINE_CELLS + i];
    return tuple;
}

static f2l_status fill_refined_part(const f2l_refined *r, draft *d, f2l_error *err)
{
    f2l_refine_part *p = d->part;
    const size_t n = p->points, order = p->group.order;
    p->configurations = p->regular ? d->orbits * order : n;
    p->point = f2l_calloc(p->configurations, sizeof *p->point);
    p->tuple = f2l_calloc(p->configurations, sizeof *p->tuple);
    p->first = f2l_calloc(n, sizeof *p->first);
    p->at = f2l_calloc(r->tuples, sizeof *p->at);
    if (!p->point || !p->tuple || !p->first || !p->at) return f2l_fail_memory(err);
    for (size_t t = 0; t < r->tuples; t++) p->at[t] = F2L_NO_CONFIGURATION;
    for (size_t i = p->configurations; i-- > 0;) {
        const size_t orbit = p->regular ? i / order : d->orbit[i];
        const size_t index = p->regular ? i % order : d->place[i];
        p->point[i] = p->regular ? p->group.element[index * n + d->base[orbit]] : (uint32_t)i;
        p->first[p->point[i]] = (uint32_t)i;
        p->tuple[i] = tuple_of(r, d, orbit, index);
        p->at[p->tuple[i]] = (uint32_t)i;
    }
    return F2L_OK;
}

/* What the level's permutations add to coordinate i, as a function of the coordinates of layers
 * before `layer`. */
typedef struct addition {
    uint32_t *of, *seen; /* [tuples] seen: number of the permutation, from 1 */
} addition;

/* Returns whether what the permutations add to coordinate i is a function of the coordinates of
 * earlier layers. */
static bool addition_fits(addition *v, const f2l_refined *r, const uint32_t *map,
                          const f2l_refine_part *p, size_t i, size_t layer, uint32_t number)
{
    for (size_t c = 0; c < p->configurations; c++) {
        const uint32_t old = f2l_refine_digit(r, p->tuple[c], i), by = r->values[i];
        const uint32_t add = (f2l_refine_digit(r, p->tuple[map[c]], i) + by - old) % by;
        const uint32_t key = f2l_refine_before(r, p->tuple[c], layer);
        if (v->seen[key] == number && v->of[key] != add) return false;
        v->seen[key] = number;
        v->of[key] = add;
    }
    return true;
}

/* Puts coordinate i into the first layer that it fits, for all permutations that the contexts of
 * each class do. */
static f2l_status place_coordinate(f2l_refined *r, addition *v, uint32_t *map, uint32_t *number,
                                   size_t i, const f2l_cascade *c, size_t l, const f2l_task *task,
                                   f2l_error *err)
{
    const f2l_level *level = &c->level[l - 1];
    f2l_meter meter = {.task = task, .phase = "cells of a level"};
    r->layer[i] = r->layers; /* later than all it is compared with */
    for (size_t layer = 0; layer <= r->layers; layer++) {
        bool good = true;
        for (size_t x = 0; good && x < level->contexts; x++) {
            const f2l_context *at = &level->context[x];
            if (at->action != F2L_ACTION_PERMUTATION) continue;
            const f2l_refine_part *p = f2l_refine_part_of(r, c, at->to);
            f2l_status status =
                f2l_meter_spend(&meter, 2 + p->configurations * (p->regular ? 8 : 3), (double)x,
                                (double)level->contexts, err);
            if (status == F2L_OK)
                status = f2l_refine_map(map, p, level->image + at->permutation, err);
            if (status != F2L_OK) return status;
            good = addition_fits(v, r, map, p, i, layer, ++*number);
        }
        if (!good) continue;
        r->layer[i] = layer;
        if (layer == r->layers) r->layers++;
        return F2L_OK;
    }
    return f2l_fail(err, F2L_EDOMAIN, "level %zu: a permutation does not translate a cell", l);
}

/* Puts every coordinate into the earliest layer in which all coordinates that it depends on are
 * known. */
static f2l_status place_coordinates(f2l_refined *r, const f2l_cascade *c, size_t l,
                                    const f2l_task *task, f2l_error *err)
{
    size_t most = 1;
    uint32_t number = 0;
    for (size_t k = 0; k < r->parts; k++)
        if (r->part[k].configurations > most) most = r->part[k].configurations;
    addition v = {f2l_calloc(r->tuples, sizeof *v.of), f2l_calloc(r->tuples, sizeof *v.seen)};
    uint32_t *map = f2l_calloc(most, sizeof *map);
    f2l_status status = v.of && v.seen && map ? F2L_OK : f2l_fail_memory(err);
    r->layers = r->values[0] > 1;
    for (size_t i = 0; i < r->coordinates; i++) r->layer[i] = SIZE_MAX;
    r->layer[0] = 0;
    for (size_t i = 1; status == F2L_OK && i < r->coordinates; i++)
        status = place_coordinate(r, &v, map, &number, i, c, l, task, err);
    f2l_free(v.of);
    f2l_free(v.seen);
    f2l_free(map);
    return status;
}

static f2l_status refine_parts(f2l_refined *r, draft *d, const f2l_cascade *c, size_t l, bool real,
                               const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < r->parts; i++) {
        status = find_point_orbits(&d[i], task, err);
        if (status == F2L_OK) status = find_cells(&d[i], real, task, err);
    }
    if (status == F2L_OK) status = share_coordinates(r, d, err);
    if (status == F2L_OK) status = weigh_coordinates(r, l, task, err);
    for (size_t i = 0; status == F2L_OK && i < r->parts; i++)
        status = fill_refined_part(r, &d[i], err);
    return status == F2L_OK ? place_coordinates(r, c, l, task, err) : status;
}

f2l_status f2l_refine(f2l_refined *out, const f2l_cascade *cascade, const f2l_components *groups,
                      size_t l, bool real, const f2l_task *task, f2l_error *err)
{
    size_t parts = 0;
    f2l_refined_clear(out);
    for (size_t i = 0; i < groups->count; i++) parts += groups->component[i].level == l;
    draft *d = f2l_calloc(parts, sizeof *d);
    out->part = f2l_calloc(parts, sizeof *out->part);
    if (!d || !out->part) {
        f2l_free(d);
        f2l_refined_clear(out);
        return f2l_fail_memory(err);
    }
    for (size_t i = 0; i < groups->count; i++) {
        const f2l_component *k = &groups->component[i];
        if (k->level != l) continue;
        f2l_refine_part *p = &out->part[out->parts];
        f2l_group_init(&p->group);
        p->class_id = k->class_id;
        p->points = k->degree;
        d[out->parts++] = (draft){.of = k, .part = p};
    }
    f2l_status status = refine_parts(out, d, cascade, l, real, task, err);
    for (size_t i = 0; i < out->parts; i++) draft_clear(&d[i]);
    f2l_free(d);
    if (status != F2L_OK) f2l_refined_clear(out);
    return status;
}
