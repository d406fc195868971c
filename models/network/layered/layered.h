/* A wired network as a network in layers (theory/pages/stock.md, EB.13): the same heads, and in the
 * place of circuits a letter for every tuple of wires that comes up. For programs that know layers
 * only; it has more numbers than the wired network, and how many depends on what comes up. */
#ifndef F2L_LAYERED_H
#define F2L_LAYERED_H

#include "models/network/net/wired.h"

/* Makes *out, initialised and empty, the network in layers that gives the label of `net`, whose
 * stages become layers, after every word. Where no stage has to become one it stays empty; on
 * failure it is empty again. F2L_EDOMAIN, with the number that is too large, where a stage has more
 * than 2^16 local states, or too many letters with them; and where a slot after the first one has a
 * gate that is neither 0 nor 1. */
f2l_status f2l_layered_make(f2l_net *out, const f2l_net *net, const f2l_task *task, f2l_error *err);

#endif
