/* A layer of slots that hold functions of the automaton's state (LL.4): at each vertex of the
 * device below, a code of bits for the states that are possible there. */
#ifndef F2L_STACK_CODES_H
#define F2L_STACK_CODES_H

#include "theory/construct/orbits/orbits.h"

#define F2L_STACK_CODE_BITS 4 /* most slots */

/* Seeks codes that edges lead on as a layer of slots can: a bit after an edge is a bit before it,
 * or its complement, and no bit is read twice, or it is constant. Fills *out, which is zero at
 * first, with contents, and with targets as graph->target has them. Above a device with at most two
 * possible states at each vertex one bit is enough. F2L_EDOMAIN: no codes were found; then, and on
 * other failures, *out is cleared. At most F2L_STACK_STATES states. */
f2l_status f2l_stack_codes_find(f2l_orbits *out, const f2l_orbits_graph *graph,
                                const f2l_task *task, f2l_error *err);

#endif
