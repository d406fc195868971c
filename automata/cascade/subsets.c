#include "automata/cascade/subsets.h"
#include "numeric/base/mem.h"
#include <string.h>

f2l_status f2l_subsets_init(f2l_subsets *s, size_t states, f2l_error *err)
{
    memset(s, 0, sizeof *s);
    s->states = states;
    s->words = (states + 63) / 64;
    s->slots = 64;
    s->slot = f2l_calloc(s->slots, sizeof *s->slot);
    return s->slot ? F2L_OK : f2l_fail_memory(err);
}

void f2l_subsets_clear(f2l_subsets *s)
{
    f2l_free(s->bits);
    f2l_free(s->size);
    f2l_free(s->slot);
    memset(s, 0, sizeof *s);
}

size_t f2l_subsets_bytes(const f2l_subsets *s)
{
    return s->capacity * (s->words * sizeof *s->bits + sizeof *s->size) +
           s->slots * sizeof *s->slot;
}

static size_t hash(const uint64_t *set, size_t words)
{
    uint64_t h = 0;
    for (size_t w = 0; w < words; w++) {
        h ^= set[w];
        h ^= h >> 33;
        h *= UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 33;
    }
    return (size_t)h;
}

/* The slot that holds the set, or the free one where it belongs. */
static size_t probe(const f2l_subsets *s, const uint64_t *set)
{
    size_t at = hash(set, s->words) & (s->slots - 1);
    while (s->slot[at] && !f2l_set_equal(f2l_subsets_get(s, s->slot[at] - 1), set, s->words))
        at = (at + 1) & (s->slots - 1);
    return at;
}

static bool rehash(f2l_subsets *s)
{
    uint32_t *slot = f2l_calloc(s->slots * 2, sizeof *slot);
    if (!slot) return false;
    f2l_free(s->slot);
    s->slot = slot;
    s->slots *= 2;
    for (size_t i = 0; i < s->count; i++)
        s->slot[probe(s, f2l_subsets_get(s, (uint32_t)i))] = (uint32_t)i + 1;
    return true;
}

static bool reserve(f2l_subsets *s)
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
    return s->slot[probe(s, set)] - 1; /* an empty slot wraps to F2L_NO_SET */
}

f2l_status f2l_subsets_add(f2l_subsets *s, const uint64_t *set, uint32_t *id, f2l_error *err)
{
    size_t at = probe(s, set);
    if (s->slot[at]) {
        *id = s->slot[at] - 1;
        return F2L_OK;
    }
    if (s->count >= F2L_NO_SET - 1) return f2l_fail(err, F2L_UNKNOWN, "more than 2^32 subsets");
    if (!reserve(s)) return f2l_fail_memory(err);
    if (4 * (s->count + 1) > 3 * s->slots) {
        if (!rehash(s)) return f2l_fail_memory(err);
        at = probe(s, set);
    }
    uint32_t members = 0;
    for (size_t w = 0; w < s->words; w++) members += (uint32_t)__builtin_popcountll(set[w]);
    memcpy(s->bits + s->count * s->words, set, s->words * sizeof *set);
    s->size[s->count] = members;
    *id = (uint32_t)s->count++;
    s->slot[at] = *id + 1;
    return F2L_OK;
}
