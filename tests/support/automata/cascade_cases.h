/* Cascades of families, and a check of them with random values in idle levels. */
#ifndef CASCADE_CASES_H
#define CASCADE_CASES_H

#include "tests/support/automata/cascade_support.h"
#include <criterion/criterion.h>

#define FAMILIES "tests/golden/cascade-families.txt"

void build(f2l_cascade *c, const f2l_fsa *fsa, f2l_cascade_kind kind);

/* Reads the automaton NAME from the file of families. */
void family(f2l_fsa *fsa, const char *name);

/* Starts at random chains with random coordinates in the idle levels, which must not matter (T4.3);
 * returns the number of letters after which the cascade has another state than the automaton. */
size_t stale_disagreements(const f2l_cascade *c, f2l_rng *rng);

#endif
