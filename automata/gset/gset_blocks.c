/* Block systems of a transitive action, found by merging blocks and closing under the letters
 * (T3.5). */
#include "automata/gset/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_gset_blocks_clear(f2l_gset_blocks *system)
{
    f2l_free(system->label);
    f2l_free(system->key);
    f2l_gset_action_clear(&system->action);
    *system = (f2l_gset_blocks){0};
}

/* Returns the key of a point. A system is known by the sum of the keys over block 0: in a
 * transitive action one block determines the system. A collision can only hide a system. */
static uint64_t point_key(size_t point)
{
    return f2l_hash_spread((point + 1) * F2L_HASH_STRIDE);
}

f2l_status f2l_gset_lattice_init(f2l_gset_lattice *lattice, const f2l_gset_action *base,
                                 f2l_gset_letters *some, f2l_gset_work *work, f2l_error *err)
{
    *lattice = (f2l_gset_lattice){.base = base, .some = some, .work = work};
    lattice->parent = f2l_calloc(base->points, sizeof *lattice->parent);
    lattice->size = f2l_calloc(base->points, sizeof *lattice->size);
    lattice->queue = f2l_calloc(base->points, 2 * sizeof *lattice->queue);
    if (lattice->parent != NULL && lattice->size != NULL && lattice->queue != NULL) return F2L_OK;
    f2l_gset_lattice_clear(lattice);
    return f2l_fail_memory(err);
}

void f2l_gset_lattice_clear(f2l_gset_lattice *lattice)
{
    f2l_free(lattice->parent);
    f2l_free(lattice->size);
    f2l_free(lattice->queue);
    f2l_free(lattice->key);
    f2l_index_clear(&lattice->met);
    *lattice = (f2l_gset_lattice){0};
}

static uint64_t hash_of_lattice_key(const void *lattice, size_t i)
{
    return ((const f2l_gset_lattice *)lattice)->key[i];
}

static bool is_key(const void *lattice, size_t i, const void *key)
{
    return ((const f2l_gset_lattice *)lattice)->key[i] == *(const uint64_t *)key;
}

static bool lattice_has(const f2l_gset_lattice *lattice, uint64_t key)
{
    return f2l_index_find(&lattice->met, key, is_key, lattice, &key) != F2L_NO_INDEX;
}

/* Adds a key unless present; *added tells whether it was added. */
static f2l_status meet_lattice_key(f2l_gset_lattice *lattice, uint64_t key, bool *added,
                                   f2l_error *err)
{
    *added = !lattice_has(lattice, key);
    if (!*added) return F2L_OK;
    if (!f2l_index_grow(&lattice->met, hash_of_lattice_key, lattice) ||
        !f2l_grow((void **)&lattice->key, &lattice->key_room, lattice->met.count,
                  sizeof *lattice->key))
        return f2l_fail_memory(err);
    lattice->key[lattice->met.count] = key;
    f2l_index_add(&lattice->met, key);
    return F2L_OK;
}

static uint32_t find_block_root(uint32_t *parent, uint32_t x)
{
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
}

/* A union-find with the list of merged pairs still to be closed under the letters. */
typedef struct closing {
    f2l_gset_lattice *lattice;
    const f2l_gset_action *action; /* on the blocks of the finer system */
    size_t head, tail;             /* pairs in lattice->queue */
} closing;

/* Unites two classes; returns false when the class gets more than half of the blocks: then it is
 * all of them, because classes have equal sizes. */
static bool unite_block_classes(closing *c, uint32_t x, uint32_t y)
{
    f2l_gset_lattice *l = c->lattice;
    uint32_t a = find_block_root(l->parent, x), b = find_block_root(l->parent, y);
    if (a == b) return true;
    if (l->size[a] < l->size[b]) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    l->parent[b] = a;
    l->size[a] += l->size[b];
    l->queue[2 * c->tail] = x;
    l->queue[2 * c->tail + 1] = y;
    c->tail++;
    return 2 * (size_t)l->size[a] <= c->action->points;
}

static bool close_under_some(closing *c)
{
    f2l_gset_lattice *l = c->lattice;
    size_t n = c->action->points;
    for (; c->head < c->tail; c->head++) {
        uint32_t x = l->queue[2 * c->head], y = l->queue[2 * c->head + 1];
        for (size_t k = 0; k < l->some->count; k++) {
            const uint32_t *image = c->action->image + (size_t)l->some->letter[k] * n;
            if (!unite_block_classes(c, image[x], image[y])) return false;
        }
    }
    return true;
}

/* Closes under all letters. A letter that breaks the classes joins `some`, so that later closings
 * use it at once. */
static bool close_under_all(closing *c)
{
    f2l_gset_lattice *l = c->lattice;
    size_t n = c->action->points;
    for (size_t a = 0; a < c->action->letters; a++) {
        if (l->some->has[a]) continue;
        const uint32_t *image = c->action->image + a * n;
        size_t before = c->tail;
        for (uint32_t x = 0; x < n; x++) {
            if (!unite_block_classes(c, image[x], image[find_block_root(l->parent, x)]))
                return false;
        }
        if (c->tail == before) continue;
        f2l_gset_letters_add(l->some, a);
        if (!close_under_some(c)) return false;
        a = SIZE_MAX; /* the classes changed: check every letter again */
    }
    return true;
}

/* Returns the sum of point keys in the class of block 0. */
static uint64_t class_key(const closing *c, const f2l_gset_blocks *fine)
{
    uint64_t key = 0;
    uint32_t root = find_block_root(c->lattice->parent, 0);
    for (uint32_t x = 0; x < fine->blocks; x++) {
        if (find_block_root(c->lattice->parent, x) == root) key += fine->key[x];
    }
    return key;
}

f2l_status f2l_gset_lattice_trivial(f2l_gset_blocks *out, const f2l_gset_lattice *lattice,
                                    f2l_error *err)
{
    const f2l_gset_action *base = lattice->base;
    size_t n = base->points;
    *out = (f2l_gset_blocks){.blocks = n};
    out->label = f2l_calloc(n, sizeof *out->label);
    out->key = f2l_calloc(n, sizeof *out->key);
    f2l_status status = f2l_gset_action_init(&out->action, base->letters, n, err);
    if (status == F2L_OK && (out->label == NULL || out->key == NULL)) status = f2l_fail_memory(err);
    if (status != F2L_OK) {
        f2l_gset_blocks_clear(out);
        return status;
    }
    memcpy(out->action.image, base->image, base->letters * n * sizeof *base->image);
    for (size_t p = 0; p < n; p++) {
        out->label[p] = (uint32_t)p;
        out->key[p] = point_key(p);
    }
    return F2L_OK;
}

/* Makes the classes a new system; `number` (scratch) gives every finer block its class. */
static f2l_status take_classes(f2l_gset_blocks *out, const closing *c, const f2l_gset_blocks *fine,
                               uint32_t *number, f2l_error *err)
{
    f2l_gset_lattice *l = c->lattice;
    size_t points = l->base->points, letters = l->base->letters;
    *out = (f2l_gset_blocks){0};
    for (uint32_t x = 0; x < fine->blocks; x++) number[x] = UINT32_MAX;
    for (uint32_t x = 0; x < fine->blocks; x++) { /* x is the first of its class where the root has
                                                     no number */
        uint32_t root = find_block_root(l->parent, x);
        if (number[root] == UINT32_MAX) number[root] = (uint32_t)out->blocks++;
        l->size[x] = number[root];
    }
    memcpy(number, l->size, fine->blocks * sizeof *number);
    out->label = f2l_calloc(points, sizeof *out->label);
    out->key = f2l_calloc(out->blocks, sizeof *out->key);
    f2l_status status = f2l_gset_action_init(&out->action, letters, out->blocks, err);
    if (status == F2L_OK && (out->label == NULL || out->key == NULL)) status = f2l_fail_memory(err);
    if (status != F2L_OK) {
        f2l_gset_blocks_clear(out);
        return status;
    }
    for (size_t p = 0; p < points; p++) out->label[p] = number[fine->label[p]];
    for (size_t x = 0; x < fine->blocks; x++) out->key[number[x]] += fine->key[x];
    for (size_t a = 0; a < letters; a++) {
        const uint32_t *image = fine->action.image + a * fine->blocks;
        uint32_t *coarse = out->action.image + a * out->blocks;
        for (size_t x = 0; x < fine->blocks; x++) coarse[number[x]] = number[image[x]];
    }
    return F2L_OK;
}

f2l_status f2l_gset_lattice_merge(f2l_gset_blocks *out, f2l_gset_lattice *lattice,
                                  const f2l_gset_blocks *fine, size_t j, bool skip_met,
                                  f2l_error *err)
{
    *out = (f2l_gset_blocks){0};
    closing c = {.lattice = lattice, .action = &fine->action};
    for (size_t x = 0; x < fine->blocks; x++) {
        lattice->parent[x] = (uint32_t)x;
        lattice->size[x] = 1;
    }
    bool proper = unite_block_classes(&c, 0, (uint32_t)j) && close_under_some(&c);
    if (!f2l_gset_work_spend(lattice->work, fine->blocks + c.tail * lattice->some->count))
        return lattice->work->status;
    if (!proper || (skip_met && lattice_has(lattice, class_key(&c, fine)))) return F2L_OK;
    proper = close_under_all(&c);
    if (!f2l_gset_work_spend(lattice->work, fine->blocks * lattice->base->letters))
        return lattice->work->status;
    bool added = true;
    if (!proper) return F2L_OK;
    f2l_status status =
        skip_met ? meet_lattice_key(lattice, class_key(&c, fine), &added, err) : F2L_OK;
    if (status != F2L_OK || !added) return status;
    return take_classes(out, &c, fine, lattice->queue, err);
}
