#include "numeric/base/index.h"
#include "numeric/base/mem.h"

#define MOST_ROWS (UINT32_MAX - 1)
#define FIRST_ROWS 32

void f2l_index_clear(f2l_index *index)
{
    f2l_free(index->slot);
    *index = (f2l_index){0};
}

/* Returns the least b >= 1 with 2^b >= 2 rows. */
static uint32_t bits_for(size_t rows)
{
    uint32_t bits = 1;
    while (bits < 64 && (uint64_t)1 << (bits - 1) < rows) bits++;
    return bits;
}

static size_t index_slots(const f2l_index *index)
{
    return index->bits == 0 ? 0 : (size_t)1 << index->bits;
}

size_t f2l_index_slots(size_t rows)
{
    const uint32_t bits = bits_for(rows);
    return bits < 64 ? (size_t)1 << bits : 0;
}

void f2l_index_empty(f2l_index *index, size_t rows)
{
    const uint32_t bits = bits_for(rows);
    if (bits < index->bits) index->bits = bits;
    if (index->bits > 0) memset(index->slot, 0, f2l_index_bytes(index));
    index->count = 0;
}

size_t f2l_index_bytes(const f2l_index *index)
{
    return index_slots(index) * sizeof *index->slot;
}

bool f2l_index_reserve(f2l_index *index, size_t rows, f2l_index_hash *hash, const void *rows_at)
{
    if (rows > MOST_ROWS) return false;
    f2l_index wider = {.bits = bits_for(rows)};
    if (wider.bits <= index->bits) return true;
    wider.slot = f2l_calloc(index_slots(&wider), sizeof *wider.slot);
    if (!wider.slot) return false;
    while (wider.count < index->count) f2l_index_add(&wider, hash(rows_at, wider.count));
    f2l_free(index->slot);
    *index = wider;
    return true;
}

bool f2l_index_widen(f2l_index *index, f2l_index_hash *hash, const void *rows_at)
{
    const size_t rows = index->count < FIRST_ROWS ? FIRST_ROWS : (size_t)index->count + 1;
    return f2l_index_reserve(index, rows, hash, rows_at);
}
