#include "automata/cascade/subsets.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_subsets_init(f2l_subsets *s, size_t states)
{
    memset(s, 0, sizeof *s);
    s->states = states;
    s->words = (states + 63) / 64;
}

void f2l_subsets_clear(f2l_subsets *s)
{
    f2l_free(s->bits);
    f2l_free(s->size);
    f2l_index_clear(&s->index);
    memset(s, 0, sizeof *s);
}

size_t f2l_subsets_bytes(const f2l_subsets *s)
{
    return s->capacity * (s->words * sizeof *s->bits + sizeof *s->size) +
           f2l_index_bytes(&s->index);
}

static uint64_t hash_set(const f2l_subsets *s, const uint64_t *set)
{
    return f2l_hash_bytes(F2L_HASH, set, s->words * sizeof *set);
}

static uint64_t hash_of_set(const void *sets, size_t id)
{
    return hash_set(sets, f2l_subsets_get(sets, (uint32_t)id));
}

static bool is_set(const void *sets, size_t id, const void *set)
{
    const f2l_subsets *s = sets;
    return f2l_set_equal(f2l_subsets_get(s, (uint32_t)id), set, s->words);
}

static bool reserve_set(f2l_subsets *s)
{
    if (s->count < s->capacity) return true;
    size_t capacity = s->capacity ? 2 * s->capacity : 32, numbers;
    if (!f2l_mul_size(&numbers, capacity, s->words)) return false;
    uint64_t *bits = f2l_realloc(s->bits, numbers, sizeof *bits);
    if (!bits) return false;
    s->bits = bits;
    uint32_t *size = f2l_realloc(s->size, capacity, sizeof *size);
    if (!size) return false;
    s->size = size;
    s->capacity = capacity;
    return true;
}

uint32_t f2l_subsets_find(const f2l_subsets *s, const uint64_t *set)
{
    return (uint32_t)f2l_index_find(&s->index, hash_set(s, set), is_set, s, set);
}

f2l_status f2l_subsets_add(f2l_subsets *s, const uint64_t *set, uint32_t *id, f2l_error *err)
{
    const uint64_t key = hash_set(s, set);
    const size_t known = f2l_index_find(&s->index, key, is_set, s, set);
    if (known != F2L_NO_INDEX) {
        *id = (uint32_t)known;
        return F2L_OK;
    }
    if (s->count >= F2L_NO_SET - 1) return f2l_fail(err, F2L_UNKNOWN, "more than 2^32 subsets");
    if (!reserve_set(s) || !f2l_index_grow(&s->index, hash_of_set, s)) return f2l_fail_memory(err);
    uint32_t members = 0;
    for (size_t w = 0; w < s->words; w++) members += (uint32_t)__builtin_popcountll(set[w]);
    memcpy(s->bits + s->count * s->words, set, s->words * sizeof *set);
    s->size[s->count] = members;
    *id = (uint32_t)f2l_index_add(&s->index, key);
    s->count = s->index.count;
    return F2L_OK;
}
