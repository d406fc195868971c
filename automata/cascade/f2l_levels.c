/* Levels of a cascade: longest path over the classes, or set size. */
#include "f2l_cascade_impl.h"
#include <stdlib.h>
#include <string.h>

typedef struct arcs {
    uint64_t *arc; /* from << 32 | to, sorted and unique after arcs_finish */
    size_t count, capacity;
} arcs;

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void arcs_finish(arcs *a)
{
    if (a->count) qsort(a->arc, a->count, sizeof *a->arc, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < a->count; i++)
        if (!kept || a->arc[i] != a->arc[kept - 1]) a->arc[kept++] = a->arc[i];
    a->count = kept;
}

/* Most arcs repeat others: they are sorted out before the array grows. */
static bool arcs_push(arcs *a, uint32_t from, uint32_t to)
{
    if (a->count == a->capacity) {
        arcs_finish(a);
        const size_t full = a->count > a->capacity / 2 ? a->capacity : a->count;
        if (!f2l_grow((void **)&a->arc, &a->capacity, full, sizeof *a->arc)) return false;
    }
    a->arc[a->count++] = (uint64_t)from << 32 | to;
    return true;
}

/* Arcs between classes of sets with more than one member: covers, and images that leave the class. */
static bool class_arcs(const f2l_cascade *c, arcs *a)
{
    size_t letters = c->fsa->letters.count;
    if (!f2l_grow((void **)&a->arc, &a->capacity, 0, sizeof *a->arc)) return false;
    for (size_t x = 0; x < c->sets.count; x++) {
        if (c->class_of[x] == F2L_NO_SET || c->sets.size[x] < 2) continue;
        for (size_t i = 0; i < c->cover_count[x]; i++) {
            uint32_t t = c->cover[c->cover_at[x] + i];
            if (c->sets.size[t] > 1 && !arcs_push(a, c->class_of[x], c->class_of[t])) return false;
        }
        for (size_t l = 0; l < letters; l++) {
            uint32_t y = c->image[x * letters + l];
            if (y == F2L_NO_SET || c->class_of[y] == F2L_NO_SET || c->sets.size[y] < 2) continue;
            if (c->class_of[y] != c->class_of[x] && !arcs_push(a, c->class_of[x], c->class_of[y]))
                return false;
        }
    }
    arcs_finish(a);
    return true;
}

/* Longest path to every class from above, by repeatedly removing classes without incoming arcs. */
static bool longest(const arcs *a, size_t classes, uint32_t *depth, bool *acyclic)
{
    size_t *first = f2l_calloc(classes + 2, sizeof *first);
    uint32_t *incoming = f2l_calloc(classes + 1, sizeof *incoming);
    uint32_t *queue = f2l_calloc(classes + 1, sizeof *queue);
    bool ok = first && incoming && queue;
    if (ok) {
        size_t head = 0, tail = 0;
        for (size_t i = 0; i < a->count; i++) {
            first[(a->arc[i] >> 32) + 1]++;
            incoming[a->arc[i] & UINT32_MAX]++;
        }
        for (size_t k = 0; k < classes; k++) first[k + 1] += first[k];
        for (uint32_t k = 0; k < classes; k++) {
            depth[k] = 1;
            if (!incoming[k]) queue[tail++] = k;
        }
        while (head < tail) {
            uint32_t k = queue[head++];
            for (size_t i = first[k]; i < first[k + 1]; i++) {
                uint32_t to = (uint32_t)(a->arc[i] & UINT32_MAX);
                if (depth[to] < depth[k] + 1) depth[to] = depth[k] + 1;
                if (!--incoming[to]) queue[tail++] = to;
            }
        }
        *acyclic = tail == classes;
    }
    f2l_free(first);
    f2l_free(incoming);
    f2l_free(queue);
    return ok;
}

/* Renumbers the levels that occur to 1..levels, singletons to levels + 1. `raw` is the level of every set, 0
 * outside. */
static f2l_status renumber(f2l_cascade *c, const uint32_t *raw, size_t highest, f2l_error *err)
{
    uint32_t *number = f2l_calloc(highest + 2, sizeof *number);
    if (!number) return f2l_fail_memory(err);
    for (size_t x = 0; x < c->sets.count; x++)
        if (raw[x]) number[raw[x]] = 1;
    c->levels = 0;
    for (size_t l = 1; l <= highest; l++)
        if (number[l]) number[l] = (uint32_t)++c->levels;
    for (size_t x = 0; x < c->sets.count; x++)
        c->lambda[x] = raw[x] ? number[raw[x]] : c->sets.size[x] == 1 ? (uint32_t)c->levels + 1 : 0;
    f2l_free(number);
    return F2L_OK;
}

f2l_status f2l_cascade_levels_longest(f2l_cascade *c, bool *acyclic, f2l_error *err)
{
    arcs a = {0};
    uint32_t *depth = f2l_calloc(c->classes + 1, sizeof *depth);
    uint32_t *raw = f2l_calloc(c->sets.count + 1, sizeof *raw);
    bool ok = depth && raw && class_arcs(c, &a) && longest(&a, c->classes, depth, acyclic);
    f2l_status status = ok ? F2L_OK : f2l_fail_memory(err);
    if (ok && *acyclic) {
        for (size_t x = 0; x < c->sets.count; x++)
            if (c->class_of[x] != F2L_NO_SET && c->sets.size[x] > 1) raw[x] = depth[c->class_of[x]];
        status = renumber(c, raw, c->classes + 1, err);
    }
    f2l_free(a.arc);
    f2l_free(depth);
    f2l_free(raw);
    return status;
}

f2l_status f2l_cascade_levels_rank(f2l_cascade *c, f2l_error *err)
{
    uint32_t *raw = f2l_calloc(c->sets.count + 1, sizeof *raw);
    if (!raw) return f2l_fail_memory(err);
    for (size_t x = 0; x < c->sets.count; x++)
        if (c->class_of[x] != F2L_NO_SET && c->sets.size[x] > 1)
            raw[x] = (uint32_t)(c->sets.states - c->sets.size[x] + 1);
    f2l_status status = renumber(c, raw, c->sets.states, err);
    f2l_free(raw);
    c->by_rank = true;
    return status;
}
