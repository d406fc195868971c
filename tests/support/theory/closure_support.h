/* Small networks, right and wrong ones, with their automata; closed exactly and in a number
 * format. */
#ifndef CLOSURE_SUPPORT_H
#define CLOSURE_SUPPORT_H

#include "tests/support/models/hand_nets.h"
#include "theory/certify/closure/closure.h"

typedef struct fixture {
    f2l_fsa fsa;
    f2l_net net;
    f2l_closure closure;
    f2l_error err;
} fixture;

void open_parity(fixture *f);

void open_swaps(fixture *f);

void closure_done(fixture *f);

f2l_status close_exactly(fixture *f, size_t max_rows, const f2l_task *task);

f2l_status close_in(fixture *f, const char *format, size_t max_rows, const f2l_task *task);

/* Opens a network that counts modulo 2 for an automaton that counts modulo 4 with labels x y x
 * x. */
void open_wrong(fixture *f);

#endif
