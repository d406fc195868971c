/* A hashed set of rows of 32-bit words (subsets of states, group elements), numbered in the order
 * of adding. Rows may differ in length. */
#ifndef F2L_ROWSET_IMPL_H
#define F2L_ROWSET_IMPL_H

#include "numeric/base/index.h"
#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct f2l_row_entry {
    size_t end; /* number of words of all rows up to and including this row */
    uint64_t hash;
} f2l_row_entry;

typedef struct f2l_rowset {
    size_t count;
    /* private */
    f2l_row_entry *entry;
    size_t entry_capacity;
    uint32_t *word;
    size_t word_capacity;
    f2l_index index;
} f2l_rowset;

void f2l_rowset_init(f2l_rowset *rows);
void f2l_rowset_clear(f2l_rowset *rows);

/* Adds the row (which must not point into the set) unless present; sets *index to the number of the
 * row. */
f2l_status f2l_rowset_add(f2l_rowset *rows, const uint32_t *row, size_t size, size_t *index,
                          f2l_error *err);

/* Returns the row, borrowed and valid until the next add; `size`, which may be NULL, receives its
 * length in words. */
const uint32_t *f2l_rowset_get(const f2l_rowset *rows, size_t index, size_t *size);

/* Returns the number of bytes held, for memory budgets. */
size_t f2l_rowset_bytes(const f2l_rowset *rows);

#endif
