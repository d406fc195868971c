/* The model class to train beside a constructed network. */
#ifndef F2L_SEQ_MATCH_H
#define F2L_SEQ_MATCH_H

#include "models/learn/seq/seq.h"
#include "models/network/net/net.h"

/* Sets *config to the class that the network needs and no more, based on f2l_seq_config_default:
 * its number of layers and of factors per letter; eigenvalues in [-1, 1] if some beta (raw heads:
 * beta u^T u) is above 1; values, a learned H_0 and a forget gate if some letter or head uses them
 * (H_0 also if there are no values). The number of heads, rows and columns is at least the
 * network's: 4 heads of 32 x 32 unless more are needed, then multiples of 16, and width 32 heads,
 * sizes with which such models are known to train. Sizes are counted over Q: an entry of a field of
 * degree r is one number.
 *
 * F2L_EDOMAIN: the network has biases or circuits, or is larger than F2L_SEQ_MAX_.. allows. */
f2l_status f2l_seq_config_match(f2l_seq_config *config, const f2l_net *net, size_t letters,
                                size_t labels, f2l_error *err);

#endif
