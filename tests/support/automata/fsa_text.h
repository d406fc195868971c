/* Automata from text, for tests. */
#ifndef TESTS_FSA_TEXT_H
#define TESTS_FSA_TEXT_H

#include "automata/fsa/nfa.h"
#include <criterion/criterion.h>
#include <string.h>

/* *nfa becomes what the text, which must be good, says. */
void nfa_from_text(f2l_nfa *nfa, const char *text);

/* *out becomes the automaton of the text, which must be deterministic and total or made so. */
void fsa_from_text(f2l_fsa *out, const char *text);

#endif
