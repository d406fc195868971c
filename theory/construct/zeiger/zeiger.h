/* Any automaton as a wired network by Zeiger's cover (theory/pages/zeiger.md): N - 1 layers for N
 * states, without tables of subsets. A level removes one more state from two sets, the old and the
 * new stage; a head of 4N numbers holds which state, and both sets travel as N bits each through
 * circuits of table look-ups.
 *
 * Size (Z.7): at level l a token takes 4N - l + 1 factors if that level is permuted and 3N if it is
 * reset; circuits take less than (2k + 6) N look-ups a level for k letters, and the tables O(k^2 N
 * + M^2) numbers for M labels. All levels share one block. */
#ifndef F2L_ZEIGER_H
#define F2L_ZEIGER_H

#include "automata/fsa/fsa.h"
#include "models/network/net/wired.h"
#include "numeric/base/task.h"

/* Builds the network for labels of kind `label` into *out (initialised; replaced). `fsa` must be
 * trimmed and, where the labels allow it, minimised: the network has its letters, and one layer
 * less than `fsa` has states. Labels are numbered by the first state that has them. Equal tables
 * are stored once, numbered by first use. Returns F2L_EDOMAIN for one state, which is no
 * cascade, and if there are no labels of the kind asked for. fsa_sha256 is left empty: the
 * caller sets it. */
f2l_status f2l_zeiger_build(f2l_net *out, const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                            f2l_error *err);

#endif
