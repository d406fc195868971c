#include "theory/obstruct/classify/map_search.h"
#include "numeric/base/mem.h"
#include <string.h>

#define TRIES 256 /* maps between two polls */

static size_t width_of(const f2l_fsa *fsa)
{
    const size_t n = fsa->states.count;
    return n <= 256 ? 1 : n <= 65536 ? 2 : 4;
}

static size_t map_row_bytes(const f2l_fsa *fsa, size_t points)
{
    return (points * width_of(fsa) + 7) / 8 * 8;
}

size_t f2l_map_search_room(const f2l_fsa *fsa, size_t points, size_t bytes, const f2l_task *task)
{
    if (task && task->memory && task->memory < bytes) bytes = task->memory;
    return bytes / (map_row_bytes(fsa, points) + 24); /* row, parent, letter, and up to four slots
                                                       */
}

static uint64_t hash_map_row(const f2l_map_search *s, const unsigned char *row)
{
    return f2l_hash_bytes(F2L_HASH, row, s->bytes);
}

static uint64_t hash_of_map_row(const void *search, size_t map)
{
    const f2l_map_search *s = search;
    return hash_map_row(s, s->row + map * s->bytes);
}

static bool is_map(const void *search, size_t map, const void *row)
{
    const f2l_map_search *s = search;
    return memcmp(s->row + map * s->bytes, row, s->bytes) == 0;
}

static void pack_image(f2l_map_search *s)
{
    if (s->width == 1) {
        for (size_t i = 0; i < s->points; i++) s->fresh[i] = (uint8_t)s->image[i];
    } else if (s->width == 2) {
        uint16_t *to = (uint16_t *)s->fresh;
        for (size_t i = 0; i < s->points; i++) to[i] = (uint16_t)s->image[i];
    } else {
        memcpy(s->fresh, s->image, s->points * sizeof *s->image);
    }
}

/* Sets s->image to row `from` followed by a letter. */
static void extend_map_row(f2l_map_search *s, size_t from, size_t letter)
{
    const unsigned char *row = s->row + from * s->bytes;
    const uint32_t *column = s->column + letter * s->fsa->states.count;
    if (s->width == 1) {
        for (size_t i = 0; i < s->points; i++) s->image[i] = column[row[i]];
    } else if (s->width == 2) {
        const uint16_t *old = (const uint16_t *)row;
        for (size_t i = 0; i < s->points; i++) s->image[i] = column[old[i]];
    } else {
        const uint32_t *old = (const uint32_t *)row;
        for (size_t i = 0; i < s->points; i++) s->image[i] = column[old[i]];
    }
}

static bool injective(f2l_map_search *s)
{
    if (++s->stamp == 0) memset(s->seen, 0, s->fsa->states.count * sizeof *s->seen), s->stamp = 1;
    for (size_t i = 0; i < s->points; i++) {
        if (s->seen[s->image[i]] == s->stamp) return false;
        s->seen[s->image[i]] = s->stamp;
    }
    return true;
}

/* Adds s->image unless it is there; *added tells whether it was added, and s->full that there is no
 * room. */
static f2l_status add_packed_map(f2l_map_search *s, uint32_t parent, uint32_t letter, bool *added,
                                 f2l_error *err)
{
    *added = false;
    pack_image(s);
    const uint64_t key = hash_map_row(s, s->fresh);
    if (f2l_index_find(&s->index, key, is_map, s, s->fresh) != F2L_NO_INDEX) return F2L_OK;
    if (s->count == s->most) {
        s->full = true;
        return F2L_OK;
    }
    if (!f2l_index_grow(&s->index, hash_of_map_row, s) ||
        !f2l_grow((void **)&s->row, &s->capacity, s->count, s->bytes) ||
        !f2l_grow((void **)&s->parent, &s->parent_room, s->count, sizeof *s->parent) ||
        !f2l_grow((void **)&s->last, &s->last_room, s->count, sizeof *s->last))
        return f2l_fail_memory(err);
    memcpy(s->row + s->count * s->bytes, s->fresh, s->bytes);
    s->parent[s->count] = parent;
    s->last[s->count] = letter;
    f2l_index_add(&s->index, key);
    s->count = s->index.count;
    *added = true;
    return F2L_OK;
}

f2l_status f2l_map_search_init(f2l_map_search *s, const f2l_fsa *fsa, const uint32_t *domain,
                               size_t points, size_t most, f2l_error *err)
{
    const size_t n = fsa->states.count, k = fsa->letters.count;
    size_t cells;
    *s = (f2l_map_search){
        .fsa = fsa, .points = domain ? points : n, .most = most, .width = width_of(fsa)};
    s->bytes = map_row_bytes(fsa, s->points);
    if (s->most > UINT32_MAX / 2) s->most = UINT32_MAX / 2;
    if (!domain) s->all = f2l_calloc(n, sizeof *s->all);
    for (size_t q = 0; s->all && q < n; q++) s->all[q] = (uint32_t)q;
    s->domain = domain ? domain : s->all;
    s->column = f2l_mul_size(&cells, n, k) ? f2l_calloc(cells, sizeof *s->column) : NULL;
    s->image = f2l_calloc(s->points, sizeof *s->image);
    s->seen = f2l_calloc(n, sizeof *s->seen);
    s->fresh = f2l_calloc(s->bytes, 1);
    if (!s->domain || !s->column || !s->image || !s->seen || !s->fresh) {
        f2l_map_search_clear(s);
        return f2l_fail_memory(err);
    }
    for (size_t a = 0; a < k; a++)
        for (size_t q = 0; q < n; q++) s->column[a * n + q] = fsa->next[q * k + a];
    return F2L_OK;
}

void f2l_map_search_clear(f2l_map_search *s)
{
    f2l_free(s->all);
    f2l_free(s->column);
    f2l_free(s->image);
    f2l_free(s->seen);
    f2l_free(s->fresh);
    f2l_free(s->row);
    f2l_free(s->parent);
    f2l_free(s->last);
    f2l_index_clear(&s->index);
    *s = (f2l_map_search){0};
}

/* Follows map `at` by each letter, words of `length` letters; *stop: the search ends. */
static f2l_status follow_map(bool *stop, f2l_map_search *s, size_t at, size_t length,
                             const f2l_map_test *test, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t a = 0; status == F2L_OK && a < s->fsa->letters.count; a++) {
        bool added;
        *stop = s->full || test->enough(test->user, length);
        if (*stop) return F2L_OK;
        if (s->tried++ % TRIES == 0) {
            /* Effort that is used up is a limit like the limit on the maps. */
            s->full = f2l_task_spend(task, "maps", TRIES * (16 + s->points / 4 + s->bytes), NULL) !=
                      F2L_OK;
            *stop = s->full;
            status = f2l_task_poll(task, "maps", (double)s->count, (double)s->most, err);
            if (*stop) return status;
        }
        if (status != F2L_OK) return status;
        extend_map_row(s, at, a);
        if (!s->all && !injective(s)) continue;
        status = add_packed_map(s, (uint32_t)at, (uint32_t)a, &added, err);
        if (status == F2L_OK && added) status = test->met(test->user, s, err);
    }
    return status;
}

f2l_status f2l_map_search_run(f2l_map_search *s, const f2l_map_test *test, const f2l_task *task,
                              f2l_error *err)
{
    bool added, stop = false;
    memcpy(s->image, s->domain, s->points * sizeof *s->image);
    f2l_status status = add_packed_map(s, 0, 0, &added, err);
    size_t at = 0, length = 1, end = 1; /* the words of maps before `end` have fewer letters than
                                           `length` */
    for (; status == F2L_OK && !stop && at < s->count; at++) {
        if (at == end) length++, end = s->count;
        status = follow_map(&stop, s, at, length, test, task, err);
    }
    s->closed = status == F2L_OK && !stop && !s->full;
    return status;
}

size_t f2l_map_search_length(const f2l_map_search *s, size_t index)
{
    size_t length = 0;
    for (size_t i = index; i; i = s->parent[i]) length++;
    return length;
}
