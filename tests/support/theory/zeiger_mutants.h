/* Single changes to a wired network, most of which make it wrong. */
#ifndef TESTS_ZEIGER_MUTANTS_H
#define TESTS_ZEIGER_MUTANTS_H

#include "models/network/net/wired.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"

size_t pick(f2l_rng *rng, size_t n);

void mutant_number(mpq_t x, f2l_rng *rng);

/* Returns a random transition of the level's head: first a slot, then one of its values. */
f2l_transition *mutant_transition(f2l_net *net, f2l_rng *rng, size_t *slot);

f2l_wired_gate *mutant_gate(f2l_net *net, f2l_rng *rng, size_t *before);

bool mutate_gate(f2l_net *net, f2l_rng *rng, size_t kind);

bool mutate_factor(f2l_net *net, f2l_rng *rng, size_t kind);

bool mutate_transition(f2l_net *net, f2l_rng *rng, size_t kind);

bool mutate_vector(f2l_qvec *v, f2l_rng *rng);

bool mutate_readout(f2l_net *net, f2l_rng *rng);

bool mutate_outputs(f2l_net *net, f2l_rng *rng);

bool mutate_table(f2l_net *net, f2l_rng *rng);

#define MUTANT_KINDS 14

/* Changes one thing; returns false when nothing changed. The result need not be valid. */
bool mutate(f2l_net *net, f2l_rng *rng, size_t kind);

/* Makes a change that keeps the network's function: keys get other multiples, tables another order,
 * and one of them a copy. */
bool mutate_without_meaning(f2l_net *net, f2l_rng *rng);

#endif
