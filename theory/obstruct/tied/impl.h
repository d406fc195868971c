/* Private to theory/obstruct/tied. */
#ifndef F2L_THEORY_OBSTRUCT_TIED_IMPL_H
#define F2L_THEORY_OBSTRUCT_TIED_IMPL_H

#include "automata/fsa/rowset.h"
#include "theory/obstruct/tied/tied.h"

/* A finite semigroup of maps of n states, all of them listed. */
typedef struct f2l_maps {
    size_t n, count;
    f2l_rowset row;    /* the images of the n states, for every element */
    uint16_t *product; /* [count][count] first x, then y */
    size_t words;      /* 64-bit words of a set of elements */
} f2l_maps;

#define F2L_MOST_MAPS ((size_t)UINT16_MAX)

void f2l_maps_clear(f2l_maps *maps);

/* Lists the elements that the rows of `letter` generate, at most `most`; parent[i], letter_of[i]
 * tell how element i was found (parent F2L_NO_PARENT: it is a letter). Returns F2L_UNKNOWN when
 * there are more. */
#define F2L_NO_PARENT UINT32_MAX
f2l_status f2l_maps_generate(f2l_maps *out, uint32_t **parent, uint32_t **letter_of,
                             const f2l_fsa *fsa, size_t most, const f2l_task *task, f2l_error *err);

/* Makes the semigroup whose elements are all in out->row, with its products. */
f2l_status f2l_maps_multiply(f2l_maps *out, const f2l_task *task, f2l_error *err);

/* --- sets of elements, as bits --- */

typedef uint64_t *f2l_bits; /* [maps.words] */

static inline bool f2l_bits_have(const uint64_t *set, size_t element)
{
    return set[element / 64] >> element % 64 & 1U;
}

static inline void f2l_bits_add(uint64_t *set, size_t element)
{
    set[element / 64] |= UINT64_C(1) << element % 64;
}

size_t f2l_bits_count(const uint64_t *set, size_t words);

/* Sets out to all products of an element of a and one of b; it is neither of them. */
void f2l_bits_multiply(uint64_t *out, const f2l_maps *maps, const uint64_t *a, const uint64_t *b);

/* Sets out to the idempotent power of `set`; scratch has 3 sets. */
void f2l_bits_power(uint64_t *out, const f2l_maps *maps, const uint64_t *set, uint64_t *scratch);

/* --- tied sets --- */

/* A tied set and how it was made. A parent is the number of a set, or F2L_SINGLE + an element. */
#define F2L_SINGLE ((uint32_t)1 << 31)
typedef struct f2l_made {
    f2l_tied_rule rule;
    uint32_t parent[2];
    size_t size;        /* number of its elements */
    bool maximal, done; /* done: it was combined with the others that were done before */
} f2l_made;

/* Tied sets of two elements or more, among them all maximal ones when `complete`. */
typedef struct f2l_ties {
    const f2l_maps *maps;
    size_t count, capacity;
    f2l_made *made; /* [count] */
    uint64_t *set;  /* [count][maps->words] */
    size_t set_capacity;
    bool complete;
} f2l_ties;

/* Finds the tied sets, with the band rule in place of the fork rule if `bands`; `most` is a limit
 * on their number, and a limit of the task leaves them incomplete. */
f2l_status f2l_ties_find(f2l_ties *out, const f2l_maps *maps, bool bands, size_t most,
                         const f2l_task *task, f2l_error *err);
void f2l_ties_clear(f2l_ties *ties);

static inline const uint64_t *f2l_ties_set(const f2l_ties *ties, size_t i)
{
    return ties->set + i * ties->maps->words;
}

#endif
