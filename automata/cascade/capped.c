/* The capped lazy cover: sets are taken into the family only when a cover uses them, from large to
 * small; a component whose cover would have more members than the set has points gets the
 * drop-one-point cover instead (the cap). At most |Q|-1 levels with at most |Q| states each. */
#include "automata/cascade/impl.h"
#include "automata/fsa/rowset.h"
#include <string.h>

typedef struct list {
    uint32_t *id;
    size_t count, capacity;
} list;

typedef struct capped {
    f2l_builder *b;
    list *by_size;   /* [states + 1] used sets of every size */
    list *obstacles; /* [states + 1] images of used sets, and singletons, of every size */
    list found;      /* scratch of one member: its maximal obstacles */
    list pending;    /* sets waiting to be used */
    uint8_t *used, *obstacle;
    uint32_t *place; /* of a used set in its list of by_size */
    size_t flags;    /* room in these three */
    uint64_t work;   /* in all */
} capped;

static f2l_status push_set(list *l, uint32_t id, f2l_error *err)
{
    if (!f2l_grow((void **)&l->id, &l->capacity, l->count, sizeof *l->id))
        return f2l_fail_memory(err);
    l->id[l->count++] = id;
    return F2L_OK;
}

static bool flags_room(capped *p)
{
    size_t need = p->b->c->sets.count, room = p->flags ? p->flags : 64;
    if (p->used && p->obstacle && p->place && need <= p->flags) return true;
    while (room < need) room *= 2;
    uint8_t *used = f2l_realloc(p->used, room, 1);
    if (!used) return false;
    p->used = used;
    uint8_t *obstacle = f2l_realloc(p->obstacle, room, 1);
    if (!obstacle) return false;
    p->obstacle = obstacle;
    uint32_t *place = f2l_realloc(p->place, room, sizeof *place);
    if (!place) return false;
    p->place = place;
    memset(used + p->flags, 0, room - p->flags);
    memset(obstacle + p->flags, 0, room - p->flags);
    p->flags = room;
    return true;
}

/* Steps of work that one set may take on average. The covers of a few sets with many obstacles may
 * take longer than all max_sets sets should: then the family exceeds its limit by work. */
#define STEPS_PER_SET 4000

/* Steps of this work are of some 2 ns. */
static f2l_status spend_on_family(capped *p, size_t steps, const char *phase, f2l_error *err)
{
    p->work += steps;
    if (p->work > (uint64_t)1 << 22 && p->work / STEPS_PER_SET > p->b->max_sets)
        return f2l_fail(err, F2L_UNKNOWN,
                        "the capped cascade passed its limit of %d steps of work for each of %zu "
                        "subsets",
                        STEPS_PER_SET, p->b->max_sets);
    p->b->meter.phase = phase;
    return f2l_meter_spend(&p->b->meter, steps / 4, (double)p->b->c->sets.count, 0, err);
}

static f2l_status add_obstacle(capped *p, uint32_t id, f2l_error *err)
{
    if (!flags_room(p)) return f2l_fail_memory(err);
    if (p->obstacle[id]) return F2L_OK;
    p->obstacle[id] = 1;
    return push_set(&p->obstacles[p->b->c->sets.size[id]], id, err);
}

/* Takes the set into the family, with everything it reaches by letters that are injective on it. */
static f2l_status use_set(capped *p, uint32_t first, f2l_error *err)
{
    f2l_cascade *c = p->b->c;
    p->pending.count = 0;
    f2l_status status = push_set(&p->pending, first, err);
    while (status == F2L_OK && p->pending.count) {
        uint32_t x = p->pending.id[--p->pending.count], y;
        if (!flags_room(p)) return f2l_fail_memory(err);
        if (p->used[x]) continue;
        p->used[x] = 1;
        p->place[x] = (uint32_t)p->by_size[c->sets.size[x]].count;
        status = spend_on_family(p, c->fsa->letters.count * (c->sets.size[x] + c->sets.words),
                                 "sets", err);
        if (status == F2L_OK) status = push_set(&p->by_size[c->sets.size[x]], x, err);
        for (size_t a = 0; status == F2L_OK && a < c->fsa->letters.count; a++) {
            status = f2l_builder_image(p->b, x, a, &y, err);
            if (status == F2L_OK) status = add_obstacle(p, y, err);
            if (status == F2L_OK && c->sets.size[y] == c->sets.size[x] && !p->used[y])
                status = push_set(&p->pending, y, err);
        }
    }
    return status;
}

/* The edges of the injective-letter graph on the used sets of one size, by target, for walking them
 * backwards. */
typedef struct reverse {
    size_t *first; /* [members + 2] */
    uint32_t *source, *letter;
} reverse;

static void reverse_clear(reverse *r)
{
    f2l_free(r->first);
    f2l_free(r->source);
    f2l_free(r->letter);
}

/* Goes over the edges once: counts the edges into every member, or files them under their
 * target. */
static f2l_status reverse_round(reverse *r, capped *p, const list *members, bool fill,
                                f2l_error *err)
{
    const f2l_cascade *c = p->b->c;
    size_t letters = c->fsa->letters.count;
    size_t *at = r->first + 1; /* while filling: where the next edge into a member goes */
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < members->count; i++) {
        status = f2l_meter_spend(&p->b->meter, 1 + letters / 2, (double)c->sets.count, 0, err);
        for (size_t a = 0; a < letters; a++) {
            uint32_t x = members->id[i], y = c->image[(size_t)x * letters + a];
            if (c->sets.size[y] != c->sets.size[x]) continue;
            if (fill) {
                r->source[at[p->place[y]]] = x;
                r->letter[at[p->place[y]]++] = (uint32_t)a;
            } else {
                r->first[p->place[y] + 2]++;
            }
        }
    }
    return status;
}

/* Sets *r to the edges of `members`. */
static f2l_status reverse_init(reverse *r, capped *p, const list *members, f2l_error *err)
{
    const size_t letters = p->b->c->fsa->letters.count;
    const size_t each = sizeof *r->first + letters * (sizeof *r->source + sizeof *r->letter);
    size_t edges;
    memset(r, 0, sizeof *r);
    if (!f2l_mul_size(&edges, members->count, letters)) return f2l_fail_memory(err);
    p->b->meter.phase = "edges between sets";
    f2l_status status =
        f2l_meter_spend(&p->b->meter, members->count * each, (double)p->b->c->sets.count, 0, err);
    if (status == F2L_OK) status = f2l_builder_memory(p->b, members->count * each, err);
    if (status != F2L_OK) return status;
    r->first = f2l_calloc(members->count + 2, sizeof *r->first);
    r->source = f2l_calloc(edges, sizeof *r->source);
    r->letter = f2l_calloc(edges, sizeof *r->letter);
    if (!r->first || !r->source || !r->letter) return f2l_fail_memory(err);
    status = reverse_round(r, p, members, false, err);
    for (size_t i = 2; i < members->count + 2; i++) r->first[i] += r->first[i - 1];
    return status == F2L_OK ? reverse_round(r, p, members, true, err) : status;
}

/* Sets *out to the component of `root` under injective letters in both directions, with
 * transports. */
static f2l_status component(capped *p, const reverse *r, uint32_t root, list *out, f2l_error *err)
{
    f2l_cascade *c = p->b->c;
    size_t letters = c->fsa->letters.count;
    out->count = 0;
    f2l_status status = f2l_builder_tau_identity(p->b, root, err);
    c->class_of[root] = (uint32_t)c->classes;
    if (status == F2L_OK) status = push_set(out, root, err);
    for (size_t head = 0; status == F2L_OK && head < out->count; head++) {
        uint32_t v = out->id[head];
        status = f2l_meter_spend(&p->b->meter, 2 + letters, (double)c->sets.count, 0, err);
        for (size_t a = 0; status == F2L_OK && a < letters; a++) {
            uint32_t w = c->image[(size_t)v * letters + a];
            if (c->sets.size[w] != c->sets.size[v] || c->class_of[w] != F2L_NO_SET) continue;
            c->class_of[w] = (uint32_t)c->classes;
            status = f2l_builder_tau_forward(p->b, v, a, w, err);
            if (status == F2L_OK) status = push_set(out, w, err);
        }
        size_t at = p->place[v];
        for (size_t e = r->first[at]; status == F2L_OK && e < r->first[at + 1]; e++) {
            uint32_t w = r->source[e];
            if (c->class_of[w] != F2L_NO_SET) continue;
            c->class_of[w] = (uint32_t)c->classes;
            status = f2l_builder_tau_back(p->b, v, r->letter[e], w, err);
            if (status == F2L_OK) status = push_set(out, w, err);
        }
    }
    c->classes++;
    return status;
}

/* Sets p->found to the obstacles strictly inside x that no other obstacle contains, largest
 * first. */
static f2l_status maximal_obstacles(capped *p, uint32_t x, f2l_error *err)
{
    const f2l_subsets *sets = &p->b->c->sets;
    const uint64_t *whole = f2l_subsets_get(sets, x);
    f2l_status status = F2L_OK;
    p->found.count = 0;
    for (size_t size = sets->size[x] - 1; status == F2L_OK && size > 0; size--) {
        const list *all = &p->obstacles[size];
        const size_t larger = p->found.count; /* sets of one size do not hold each other */
        status = spend_on_family(p, 1 + all->count * (1 + larger), "covers", err);
        for (size_t o = 0; status == F2L_OK && o < all->count; o++) {
            const uint64_t *set = f2l_subsets_get(sets, all->id[o]);
            bool inside = !f2l_set_inside(set, whole, sets->words);
            for (size_t j = 0; j < larger && !inside; j++)
                inside = f2l_set_inside(set, f2l_subsets_get(sets, p->found.id[j]), sets->words);
            if (!inside) status = push_set(&p->found, all->id[o], err);
        }
    }
    return status;
}

/* Adds tau_X^-1(Z) to the masks for the maximal obstacles Z strictly inside every member X; other
 * obstacles would not give maximal masks. */
static f2l_status pulled_back(capped *p, const list *members, f2l_subsets *masks, uint64_t *mask,
                              f2l_error *err)
{
    f2l_cascade *c = p->b->c;
    f2l_status status = F2L_OK;
    uint32_t id;
    for (size_t i = 0; status == F2L_OK && i < members->count; i++) {
        status = maximal_obstacles(p, members->id[i], err);
        f2l_builder_positions(p->b, members->id[i]);
        if (status == F2L_OK)
            status = f2l_meter_spend(&p->b->meter, p->found.count * (8 + masks->states / 2),
                                     (double)c->sets.count, 0, err);
        for (size_t o = 0; status == F2L_OK && o < p->found.count; o++) {
            memset(mask, 0, masks->words * sizeof *mask);
            F2L_SET_EACH(q, f2l_subsets_get(&c->sets, p->found.id[o]), c->sets.words)
            f2l_set_put(mask, p->b->position[q]);
            status = f2l_subsets_add(masks, mask, &id, err);
        }
        if (status == F2L_OK) status = f2l_builder_memory(p->b, f2l_subsets_bytes(masks), err);
    }
    return status;
}

/* Sets *out to the edge permutations tau_Y^-1 a tau_X of the component other than the identity,
 * each once. */
static f2l_status edge_permutations(capped *p, const list *members, f2l_rowset *out, f2l_error *err)
{
    f2l_cascade *c = p->b->c;
    size_t letters = c->fsa->letters.count, size = c->sets.size[members->id[0]], index;
    uint32_t *row = f2l_calloc(size, sizeof *row);
    if (!row) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < members->count; i++)
        for (size_t a = 0; status == F2L_OK && a < letters; a++) {
            uint32_t x = members->id[i], y = c->image[(size_t)x * letters + a];
            bool identity = true;
            if (c->sets.size[y] != size) continue;
            f2l_builder_positions(p->b, y);
            for (size_t t = 0; t < size; t++) {
                row[t] =
                    p->b->position[c->fsa->next[(size_t)c->tau[c->tau_at[x] + t] * letters + a]];
                identity = identity && row[t] == t;
            }
            if (!identity) status = f2l_rowset_add(out, row, size, &index, err);
            if (status == F2L_OK) status = spend_on_family(p, 2 * size, "edge permutations", err);
            if (status == F2L_OK && out->count % 256 == 255)
                status = f2l_builder_memory(p->b, f2l_rowset_bytes(out), err);
        }
    f2l_free(row);
    return status;
}

/* Adds the images of kept[from..] under the permutations, until nothing is new or more than `limit`
 * are kept.
 */
static f2l_status close_under_permutations(capped *p, f2l_subsets *kept, uint32_t from,
                                           const f2l_rowset *permutations, size_t limit,
                                           uint64_t *mask, f2l_error *err)
{
    f2l_status status = F2L_OK;
    uint32_t id;
    for (uint32_t i = from; status == F2L_OK && i < kept->count && kept->count <= limit; i++)
        for (size_t g = 0; status == F2L_OK && g < permutations->count; g++) {
            const uint32_t *row = f2l_rowset_get(permutations, g, NULL);
            memset(mask, 0, kept->words * sizeof *mask);
            F2L_SET_EACH(t, f2l_subsets_get(kept, i), kept->words) f2l_set_put(mask, row[t]);
            status = f2l_subsets_add(kept, mask, &id, err);
            if (status == F2L_OK) status = spend_on_family(p, kept->states, "closing covers", err);
        }
    return status;
}

/* Replaces the masks by the maximal elements of their closure under the permutations, or by more
 * than `limit` masks when there are more. The closure is invariant, so an orbit is maximal as a
 * whole or not at all: orbits are taken from large to small, and orbits inside a kept mask are left
 * out without being listed. */
static f2l_status close_masks(capped *p, f2l_subsets *masks, const f2l_rowset *permutations,
                              size_t limit, uint64_t *mask, f2l_error *err)
{
    f2l_subsets kept;
    uint32_t id;
    f2l_status status = F2L_OK;
    f2l_subsets_init(&kept, masks->states);
    for (uint32_t i = 0; status == F2L_OK && i < masks->count && kept.count <= limit; i++) {
        const uint64_t *next = f2l_subsets_get(masks, i);
        bool inside = false;
        for (uint32_t j = 0; j < kept.count && !inside; j++)
            inside = f2l_set_inside(next, f2l_subsets_get(&kept, j), masks->words);
        if (inside) continue;
        status = f2l_meter_spend(&p->b->meter, 8 + kept.count / 4 + 8 * kept.words, (double)i,
                                 (double)masks->count, err);
        if (status == F2L_OK) status = f2l_subsets_add(&kept, next, &id, err);
        if (status == F2L_OK)
            status = close_under_permutations(p, &kept, id, permutations, limit, mask, err);
    }
    f2l_subsets_clear(status == F2L_OK ? masks : &kept);
    if (status == F2L_OK) *masks = kept;
    return status;
}

/* Keeps the maximal masks only. */
static f2l_status keep_maximal_masks(capped *p, f2l_subsets *masks, f2l_error *err)
{
    f2l_subsets kept;
    size_t count = 0;
    uint32_t id, *order = f2l_calloc(masks->count + 1, sizeof *order);
    if (!order) return f2l_fail_memory(err);
    f2l_subsets_init(&kept, masks->states);
    f2l_status status = f2l_maximal_masks(masks, order, &count, &p->b->meter, err);
    for (size_t i = 0; status == F2L_OK && i < count; i++)
        status = f2l_subsets_add(&kept, f2l_subsets_get(masks, order[i]), &id, err);
    f2l_free(order);
    if (status != F2L_OK) {
        f2l_subsets_clear(&kept);
        return status;
    }
    f2l_subsets_clear(masks);
    *masks = kept;
    return F2L_OK;
}

/* Sets the masks of the cap: R minus one point, for every point. */
static f2l_status cap(f2l_subsets *masks, uint64_t *mask, f2l_error *err)
{
    size_t size = masks->states;
    f2l_subsets_clear(masks);
    f2l_status status = F2L_OK;
    f2l_subsets_init(masks, size);
    for (size_t drop = 0; status == F2L_OK && drop < size; drop++) {
        uint32_t id;
        memset(mask, 0, masks->words * sizeof *mask);
        for (size_t t = 0; t < size; t++)
            if (t != drop) f2l_set_put(mask, t);
        status = f2l_subsets_add(masks, mask, &id, err);
    }
    return status;
}

/* Sets the masks of the component's cover: the maximal obstacles, closed under the edge
 * permutations, or the cap. */
static f2l_status cover_masks(capped *p, const list *members, f2l_subsets *masks, uint64_t *mask,
                              f2l_error *err)
{
    f2l_rowset permutations;
    f2l_rowset_init(&permutations);
    f2l_status status = pulled_back(p, members, masks, mask, err);
    if (status == F2L_OK)
        status = keep_maximal_masks(p, masks, err); /* largest first, as close_masks wants them */
    if (status == F2L_OK) status = edge_permutations(p, members, &permutations, err);
    if (status == F2L_OK && permutations.count) {
        status = close_masks(p, masks, &permutations, masks->states, mask, err);
        if (status == F2L_OK && masks->count <= masks->states)
            status = keep_maximal_masks(p, masks, err);
    }
    if (status == F2L_OK && masks->count > masks->states) {
        p->b->c->capped++;
        status = cap(masks, mask, err);
    }
    f2l_rowset_clear(&permutations);
    return status;
}

static f2l_status cover_component(capped *p, const list *members, f2l_error *err)
{
    f2l_cascade *c = p->b->c;
    size_t size = c->sets.size[members->id[0]];
    f2l_subsets masks;
    uint64_t *mask = f2l_calloc(size / 64 + 1, sizeof *mask);
    if (!mask) return f2l_fail_memory(err);
    f2l_subsets_init(&masks, size);
    f2l_status status = cover_masks(p, members, &masks, mask, err);
    for (size_t i = 0; status == F2L_OK && i < members->count; i++) {
        uint32_t x = members->id[i];
        status = f2l_builder_cover(p->b, x, &masks, err);
        for (size_t j = 0; status == F2L_OK && j < masks.count; j++) {
            uint32_t t = c->cover[c->cover_at[x] + j];
            if (c->sets.size[t] > 1) status = use_set(p, t, err);
        }
    }
    f2l_free(mask);
    f2l_subsets_clear(&masks);
    return status;
}

static f2l_status singletons(capped *p, f2l_error *err)
{
    f2l_cascade *c = p->b->c;
    f2l_status status = F2L_OK;
    uint32_t id;
    for (size_t q = 0; status == F2L_OK && q < c->sets.states; q++) {
        status = f2l_builder_add_singleton(p->b, q, &id, err);
        if (status != F2L_OK) break;
        if (c->class_of[id] == F2L_NO_SET) c->class_of[id] = (uint32_t)c->classes++;
        status = add_obstacle(p, id, err);
    }
    return status;
}

/* Covers all used sets of one size. The covers use smaller sets only, so the list is complete
 * before it is walked. */
static f2l_status one_size(capped *p, const list *sets, list *members, f2l_error *err)
{
    const f2l_cascade *c = p->b->c;
    reverse r;
    f2l_status status = reverse_init(&r, p, sets, err);
    for (size_t i = 0; status == F2L_OK && i < sets->count; i++) {
        if (c->class_of[sets->id[i]] != F2L_NO_SET) continue;
        status = component(p, &r, sets->id[i], members, err);
        if (status == F2L_OK) status = cover_component(p, members, err);
    }
    reverse_clear(&r);
    return status;
}

static f2l_status sizes_down(capped *p, f2l_error *err)
{
    list members = {0};
    f2l_status status = F2L_OK;
    for (size_t s = p->b->c->sets.states; status == F2L_OK && s >= 2; s--)
        if (p->by_size[s].count) status = one_size(p, &p->by_size[s], &members, err);
    f2l_free(members.id);
    return status;
}

static void capped_clear(capped *p)
{
    for (size_t s = 0; s <= p->b->c->sets.states; s++) {
        if (p->by_size) f2l_free(p->by_size[s].id);
        if (p->obstacles) f2l_free(p->obstacles[s].id);
    }
    f2l_free(p->by_size);
    f2l_free(p->obstacles);
    f2l_free(p->found.id);
    f2l_free(p->pending.id);
    f2l_free(p->used);
    f2l_free(p->obstacle);
    f2l_free(p->place);
}

f2l_status f2l_build_capped(f2l_builder *b, f2l_error *err)
{
    const size_t states = b->c->sets.states;
    capped p = {.b = b};
    uint32_t all;
    f2l_status status;
    p.by_size = f2l_calloc(states + 1, sizeof *p.by_size);
    p.obstacles = f2l_calloc(states + 1, sizeof *p.obstacles);
    if (p.by_size && p.obstacles && flags_room(&p)) {
        status = f2l_builder_add_all_states(b, &all, err);
        if (status == F2L_OK && states > 1) status = use_set(&p, all, err);
        if (status == F2L_OK) status = singletons(&p, err);
        if (status == F2L_OK) status = sizes_down(&p, err);
    } else {
        status = f2l_fail_memory(err);
    }
    capped_clear(&p);
    /* Numbering by longest paths gives fewer levels than numbering by set sizes. */
    bool acyclic = true;
    if (status == F2L_OK) status = f2l_cascade_levels_longest(b->c, &acyclic, b->task, err);
    if (status == F2L_OK && !acyclic) status = f2l_cascade_levels_rank(b->c, b->task, err);
    return status;
}
