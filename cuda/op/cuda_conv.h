/* Depthwise causal short convolution on the device (models/learn/op/op_conv.h).
 * CPU reference: f2l_conv_forward, f2l_conv_backward in models/learn/op/op_conv.c. */
#ifndef F2L_CUDA_CONV_H
#define F2L_CUDA_CONV_H

#include "cuda/device/cuda_type.h"

#define F2L_CUDA_CONV_TAPS 64

typedef struct f2l_cuda_conv_shape {
    size_t batch, tokens, width; /* batch * tokens * width < 2^32 */
    size_t taps;                 /* 1..F2L_CUDA_CONV_TAPS */
    f2l_cuda_type type; /* of x, y, past and their gradients; w [width][taps] and bias [width] are
                           float */
    size_t x_stride, y_stride; /* distance of the rows of x and dx, and of y and dy; 0: width */
    const uint32_t *first;     /* NULL: each word has `tokens` rows; else [batch + 1] on the device:
                                * word b has the rows first[b] .. first[b + 1] - 1, <= `tokens`;
                                * then there is no past and no gradient of a bias */
} f2l_cuda_conv_shape;

/* Computes forward as the reference does, but writes the new past to `new_past`, which is not
 * `past` (both or neither are NULL). */
f2l_status f2l_cuda_conv_forward(void *y, void *new_past, const void *past, const void *x,
                                 const float *w, const float *bias,
                                 const f2l_cuda_conv_shape *shape, void *stream, f2l_error *err);

/* Computes dx =, dw +=, dbias += (each may be NULL); the word began without a past. dx is not dy,
 * but may be x. */
size_t f2l_cuda_conv_work(const f2l_cuda_conv_shape *shape);
f2l_status f2l_cuda_conv_backward(void *dx, float *dw, float *dbias, const void *dy, const void *x,
                                  const float *w, void *work, const f2l_cuda_conv_shape *shape,
                                  void *stream, f2l_error *err);

#endif
