/* R8: aperiodic automata on layers whose transitions are diagonal with entries in [0, 1]
 * (theory/pages/decay.md).
 *
 * A cascade of an aperiodic automaton permutes no coordinate, so that every letter of a level
 * resets its coordinate or leaves it alone. A level of m coordinates is one head of one row: key
 * dimension 1, and a column for each of the ceil(log2 m) binary digits of the coordinate. A reset
 * to r does S <- a S + (1 - a) r, digit by digit.
 *
 * Where the old coordinate is not needed after a reset, a = 0, and numbers are 0 and 1. Where it
 * is, a = 1/4: then the first digit of a number to base 4 is 0 or 3 for the present binary digit,
 * and the second one likewise for that before the last reset. So the numbers are infinitely many.
 * The codes stand for boxes (models/net/net.h), one for each pair of coordinates, and the exact
 * closure is one over boxes. */
#ifndef F2L_DECAY_H
#define F2L_DECAY_H

#include "theory/construct/t4/t4.h"

/* Builds the network for labels of kind `label` into *out (initialised; replaced); arguments and
 * report as for f2l_t4_build. One layer for each level; part 1 of a code is the coordinate and,
 * where it is kept, part 2 the one before the last reset. Nothing has a gate. F2L_EDOMAIN when some
 * level permutes its coordinates: by holonomy the automaton is not aperiodic then. */
f2l_status f2l_decay_build(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                           const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                           f2l_error *err);

#endif
