/* The gates and the vectors of the rank-one term of cuda/op/cuda_dplr.h; formulas and shapes as in
 * models/learn/op/op_rates.h. w, a, b and their gradients are float.
 * CPU reference: f2l_rates_forward, f2l_rates_backward in models/learn/op/op_rates.c. */
#ifndef F2L_CUDA_RATES_H
#define F2L_CUDA_RATES_H

#include "cuda/device/cuda_type.h"

typedef struct f2l_cuda_rates_shape {
    size_t rows, heads, key; /* key at most 128 */
    bool removal, negative;
    float epsilon;
    f2l_cuda_type type; /* of x, k, y, key and their gradients */
} f2l_cuda_rates_shape;

/* Without removal there are x, gate_bias, w and their gradients only. */
typedef struct f2l_cuda_rates_in {
    const void *x, *k, *y;
    const float *gate_bias, *rate_bias, *removal, *replacement;
} f2l_cuda_rates_in;
typedef struct f2l_cuda_rates_out {
    float *w, *a, *b;
    void *key;
} f2l_cuda_rates_out;

/* dx, dk, dy are written, and may be x, k, y; gradients of parameters are added to. */
typedef struct f2l_cuda_rates_grad {
    const float *dw, *da, *db;
    const void *dkey;
    void *dx, *dk, *dy;
    float *dgate_bias, *drate_bias, *dremoval, *dreplacement;
} f2l_cuda_rates_grad;

/* Returns the bytes of the workspace of backward. */
size_t f2l_cuda_rates_work(const f2l_cuda_rates_shape *shape);
/* F2L_EDOMAIN: more than 128 keys in a head, or too many rows. */
f2l_status f2l_cuda_rates_forward(const f2l_cuda_rates_out *out, const f2l_cuda_rates_in *in,
                                  const f2l_cuda_rates_shape *shape, void *stream, f2l_error *err);
f2l_status f2l_cuda_rates_backward(const f2l_cuda_rates_grad *grad, void *work,
                                   const f2l_cuda_rates_in *in, const f2l_cuda_rates_shape *shape,
                                   void *stream, f2l_error *err);

#endif
