/* Automata as transition tables, for the tests of cascades. */
#ifndef TESTS_CASCADE_SUPPORT_H
#define TESTS_CASCADE_SUPPORT_H

#include "automata/cascade/cascade.h"
#include "numeric/base/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names states and letters by their numbers and sends all transitions to state 0; aborts when
 * memory is out. */
void table_init(f2l_fsa *fsa, size_t states, size_t letters);

void table_set(f2l_fsa *fsa, size_t state, size_t letter, size_t to);

void table_random(f2l_fsa *fsa, size_t states, size_t letters, f2l_rng *rng);

/* Skips blanks and lines that begin with #. */
void skip_comments(FILE *in);

/* Reads the next automaton of a file of tables (tests/golden/cascade-families.txt); returns false
 * at the end of the file. */
bool table_read(f2l_fsa *fsa, char name[64], FILE *in);

/* Runs random words from random states; returns the number of letters after which the cascade has
 * another state than the automaton. */
size_t disagreements(const f2l_cascade *c, size_t words, size_t length, f2l_rng *rng);

#endif
