/* The semigroup of an automaton of at most six states by brute force, for tests of lower bounds. */
#ifndef TESTS_SMALL_MAPS_H
#define TESTS_SMALL_MAPS_H

#include "automata/fsa/fsa.h"

#define SMALL_STATES 6
#define SMALL_MAPS 3200

typedef struct small_maps {
    size_t n, count;
    uint8_t map[SMALL_MAPS][SMALL_STATES];
} small_maps;

/* Lists the maps of the states that non-empty words make; returns false when there are too many. */
bool small_maps_list(small_maps *out, const f2l_fsa *fsa);

/* Returns whether different idempotent maps have one image: then the semigroup is not in EL. */
bool small_maps_collide(const small_maps *maps);

#endif
