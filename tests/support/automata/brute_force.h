/* The automata of the brute-force programs: all tables with two letters and up to 3 states, then
 * 3,000 random ones with 4 to 10 states, or 10,000 with F2L_TEST_WHOLE=1. With F2L_TEST_SHORT=1
 * (always under AddressSanitizer) a tenth of these are tested. */
#ifndef TESTS_BRUTE_FORCE_H
#define TESTS_BRUTE_FORCE_H

#include "tests/support/automata/cascade_support.h"

/* Tests one automaton; `what` names it so that a failure can be found again. */
typedef void brute_force_test(f2l_fsa *fsa, const char *what, f2l_rng *rng, void *context);

bool brute_force_is_short(void);
bool brute_force_is_whole(void); /* F2L_TEST_WHOLE=1: what `make nightly` runs alone */

/* Returns how many of `count` inputs are tested: all, three of ten or one of ten. */
size_t brute_force_share(size_t count);

/* Calls the test with every automaton; returns the number of random ones. */
size_t brute_force(uint64_t seed, brute_force_test *test, void *context);

#endif
