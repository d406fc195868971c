/* Subdirect factors: congruences of the states of an automaton such that no two states are
 * equivalent in all of them. The automaton is then a part of the product of the quotients: it is
 * known where it is when every quotient is known to be (theory/pages/product.md, X.1). */
#ifndef F2L_SUBDIRECT_H
#define F2L_SUBDIRECT_H

#include "automata/fsa/fsa.h"

typedef struct f2l_subdirect {
    size_t parts;        /* 2 or more */
    size_t *classes;     /* [parts] */
    uint32_t **class_of; /* [parts][states] classes are numbered by their first states */
} f2l_subdirect;

void f2l_subdirect_init(f2l_subdirect *out);
void f2l_subdirect_clear(f2l_subdirect *out);

/* Finds congruences none of which can be left out; each is a largest one that keeps some two states
 * apart, so that its quotient has no subdirect factors itself. States that the start does not reach
 * are kept apart like all others. *out is initialised and empty again after a failure.
 * F2L_EDOMAIN: two states are equivalent in every congruence but equality, so that there are no
 * factors. F2L_UNKNOWN: the task stopped it, or the tables of pairs of states would be too large.
 */
f2l_status f2l_subdirect_find(f2l_subdirect *out, const f2l_fsa *fsa, const f2l_task *task,
                              f2l_error *err);

#endif
