/* Wired networks for tests: one written down by hand, and random ones that are valid but implement
 * nothing. */
#ifndef TESTS_HAND_WIRED_H
#define TESTS_HAND_WIRED_H

#include "models/network/net/wired.h"
#include "tests/support/models/net_samples.h"

void wired_table(f2l_net *net, size_t t, size_t inputs, const size_t *size, size_t values,
                 const uint32_t *entry);

void wired_gate(const f2l_net *net, f2l_wired_gate *gate, size_t t, const uint32_t *wire);

/* Adds one factor to the transition: beta, u = numerator / 2 [n], c = value / 2 [d]; a factor with
 * value NULL writes nothing. */
void wired_factor(f2l_transition *transition, unsigned long beta, size_t n, const long *u, size_t d,
                  const long *c);

/* Makes the block of the counter. Wires: 0 letter, 1 carry, 2 number so far; 3 flip, 4
 * hold/flip/reset; 5, 6 the two copies of the bit, 7 the row that never changes; 8 carry, 9
 * number. */
void wired_counter_block(f2l_net *net, f2l_wired_block *block);

/* Makes the tables: the constants yes and 0, flip, hold/flip/reset, carry, number. */
void wired_counter_tables(f2l_net *net);

/* Makes a counter modulo 8 with the letters inc, reset, hold, which starts at 5; the labels are the
 * numbers. Three stages share a block that keeps one bit, each bit twice; a circuit before them
 * makes the first carry and number, one after them drops what is not the label. */
void wired_counter(f2l_net *net);

typedef struct wired_builder {
    f2l_net *net;
    f2l_rng *rng;
    const sample_shape *shape;
    size_t table;    /* next unused table */
    size_t size[40]; /* sizes of the present block's wires */
    uint32_t wires;
} wired_builder;

/* Makes a gate with a new random table that reads up to three earlier wires and has `values`
 * values. */
void hand_wired_random_gate(wired_builder *b, f2l_wired_gate *gate, size_t values);

/* Makes head h with two readouts: one of its first row, one of the others. */
void hand_wired_random_head(wired_builder *b, f2l_wired_block *block, size_t h);

void hand_wired_random_block(wired_builder *b, f2l_wired_block *block, size_t inputs,
                             const size_t *input, size_t outputs, const size_t *output);

/* Makes a network of one stage, or of a first stage, some that share two blocks, and a last one. */
void hand_wired_random(f2l_net *net, f2l_rng *rng, const sample_shape *shape);

#endif
