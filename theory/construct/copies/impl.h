/* Chains that may be of use for an automaton. Private to theory/construct/copies. */
#ifndef F2L_COPIES_IMPL_H
#define F2L_COPIES_IMPL_H

#include "theory/construct/copies/copies.h"

#define F2L_COPIES_POOL ((size_t)1 << 12)

typedef struct f2l_copies_pool {
    const f2l_fsa *fsa;    /* borrowed */
    f2l_copy_chain *chain; /* [count], no two equal */
    uint64_t *hash;        /* [count] */
    size_t count, room, hash_room;
    bool cut; /* a limit left chains out */
    f2l_meter meter;
} f2l_copies_pool;

void f2l_copy_chain_clear(f2l_copy_chain *chain);
void f2l_copies_pool_clear(f2l_copies_pool *pool);

/* Adds to the pool, which is zero but for the automaton and the meter at first, chains whose slots
 * hold functions of the state. */
f2l_status f2l_copies_pool_functions(f2l_copies_pool *pool, f2l_error *err);
/* Adds the chains of M.2. F2L_EDOMAIN unless the semigroup is L-trivial. */
f2l_status f2l_copies_pool_marks(f2l_copies_pool *pool, f2l_error *err);

#endif
