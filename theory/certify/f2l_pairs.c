/* The parent of a row is not stored. Rows are numbered breadth-first, so the children of row 0 come first,
 * then those of row 1, and so on: the numbers of children give all parents back in one sweep, and a count
 * takes fewer bytes than a parent and a letter. */
#include "f2l_mem.h"
#include "f2l_pairs_impl.h"
#include <string.h>

#define CHUNK_BYTES ((size_t)64 << 10)
#define FIRST_SLOTS 64

void f2l_pairs_init(f2l_pairs *pairs, size_t width, size_t children, size_t limit)
{
    *pairs = (f2l_pairs){.width = width, .child_width = f2l_pairs_width_of(children)};
    pairs->limit = limit < UINT32_MAX - 1 ? limit : UINT32_MAX - 1;
    pairs->per_chunk = CHUNK_BYTES / (width + pairs->child_width);
    if (pairs->per_chunk == 0) pairs->per_chunk = 1;
}

void f2l_pairs_clear(f2l_pairs *pairs)
{
    for (size_t i = 0; i < pairs->chunks; i++) f2l_free(pairs->chunk[i]);
    f2l_free(pairs->chunk);
    f2l_free(pairs->slot);
    *pairs = (f2l_pairs){0};
}

size_t f2l_pairs_width_of(size_t most)
{
    return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
}

void f2l_pairs_put(unsigned char *at, size_t width, uint64_t value)
{
    for (size_t i = 0; i < width; i++) at[i] = (unsigned char)(value >> (8 * i));
}

uint64_t f2l_pairs_take(const unsigned char *at, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static unsigned char *record(const f2l_pairs *pairs, size_t row)
{
    const size_t size = pairs->width + pairs->child_width;
    return pairs->chunk[row / pairs->per_chunk] + row % pairs->per_chunk * size;
}

const unsigned char *f2l_pairs_get(const f2l_pairs *pairs, size_t row)
{
    return record(pairs, row);
}

static size_t chunk_bytes(const f2l_pairs *pairs)
{
    return pairs->per_chunk * (pairs->width + pairs->child_width);
}

size_t f2l_pairs_bytes(const f2l_pairs *pairs)
{
    return pairs->chunks * chunk_bytes(pairs) + pairs->chunk_capacity * sizeof *pairs->chunk +
           pairs->slots * sizeof *pairs->slot;
}

/* Every step is a bijection of h for a given word, so rows that differ in one word never collide. */
static uint64_t hash(const unsigned char *row, size_t width)
{
    uint64_t h = UINT64_C(0x6a09e667f3bcc909);
    while (width > 0) {
        const size_t n = width < 8 ? width : 8;
        uint64_t word = 0;
        memcpy(&word, row, n);
        h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
        h ^= h >> 32;
        row += n;
        width -= n;
    }
    h *= UINT64_C(0xd6e8feb86659fd93);
    return h ^ h >> 32;
}

/* The number of slots is no power of two: the upper half of the hash is scaled to it. */
static size_t first_slot(const f2l_pairs *pairs, const unsigned char *row)
{
    return (size_t)((hash(row, pairs->width) >> 32) * pairs->slots >> 32);
}

/* The slot that holds the row, or the empty one where it belongs. */
static size_t find_slot(const f2l_pairs *pairs, const unsigned char *row)
{
    size_t s = first_slot(pairs, row);
    while (pairs->slot[s] != 0 && memcmp(record(pairs, pairs->slot[s] - 1), row, pairs->width) != 0)
        s = s + 1 == pairs->slots ? 0 : s + 1;
    return s;
}

static f2l_status allow(const f2l_pairs *pairs, size_t more, const f2l_task *task, const char *phase,
                        f2l_error *err)
{
    return f2l_task_memory(task, phase, pairs->other_bytes + f2l_pairs_bytes(pairs) + more, err);
}

/* The old slots are given back first: the rows alone determine the new ones. */
static f2l_status grow_slots(f2l_pairs *pairs, const f2l_task *task, const char *phase, f2l_error *err)
{
    const size_t slots = pairs->slots ? pairs->slots + pairs->slots / 2 : FIRST_SLOTS;
    f2l_status status = allow(pairs, (slots - pairs->slots) * sizeof *pairs->slot, task, phase, err);
    if (status != F2L_OK) return status;
    f2l_free(pairs->slot);
    pairs->slots = 0;
    pairs->slot = f2l_calloc(slots, sizeof *pairs->slot);
    if (!pairs->slot) return f2l_fail_memory(err);
    pairs->slots = slots;
    for (size_t row = 0; row < pairs->count; row++) {
        size_t s = first_slot(pairs, record(pairs, row));
        while (pairs->slot[s] != 0) s = s + 1 == slots ? 0 : s + 1;
        pairs->slot[s] = (uint32_t)row + 1;
    }
    return F2L_OK;
}

static f2l_status add_chunk(f2l_pairs *pairs, const f2l_task *task, const char *phase, f2l_error *err)
{
    f2l_status status = allow(pairs, chunk_bytes(pairs), task, phase, err);
    if (status != F2L_OK) return status;
    if (!f2l_grow((void **)&pairs->chunk, &pairs->chunk_capacity, pairs->chunks, sizeof *pairs->chunk))
        return f2l_fail_memory(err);
    unsigned char *chunk = f2l_calloc(pairs->per_chunk, pairs->width + pairs->child_width);
    if (!chunk) return f2l_fail_memory(err);
    pairs->chunk[pairs->chunks++] = chunk;
    return F2L_OK;
}

f2l_status f2l_pairs_add(f2l_pairs *pairs, const unsigned char *row, size_t *index, const f2l_task *task,
                         const char *phase, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (pairs->slots == 0) status = grow_slots(pairs, task, phase, err);
    if (status != F2L_OK) return status;
    size_t s = find_slot(pairs, row);
    if (pairs->slot[s] != 0) {
        *index = pairs->slot[s] - 1;
        return F2L_OK;
    }
    if (pairs->count >= pairs->limit)
        return f2l_fail(err, F2L_UNKNOWN, "limit of %zu joint states reached", pairs->limit);
    /* At most three quarters are in use, so that a search for an absent row ends soon. */
    if ((pairs->count + 1) / 3 >= pairs->slots / 4) {
        status = grow_slots(pairs, task, phase, err);
        if (status != F2L_OK) return status;
        s = find_slot(pairs, row);
    }
    if (pairs->count == pairs->chunks * pairs->per_chunk) status = add_chunk(pairs, task, phase, err);
    if (status != F2L_OK) return status;
    memcpy(record(pairs, pairs->count), row, pairs->width);
    *index = pairs->count++;
    pairs->slot[s] = (uint32_t)pairs->count;
    return F2L_OK;
}

void f2l_pairs_set_children(f2l_pairs *pairs, size_t row, size_t children)
{
    f2l_pairs_put(record(pairs, row) + pairs->width, pairs->child_width, children);
}

static size_t children_of(const f2l_pairs *pairs, size_t row)
{
    return (size_t)f2l_pairs_take(record(pairs, row) + pairs->width, pairs->child_width);
}

f2l_status f2l_pairs_path(const f2l_pairs *pairs, size_t row, uint32_t **path, size_t *length, f2l_error *err)
{
    size_t capacity = 0;
    *path = NULL;
    *length = 0;
    size_t first = 1;
    for (size_t q = 0; q < row; q++) first += children_of(pairs, q);
    /* Downwards: the children of q are first .. first + children(q) - 1. */
    for (size_t q = row;; q--) {
        if (q < row) first -= children_of(pairs, q);
        if (q == row || first <= row) {
            if (!f2l_grow((void **)path, &capacity, *length, sizeof **path)) {
                f2l_free(*path);
                *path = NULL;
                return f2l_fail_memory(err);
            }
            (*path)[(*length)++] = (uint32_t)q;
            row = q;
        }
        if (q == 0) break;
    }
    for (size_t i = 0, j = *length - 1; i < j; i++, j--) {
        const uint32_t swapped = (*path)[i];
        (*path)[i] = (*path)[j];
        (*path)[j] = swapped;
    }
    return F2L_OK;
}
