/* Wired networks side by side (theory/pages/product.md, X.4): each stage between the first and the
 * last has the wires, heads and gates of the parts' stages at the same distance from their last
 * layers. */
#ifndef F2L_WIRED_PRODUCT_H
#define F2L_WIRED_PRODUCT_H

#include "automata/fsa/fsa.h"
#include "models/network/net/wired.h"
#include "numeric/base/task.h"
#include "theory/certify/cert/division.h"

/* A network for a quotient. All is borrowed. */
typedef struct f2l_wired_factor {
    const f2l_net *net;        /* label c is class c; valid, with letters that it does not merge */
    const uint32_t *letter_of; /* [letters of the whole automaton] letter of `net` */
    const uint32_t *class_of;  /* [states of the whole automaton] */
    f2l_cert_claim claim;      /* what proves `net` */
} f2l_wired_factor;

/* Builds the network of an automaton, whose start reaches all of its states, from networks of
 * quotients that determine its state together, and the division that its certificate describes.
 * Both outputs are initialised and empty after a failure. F2L_EDOMAIN: the quotients do not
 * determine the label. F2L_UNKNOWN: the network is beyond a limit, or the task stopped it. */
f2l_status f2l_wired_product_build(f2l_net *out, f2l_division *division, const f2l_fsa *fsa,
                                   f2l_label label, const f2l_wired_factor *factor, size_t factors,
                                   const f2l_task *task, f2l_error *err);

#endif
