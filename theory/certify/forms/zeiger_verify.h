/* Is a wired network the Zeiger form of an automaton? If so it is right on words of every length
 * (theory/pages/zeiger.md): Z.6 in exact arithmetic, Z.8 in a format. Nothing is taken from the
 * construction: what every gate computes and what every factor does is worked out from the
 * network's numbers, whatever the tables' order and sharing and whatever multiples the keys are. */
#ifndef F2L_ZEIGER_VERIFY_H
#define F2L_ZEIGER_VERIFY_H

#include "automata/fsa/fsa.h"
#include "models/wired/wired_run.h"
#include "numeric/base/task.h"

typedef struct f2l_zeiger_verdict {
    f2l_status verdict; /* F2L_OK: right on all words; F2L_UNKNOWN: nothing is claimed */
    char reason[256];   /* F2L_UNKNOWN: what is not as Z.3 says, or what ran out */
} f2l_zeiger_verdict;

/* `fsa` is the automaton whose states the network's bits are: the quotient where there is one. The
 * status is F2L_OK whenever there is a verdict; F2L_EDOMAIN when the network is not valid, the
 * automaton has other letters or lacks labels of the network's kind. */
f2l_status f2l_zeiger_verify(f2l_zeiger_verdict *out, const f2l_wired *net, const f2l_fsa *fsa,
                             const f2l_task *task, f2l_error *err);

/* In a format and a schedule of operations: the exact verdict first, then every value of every slot
 * on every content that the head's states can have there. F2L_OK: the run in the format is, number
 * for number, the exact one, on all words. */
f2l_status f2l_zeiger_verify_float(f2l_zeiger_verdict *out, const f2l_wired *net,
                                   const f2l_fsa *fsa, const f2l_format *format,
                                   const f2l_schedule *schedule, const f2l_task *task,
                                   f2l_error *err);

#endif
