/* D1 networks for the tests: automata from permutations, runs beside the automaton, single changes.
 */
#ifndef TESTS_D1_SUPPORT_H
#define TESTS_D1_SUPPORT_H

#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "theory/certify/forms/d1_verify.h"
#include "theory/certify/forms/wired_closure.h"
#include "theory/construct/d1/d1.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The automaton of permutations image[letters][points]; `point`: which one is tracked, or none
 * (elements) when it is `points`. Aborts when memory is out. */
void d1_group(f2l_fsa *fsa, const uint32_t *image, size_t letters, size_t points, size_t point);

const f2l_schedule *d1_schedule(void);

/* The numbers of a run in a format that are not those of the codes. */
size_t d1_other_numbers(const f2l_wired *net, const uint32_t *joint, const double *number);

/* A random word beside the automaton, in exact arithmetic and, unless it is NULL, in a format. How
 * much was wrong: labels, and numbers of the format that are not the exact ones. */
size_t d1_run(const f2l_wired *net, const f2l_fsa *fsa, const f2l_format *format, size_t length,
              f2l_rng *rng);

/* Verified exactly, and in all formats or in number `only` of them. */
bool d1_verified(const f2l_wired *net, const f2l_fsa *fsa, size_t only, char reason[256]);

/* What the automaton's own table says of the network: exactly, or in a format. Limited to `rows`
 * joint states. */
f2l_status d1_joint(const f2l_wired *net, const f2l_fsa *fsa, const f2l_format *format, size_t rows,
                    size_t *found);

/* Single changes, most of them for the worse. */

size_t d1_pick(f2l_rng *rng, size_t n);

void d1_other_number(mpq_t x, f2l_rng *rng);

/* Some head's block. Blocks of a D1 form all have heads. */
f2l_wired_block *d1_some_block(f2l_wired *net, f2l_rng *rng);

f2l_transition *d1_some_transition(f2l_wired *net, f2l_rng *rng, f2l_wired_head **head);

bool d1_mutate_vector(f2l_qvec *v, f2l_rng *rng);

bool d1_mutate_gate(f2l_wired *net, f2l_rng *rng, size_t kind);

bool d1_mutate_factor(f2l_wired *net, f2l_rng *rng, size_t kind);

bool d1_mutate_transition(f2l_wired *net, f2l_rng *rng, size_t kind);

bool d1_mutate_readout(f2l_wired *net, f2l_rng *rng);

bool d1_mutate_table(f2l_wired *net, f2l_rng *rng);

bool d1_mutate_wiring(f2l_wired *net, f2l_rng *rng);

#define D1_MUTANT_KINDS 13

/* False: nothing changed. The result need not be valid. */
bool d1_mutate(f2l_wired *net, f2l_rng *rng, size_t kind);

/* Changes that mean nothing. */

void d1_scale_keys(f2l_wired *net, f2l_rng *rng);

/* Tables change places. */
void d1_shuffle_tables(f2l_wired *net, f2l_rng *rng);

/* The last layer's codes change places, and so do the rows of the table that reads them. */
void d1_swap_codes(f2l_wired *net, f2l_rng *rng);

void d1_mutate_without_meaning(f2l_wired *net, f2l_rng *rng);

#endif
