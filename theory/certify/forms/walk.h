/* Gates of a form of blocks, in the order of their wires, and the parts of a circuit that D1 forms
 * and blocks forms share; private to this folder. Wires and values count from 0. All checks return
 * F2L_UNKNOWN, with the reason, where the network is not as expected. */
#ifndef F2L_THEORY_CERTIFY_FORMS_WALK_H
#define F2L_THEORY_CERTIFY_FORMS_WALK_H

#include "theory/certify/forms/impl.h"

typedef struct f2l_walk {
    const f2l_d1_check *c;
    size_t number; /* number of the block */
    const f2l_wired_gate *gate;
    size_t gates, at; /* `at`: the next gate */
    uint32_t first;   /* wire of gate 0 */
} f2l_walk;

f2l_walk f2l_walk_pre(const f2l_d1_check *c, size_t number);
f2l_walk f2l_walk_post(const f2l_d1_check *c, size_t number);

/* Returns the expected entry of a table; `x`: its constant. */
typedef uint32_t f2l_walk_value(const f2l_d1_check *c, size_t x, const uint32_t *in);

/* The expected gate. `value`: NULL when the entries are checked elsewhere. */
typedef struct f2l_expectation {
    f2l_walk_value *value;
    size_t inputs;
    uint32_t wire[4];
    size_t size[4];
    size_t values; /* number of values; 0: any */
    size_t x;
} f2l_expectation;

/* Checks that the next gate is as expected; *table (may be NULL) is its table, *wire (may be NULL)
 * its output. */
f2l_status f2l_walk_expect(f2l_walk *w, const f2l_expectation *e, const f2l_wired_table **table,
                           uint32_t *wire, f2l_error *err);
/* Checks that no gate is left. */
f2l_status f2l_walk_end(const f2l_walk *w, f2l_error *err);
/* Is F2L_UNKNOWN with a reason that names the gate, or the block. */
f2l_status f2l_walk_wrong(const f2l_walk *w, const char *what, f2l_error *err);
f2l_status f2l_walk_wrong_block(size_t number, const char *what, f2l_error *err);

/* Checks the blocks of the clock, whose letters are c->letters. */
f2l_status f2l_walk_clock(const f2l_d1_check *c, f2l_error *err);
/* Checks that block c->ring has one head with 2B rows and c->letters columns, whose slot reads this
 * wire, and a readout of the letters for each row. */
f2l_status f2l_walk_ring_head(const f2l_d1_check *c, uint32_t wire, f2l_error *err);

/* Expected entries for (count, letter), and for (count, slot x): the letter if it belongs to the
 * block before, to the tokens of the present block, or to these without the present one. */
f2l_walk_value f2l_walk_both, f2l_walk_before, f2l_walk_present, f2l_walk_earlier;

/* Checks a gate of (wire 1, slot) for every slot, from wire `slot` on. */
f2l_status f2l_walk_masks(f2l_walk *w, f2l_walk_value *value, uint32_t slot, uint32_t *first,
                          f2l_error *err);
/* Checks the chain: the second gate defines the product; the tables of the others must be equal. */
f2l_status f2l_walk_chain(f2l_walk *w, f2l_d1_check *c, uint32_t old, uint32_t *product,
                          f2l_error *err);

#endif
