/* What an automaton computes, as a hash: equal automata are planned once. */
#ifndef F2L_PLAN_CANONICAL_H
#define F2L_PLAN_CANONICAL_H

#include "automata/fsa/fsa.h"

/* Sets *sha256 to the hash of the letters, in the order of their names, and of the label after
 * every word: of the minimal automaton, its states numbered breadth-first from the start. Two
 * automata have the same hash if and only if they give the same labels to the same words, as far as
 * SHA-256 tells texts apart; for the label `states` names of states are labels. Sets *states to the
 * number of states of the minimal automaton. */
f2l_status f2l_plan_canonical(char sha256[65], size_t *states, const f2l_fsa *fsa, f2l_label label,
                              const f2l_task *task, f2l_error *err);

#endif
