/* Parts of the decision; private to theory/choose. */
#ifndef F2L_CHOOSE_IMPL_H
#define F2L_CHOOSE_IMPL_H

#include "theory/choose/choose.h"

/* Returns the task with a deadline a few seconds from now, or its own if that is earlier: a net
 * under work that takes long between the steps that it counts, for answers beside the network to
 * take. */
static inline f2l_task f2l_choose_aside(const f2l_task *task)
{
    const double latest = f2l_now() + 3;
    f2l_task aside = *task;
    if (aside.deadline == 0 || aside.deadline > latest) aside.deadline = latest;
    return aside;
}

/* Fills out->cheaper from what was found. */
void f2l_choose_compare(f2l_choose *out);

/* Fills out->holder. `task` has an effort, of which each model takes at most `share` steps. */
f2l_status f2l_choose_hold(f2l_choose *out, const f2l_fsa *fsa, uint64_t share,
                           const f2l_task *task, f2l_error *err);

#endif
