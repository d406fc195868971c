/* The rule of Zeiger's cover on sets of states (theory/pages/zeiger.md, Z.1), with the values of
 * the registers: the reference for networks of this form. */
#ifndef TESTS_ZEIGER_SUPPORT_H
#define TESTS_ZEIGER_SUPPORT_H

#include "models/network/exact/run_exact.h"
#include "models/network/schedule/schedule.h"
#include "tests/support/automata/cascade_support.h"

#define RULE_NOTHING UINT32_MAX

typedef struct rule {
    const f2l_fsa *fsa;
    size_t n, resets, permutations;
    uint32_t *removed, *saved; /* [n - 1] a state for every level; saved may be RULE_NOTHING */
    bool *old, *new, *image;   /* [n] */
} rule;

void rule_init(rule *r, const f2l_fsa *fsa);

void rule_clear(rule *r);

/* Returns the new coordinate of a level, from the stages. */
uint32_t rule_level(rule *r, size_t l, size_t letter);

/* Returns the state after the letter. */
size_t rule_step(rule *r, size_t letter);

/* Returns the number of readouts that differ from the rule. */
size_t rule_disagrees(const rule *r, const size_t *joint);

/* Runs the network in exact arithmetic beside the rule and the automaton, and in a format too
 * unless `float_run` is NULL; returns the number of errors. */
size_t rule_run(const f2l_net *net, f2l_fsa *fsa, f2l_float_net *float_run, size_t length,
                f2l_rng *rng);

#endif
