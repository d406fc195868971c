/* The parts of the Zeiger construction; private to zeiger*.c. */
#ifndef F2L_THEORY_CONSTRUCT_ZEIGER_IMPL_H
#define F2L_THEORY_CONSTRUCT_ZEIGER_IMPL_H

#include "numeric/base/index.h"
#include "theory/construct/zeiger/zeiger.h"

#define F2L_ZEIGER_GATE_STEPS \
    80                       /* bytes and work (numeric/base/task.h) of a gate without its table */
#define F2L_ZEIGER_BIT 2     /* number of values of a wire that is 0 = no or 1 = yes */
#define F2L_ZEIGER_INPUTS 32 /* most inputs of a table: the bits of a label's number */

typedef struct f2l_zeiger {
    f2l_net *net;
    const f2l_fsa *fsa;
    const f2l_task *task;
    f2l_meter meter;
    size_t n, letters; /* states, letters */
    uint32_t *label;   /* [n] label of every state, or [n][letters] with labels `edges` */
    /* The tables so far; they move to the network at the end. */
    f2l_wired_table *table;
    size_t tables, capacity;
    f2l_index index; /* hashed set of the tables */
    size_t bytes;    /* of all tables */
} f2l_zeiger;

void f2l_zeiger_clear_tables(f2l_zeiger *z);

/* A rule for the entries of a table; `x` and `y` are its parameters beside the inputs. */
typedef struct f2l_zeiger_rule {
    uint32_t (*value)(const f2l_zeiger *z, const struct f2l_zeiger_rule *rule, const uint32_t *in);
    size_t inputs, size[F2L_ZEIGER_INPUTS], values;
    size_t x, y;
} f2l_zeiger_rule;

/* Sets *index to the number of the rule's table, which is added unless it is there. */
f2l_status f2l_zeiger_table(f2l_zeiger *z, size_t *table, const f2l_zeiger_rule *rule,
                            f2l_error *err);

/* Writes the gate that applies the rule to wire[rule->inputs]. */
f2l_status f2l_zeiger_gate(f2l_zeiger *z, f2l_wired_gate *gate, const f2l_zeiger_rule *rule,
                           const uint32_t *wire, f2l_error *err);

/* Writes the inputs of level and leave: the letter, then the bits of both stages. */
f2l_status f2l_zeiger_inputs(const f2l_zeiger *z, f2l_wired_block *block, f2l_error *err);

/* Writes the block that all levels share, except for its head's factors. */
f2l_status f2l_zeiger_level(f2l_zeiger *z, f2l_wired_block *block, f2l_error *err);

/* Writes the head of that block: it reads the wire `reset` and the wires action .. action + n -
 * 1. */
f2l_status f2l_zeiger_head(f2l_zeiger *z, f2l_wired_head *head, uint32_t reset, uint32_t action,
                           f2l_error *err);

#endif
