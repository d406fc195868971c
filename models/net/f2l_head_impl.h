/* Parts of heads that ordinary and wired networks share; private to models. */
#ifndef F2L_HEAD_IMPL_H
#define F2L_HEAD_IMPL_H

#include "f2l_net.h"

/* Gate 1 and no factors. */
void f2l_transition_init(f2l_transition *transition);
void f2l_transition_clear(f2l_transition *transition);

/* The initial state and the `letters` transitions, which may be missing altogether. */
void f2l_head_clear(f2l_head *head, size_t letters);

/* Both dimensions positive and the state within F2L_MAX_STATE. */
static inline bool f2l_head_in_range(const f2l_head *head)
{
    return head->n > 0 && head->d > 0 && head->n <= F2L_MAX_STATE / head->d;
}

/* Indices strictly increasing and below `limit`, entries not zero, numbers not too long. */
bool f2l_vector_fits(const f2l_qvec *v, size_t limit);

/* What keeps a transition of the head out of the declared class, NULL when nothing does. *factor: which
 * factor it is, F2L_NO_INDEX for the gate. */
const char *f2l_transition_fault(size_t *factor, const f2l_head *head, const f2l_transition *transition);

#endif
