/* A hashed set of rows that the caller keeps: rows are numbered from 0 in the order of adding, and
 * the set finds the number of the row that equals a key. The caller gives the hash of a row and
 * says whether a row equals a key; both get `rows`, a pointer of the caller's. f2l_index_find is
 * compiled into its caller, with the comparison.
 *
 * Open addressing in a power of two of slots, at most half of them used. A slot has the number of a
 * row in as many low bits as there are slots, and bits of the row's hash above: nearly no row is
 * read in vain. */
#ifndef F2L_INDEX_H
#define F2L_INDEX_H

#include "numeric/base/hash.h"
#include <stdbool.h>

#define F2L_NO_INDEX SIZE_MAX

typedef struct f2l_index {
    uint32_t count; /* rows */
    /* private */
    uint32_t bits;  /* there are 2^bits slots; 0: none */
    uint32_t *slot; /* [2^bits] number + 1 and bits of the hash; 0: empty */
} f2l_index;

typedef uint64_t f2l_index_hash(const void *rows, size_t row);
typedef bool f2l_index_equal(const void *rows, size_t row, const void *key);

/* One that is zero, too; it is zero after. */
void f2l_index_clear(f2l_index *index);

/* Forgets all rows. Of its slots the set keeps in use those that `rows` rows need. */
void f2l_index_empty(f2l_index *index, size_t rows);

/* The slots of a set that is made for `rows` rows: the least power of two, 2 or more, that they
 * fill at most by half. 0: more than any memory. A slot takes sizeof(uint32_t) bytes. */
size_t f2l_index_slots(size_t rows);

/* Bytes held, for memory budgets. */
size_t f2l_index_bytes(const f2l_index *index);

/* Makes room for `rows` rows in all, at most 2^32 - 2. False, with nothing changed, when memory is
 * out. */
bool f2l_index_reserve(f2l_index *index, size_t rows, f2l_index_hash *hash, const void *rows_at);

/* The same for one row more; a set that is full is made twice as large, at least 64 slots. */
bool f2l_index_widen(f2l_index *index, f2l_index_hash *hash, const void *rows_at);
static inline bool f2l_index_grow(f2l_index *index, f2l_index_hash *hash, const void *rows_at)
{
    return index->count < ((size_t)1 << index->bits) / 2 || f2l_index_widen(index, hash, rows_at);
}

/* The number of the row that equals the key, which has this hash, or F2L_NO_INDEX. The first one,
 * when several do. */
static inline __attribute__((always_inline)) size_t
f2l_index_find(const f2l_index *index, uint64_t hash, f2l_index_equal *equal, const void *rows_at,
               const void *key)
{
    if (index->bits == 0) return F2L_NO_INDEX;
    const size_t mask = ((size_t)1 << index->bits) - 1;
    const uint32_t low = (uint32_t)mask, tag = (uint32_t)(hash >> 32) & ~low;
    for (size_t at = (size_t)hash & mask; index->slot[at] != 0; at = (at + 1) & mask) {
        const uint32_t number = (index->slot[at] & low) - 1;
        if ((index->slot[at] & ~low) == tag && equal(rows_at, number, key)) return number;
    }
    return F2L_NO_INDEX;
}

/* Adds row number index->count, which has this hash and for which there is room; returns that
 * number. */
static inline size_t f2l_index_add(f2l_index *index, uint64_t hash)
{
    const size_t mask = ((size_t)1 << index->bits) - 1;
    const uint32_t tag = (uint32_t)(hash >> 32) & ~(uint32_t)mask;
    size_t at = (size_t)hash & mask;
    while (index->slot[at] != 0) at = (at + 1) & mask;
    index->slot[at] = tag | (index->count + 1);
    return index->count++;
}

/* The number of the row that equals the key. Where there is none, the key is added as the next row,
 * for which there is room, and index->count has grown by one: the caller stores it. */
static inline __attribute__((always_inline)) size_t
f2l_index_find_or_add(f2l_index *index, uint64_t hash, f2l_index_equal *equal, const void *rows_at,
                      const void *key)
{
    const size_t found = f2l_index_find(index, hash, equal, rows_at, key);
    return found == F2L_NO_INDEX ? f2l_index_add(index, hash) : found;
}

#endif
