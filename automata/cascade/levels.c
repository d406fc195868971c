/* Levels of a cascade: longest path over the classes, or set size. */
#include "automata/cascade/impl.h"
#include <stdlib.h>
#include <string.h>

typedef struct arcs {
    uint64_t *arc; /* from << 32 | to, sorted and unique after arcs_finish */
    size_t count, capacity;
    f2l_meter meter;
} arcs;

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

#define RUN ((size_t)1 << 16) /* arcs that are sorted between two polls */

/* Merges the runs of `from` two at a time, one pair after the other, into `to`. */
static void merge_runs(uint64_t *to, const uint64_t *from, size_t count, size_t run)
{
    for (size_t start = 0; start < count; start += 2 * run) {
        const size_t middle = count - start < run ? count : start + run;
        const size_t end = count - start < 2 * run ? count : start + 2 * run;
        size_t i = start, j = middle;
        for (size_t k = start; k < end; k++)
            to[k] = j == end || (i < middle && from[i] <= from[j]) ? from[i++] : from[j++];
    }
}

static f2l_status arcs_sort(arcs *a, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < a->count; i += RUN) {
        const size_t count = a->count - i < RUN ? a->count - i : RUN;
        status = f2l_meter_spend(&a->meter, 6 * count, (double)i, (double)a->count, err);
        qsort(a->arc + i, count, sizeof *a->arc, by_value);
    }
    if (status != F2L_OK || a->count <= RUN) return status;
    uint64_t *other = f2l_calloc(a->capacity, sizeof *other);
    if (!other) return f2l_fail_memory(err);
    for (size_t run = RUN; status == F2L_OK && run < a->count; run *= 2) {
        uint64_t *const from = a->arc;
        status = f2l_meter_spend(&a->meter, a->count, (double)run, (double)a->count, err);
        merge_runs(other, from, a->count, run);
        a->arc = other;
        other = from;
    }
    f2l_free(other);
    return status;
}

static f2l_status arcs_finish(arcs *a, f2l_error *err)
{
    f2l_status status = arcs_sort(a, err);
    if (status != F2L_OK) return status;
    size_t kept = 0;
    for (size_t i = 0; i < a->count; i++)
        if (!kept || a->arc[i] != a->arc[kept - 1]) a->arc[kept++] = a->arc[i];
    a->count = kept;
    return F2L_OK;
}

/* Adds an arc. Most arcs repeat others, which are sorted out before the array grows. */
static f2l_status arcs_push(arcs *a, uint32_t from, uint32_t to, f2l_error *err)
{
    if (a->count == a->capacity) {
        f2l_status status = arcs_finish(a, err);
        const size_t full = a->count > a->capacity / 2 ? a->capacity : a->count;
        if (status == F2L_OK && full == a->capacity)
            status = f2l_meter_spend(&a->meter, 2 * full * sizeof *a->arc, (double)full, 0, err);
        if (status != F2L_OK) return status;
        if (!f2l_grow((void **)&a->arc, &a->capacity, full, sizeof *a->arc))
            return f2l_fail_memory(err);
    }
    a->arc[a->count++] = (uint64_t)from << 32 | to;
    return F2L_OK;
}

/* Adds the arcs between classes of sets with more than one member: covers, and images that leave
 * the class. */
static f2l_status class_arcs(const f2l_cascade *c, arcs *a, f2l_error *err)
{
    size_t letters = c->fsa->letters.count;
    f2l_status status = F2L_OK;
    if (!f2l_grow((void **)&a->arc, &a->capacity, 0, sizeof *a->arc)) return f2l_fail_memory(err);
    for (size_t x = 0; status == F2L_OK && x < c->sets.count; x++) {
        if (c->class_of[x] == F2L_NO_SET || c->sets.size[x] < 2) continue;
        status = f2l_meter_spend(&a->meter, 1 + c->cover_count[x] + letters, (double)x,
                                 (double)c->sets.count, err);
        for (size_t i = 0; status == F2L_OK && i < c->cover_count[x]; i++) {
            uint32_t t = c->cover[c->cover_at[x] + i];
            if (c->sets.size[t] > 1) status = arcs_push(a, c->class_of[x], c->class_of[t], err);
        }
        for (size_t l = 0; status == F2L_OK && l < letters; l++) {
            uint32_t y = c->image[x * letters + l];
            if (y == F2L_NO_SET || c->class_of[y] == F2L_NO_SET || c->sets.size[y] < 2) continue;
            if (c->class_of[y] != c->class_of[x])
                status = arcs_push(a, c->class_of[x], c->class_of[y], err);
        }
    }
    return status == F2L_OK ? arcs_finish(a, err) : status;
}

/* Sets depth[] to the longest path to every class from above, by repeatedly removing classes
 * without incoming arcs. */
static bool find_longest_paths(const arcs *a, size_t classes, uint32_t *depth, bool *acyclic)
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

/* Renumbers the levels that occur to 1..levels, singletons to levels + 1. `raw` is the level of
 * every set, 0 outside. */
static f2l_status renumber_levels(f2l_cascade *c, const uint32_t *raw, size_t highest,
                                  f2l_error *err)
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

#define CLASS_BYTES 20 /* of find_longest_paths() and the depth */

f2l_status f2l_cascade_levels_longest(f2l_cascade *c, bool *acyclic, const f2l_task *task,
                                      f2l_error *err)
{
    arcs a = {.meter = {.task = task, .phase = "levels of a cascade"}};
    f2l_status status = f2l_meter_spend(
        &a.meter, c->classes * CLASS_BYTES + c->sets.count * sizeof(uint32_t), 0, 0, err);
    if (status != F2L_OK) return status;
    uint32_t *depth = f2l_calloc(c->classes + 1, sizeof *depth);
    uint32_t *raw = f2l_calloc(c->sets.count + 1, sizeof *raw);
    status = depth && raw ? class_arcs(c, &a, err) : f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_meter_spend(&a.meter, 2 * a.count, 0, 0, err);
    if (status == F2L_OK && !find_longest_paths(&a, c->classes, depth, acyclic))
        status = f2l_fail_memory(err);
    if (status == F2L_OK && *acyclic) {
        for (size_t x = 0; x < c->sets.count; x++)
            if (c->class_of[x] != F2L_NO_SET && c->sets.size[x] > 1) raw[x] = depth[c->class_of[x]];
        status = renumber_levels(c, raw, c->classes + 1, err);
    }
    f2l_free(a.arc);
    f2l_free(depth);
    f2l_free(raw);
    return status;
}

f2l_status f2l_cascade_levels_rank(f2l_cascade *c, const f2l_task *task, f2l_error *err)
{
    f2l_status status =
        f2l_task_spend(task, "levels of a cascade", c->sets.count * sizeof(uint32_t), err);
    if (status != F2L_OK) return status;
    uint32_t *raw = f2l_calloc(c->sets.count + 1, sizeof *raw);
    if (!raw) return f2l_fail_memory(err);
    for (size_t x = 0; x < c->sets.count; x++)
        if (c->class_of[x] != F2L_NO_SET && c->sets.size[x] > 1)
            raw[x] = (uint32_t)(c->sets.states - c->sets.size[x] + 1);
    status = renumber_levels(c, raw, c->sets.states, err);
    f2l_free(raw);
    c->by_rank = true;
    return status;
}
