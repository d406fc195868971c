/* How a token flows through the stages: what exact and rounded runs have in common; private to models/wired.
 */
#ifndef F2L_WIRED_FLOW_IMPL_H
#define F2L_WIRED_FLOW_IMPL_H

#include "models/wired/wired_impl.h"

/* Gates of a block flattened: gate g gives the value at the sum of stride[i] times wire number source[i], i
 * from first[g] to first[g + 1] - 1. */
typedef struct f2l_circuit {
    size_t gates;
    const uint32_t **value; /* [gates] borrowed from the tables */
    uint32_t *first;        /* [gates + 1] */
    uint32_t *source, *stride;
} f2l_circuit;

typedef struct f2l_wired_flow {
    const f2l_wired *net;    /* borrowed, valid */
    f2l_circuit *pre, *post; /* [blocks] */
    uint32_t *wire;          /* [most wires of a block] values of the wires of the present stage */
    uint32_t *carry; /* [most outputs of a block, at least 1] what it gives to the next; the label at last */
    size_t *letter;  /* [most slots of a head] */
} f2l_wired_flow;

f2l_status f2l_wired_flow_init(f2l_wired_flow *flow, const f2l_wired *net, f2l_error *err);
void f2l_wired_flow_clear(f2l_wired_flow *flow); /* one that is zero, too */

/* Wires of stage l up to its pre gates; carry[0] must be the letter when l is 0. */
void f2l_wired_flow_enter(f2l_wired_flow *flow, size_t l);
/* letter[slots] of a head of the stage that was entered. */
void f2l_wired_flow_letters(f2l_wired_flow *flow, const f2l_wired_head *head);
/* The readouts' wires must be set: post gates, and the stage's outputs into carry. */
void f2l_wired_flow_leave(f2l_wired_flow *flow, size_t l);

/* The code that is the zero state, F2L_NO_SYMBOL when there is none. */
uint32_t f2l_wired_zero_code(const f2l_wired_readout *readout);

#endif
