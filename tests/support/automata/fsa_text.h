/* Automata from text, for tests. */
#ifndef TESTS_FSA_TEXT_H
#define TESTS_FSA_TEXT_H

#include "automata/fsa/nfa.h"
#include <criterion/criterion.h>
#include <string.h>

/* Reads a text, which must be correct, into *nfa. */
void nfa_from_text(f2l_nfa *nfa, const char *text);

/* Reads a text into *out and makes it deterministic and total where it is not. */
void fsa_from_text(f2l_fsa *out, const char *text);

#endif
