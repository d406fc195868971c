/* The selective diagonal recurrence of the mixer diagonal (models/learn/seq/seq.h) with its gate,
 * in one pass:
 *
 *     dt = softplus(step + bias), a_n = low + (1 - low) exp(-dt exp(state_log_n)),
 *     h_n <- a_n h_n + dt B_n u, out = (sum over n of C_n h_n + skip u) silu(gate)
 *
 * with h = 0 before the first token. No array has a number per token, channel and state: forward
 * keeps h every F2L_CUDA_SELECT_CHUNK tokens, and backward recomputes h from there. All arithmetic
 * is float.
 * CPU reference: forward_diagonal, backward_diagonal in
 * models/learn/seq/diagonal/seq_diagonal_pass.c. */
#ifndef F2L_CUDA_SELECT_H
#define F2L_CUDA_SELECT_H

#include "cuda/device/cuda_type.h"

#define F2L_CUDA_SELECT_CHUNK 16
#define F2L_CUDA_SELECT_STATES 64 /* most states per channel */

typedef struct f2l_cuda_select_shape {
    size_t batch, tokens, channels, states;
    size_t stride;         /* from one row of B (of C) to the next */
    size_t gate_stride;    /* from one row of the gate to the next */
    float low;             /* 0 or -1 */
    f2l_cuda_type type;    /* of all arrays except the parameters */
    const uint32_t *first; /* NULL, or packed words: [batch + 1] on the device, word b has the rows
                            * first[b] .. first[b + 1] - 1, at least one and at most `tokens` of
                            * them
                            */
    size_t rows;           /* with `first`: first[batch] */
} f2l_cuda_select_shape;

typedef struct f2l_cuda_select_in {
    const void *u, *step, *gate;   /* [batch][tokens][channels] */
    const void *write, *read;      /* B, C: [batch][tokens][states] */
    const float *bias, *state_log; /* [channels]; [channels][states] */
    const float *skip;             /* [channels] */
} f2l_cuda_select_in;

/* Gradients, with the strides of the inputs; arrays =, gradients of parameters +=. No array is one
 * of the inputs. */
typedef struct f2l_cuda_select_grad {
    void *du, *dstep, *dgate, *dwrite, *dread;
    float *dbias, *dstate_log, *dskip;
} f2l_cuda_select_grad;

/* Computes the bytes that forward keeps, and the bytes of the workspace of backward. F2L_EDOMAIN:
 * more than F2L_CUDA_SELECT_STATES states, or sizes that cannot be counted. */
f2l_status f2l_cuda_select_bytes(size_t *kept, size_t *work, const f2l_cuda_select_shape *shape,
                                 f2l_error *err);
/* Compute forward and backward. kept NULL: there is no backward. */
f2l_status f2l_cuda_select_forward(void *out, void *kept, const f2l_cuda_select_in *in,
                                   const f2l_cuda_select_shape *shape, void *stream,
                                   f2l_error *err);
f2l_status f2l_cuda_select_backward(const f2l_cuda_select_grad *grad, const void *dout,
                                    const void *kept, void *work, const f2l_cuda_select_in *in,
                                    const f2l_cuda_select_shape *shape, void *stream,
                                    f2l_error *err);

#endif
