/* Definite automata: the state after a word of at least k letters depends on its last k letters
 * only (Perles, Rabin and Shamir 1963; theory/pages/definite.md). One layer suffices for them. */
#ifndef F2L_DEFINITE_H
#define F2L_DEFINITE_H

#include "automata/fsa/fsa.h"

typedef struct f2l_definite {
    bool definite;
    size_t k;               /* the least such k; 0 for one state; SIZE_MAX unless definite */
    size_t classes;         /* number of classes of letters that act equally on all states */
    uint32_t *letter_class; /* [letters] class of each letter, 0 .. classes - 1, numbered by first
                               letter */
} f2l_definite;

void f2l_definite_init(f2l_definite *d);
void f2l_definite_clear(f2l_definite *d);

/* Decides whether the automaton is definite. All states count, so states that the start does not
 * reach must have been trimmed. `work` is the limit on table entries read (0: 200,000,000);
 * F2L_UNKNOWN when `work` or the task's memory or time does not suffice. On failure *out is
 * cleared. */
f2l_status f2l_definite_find(f2l_definite *out, const f2l_fsa *fsa, size_t work,
                             const f2l_task *task, f2l_error *err);

#endif
