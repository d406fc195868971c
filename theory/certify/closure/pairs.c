/* The parent of a row is not stored. Rows are numbered breadth-first, so the children of row 0 come
 * first, then the children of row 1, and so on: the numbers of children give all parents back in
 * one sweep, and a count takes fewer bytes than a parent and a letter. A count of 255 or more is in
 * a list of its own: its 4 bytes are shared by at least 255 rows. */
#include "theory/certify/closure/pairs.h"
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include <string.h>

#define CHUNK_BYTES ((size_t)64 << 10)
#define CHUNK_ROWS 64 /* at least, so that a chunk's pointer is shared */
#define FIRST_SLOTS 64
#define MANY 255

static size_t record_bytes(const f2l_pairs *pairs)
{
    return pairs->width + 1;
}

void f2l_pairs_init(f2l_pairs *pairs, size_t width, size_t limit)
{
    *pairs =
        (f2l_pairs){.width = width, .limit = limit < F2L_PAIRS_LIMIT ? limit : F2L_PAIRS_LIMIT};
    pairs->per_chunk = CHUNK_BYTES / record_bytes(pairs);
    if (pairs->per_chunk < CHUNK_ROWS) pairs->per_chunk = CHUNK_ROWS;
}

void f2l_pairs_clear(f2l_pairs *pairs)
{
    for (size_t i = 0; i < pairs->chunks; i++) f2l_free(pairs->chunk[i]);
    f2l_free(pairs->chunk);
    f2l_free(pairs->slot);
    f2l_free(pairs->many);
    *pairs = (f2l_pairs){0};
}

size_t f2l_pairs_width_of(size_t most)
{
    return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : 4;
}

static unsigned char *record_of_row(const f2l_pairs *pairs, size_t row)
{
    return pairs->chunk[row / pairs->per_chunk] + row % pairs->per_chunk * record_bytes(pairs);
}

const unsigned char *f2l_pairs_get(const f2l_pairs *pairs, size_t row)
{
    return record_of_row(pairs, row);
}

static size_t chunk_bytes(const f2l_pairs *pairs)
{
    return pairs->per_chunk * record_bytes(pairs);
}

size_t f2l_pairs_bytes(const f2l_pairs *pairs)
{
    return pairs->chunks * chunk_bytes(pairs) + pairs->chunk_capacity * sizeof *pairs->chunk +
           pairs->slots * sizeof *pairs->slot + pairs->many_capacity * sizeof *pairs->many;
}

/* Returns the hash. Every step is a bijection of h for a given word, so rows that differ in one
 * word never collide. */
uint64_t f2l_pairs_hash(const unsigned char *row, size_t width)
{
    uint64_t h = F2L_HASH, word;
    for (; width >= 8; row += 8, width -= 8) {
        memcpy(&word, row, 8);
        h = f2l_hash(h, word);
    }
    if (width > 0) h = f2l_hash(h, f2l_pairs_take(row, width));
    return f2l_hash(h, 0);
}

/* Returns the first slot to try. The number of slots is not a power of two, so the upper half of
 * the hash is scaled to it. */
static size_t first_slot(const f2l_pairs *pairs, uint64_t hash)
{
    return (size_t)((hash >> 32) * pairs->slots >> 32);
}

/* Returns the bits of a slot above the row number; they come from the lower half of the hash. */
static uint32_t tag_of(const f2l_pairs *pairs, uint64_t hash)
{
    return (uint32_t)((uint64_t)(uint32_t)hash << pairs->row_bits);
}

static size_t row_in_slot(const f2l_pairs *pairs, uint32_t slot)
{
    return (slot & (uint32_t)((UINT64_C(1) << pairs->row_bits) - 1)) - 1;
}

static bool has_tag(const f2l_pairs *pairs, uint32_t slot, uint32_t tag)
{
    return (uint64_t)(slot ^ tag) >> pairs->row_bits == 0;
}

void f2l_pairs_prefetch_slot(const f2l_pairs *pairs, uint64_t hash)
{
    if (pairs->slots > 0) __builtin_prefetch(&pairs->slot[first_slot(pairs, hash)]);
}

void f2l_pairs_prefetch_row(const f2l_pairs *pairs, uint64_t hash)
{
    if (pairs->slots == 0) return;
    const uint32_t tag = tag_of(pairs, hash);
    size_t s = first_slot(pairs, hash);
    while (pairs->slot[s] != 0 && !has_tag(pairs, pairs->slot[s], tag))
        s = s + 1 == pairs->slots ? 0 : s + 1;
    if (pairs->slot[s] != 0)
        __builtin_prefetch(record_of_row(pairs, row_in_slot(pairs, pairs->slot[s])));
}

/* Returns the slot that holds the row, or the empty slot where it belongs. */
static size_t find_slot(const f2l_pairs *pairs, const unsigned char *row, uint64_t hash)
{
    const uint32_t tag = tag_of(pairs, hash);
    size_t s = first_slot(pairs, hash);
    for (;; s = s + 1 == pairs->slots ? 0 : s + 1) {
        const uint32_t slot = pairs->slot[s];
        if (slot == 0) return s;
        if (has_tag(pairs, slot, tag) &&
            memcmp(record_of_row(pairs, row_in_slot(pairs, slot)), row, pairs->width) == 0)
            return s;
    }
}

static void fill_slot(f2l_pairs *pairs, size_t s, size_t row, uint64_t hash)
{
    pairs->slot[s] = tag_of(pairs, hash) | ((uint32_t)row + 1);
}

static f2l_status allow(const f2l_pairs *pairs, size_t more, const f2l_task *task,
                        const char *phase, f2l_error *err)
{
    return f2l_task_memory(task, phase, pairs->other_bytes + f2l_pairs_bytes(pairs) + more, err);
}

#define ROWS_PER_POLL ((size_t)1 << 18)
#define ROW_STEPS \
    16           /* steps for a new row without its bytes, in all tables that it is entered in */
#define AHEAD 16 /* number of rows whose slots are loaded while others are entered */

/* Enters all rows into new slots. */
static f2l_status enter_rows(f2l_pairs *pairs, const f2l_task *task, const char *phase,
                             f2l_error *err)
{
    uint64_t hash[AHEAD];
    for (size_t row = 0; row < pairs->count + AHEAD; row++) {
        if (row % ROWS_PER_POLL == ROWS_PER_POLL - 1) {
            f2l_status status = f2l_task_poll(task, phase, (double)pairs->count, 0, err);
            if (status != F2L_OK) return status;
        }
        if (row >= AHEAD) {
            const uint64_t h = hash[row % AHEAD];
            size_t s = first_slot(pairs, h);
            while (pairs->slot[s] != 0) s = s + 1 == pairs->slots ? 0 : s + 1;
            fill_slot(pairs, s, row - AHEAD, h);
        }
        if (row >= pairs->count) continue;
        hash[row % AHEAD] = f2l_pairs_hash(record_of_row(pairs, row), pairs->width);
        f2l_pairs_prefetch_slot(pairs, hash[row % AHEAD]);
    }
    return F2L_OK;
}

/* Enlarges the slots. The old slots are freed first: the rows alone determine the new ones. */
static f2l_status grow_slots(f2l_pairs *pairs, const f2l_task *task, const char *phase,
                             f2l_error *err)
{
    const size_t slots = pairs->slots ? pairs->slots + pairs->slots / 3 : FIRST_SLOTS;
    f2l_status status =
        allow(pairs, (slots - pairs->slots) * sizeof *pairs->slot, task, phase, err);
    if (status != F2L_OK) return status;
    f2l_free(pairs->slot);
    pairs->slots = 0;
    pairs->slot = f2l_calloc(slots, sizeof *pairs->slot);
    if (!pairs->slot) return f2l_fail_memory(err);
    pairs->slots = slots;
    while (slots >> pairs->row_bits != 0) pairs->row_bits++;
    return enter_rows(pairs, task, phase, err);
}

static f2l_status add_chunk(f2l_pairs *pairs, const f2l_task *task, const char *phase,
                            f2l_error *err)
{
    f2l_status status = allow(pairs, chunk_bytes(pairs), task, phase, err);
    if (status != F2L_OK) return status;
    if (!f2l_grow((void **)&pairs->chunk, &pairs->chunk_capacity, pairs->chunks,
                  sizeof *pairs->chunk))
        return f2l_fail_memory(err);
    unsigned char *chunk = f2l_calloc(pairs->per_chunk, record_bytes(pairs));
    if (!chunk) return f2l_fail_memory(err);
    pairs->chunk[pairs->chunks++] = chunk;
    return F2L_OK;
}

f2l_status f2l_pairs_add_hashed(f2l_pairs *pairs, const unsigned char *row, uint64_t hash,
                                size_t *index, const f2l_task *task, const char *phase,
                                f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (pairs->slots == 0) status = grow_slots(pairs, task, phase, err);
    if (status != F2L_OK) return status;
    size_t s = find_slot(pairs, row, hash);
    if (pairs->slot[s] != 0) {
        *index = row_in_slot(pairs, pairs->slot[s]);
        return F2L_OK;
    }
    if (pairs->count >= pairs->limit)
        return f2l_fail(err, F2L_UNKNOWN, "limit of %zu joint states reached", pairs->limit);
    status = f2l_task_spend(task, phase, ROW_STEPS + pairs->width, err);
    if (status != F2L_OK) return status;
    /* At most four fifths are in use, so that a search for an absent row ends soon. */
    if (pairs->count + 1 > pairs->slots / 5 * 4) {
        status = grow_slots(pairs, task, phase, err);
        if (status != F2L_OK) return status;
        s = find_slot(pairs, row, hash);
    }
    if (pairs->count == pairs->chunks * pairs->per_chunk)
        status = add_chunk(pairs, task, phase, err);
    if (status != F2L_OK) return status;
    memcpy(record_of_row(pairs, pairs->count), row, pairs->width);
    fill_slot(pairs, s, pairs->count, hash);
    *index = pairs->count++;
    return F2L_OK;
}

f2l_status f2l_pairs_add(f2l_pairs *pairs, const unsigned char *row, size_t *index,
                         const f2l_task *task, const char *phase, f2l_error *err)
{
    return f2l_pairs_add_hashed(pairs, row, f2l_pairs_hash(row, pairs->width), index, task, phase,
                                err);
}

f2l_status f2l_pairs_set_children(f2l_pairs *pairs, size_t row, size_t children, f2l_error *err)
{
    if (children >= MANY) {
        if (!f2l_grow((void **)&pairs->many, &pairs->many_capacity, pairs->many_count,
                      sizeof *pairs->many))
            return f2l_fail_memory(err);
        pairs->many[pairs->many_count++] = (uint32_t)children;
        children = MANY;
    }
    record_of_row(pairs, row)[pairs->width] = (unsigned char)children;
    return F2L_OK;
}

size_t f2l_pairs_walk_up(const f2l_pairs *pairs, f2l_pairs_walk *walk)
{
    const unsigned char children = record_of_row(pairs, walk->row++)[pairs->width];
    return children == MANY ? pairs->many[walk->many++] : children;
}

size_t f2l_pairs_walk_down(const f2l_pairs *pairs, f2l_pairs_walk *walk)
{
    const unsigned char children = record_of_row(pairs, --walk->row)[pairs->width];
    return children == MANY ? pairs->many[--walk->many] : children;
}

f2l_status f2l_pairs_path(const f2l_pairs *pairs, size_t row, uint32_t **path, size_t *length,
                          f2l_error *err)
{
    size_t capacity = 0, first = 1;
    f2l_pairs_walk walk = {0};
    *path = NULL;
    *length = 0;
    while (walk.row < row) first += f2l_pairs_walk_up(pairs, &walk);
    /* Downwards: the children of q are first .. first + children(q) - 1. */
    for (size_t q = row;; q--) {
        if (walk.row > q) first -= f2l_pairs_walk_down(pairs, &walk);
        if (*length == 0 || first <= row) {
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
