/* The flow of a token through the stages, shared by exact and rounded runs; private to models. */
#ifndef F2L_WIRED_FLOW_H
#define F2L_WIRED_FLOW_H

#include "models/network/net/wired.h"

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
    size_t wires, outputs;   /* the most of a block, outputs at least 1 */
    size_t slots;            /* the most of a head */
    size_t room;             /* numbers of size_t that hold a token */
} f2l_wired_flow;

/* A token on its way; its arrays lie in a room of the caller. */
typedef struct f2l_token {
    size_t *letter;  /* [slots] letters of the slots */
    uint32_t *wire;  /* [wires] values of the wires of the present stage */
    uint32_t *carry; /* [outputs] outputs of the last block; at first the letter of the first stage,
                      * at the end the label */
} f2l_token;

f2l_status f2l_wired_flow_init(f2l_wired_flow *flow, const f2l_net *net, f2l_error *err);
void f2l_wired_flow_clear(f2l_wired_flow *flow); /* a zeroed flow is allowed */

/* Returns a token that carries the letter; room[flow->room]. */
f2l_token f2l_wired_token(const f2l_wired_flow *flow, size_t *room, size_t letter);
/* Sets the wires of stage l up to its pre gates. */
void f2l_wired_flow_enter(const f2l_wired_flow *flow, f2l_token *token, size_t l);
/* Sets letter[slots] for a head of the stage that was entered. */
void f2l_wired_flow_letters(f2l_token *token, const f2l_wired_head *head);
/* Sets the post gates, and copies the stage's outputs into carry. The readouts' wires must be
 * set. */
void f2l_wired_flow_leave(const f2l_wired_flow *flow, f2l_token *token, size_t l);

/* Returns the code that is the zero state, F2L_NO_SYMBOL when there is none. */
uint32_t f2l_wired_zero_code(const f2l_wired_readout *readout);

#endif
