/* Moore machines of Mealy machines: the outputs of transitions become outputs of states. */
#ifndef F2L_MOORE_H
#define F2L_MOORE_H

#include "automata/fsa/fsa.h"

/* Builds the least Moore machine whose output after every word but the empty one is the output of
 * the Mealy machine's last transition, into *out (initialised empty). Its start has one of the
 * outputs, chosen so that there are few states. F2L_EDOMAIN: the transitions have no outputs;
 * F2L_UNKNOWN: the task stopped it, or the pairs of a state and an output have more than 2^22
 * transitions. */
f2l_status f2l_moore_build(f2l_fsa *out, const f2l_fsa *mealy, const f2l_task *task,
                           f2l_error *err);

#endif
