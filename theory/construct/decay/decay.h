/* R8: aperiodic automata on layers whose transitions are diagonal with entries in [0, 1]
 * (theory/pages/decay.md).
 *
 * A cascade of an aperiodic automaton permutes no coordinate, so every letter of a level either
 * resets its coordinate or leaves it unchanged. A level of m coordinates is one head of one row:
 * key dimension 1, and a column for each of the ceil(log2 m) binary digits of the coordinate. A
 * reset to r does S <- a S + (1 - a) r, digit by digit.
 *
 * Where the old coordinate is not needed after a reset, a = 0, and numbers are 0 and 1. Where it is
 * needed, a = 1/4: the first digit of a number to base 4 is then 0 or 3 for the present binary
 * digit, and the second digit likewise for the binary digit before the last reset. So there are
 * infinitely many numbers. Each code represents a box (models/network/net/net.h), one for each pair
 * of coordinates, and the exact closure is a closure over boxes. */
#ifndef F2L_DECAY_H
#define F2L_DECAY_H

#include "theory/construct/t4/t4.h"

/* Builds the network for labels of kind `label` into *out (initialised; replaced); arguments and
 * report as for f2l_t4_build. There is one layer for each level; part 1 of a code is the
 * coordinate, and part 2, where it is kept, the coordinate before the last reset. No letter has a
 * gate. Returns F2L_EDOMAIN when some level permutes its coordinates: with holonomy the automaton
 * is then not aperiodic. */
f2l_status f2l_decay_build(f2l_net *out, f2l_t4_report *report, const f2l_cascade *cascade,
                           const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                           f2l_error *err);

#endif
