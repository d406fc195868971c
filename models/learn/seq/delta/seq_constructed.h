/* A constructed network of one layer as parameters of the class that is trained: a start for
 * training (docs/starts.md).
 *
 * Head h of the network, with n keys and d columns, becomes n heads with the same keys and betas.
 * Copy i has the query e_i, the same for all letters, so that it reads row i of the state. Its H_0
 * is an orthogonal matrix U with H_0 of the network = U T. The letters act as orthogonal matrices,
 * so that the row has length 1 whatever the state, and the norm of the read-out only scales it.
 * Letters are unit vectors of the stream, and o_proj puts the state, row by row with T, into
 * coordinates behind them. The head's row of a label is the mean of its codes there, and zero at
 * the letters: the logits are linear in the state. The MLP's last matrix is zero.
 *
 * Everything that the answers do not depend on keeps the numbers that it has: further heads (whose
 * part of o_proj is zero), further rows of H_0, projections from coordinates that no letter uses,
 * and the first two matrices of the MLP. So no parameter is dead for want of a gradient. */
#ifndef F2L_SEQ_CONSTRUCTED_H
#define F2L_SEQ_CONSTRUCTED_H

#include "models/learn/seq/seq.h"
#include "models/network/net/net.h"

/* The least sizes of a model that holds the network. */
typedef struct f2l_seq_constructed_need {
    size_t heads, head_dim; /* head_dim: of keys and of values */
    size_t householders, width;
} f2l_seq_constructed_need;

/* Computes *need. F2L_EDOMAIN, with the reason, for a network that has no such form: several
 * layers, factors that are no reflections (beta = 2), gates, values, biases, or a decoder that
 * depends on the letter. */
f2l_status f2l_seq_constructed_needs(f2l_seq_constructed_need *need, const f2l_net *net,
                                     f2l_error *err);

/* The names of the data, which say which row of a tensor is which letter or label. */
typedef struct f2l_seq_constructed_names {
    const f2l_names *letters, *labels;
} f2l_seq_constructed_names;

/* Overwrites parameters[model->parameters], which are as f2l_seq_start_f32 fills them, by the
 * network. beta is 2 or 0 up to the saturation of the sigmoid, whose argument is `logit` or -logit
 * (> 0). F2L_EDOMAIN as f2l_seq_constructed_needs, and where the model has not the class (one layer
 * of the mixer delta with eigenvalues in [-1, 1], B = 0, a learned H_0, unit keys, and no gate,
 * convolution or SiLU) or the sizes, letters or labels, or where no linear read-out by the means of
 * the codes tells the labels apart. */
f2l_status f2l_seq_constructed_f32(float *parameters, const f2l_seq *model, const f2l_net *net,
                                   const f2l_seq_constructed_names *names, double logit,
                                   f2l_error *err);

#endif
