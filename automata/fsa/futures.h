/* Classes of states with equal futures. */
#ifndef F2L_FUTURES_H
#define F2L_FUTURES_H

#include "automata/fsa/fsa.h"

/* Two states have equal futures if their labels agree after every word that is not empty. The
 * letters lead a class to a class. */
typedef struct f2l_futures {
    size_t classes;
    uint32_t *class_of; /* [states] classes are numbered by their first states */
    uint32_t *first;    /* [classes] the first state */
    uint32_t *next;     /* [classes][letters] classes */
} f2l_futures;

void f2l_futures_init(f2l_futures *out);
void f2l_futures_clear(f2l_futures *out);

/* Finds the classes of an automaton in which some word tells any two states apart. There two states
 * have equal futures iff every letter leads them to the same state; with labels of transitions only
 * equal states do. *out is cleared on failure. */
f2l_status f2l_futures_find(f2l_futures *out, const f2l_fsa *fsa, f2l_label label, f2l_error *err);

#endif
