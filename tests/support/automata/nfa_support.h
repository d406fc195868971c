/* A nondeterministic automaton with exponentially many subsets. */
#ifndef NFA_SUPPORT_H
#define NFA_SUPPORT_H

#include "automata/fsa/nfa.h"
#include "tests/support/automata/fsa_text.h"
#include <stdio.h>

/* Makes the automaton of the words whose n-th letter from the end is a: it has 2^n subsets. */
void blow_up(f2l_nfa *nfa, int n);

#endif
