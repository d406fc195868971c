/* Cascades of families, and words on which they are wrong where idle levels hold anything. */
#ifndef CASCADE_CASES_H
#define CASCADE_CASES_H

#include "tests/support/automata/cascade_support.h"
#include <criterion/criterion.h>

#define FAMILIES "tests/golden/cascade-families.txt"

void build(f2l_cascade *c, const f2l_fsa *fsa, f2l_cascade_kind kind);

/* The automaton NAME of the families. */
void family(f2l_fsa *fsa, const char *name);

/* A random chain with random values where it is idle: stale coordinates must not matter (T4.3).
 */
size_t stale_disagreements(const f2l_cascade *c, f2l_rng *rng);

#endif
