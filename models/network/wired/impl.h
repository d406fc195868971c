/* Declarations shared by the files of models/network/wired; private to this folder. */
#ifndef F2L_MODELS_WIRED_IMPL_H
#define F2L_MODELS_WIRED_IMPL_H

#include "models/network/net/wired.h"

/* The flow of a token through the stages, shared by exact and rounded runs; private to
 * models/network/wired. */

/* Gates of a block, flattened: gate g looks up its value at the sum of stride[i] times the value of
 * wire source[i], i from first[g] to first[g + 1] - 1. */
typedef struct f2l_circuit {
    size_t gates;
    const uint32_t **value; /* [gates] borrowed from the tables */
    uint32_t *first;        /* [gates + 1] */
    uint32_t *source, *stride;
} f2l_circuit;

typedef struct f2l_wired_flow {
    const f2l_net *net;      /* borrowed, valid */
    f2l_circuit *pre, *post; /* [blocks] */
    uint32_t *wire;          /* [most wires of a block] values of the wires of the present stage */
    uint32_t *carry; /* [most outputs of a block, at least 1] outputs of the last block; at the end
                      * the label */
    size_t *letter;  /* [most slots of a head] letters of the slots */
} f2l_wired_flow;

f2l_status f2l_wired_flow_init(f2l_wired_flow *flow, const f2l_net *net, f2l_error *err);
void f2l_wired_flow_clear(f2l_wired_flow *flow); /* a zeroed flow is allowed */

/* Sets the wires of stage l up to its pre gates; carry[0] must be the letter when l is 0. */
void f2l_wired_flow_enter(f2l_wired_flow *flow, size_t l);
/* Sets letter[slots] for a head of the stage that was entered. */
void f2l_wired_flow_letters(f2l_wired_flow *flow, const f2l_wired_head *head);
/* Sets the post gates, and copies the stage's outputs into carry. The readouts' wires must be
 * set. */
void f2l_wired_flow_leave(f2l_wired_flow *flow, size_t l);

/* Returns the code that is the zero state, F2L_NO_SYMBOL when there is none. */
uint32_t f2l_wired_zero_code(const f2l_wired_readout *readout);

#endif
