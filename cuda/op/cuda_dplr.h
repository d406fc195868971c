/* The recurrence with a diagonal and a rank-one term on the device; formulas and shapes as in
 * models/learn/op/op_dplr.h. One block of threads owns a (sequence, head), with S in registers;
 * forward keeps S every F2L_CUDA_DPLR_SEGMENT tokens, and backward computes S again from there. All
 * arithmetic is float, and sums have a fixed order.
 * CPU reference: f2l_dplr_forward, f2l_dplr_backward in models/learn/op/op_dplr.c. */
#ifndef F2L_CUDA_DPLR_H
#define F2L_CUDA_DPLR_H

#include "cuda/device/cuda_type.h"

#define F2L_CUDA_DPLR_DIM 128 /* largest key and value dimension */
#define F2L_CUDA_DPLR_SEGMENT 16

typedef struct f2l_cuda_dplr_shape {
    size_t batch, tokens, heads, key, value;
    bool ranked;           /* whether there is a rank-one term: a and b */
    f2l_cuda_type type;    /* of q, k, v, out and their gradients; w, a, b and theirs are float */
    const uint32_t *first; /* NULL, or packed words: [batch + 1] on the device, word b has the rows
                            * first[b] .. first[b + 1] - 1, at least one and at most `tokens` of
                            * them */
} f2l_cuda_dplr_shape;

typedef struct f2l_cuda_dplr_in {
    const void *q, *k, *v;
    const float *w, *a, *b;
} f2l_cuda_dplr_in;

/* Gradients, written. No array is one of the inputs. */
typedef struct f2l_cuda_dplr_grad {
    void *dq, *dk, *dv;
    float *dw, *da, *db;
} f2l_cuda_dplr_grad;

/* Computes the bytes that forward keeps, and the bytes of the workspace of backward. F2L_EDOMAIN:
 * dimensions above F2L_CUDA_DPLR_DIM, or sizes that cannot be counted. */
f2l_status f2l_cuda_dplr_bytes(size_t *kept, size_t *work, const f2l_cuda_dplr_shape *shape,
                               f2l_error *err);
/* Computes out. `state`, float [batch][heads][key][value], when not NULL, is S before the first
 * token and is replaced by S after the last one: pieces of a word have the bits of the whole word.
 * kept NULL: there is no backward. kept and work are aligned to 16 bytes. */
f2l_status f2l_cuda_dplr_forward(void *out, float *state, void *kept, const f2l_cuda_dplr_in *in,
                                 const f2l_cuda_dplr_shape *shape, void *stream, f2l_error *err);
f2l_status f2l_cuda_dplr_backward(const f2l_cuda_dplr_grad *grad, const void *dout,
                                  const void *kept, void *work, const f2l_cuda_dplr_in *in,
                                  const f2l_cuda_dplr_shape *shape, void *stream, f2l_error *err);

#endif
