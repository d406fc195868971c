/* A family of subsets of {0, .., n-1}: each stored once as a bit set (one word up to 64 states,
 * several beyond), found by hash, numbered in order of insertion. */
#ifndef F2L_SUBSETS_H
#define F2L_SUBSETS_H

#include "numeric/base/index.h"
#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define F2L_NO_SET UINT32_MAX

typedef struct f2l_subsets {
    size_t states, words; /* words = ceil(states / 64) */
    size_t count, capacity;
    uint64_t *bits; /* [count][words] */
    uint32_t *size; /* [count] number of members */
    /* private */
    f2l_index index;
} f2l_subsets;

void f2l_subsets_init(f2l_subsets *s, size_t states);
void f2l_subsets_clear(f2l_subsets *s);

/* Sets *id to the id of the set, which is added when it is new. `set` must not point into s->bits.
 */
f2l_status f2l_subsets_add(f2l_subsets *s, const uint64_t *set, uint32_t *id, f2l_error *err);
/* Returns the id of the set, or F2L_NO_SET. */
uint32_t f2l_subsets_find(const f2l_subsets *s, const uint64_t *set);
/* Returns the number of bytes held, for memory budgets. */
size_t f2l_subsets_bytes(const f2l_subsets *s);
/* Returns the words of set `id`, borrowed and valid until the next add. */
static inline const uint64_t *f2l_subsets_get(const f2l_subsets *s, uint32_t id)
{
    return s->bits + (size_t)id * s->words;
}

/* Word-wise helpers on sets of `words` words. */
static inline bool f2l_set_inside(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (a[w] & ~b[w]) return false;
    return true;
}
static inline bool f2l_set_equal(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (a[w] != b[w]) return false;
    return true;
}
static inline void f2l_set_put(uint64_t *a, size_t q)
{
    a[q / 64] |= UINT64_C(1) << (q % 64);
}
static inline bool f2l_set_has(const uint64_t *a, size_t q)
{
    return a[q / 64] >> (q % 64) & 1;
}

/* A loop over the members q of the set, in increasing order. */
#define F2L_SET_EACH(q, set, words) \
    for (size_t w_##q = 0; w_##q < (words); w_##q++) \
        for (uint64_t b_##q = (set)[w_##q]; b_##q; b_##q &= b_##q - 1) \
            for (size_t q = w_##q * 64 + (size_t)__builtin_ctzll(b_##q), once_##q = 1; once_##q; \
                 once_##q = 0)

#endif
