/* Automata from text or at random, for tests. */
#ifndef TESTS_FSA_TEXT_H
#define TESTS_FSA_TEXT_H

#include "automata/fsa/nfa.h"
#include <criterion/criterion.h>
#include <string.h>

/* Reads a text, which must be correct, into *nfa. */
void nfa_from_text(f2l_nfa *nfa, const char *text);

/* Reads a text into *out and makes it deterministic and total where it is not. */
void fsa_from_text(f2l_fsa *out, const char *text);

/* Makes an automaton of the family `random` in *fsa, which the caller clears: all of its states, at
 * most `states`, are reachable. */
void random_trimmed(f2l_fsa *fsa, uint64_t states, uint64_t letters, uint64_t seed);

#endif
