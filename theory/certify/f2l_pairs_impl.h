/* The rows of a closure: a hashed set of byte strings of one width, numbered in the order of adding, which is
 * breadth-first. Beyond its bytes a row costs a number of children (1, 2 or 4 bytes, by the alphabet) and its
 * share of the hash slots (5.3 to 8 bytes); rows lie in chunks, so that growing neither copies nor reserves
 * them. */
#ifndef F2L_PAIRS_IMPL_H
#define F2L_PAIRS_IMPL_H

#include "f2l_status.h"
#include "f2l_task.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct f2l_pairs {
    size_t width; /* bytes of a row */
    size_t count, limit;
    size_t other_bytes; /* what the caller holds beside the rows: counted against the memory budget */
    /* private */
    size_t child_width, per_chunk;
    unsigned char **chunk;
    size_t chunks, chunk_capacity;
    uint32_t *slot; /* open addressing: row + 1, 0 = empty */
    size_t slots;
} f2l_pairs;

/* No allocation. `limit`: most rows; a row has at most `children` children. */
void f2l_pairs_init(f2l_pairs *pairs, size_t width, size_t children, size_t limit);
void f2l_pairs_clear(f2l_pairs *pairs);

/* Valid until f2l_pairs_clear. */
const unsigned char *f2l_pairs_get(const f2l_pairs *pairs, size_t row);

/* Adds the row unless present; *index is its number either way. F2L_UNKNOWN, with a text that says which,
 * when the limit or the memory budget of the task does not allow another row. */
f2l_status f2l_pairs_add(f2l_pairs *pairs, const unsigned char *row, size_t *index, const f2l_task *task,
                         const char *phase, f2l_error *err);

/* How many rows were added while `row` was expanded. Rows are expanded in their order. */
void f2l_pairs_set_children(f2l_pairs *pairs, size_t row, size_t children);

/* The rows from row 0 to `row`, each added while the one before it was expanded; rows below `row` must have
 * their children set. *path (f2l_free) has *length rows. */
f2l_status f2l_pairs_path(const f2l_pairs *pairs, size_t row, uint32_t **path, size_t *length,
                          f2l_error *err);

size_t f2l_pairs_bytes(const f2l_pairs *pairs);

/* Bytes that hold every number up to `most`: 1, 2 or 4. */
size_t f2l_pairs_width_of(size_t most);
/* Little-endian numbers of 1 to 8 bytes. */
void f2l_pairs_put(unsigned char *at, size_t width, uint64_t value);
uint64_t f2l_pairs_take(const unsigned char *at, size_t width);

#endif
