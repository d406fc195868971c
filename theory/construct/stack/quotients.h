/* Quotients of an automaton: devices that say nothing beside its states, and below which a layer
 * can be needed for each. */
#ifndef F2L_STACK_QUOTIENTS_H
#define F2L_STACK_QUOTIENTS_H

#include "automata/fsa/fsa.h"

#define F2L_STACK_QUOTIENT_STATES 64 /* of the automaton */
#define F2L_STACK_QUOTIENTS 64       /* that are listed at most */

typedef struct f2l_stack_quotients {
    size_t count, states;
    uint8_t *class_of; /* [count][states] owned; classes are numbered in the order of states */
    size_t classes[F2L_STACK_QUOTIENTS]; /* from few to many */
} f2l_stack_quotients;

/* Lists partitions of the states that letters respect, with 2 to `most` classes and fewer than
 * states; none for more than F2L_STACK_QUOTIENT_STATES states. *out is zero at first. */
f2l_status f2l_stack_quotients_list(f2l_stack_quotients *out, const f2l_fsa *fsa, size_t most,
                                    f2l_error *err);
void f2l_stack_quotients_clear(f2l_stack_quotients *quotients);

#endif
