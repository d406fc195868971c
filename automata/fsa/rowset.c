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
    f2l_free(rows->slot);
    f2l_rowset_init(rows);
}

size_t f2l_rowset_bytes(const f2l_rowset *rows)
{
    return rows->entry_capacity * sizeof *rows->entry + rows->word_capacity * sizeof *rows->word +
           rows->slots * sizeof *rows->slot;
}

const uint32_t *f2l_rowset_get(const f2l_rowset *rows, size_t index, size_t *size)
{
    const size_t begin = index > 0 ? rows->entry[index - 1].end : 0;
    if (size) *size = rows->entry[index].end - begin;
    return rows->word + begin;
}

static uint32_t hash_row(const uint32_t *row, size_t size)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15) ^ size;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ row[i]) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

/* Keeps the table at most half full. */
static bool grow_slots(f2l_rowset *rows)
{
    if (rows->count < rows->slots / 2) return true;
    const size_t slots = rows->slots ? rows->slots * 2 : 64;
    uint32_t *slot = f2l_calloc(slots, sizeof *slot);
    if (!slot) return false;
    for (size_t i = 0; i < rows->count; i++) {
        size_t at = rows->entry[i].hash & (slots - 1);
        while (slot[at]) at = (at + 1) & (slots - 1);
        slot[at] = (uint32_t)(i + 1);
    }
    f2l_free(rows->slot);
    rows->slot = slot;
    rows->slots = slots;
    return true;
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
    if (rows->count >= UINT32_MAX - 1 || !grow_slots(rows)) return f2l_fail_memory(err);
    const uint32_t hash = hash_row(row, size);
    size_t at = hash & (rows->slots - 1);
    for (; rows->slot[at]; at = (at + 1) & (rows->slots - 1)) {
        const size_t i = rows->slot[at] - 1;
        if (rows->entry[i].hash != hash) continue;
        size_t other_size;
        const uint32_t *other = f2l_rowset_get(rows, i, &other_size);
        if (other_size == size && (size == 0 || memcmp(other, row, size * sizeof *row) == 0)) {
            *index = i;
            return F2L_OK;
        }
    }
    const size_t used = rows->count > 0 ? rows->entry[rows->count - 1].end : 0;
    if (!f2l_grow((void **)&rows->entry, &rows->entry_capacity, rows->count, sizeof *rows->entry) ||
        !reserve_words(rows, used, size))
        return f2l_fail_memory(err);
    if (size > 0) memcpy(rows->word + used, row, size * sizeof *row);
    rows->entry[rows->count] = (f2l_row_entry){used + size, hash};
    *index = rows->count++;
    rows->slot[at] = (uint32_t)(*index + 1);
    return F2L_OK;
}
