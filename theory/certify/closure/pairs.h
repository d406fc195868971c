/* The rows of a closure: a hashed set of byte strings of one width, numbered in the order of
 * adding, which is breadth-first.
 *
 * Memory. Beyond its bytes a row costs a number of children (1 byte), its share of the hash slots
 * (5 to 6 2/3 bytes: 4 bytes each, of which 60% to 80% are in use) and its share of the list of
 * chunks (at most 1/4 byte): less than 8 bytes at every moment except while the slots are rebuilt,
 * when only the new slots are held. With the state of the automaton, which closures add to a row
 * (at most 4 bytes), the cost is less than 12 bytes. To this come 64 slots and the part of the last
 * chunk that has no rows yet: 64 KiB or 64 rows. Rows lie in chunks, so growing neither copies nor
 * reserves them. */
#ifndef F2L_PAIRS_IMPL_H
#define F2L_PAIRS_IMPL_H

#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define F2L_PAIRS_LIMIT ((size_t)2500000000) /* most rows; slots are then fewer than 2^32 */
#define F2L_PAIRS_ROW_BYTES 8                /* beyond the row itself, at most */
#define F2L_PAIRS_FIXED_BYTES \
    ((size_t)(66 << 10)) /* beyond the rows; or 64 rows, if those are more */

typedef struct f2l_pairs {
    size_t width; /* bytes of a row */
    size_t count, limit;
    size_t other_bytes; /* bytes that the caller holds beside the rows; counted against the memory
                           budget */
    /* private */
    size_t per_chunk;
    unsigned char **chunk;
    size_t chunks, chunk_capacity;
    uint32_t *slot; /* hash table with open addressing: 0 = empty, else row + 1 in the low bits and
                       a part of the hash above */
    size_t slots;
    unsigned row_bits;
    uint32_t *many; /* numbers of children of 255 or more, in the order of their rows */
    size_t many_count, many_capacity;
} f2l_pairs;

/* Initialises *pairs without allocating. `limit`: most rows, F2L_PAIRS_LIMIT at most. */
void f2l_pairs_init(f2l_pairs *pairs, size_t width, size_t limit);
void f2l_pairs_clear(f2l_pairs *pairs);

/* Returns the bytes of a row, valid until f2l_pairs_clear. */
const unsigned char *f2l_pairs_get(const f2l_pairs *pairs, size_t row);

/* Returns a hash that depends only on the bytes. */
uint64_t f2l_pairs_hash(const unsigned char *row, size_t width);

/* These start to load what f2l_pairs_add_hashed will read: the slot, and later the row of that
 * slot. */
void f2l_pairs_prefetch_slot(const f2l_pairs *pairs, uint64_t hash);
void f2l_pairs_prefetch_row(const f2l_pairs *pairs, uint64_t hash);

/* Adds the row unless it is present; *index is its number either way. Returns F2L_UNKNOWN, with a
 * text that names the cause, when the limit or the memory budget of the task does not allow another
 * row; nothing has changed then. */
f2l_status f2l_pairs_add(f2l_pairs *pairs, const unsigned char *row, size_t *index,
                         const f2l_task *task, const char *phase, f2l_error *err);
/* Adds a row whose hash is known. */
f2l_status f2l_pairs_add_hashed(f2l_pairs *pairs, const unsigned char *row, uint64_t hash,
                                size_t *index, const f2l_task *task, const char *phase,
                                f2l_error *err);

/* Sets the number of rows that were added while `row` was expanded; must be called once for each
 * row, in their order. */
f2l_status f2l_pairs_set_children(f2l_pairs *pairs, size_t row, size_t children, f2l_error *err);

/* The numbers of children of rows from, from + 1 .. in order: an object that walks up, or down. */
typedef struct f2l_pairs_walk {
    size_t row, many;
} f2l_pairs_walk;
/* Returns the number of children of walk->row, and moves walk->row up by one; walk is {0} at
 * first. */
size_t f2l_pairs_walk_up(const f2l_pairs *pairs, f2l_pairs_walk *walk);
/* Moves walk->row down by one, and returns its number of children. */
size_t f2l_pairs_walk_down(const f2l_pairs *pairs, f2l_pairs_walk *walk);

/* Finds the rows from row 0 to `row`, each added while the one before it was expanded; rows below
 * `row` that have descendants up to `row` must have their children set. *path (owned by the caller:
 * f2l_free) has *length rows. */
f2l_status f2l_pairs_path(const f2l_pairs *pairs, size_t row, uint32_t **path, size_t *length,
                          f2l_error *err);

size_t f2l_pairs_bytes(const f2l_pairs *pairs);

/* Returns the number of bytes that hold every number up to `most`: 1, 2 or 4. */
size_t f2l_pairs_width_of(size_t most);
/* Reads and writes little-endian numbers of 1 to 8 bytes. The widths that closures use are written
 * out, so that each is one store. */
static inline void f2l_pairs_put(unsigned char *at, size_t width, uint64_t value)
{
    switch (width) {
    case 2:
        at[0] = (unsigned char)value;
        at[1] = (unsigned char)(value >> 8);
        return;
    case 4:
        at[0] = (unsigned char)value;
        at[1] = (unsigned char)(value >> 8);
        at[2] = (unsigned char)(value >> 16);
        at[3] = (unsigned char)(value >> 24);
        return;
    default:
        for (size_t i = 0; i < width; i++) at[i] = (unsigned char)(value >> (8 * i));
    }
}

static inline uint64_t f2l_pairs_take(const unsigned char *at, size_t width)
{
    switch (width) {
    case 1:
        return at[0];
    case 2:
        return (uint64_t)at[0] | (uint64_t)at[1] << 8;
    case 4:
        return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
               (uint64_t)at[3] << 24;
    default: {
        uint64_t value = 0;
        for (size_t i = 0; i < width; i++) value |= (uint64_t)at[i] << (8 * i);
        return value;
    }
    }
}

#endif
