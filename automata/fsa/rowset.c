#include "automata/fsa/rowset.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_rowset_init(f2l_rowset *rows)
{
    *rows = (f2l_rowset){0};
}

void f2l_rowset_clear(f2l_rowset *rows)
{
    f2l_free(rows->entry);
    f2l_free(rows->word);
    f2l_index_clear(&rows->index);
    f2l_rowset_init(rows);
}

size_t f2l_rowset_bytes(const f2l_rowset *rows)
{
    return rows->entry_capacity * sizeof *rows->entry + rows->word_capacity * sizeof *rows->word +
           f2l_index_bytes(&rows->index);
}

const uint32_t *f2l_rowset_get(const f2l_rowset *rows, size_t index, size_t *size)
{
    const size_t begin = index > 0 ? rows->entry[index - 1].end : 0;
    if (size) *size = rows->entry[index].end - begin;
    return rows->word + begin;
}

typedef struct key {
    const uint32_t *row;
    size_t size;
} key;

static uint64_t hash_of_row(const void *rows, size_t row)
{
    return ((const f2l_rowset *)rows)->entry[row].hash;
}

static bool is_row_of_set(const void *rows, size_t row, const void *of)
{
    const key *k = of;
    size_t size;
    const uint32_t *other = f2l_rowset_get(rows, row, &size);
    return size == k->size && (size == 0 || memcmp(other, k->row, size * sizeof *other) == 0);
}

static bool reserve_words(f2l_rowset *rows, size_t used, size_t more)
{
    size_t needed;
    if (!f2l_add_size(&needed, used, more)) return false;
    if (needed <= rows->word_capacity) return true;
    size_t capacity;
    if (!f2l_mul_size(&capacity, rows->word_capacity, 2)) return false;
    if (capacity < needed) capacity = needed;
    uint32_t *word = f2l_realloc(rows->word, capacity, sizeof *word);
    if (!word) return false;
    rows->word = word;
    rows->word_capacity = capacity;
    return true;
}

f2l_status f2l_rowset_add(f2l_rowset *rows, const uint32_t *row, size_t size, size_t *index,
                          f2l_error *err)
{
    if (!f2l_index_grow(&rows->index, hash_of_row, rows)) return f2l_fail_memory(err);
    const key k = {row, size};
    const uint64_t hash = f2l_hash_bytes(f2l_hash(F2L_HASH, size), row, size * sizeof *row);
    *index = f2l_index_find(&rows->index, hash, is_row_of_set, rows, &k);
    if (*index != F2L_NO_INDEX) return F2L_OK;
    const size_t used = rows->count > 0 ? rows->entry[rows->count - 1].end : 0;
    if (!f2l_grow((void **)&rows->entry, &rows->entry_capacity, rows->count, sizeof *rows->entry) ||
        !reserve_words(rows, used, size))
        return f2l_fail_memory(err);
    if (size > 0) memcpy(rows->word + used, row, size * sizeof *row);
    rows->entry[rows->count] = (f2l_row_entry){used + size, hash};
    *index = f2l_index_add(&rows->index, hash);
    rows->count = rows->index.count;
    return F2L_OK;
}
