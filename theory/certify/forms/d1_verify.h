/* Decides whether a wired network is a D1 form of an automaton. If so it is right on words of every
 * length (theory/pages/d1.md): D1.8 in exact arithmetic, D1.10 in a format. Nothing is taken from
 * the construction, and neither points nor permutations of points are used: the meaning of the
 * tables, the heads and their states is computed from the network's numbers. */
#ifndef F2L_D1_VERIFY_H
#define F2L_D1_VERIFY_H

#include "automata/fsa/fsa.h"
#include "models/wired/wired_run.h"
#include "numeric/base/task.h"

typedef struct f2l_d1_verdict {
    f2l_status verdict; /* F2L_OK: right on all words; F2L_UNKNOWN: nothing is claimed */
    size_t clock_layers, block, elements, pairs; /* F2L_OK: C, B, G, and the pairs of D1.8 */
    char reason[256]; /* F2L_UNKNOWN: the condition of D1.8 that fails, or the limit that was
                         reached */
} f2l_d1_verdict;

/* Decides in exact arithmetic. `fsa` is the automaton whose states, in increasing order those that
 * its start reaches, are the network's states: the quotient where there is one. Returns F2L_OK
 * whenever there is a verdict; F2L_EDOMAIN when the network is not valid, the automaton has other
 * letters or lacks labels of the network's kind. */
f2l_status f2l_d1_verify(f2l_d1_verdict *out, const f2l_wired *net, const f2l_fsa *fsa,
                         const f2l_task *task, f2l_error *err);

/* Decides in a format and a schedule of operations: checks the exact verdict first, then every step
 * of a head that can occur. F2L_OK: on all words the run in the format is, number for number, the
 * exact run. */
f2l_status f2l_d1_verify_float(f2l_d1_verdict *out, const f2l_wired *net, const f2l_fsa *fsa,
                               const f2l_format *format, const f2l_schedule *schedule,
                               const f2l_task *task, f2l_error *err);

#endif
