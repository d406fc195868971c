/* Depthwise causal short convolution: each channel has separate taps, and the last tap multiplies
 * the present token (the orientation of PyTorch's conv1d with padding on the left). */
#ifndef F2L_OP_CONV_H
#define F2L_OP_CONV_H

#include "models/learn/op/op.h"

typedef struct f2l_conv_shape {
    size_t batch, tokens, width;
    size_t taps; /* >= 1 */
} f2l_conv_shape;

/* - forward: y_t,d = sum_j w[d][j] x_(t - taps + 1 + j),d + bias_d; x, y [batch][tokens][width], w
 *   [width][taps], bias [width] or NULL. Tokens before the first are 0, or, with `past`
 *   [batch][taps - 1][width], the rows of `past` (oldest first), which is then replaced by the last
 *   taps - 1 inputs: so a long word can be fed in pieces.
 * - backward: dx = (past was NULL); dw += and dbias += (NULL: not wanted). */
#define F2L_OP_CONV(real, name) \
    void name(f2l_conv_forward)(real * y, real * past, const real *x, const real *w, \
                                const real *bias, const f2l_conv_shape *shape); \
    void name(f2l_conv_backward)(real * dx, real * dw, real * dbias, const real *dy, \
                                 const real *x, const real *w, const f2l_conv_shape *shape);
F2L_OP_BOTH(F2L_OP_CONV)

#endif
