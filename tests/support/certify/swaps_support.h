/* Networks of T3 with naive or doubled keys, whose factors exchange points, and changes of them. */
#ifndef SWAPS_SUPPORT_H
#define SWAPS_SUPPORT_H

#include "tests/support/theory/t3_support.h"

/* Sets the automaton to `states` states that the letters permute at random, with as many of them as
 * the start reaches, represents it, and builds the network; every third state accepts. */
void swaps_open(fixture *f, size_t states, size_t letters, f2l_label label, f2l_t3_keys keys,
                f2l_rng *rng);

/* Changes one place of the network, which stays valid, and returns what was changed; NULL: nothing
 * was. */
const char *swaps_change(f2l_net *net, f2l_rng *rng);

#endif
