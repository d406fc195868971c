/* The first layer of an exact network, as numbers, in the terms of inspect.h. */
#ifndef F2L_INSPECT_NETWORK_H
#define F2L_INSPECT_NETWORK_H

#include "models/learn/inspect/inspect.h"
#include "models/network/net/net.h"

/* Builds *out, which is initialised empty, and empty again after a failure, from the first layer of
 * a valid network, in orthonormal coordinates (models/network/net/net_orthonormal.h).
 * letter[letters] are letters of that layer, for letters of an automaton; `used` is as in
 * f2l_inspect_build. Heads whose keys are shorter than the longest ones get coordinates that are
 * always 0, and letters with fewer factors than others get factors with key and beta 0.
 * F2L_EDOMAIN: a letter has more than F2L_SEQ_MAX_HOUSEHOLDERS factors, or keys have more than
 * F2L_SEQ_MAX_HEAD_DIM entries. */
f2l_status f2l_inspect_build_network(f2l_inspect *out, const f2l_net *net, const uint32_t *letter,
                                     size_t letters, const unsigned char *used,
                                     const f2l_task *task, f2l_error *err);

#endif
