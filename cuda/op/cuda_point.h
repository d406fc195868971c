/* Pointwise operators on the device; formulas as in models/learn/op/op_point.h. rows * width <
 * 2^32. CPU reference: f2l_swiglu_forward, f2l_swiglu_backward, f2l_sigmoid_forward,
 * f2l_sigmoid_backward, f2l_decay_forward, f2l_decay_backward in models/learn/op/op_point.c. */
#ifndef F2L_CUDA_POINT_H
#define F2L_CUDA_POINT_H

#include "cuda/device/cuda_type.h"

/* Copies from [n] of one type to [n] of another. */
f2l_status f2l_cuda_cast(void *to, f2l_cuda_type to_type, const void *from, f2l_cuda_type from_type,
                         size_t n, void *stream, f2l_error *err);

/* Compute the gated MLP: y [rows][width] = silu(gate) * up, gate_up [rows][2][width], the output of
 * one product with both matrices. dgate_up may be gate_up. */
f2l_status f2l_cuda_swiglu_forward(void *y, const void *gate_up, size_t rows, size_t width,
                                   f2l_cuda_type type, void *stream, f2l_error *err);
f2l_status f2l_cuda_swiglu_backward(void *dgate_up, const void *dy, const void *gate_up,
                                    size_t rows, size_t width, f2l_cuda_type type, void *stream,
                                    f2l_error *err);

/* A part of a projection that becomes beta or a gate: x, dx are [rows][width] with rows `stride`
 * apart (the rest of a row is not touched), of `type`; y, dy are float [rows][width], dense. */
typedef struct f2l_cuda_range {
    size_t rows, width, stride;
    float low, high;
    float slope; /* sigmoid only */
    f2l_cuda_type type;
} f2l_cuda_range;

/* Compute y = low + (high - low) sigmoid(slope x). y must not be NULL. dx may be x. */
f2l_status f2l_cuda_sigmoid_forward(float *y, const void *x, const f2l_cuda_range *range,
                                    void *stream, f2l_error *err);
f2l_status f2l_cuda_sigmoid_backward(void *dx, const float *dy, const void *x,
                                     const f2l_cuda_range *range, void *stream, f2l_error *err);

/* Compute y = low + (high - low) exp(-exp(rate) softplus(x + bias)), rate, bias [width]; drate,
 * dbias +=. dx may be x. */
size_t f2l_cuda_decay_work(const f2l_cuda_range *range);
f2l_status f2l_cuda_decay_forward(float *y, const void *x, const float *rate, const float *bias,
                                  const f2l_cuda_range *range, void *stream, f2l_error *err);
f2l_status f2l_cuda_decay_backward(void *dx, float *drate, float *dbias, const float *dy,
                                   const void *x, const float *rate, const float *bias, void *work,
                                   const f2l_cuda_range *range, void *stream, f2l_error *err);

#endif
