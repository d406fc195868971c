/* Decides whether a wired network is the Zeiger form of an automaton. If so it is right on words of
 * every length (theory/pages/zeiger.md): Z.6 in exact arithmetic, Z.8 in a format. Nothing is taken
 * from the construction: the value of every gate and the effect of every factor are computed from
 * the network's numbers, for any order and sharing of the tables and any multiples of the keys. */
#ifndef F2L_ZEIGER_VERIFY_H
#define F2L_ZEIGER_VERIFY_H

#include "automata/fsa/fsa.h"
#include "models/wired/wired_run.h"
#include "numeric/base/task.h"

typedef struct f2l_zeiger_verdict {
    f2l_status verdict; /* F2L_OK: right on all words; F2L_UNKNOWN: nothing is claimed */
    char reason[256];   /* F2L_UNKNOWN: the condition of Z.3 that fails, or the limit reached
                         */
} f2l_zeiger_verdict;

/* Decides in exact arithmetic. `fsa` is the automaton whose states the network's bits name: the
 * quotient where there is one. Returns F2L_OK whenever there is a verdict; F2L_EDOMAIN when the
 * network is not valid, the automaton has other letters or lacks labels of the network's kind. */
f2l_status f2l_zeiger_verify(f2l_zeiger_verdict *out, const f2l_wired *net, const f2l_fsa *fsa,
                             const f2l_task *task, f2l_error *err);

/* Decides in a format and a schedule of operations: checks the exact verdict first, then every
 * value of every slot on every content that the head's states can have there. F2L_OK: on all words
 * the run in the format is, number for number, the exact run. */
f2l_status f2l_zeiger_verify_float(f2l_zeiger_verdict *out, const f2l_wired *net,
                                   const f2l_fsa *fsa, const f2l_format *format,
                                   const f2l_schedule *schedule, const f2l_task *task,
                                   f2l_error *err);

#endif
