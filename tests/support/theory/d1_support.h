/* D1 networks for the tests: automata from permutations, runs beside the automaton, single
 * changes. */
#ifndef TESTS_D1_SUPPORT_H
#define TESTS_D1_SUPPORT_H

#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "theory/certify/closure/closure.h"
#include "theory/certify/forms/form.h"
#include "theory/construct/d1/d1.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes the automaton of permutations image[letters][points] that tracks `point`, or the elements
 * when `point` equals `points`. Aborts when memory is out. */
void d1_group(f2l_fsa *fsa, const uint32_t *image, size_t letters, size_t points, size_t point);

const f2l_schedule *d1_schedule(void);

/* Returns how many numbers of a run in a format are not the numbers of the codes. */
size_t d1_other_numbers(const f2l_net *net, const size_t *joint, const double *number);

/* Runs a random word beside the automaton, in exact arithmetic and, unless it is NULL, in a format.
 * Returns the number of wrong labels and of numbers of the format that are not the exact ones. */
size_t d1_run(const f2l_net *net, const f2l_fsa *fsa, const f2l_format *format, size_t length,
              f2l_rng *rng);

/* Returns whether the network is verified exactly, and in all formats or in number `only` of
 * them. */
bool d1_verified(const f2l_net *net, const f2l_fsa *fsa, size_t only, char reason[256]);

/* Closes the joint states against the automaton's own table, exactly or in a format, up to `rows`
 * of them. */
f2l_status d1_joint(const f2l_net *net, const f2l_fsa *fsa, const f2l_format *format, size_t rows,
                    size_t *found);

/* --- single changes, most of which make the network wrong --- */

size_t d1_pick(f2l_rng *rng, size_t n);

void d1_other_number(mpq_t x, f2l_rng *rng);

/* Returns a random block; all blocks of a D1 form have heads. */
f2l_wired_block *d1_some_block(f2l_net *net, f2l_rng *rng);

f2l_transition *d1_some_transition(f2l_net *net, f2l_rng *rng, f2l_wired_head **head);

bool d1_mutate_vector(f2l_qvec *v, f2l_rng *rng);

bool d1_mutate_gate(f2l_net *net, f2l_rng *rng, size_t kind);

bool d1_mutate_factor(f2l_net *net, f2l_rng *rng, size_t kind);

bool d1_mutate_transition(f2l_net *net, f2l_rng *rng, size_t kind);

bool d1_mutate_readout(f2l_net *net, f2l_rng *rng);

bool d1_mutate_table(f2l_net *net, f2l_rng *rng);

bool d1_mutate_wiring(f2l_net *net, f2l_rng *rng);

#define D1_MUTANT_KINDS 13

/* Changes one thing; returns false when nothing changed. The result need not be valid. */
bool d1_mutate(f2l_net *net, f2l_rng *rng, size_t kind);

/* --- changes that keep the network's function --- */

void d1_scale_keys(f2l_net *net, f2l_rng *rng);

/* Exchanges tables. */
void d1_shuffle_tables(f2l_net *net, f2l_rng *rng);

/* Exchanges codes of the last layer together with the rows of the table that reads them. */
void d1_swap_codes(f2l_net *net, f2l_rng *rng);

void d1_mutate_without_meaning(f2l_net *net, f2l_rng *rng);

#endif
