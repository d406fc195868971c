/* Runs a network beside its automaton, exactly and in bf16. */
#ifndef TESTS_T4_SUPPORT_H
#define TESTS_T4_SUPPORT_H

#include "models/network/exact/run_exact.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/rng.h"
#include "theory/construct/t4/t4.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Checks that the joint state in floating point equals the exact one, number for number. */
void compare_states(const f2l_net *net, const size_t *joint, const double *numbers);

typedef struct runner {
    const f2l_net *net;
    const f2l_fsa *fsa;
    f2l_exact *exact;
    f2l_float_net *rounded;
    size_t *joint;
    double *numbers;
} runner;

void runner_init(runner *r, const f2l_net *net, const f2l_fsa *fsa);

void runner_clear(runner *r);

void t4_run_word(runner *r, f2l_rng *rng, size_t length);

#endif
