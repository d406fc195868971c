/* Subgroups with their characters to {1, -1} (theory/pages/irreps.md, I.2). */
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include "theory/rep/irrep/impl.h"
#include <string.h>

/* Number of elements by which a subgroup is extended in one round. */
#define TRIES 12
/* Limit on the bytes of the lists of subgroups. */
#define MAX_BYTES ((size_t)256 << 20)

void f2l_pool_clear(f2l_pool *p)
{
    for (size_t i = 0; i < p->groups; i++) {
        f2l_free(p->group[i].member);
        f2l_free(p->group[i].parity);
    }
    f2l_free(p->group);
    f2l_index_clear(&p->seen);
    f2l_free(p->at);
    f2l_free(p->member);
    f2l_free(p->parity);
    f2l_free(p->inside);
    f2l_free(p->tried);
    *p = (f2l_pool){0};
}

/* Brings v into echelon form with the relations and keeps the remainder. */
static void add_relation(f2l_sign_group *h, uint32_t v)
{
    for (size_t i = 0; i < h->relations; i++)
        if ((v ^ h->relation[i]) < v) v ^= h->relation[i];
    if (v == 0) return;
    size_t at = h->relations++;
    for (; at > 0 && h->relation[at - 1] < v; at--) h->relation[at] = h->relation[at - 1];
    h->relation[at] = v;
}

size_t f2l_sign_characters(uint32_t *mask, size_t room, const f2l_sign_group *h)
{
    size_t count = 0;
    for (uint64_t m = 0; m < UINT64_C(1) << h->generators && count < room; m++) {
        bool good = true;
        for (size_t i = 0; i < h->relations && good; i++)
            good = !f2l_sign_is_minus((uint32_t)m, h->relation[i]);
        if (good) mask[count++] = (uint32_t)m;
    }
    return count;
}

/* Starts the list of h, whose arrays are the pool's. */
static void start_list(f2l_pool *p, f2l_sign_group *h)
{
    *h = (f2l_sign_group){.order = 1, .member = p->member, .parity = p->parity};
    p->member[0] = p->parity[0] = 0;
    p->at[0] = 1;
}

static void end_list(f2l_pool *p, const f2l_sign_group *h)
{
    for (size_t i = 0; i < h->order; i++) p->at[h->member[i]] = 0;
}

/* Lists the group that h's generators generate, with parities and relations. A list of more than
 * half of the group is the whole group: it stops there, unless `whole`. */
static void list_sign_group(f2l_pool *p, f2l_sign_group *h, bool whole)
{
    const f2l_group *g = p->world->group;
    const size_t limit = whole ? g->order : g->order / 2;
    end_list(p, h);
    h->order = 1;
    h->relations = 0;
    p->at[0] = 1;
    for (size_t i = 0; i < h->order && h->order <= limit; i++) {
        for (size_t s = 0; s < h->generators; s++) {
            const uint32_t y = f2l_group_multiply(g, h->member[i], h->generator[s]);
            const uint32_t parity = h->parity[i] ^ UINT32_C(1) << s;
            if (p->at[y] != 0) {
                add_relation(h, parity ^ h->parity[p->at[y] - 1]);
                continue;
            }
            h->member[h->order] = y;
            h->parity[h->order++] = parity;
            p->at[y] = (uint32_t)h->order;
        }
    }
    p->work += h->order * h->generators;
}

/* Returns whether the subgroup is too large to be a new one, or has too many generators (each at
 * least doubles it). */
static bool is_full(const f2l_pool *p, const f2l_sign_group *h)
{
    return h->order > p->world->group->order / 2 || h->generators == F2L_SIGN_GENERATORS;
}

static void add_sign_generator(f2l_pool *p, f2l_sign_group *h, uint32_t x)
{
    if (is_full(p, h) || p->at[x] != 0) return;
    h->generator[h->generators++] = x;
    list_sign_group(p, h, false);
}

/* Returns a number that is equal for subgroups with equally many members in every class. */
static uint64_t distribution(const f2l_pool *p, const f2l_sign_group *h)
{
    uint64_t sum = h->order;
    for (size_t i = 0; i < h->order; i++)
        sum += f2l_hash_spread(p->world->classes->class_of[h->member[i]] + UINT64_C(1));
    return sum;
}

static uint64_t hash_group(const void *pool, size_t group)
{
    return ((const f2l_pool *)pool)->group[group].distribution;
}

static bool same_distribution(const void *pool, size_t group, const void *key)
{
    return hash_group(pool, group) == *(const uint64_t *)key;
}

/* Keeps a copy of a subgroup of a new kind, as long as there is room. */
static f2l_status keep_sign_group(f2l_pool *p, const f2l_sign_group *h, bool whole, f2l_error *err)
{
    const size_t bytes = 2 * h->order * sizeof *h->member;
    if ((!whole && is_full(p, h)) || (p->groups > 1 && p->bytes + bytes > MAX_BYTES)) return F2L_OK;
    f2l_status status = f2l_task_memory(p->world->task, "subgroups", p->bytes + bytes, err);
    if (status != F2L_OK) return status;
    const uint64_t key = distribution(p, h);
    if (f2l_index_find(&p->seen, key, same_distribution, p, &key) != F2L_NO_INDEX) return F2L_OK;
    if (!f2l_index_grow(&p->seen, hash_group, p) ||
        !f2l_grow((void **)&p->group, &p->room, p->groups, sizeof *p->group))
        return f2l_fail_memory(err);
    f2l_index_add(&p->seen, key);
    f2l_sign_group *to = &p->group[p->groups];
    *to = *h;
    to->distribution = key;
    to->member = f2l_calloc(h->order, sizeof *to->member);
    to->parity = f2l_calloc(h->order, sizeof *to->parity);
    p->groups++;
    p->bytes += bytes;
    if (!to->member || !to->parity) return f2l_fail_memory(err);
    memcpy(to->member, h->member, h->order * sizeof *h->member);
    memcpy(to->parity, h->parity, h->order * sizeof *h->parity);
    return F2L_OK;
}

static f2l_status keep_cyclic(f2l_pool *p, uint32_t x, f2l_error *err)
{
    f2l_sign_group h;
    start_list(p, &h);
    add_sign_generator(p, &h, x);
    f2l_status status = keep_sign_group(p, &h, false, err);
    end_list(p, &h);
    return status;
}

static f2l_status keep_centraliser(f2l_pool *p, uint32_t x, f2l_error *err)
{
    const f2l_group *g = p->world->group;
    f2l_sign_group h;
    start_list(p, &h);
    for (uint32_t y = 0; y < g->order && !is_full(p, &h); y++)
        if (p->at[y] == 0 && f2l_group_multiply(g, x, y) == f2l_group_multiply(g, y, x))
            add_sign_generator(p, &h, y);
    p->work += 2 * g->order;
    f2l_status status = keep_sign_group(p, &h, false, err);
    end_list(p, &h);
    return status;
}

/* Keeps a stabiliser: the elements 0, 1, .., stride - 1 of a level fix its base and the bases
 * before (automata/group/group.h). */
static f2l_status keep_stabiliser(f2l_pool *p, size_t stride, f2l_error *err)
{
    f2l_sign_group h;
    start_list(p, &h);
    for (uint32_t x = 0; x < stride; x++) add_sign_generator(p, &h, x);
    f2l_status status = keep_sign_group(p, &h, false, err);
    end_list(p, &h);
    return status;
}

static f2l_status keep_whole(f2l_pool *p, f2l_error *err)
{
    const f2l_group *g = p->world->group;
    f2l_sign_group h;
    start_list(p, &h);
    for (size_t s = 0; s < g->needed; s++) {
        const size_t x = f2l_group_find(g, g->generator + g->need[s] * g->degree);
        h.generator[h.generators++] = (uint32_t)x; /* at most log2 of the order, so there is room */
    }
    list_sign_group(p, &h, true);
    f2l_status status = keep_sign_group(p, &h, true, err);
    end_list(p, &h);
    return status;
}

static bool normalises(const f2l_pool *p, const f2l_sign_group *h, uint32_t x)
{
    for (size_t s = 0; s < h->generators; s++)
        if (!p->inside[f2l_group_conjugate(p->world->group, h->generator[s], x)]) return false;
    return true;
}

/* Keeps the normaliser. If x does not normalise, no element of the coset C x of a subgroup C of the
 * normaliser does. */
static f2l_status keep_normaliser(f2l_pool *p, size_t number, f2l_error *err)
{
    const f2l_group *g = p->world->group;
    const f2l_sign_group from = p->group[number];
    f2l_sign_group h;
    for (size_t i = 0; i < from.order; i++) p->inside[from.member[i]] = 1;
    memset(p->tried, 0, g->order);
    start_list(p, &h);
    for (size_t s = 0; s < from.generators; s++) add_sign_generator(p, &h, from.generator[s]);
    for (uint32_t x = 0; x < g->order && !is_full(p, &h); x++) {
        if (p->tried[x] || p->at[x] != 0) continue;
        if (normalises(p, &from, x)) {
            add_sign_generator(p, &h, x);
            continue;
        }
        for (size_t i = 0; i < h.order; i++) p->tried[f2l_group_multiply(g, h.member[i], x)] = 1;
        p->work += h.order + 3 * from.generators;
    }
    for (size_t i = 0; i < from.order; i++) p->inside[from.member[i]] = 0;
    f2l_status status = keep_sign_group(p, &h, false, err);
    end_list(p, &h);
    return status;
}

static f2l_status keep_generated(f2l_pool *p, size_t number, uint32_t x, f2l_error *err)
{
    const f2l_sign_group from = p->group[number];
    f2l_sign_group h;
    for (size_t i = 0; i < from.order; i++)
        if (from.member[i] == x) return F2L_OK;
    if (from.generators == F2L_SIGN_GENERATORS) return F2L_OK;
    start_list(p, &h);
    h.generators = from.generators;
    memcpy(h.generator, from.generator, sizeof h.generator);
    h.generator[h.generators++] = x;
    list_sign_group(p, &h, false);
    f2l_status status = keep_sign_group(p, &h, false, err);
    end_list(p, &h);
    return status;
}

static f2l_status make_pool_room(f2l_pool *p, f2l_error *err)
{
    const size_t order = p->world->group->order;
    p->at = f2l_calloc(order, sizeof *p->at);
    p->member = f2l_calloc(order, sizeof *p->member);
    p->parity = f2l_calloc(order, sizeof *p->parity);
    p->inside = f2l_calloc(order, 1);
    p->tried = f2l_calloc(order, 1);
    return p->at && p->member && p->parity && p->inside && p->tried ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_pool_init(f2l_pool *p, const f2l_irrep_world *world, f2l_error *err)
{
    const f2l_classes *c = world->classes;
    *p = (f2l_pool){.world = world};
    f2l_rng_init(&p->rng, world->group->order, 0);
    f2l_status status = make_pool_room(p, err);
    if (status == F2L_OK) status = keep_whole(p, err);
    if (status == F2L_OK) status = keep_stabiliser(p, 1, err); /* the trivial subgroup */
    for (size_t l = 0; l < world->group->levels && status == F2L_OK; l++)
        status = keep_stabiliser(p, world->group->level[l].stride, err);
    for (size_t i = 0; i < c->classes && status == F2L_OK; i++) {
        status = keep_cyclic(p, c->representative[i], err);
        if (status == F2L_OK && p->work < F2L_POOL_WORK)
            status = keep_centraliser(p, c->representative[i], err);
        if (status == F2L_OK)
            status = f2l_task_poll(world->task, "subgroups", (double)i, (double)c->classes, err);
    }
    return status;
}

f2l_status f2l_pool_grow(f2l_pool *p, size_t from, uint64_t limit, f2l_error *err)
{
    const size_t order = p->world->group->order, tries = order < 2 * TRIES ? order : TRIES;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < p->groups && p->work < limit && status == F2L_OK; i++) {
        if (i >= from) status = keep_normaliser(p, i, err);
        for (size_t t = 0; t < tries && status == F2L_OK; t++) {
            const size_t x = order == tries ? t : f2l_rng_below(&p->rng, order);
            status = keep_generated(p, i, (uint32_t)x, err);
        }
        if (status == F2L_OK)
            status = f2l_task_poll(p->world->task, "subgroups", (double)p->work, 0, err);
    }
    return status;
}
