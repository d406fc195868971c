/* Roots of unity that a learned network with clamped betas and exact keys would need to follow the
 * cycles of its automaton for ever with a margin (theory/pages/all-lengths.md, AL.15 - AL.17).
 *
 * The search is for a word u, a prime power that divides a cycle of u, and a prime modulo which no
 * head has eigenvalues of such an order; horizon-check verifies all three. Scope: exact. */
#ifndef F2L_LEARNED_ROOTS_H
#define F2L_LEARNED_ROOTS_H

#include "theory/beside/horizon/learned_settle.h"

typedef struct f2l_roots_ask {
    size_t length;  /* letters of a period, at most; 1..F2L_SETTLE_MOST */
    size_t words;   /* as many periods at most, the shortest ones */
    double seconds; /* about */
} f2l_roots_ask;

typedef struct f2l_roots {
    bool refuted;      /* the certificate's claim; false: nothing is known */
    size_t length;     /* letters of the longest period that was looked at */
    size_t periods;    /* that were looked at, */
    size_t cycles;     /* that act as a cycle of several states, */
    size_t irrational; /* and of these with a reflection in a key that is not known to be rational;
                        * they are left out */
    bool complete;     /* all words of at most ask->length letters were looked at */
    f2l_stop ended;    /* the task's time or memory that ended the search early */
    /* the claim */
    f2l_settle_word period;
    size_t cycle, order, prime; /* states of a cycle, the prime power that divides it; the prime */
} f2l_roots;

/* Looks for the claim with the shortest period; arguments and failures as of f2l_settle_find, but
 * F2L_EDOMAIN where betas are not clamped or keys not exact. */
f2l_status f2l_roots_find(f2l_roots *out, const f2l_seq *model, const double *parameters,
                          const f2l_fsa *fsa, bool begin, const f2l_roots_ask *ask,
                          const f2l_task *task, f2l_error *err);

/* Appends the certificate. F2L_EDOMAIN: nothing is refuted. */
f2l_status f2l_roots_write(f2l_buf *out, const f2l_roots *roots, const f2l_learned_files *files,
                           f2l_error *err);

#endif
