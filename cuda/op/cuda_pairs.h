/* The operators that weigh all pairs of letters: causal softmax attention with rotary positions
 * (models/learn/op/op_attention.h) and the mLSTM in its parallel form (models/learn/op/op_mlstm.h).
 * They take their inputs as columns of a projection, and walk through tiles of pairs, which are
 * never stored: time grows with the square of the length, memory with the length. All arithmetic is
 * float, except sums of log f, which are double.
 * CPU reference: f2l_attention_forward, f2l_attention_backward in models/learn/op/op_attention.c;
 * f2l_mlstm_forward, f2l_mlstm_backward in models/learn/op/op_mlstm.c. */
#ifndef F2L_CUDA_PAIRS_H
#define F2L_CUDA_PAIRS_H

#include "cuda/device/cuda_type.h"

#define F2L_CUDA_PAIRS_DIM 128     /* most keys and values of a head */
#define F2L_CUDA_PAIRS_WINDOW 4096 /* largest window of words in pieces */

typedef struct f2l_cuda_pairs_shape {
    bool mlstm; /* false: attention */
    size_t batch, tokens, heads, key, value;
    size_t window; /* of attention */
    /* From one row to the next: of q and k, of v, of the gates. */
    size_t key_stride, value_stride, gate_stride;
    f2l_cuda_type type;    /* of all arrays except parameters and states */
    const uint32_t *first; /* NULL, or packed words: [batch + 1] on the device, word b has the rows
                            * first[b] .. first[b + 1] - 1, at least one and at most `tokens` of
                            * them; not of words in pieces */
} f2l_cuda_pairs_shape;

typedef struct f2l_cuda_pairs_in {
    const void *q, *k, *v; /* [batch][tokens][heads][..], with the strides */
    /* mLSTM: in and forget of models/learn/op/op_mlstm.h without their biases,
     * [batch][tokens][heads] with the stride; biases [heads] */
    const void *in, *forget;
    const float *in_bias, *forget_bias;
} f2l_cuda_pairs_in;

/* Gradients, with the strides of the inputs; arrays =, gradients of parameters +=. No array is one
 * of the inputs. */
typedef struct f2l_cuda_pairs_grad {
    void *dq, *dk, *dv, *din, *dforget;
    float *din_bias, *dforget_bias;
} f2l_cuda_pairs_grad;

/* Computes the bytes that forward keeps, and the bytes of the workspace of backward. F2L_EDOMAIN:
 * heads of more than F2L_CUDA_PAIRS_DIM numbers, or sizes that cannot be counted. */
f2l_status f2l_cuda_pairs_bytes(size_t *kept, size_t *work, const f2l_cuda_pairs_shape *shape,
                                f2l_error *err);
/* Computes out [batch][tokens][heads][value], dense. */
f2l_status f2l_cuda_pairs_forward(void *out, void *kept, const f2l_cuda_pairs_in *in,
                                  const f2l_cuda_pairs_shape *shape, void *stream, f2l_error *err);
/* Computes backward, from dout, dense, and forward's out. */
f2l_status f2l_cuda_pairs_backward(const f2l_cuda_pairs_grad *grad, const void *dout,
                                   const void *out, const void *kept, void *work,
                                   const f2l_cuda_pairs_in *in, const f2l_cuda_pairs_shape *shape,
                                   void *stream, f2l_error *err);

/* Computes the forward pass letter by letter, from and to state [batch][..], which is laid out as
 * in models/learn/op. `work` has f2l_cuda_pairs_stream_work bytes. */
f2l_status f2l_cuda_pairs_stream(void *out, float *state, void *work, const f2l_cuda_pairs_in *in,
                                 const f2l_cuda_pairs_shape *shape, void *stream, f2l_error *err);
static inline size_t f2l_cuda_pairs_stream_work(const f2l_cuda_pairs_shape *shape)
{
    return shape->mlstm ? 0 : shape->window * shape->key * sizeof(float);
}

/* Compute y = x sigmoid(gate) in rows of `width` numbers, and back: dx [rows][width] and dgate with
 * the gate's stride; x, y, dy dense. */
typedef struct f2l_cuda_gate {
    size_t rows, width, stride; /* stride: of the gate */
    f2l_cuda_type type;
} f2l_cuda_gate;
f2l_status f2l_cuda_gate_forward(void *y, const void *x, const void *gate,
                                 const f2l_cuda_gate *shape, void *stream, f2l_error *err);
f2l_status f2l_cuda_gate_backward(void *dx, void *dgate, const void *dy, const void *x,
                                  const void *gate, const f2l_cuda_gate *shape, void *stream,
                                  f2l_error *err);

#endif
