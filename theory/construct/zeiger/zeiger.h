/* Any automaton as a wired network by Zeiger's cover (theory/pages/zeiger.md): N - 1 layers for N
 * states, without tables of subsets. A level forgets one more state of two sets, the old and the
 * new stage; which one is held by a head of 4N numbers, and both sets travel as N bits each through
 * circuits of table look-ups.
 *
 * Size (Z.7): a token takes 4N - l + 1 factors at level l if that is permuted and 3N if it is
 * reset; circuits take less than (2k + 6) N look-ups a level for k letters, and the tables O(k^2 N
 * + M^2) numbers for M labels. All levels share one block. */
#ifndef F2L_ZEIGER_H
#define F2L_ZEIGER_H

#include "automata/fsa/fsa.h"
#include "models/wired/wired.h"
#include "numeric/base/task.h"

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` has been
 * trimmed and, where the labels allow it, minimised: the network has its letters, and a layer less
 * than it has states. Labels are numbered by the first state that has them. Equal tables are one,
 * numbered by first use. F2L_EDOMAIN for one state, which is no cascade, and without labels of the
 * kind asked for. fsa_sha256 is left empty: the caller sets it. */
f2l_status f2l_zeiger_build(f2l_wired *out, const f2l_fsa *fsa, f2l_label label,
                            const f2l_task *task, f2l_error *err);

/* A token takes no more factors at this level, from 1, of the network of n states (Z.7); most at
 * level 1. */
size_t f2l_zeiger_factors(size_t n, size_t level);

#endif
