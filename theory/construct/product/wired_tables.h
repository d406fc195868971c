/* A network of tables as a wired network: a stage for each layer. */
#ifndef F2L_WIRED_TABLES_H
#define F2L_WIRED_TABLES_H

#include "automata/fsa/fsa.h"
#include "models/network/net/wired.h"
#include "numeric/base/task.h"

/* Builds the wired network of a network of layers that reads the letters of `fsa` and whose labels
 * are its states. The wired network has letters[first], of which letter x is letter first[x] of the
 * network, and its labels are the states in their order. Where the decoder has no symbol it gives
 * some symbol. *out is initialised, and empty after a failure. F2L_EDOMAIN: there are no
 * layers, a wired network cannot have the heads, or has other labels. F2L_UNKNOWN: a table would be
 * too large, or the task stopped it. */
f2l_status f2l_wired_tables_build(f2l_net *out, const f2l_net *net, const f2l_fsa *fsa,
                                  const uint32_t *first, size_t letters, const f2l_task *task,
                                  f2l_error *err);

#endif
