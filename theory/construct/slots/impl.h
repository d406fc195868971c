/* Functions of the state with values 0 and 1 up to complement, and closed families of them. */
#ifndef F2L_SLOTS_IMPL_H
#define F2L_SLOTS_IMPL_H

#include "theory/construct/slots/slots.h"

/* The states where a function is 1; it is 0 at the start of the automaton. */
typedef struct f2l_slots_function {
    uint64_t word[F2L_SLOTS_MAX_STATES / 64];
} f2l_slots_function;

/* What a function becomes when a letter is read first: twice the number of a function, plus 1 for
 * its complement, or one of these. */
#define F2L_SLOTS_UNSEEN UINT32_MAX
#define F2L_SLOTS_ZERO (UINT32_MAX - 1)
#define F2L_SLOTS_ONE (UINT32_MAX - 2)

typedef struct f2l_slots_pool {
    const f2l_fsa *fsa;           /* borrowed */
    f2l_slots_function *function; /* [count], no two equal */
    uint32_t *pulled;             /* [limit][letters] */
    uint32_t *mark;               /* [limit] 1 + place in the family under work; 0: not in it */
    size_t count, limit;
    uint32_t *bucket; /* [buckets] 1 + number of a function, or 0; open addressing */
    size_t buckets;   /* a power of 2 */
} f2l_slots_pool;

/* A family: with every function those that letters pull it back to, but for constants. */
typedef struct f2l_slots_family {
    size_t count, slots; /* functions; sum of their copies */
    uint32_t function[F2L_SLOTS_MAX], copies[F2L_SLOTS_MAX];
} f2l_slots_family;

f2l_status f2l_slots_pool_init(f2l_slots_pool *pool, const f2l_fsa *fsa, const f2l_task *task,
                               f2l_error *err);
void f2l_slots_pool_clear(f2l_slots_pool *pool);

static inline bool f2l_slots_at(const f2l_slots_function *f, size_t state)
{
    return f->word[state / 64] >> (state % 64) & 1;
}

/* Returns the number of the function with its complement, which is added when it is new, as
 * f2l_slots_pull does; F2L_SLOTS_UNSEEN when the pool is full. */
uint32_t f2l_slots_add(f2l_slots_pool *pool, const f2l_slots_function *f);

/* Returns what letter `a` makes of function `f`; F2L_SLOTS_UNSEEN when the pool is full. */
uint32_t f2l_slots_pull(f2l_slots_pool *pool, size_t f, size_t a);

typedef enum f2l_slots_outcome {
    F2L_SLOTS_CLOSED,
    F2L_SLOTS_IMPOSSIBLE, /* no numbers of copies are enough (K.7) */
    F2L_SLOTS_LIMITED     /* it needs more than F2L_SLOTS_MAX slots, or the pool is full */
} f2l_slots_outcome;

/* Closes a family that has `count` functions without repetitions, and finds the least numbers of
 * copies (K.7); *steps grows by the work. */
f2l_slots_outcome f2l_slots_close(f2l_slots_family *family, f2l_slots_pool *pool, uint64_t *steps);

/* Fills *out, which is all zero, with the slots of a family that tells all states apart. */
f2l_status f2l_slots_wire(f2l_slots *out, const f2l_slots_family *family, f2l_slots_pool *pool,
                          f2l_error *err);

#endif
