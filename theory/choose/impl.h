/* Parts of the decision; private to theory/choose. */
#ifndef F2L_CHOOSE_IMPL_H
#define F2L_CHOOSE_IMPL_H

#include "theory/choose/choose.h"

/* Fills out->cheaper from what was found. */
void f2l_choose_compare(f2l_choose *out);

/* Fills out->holder. `task` has an effort, of which each model takes at most `share` steps. */
f2l_status f2l_choose_hold(f2l_choose *out, const f2l_fsa *fsa, uint64_t share,
                           const f2l_task *task, f2l_error *err);

#endif
