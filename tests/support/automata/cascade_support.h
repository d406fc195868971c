/* Automata as transition tables, for the tests of cascades. */
#ifndef TESTS_CASCADE_SUPPORT_H
#define TESTS_CASCADE_SUPPORT_H

#include "automata/cascade/cascade.h"
#include "numeric/base/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* States and letters named by their numbers, all transitions to state 0; aborts when memory is out.
 */
void table_init(f2l_fsa *fsa, size_t states, size_t letters);

void table_set(f2l_fsa *fsa, size_t state, size_t letter, size_t to);

void table_random(f2l_fsa *fsa, size_t states, size_t letters, f2l_rng *rng);

/* Skips blanks and lines that begin with #. */
void skip_comments(FILE *in);

/* The next automaton of a file of tables (tests/golden/cascade-families.txt); false at its end. */
bool table_read(f2l_fsa *fsa, char name[64], FILE *in);

/* Random words from random states: how many letters led to another state than the automaton says.
 */
size_t disagreements(const f2l_cascade *c, size_t words, size_t length, f2l_rng *rng);

#endif
