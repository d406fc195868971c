/* The device memory of training steps and evaluations, computed by planning them with operators
 * that only return sizes: no device is needed, and nothing is allocated on one. The memory of the
 * driver and of cuBLAS is not counted. */
#ifndef F2L_CUDA_NEED_H
#define F2L_CUDA_NEED_H

#include "cuda/step/cuda_answer.h"
#include "cuda/step/cuda_step.h"

/* Computes f2l_cuda_step_bytes of a step after a batch of `sequences` sequences of `length`
 * letters. F2L_EDOMAIN: sizes that the operators do not support. */
f2l_status f2l_cuda_step_need(size_t *bytes, const f2l_cuda_step_shape *shape, f2l_cuda_type type,
                              size_t sequences, size_t length, const f2l_cuda_kernels *kernels,
                              f2l_error *err);

/* Computes f2l_cuda_answer_bytes for the same arguments. */
f2l_status f2l_cuda_answer_need(size_t *bytes, const f2l_cuda_step_shape *shape, f2l_cuda_type type,
                                size_t sequences, size_t positions,
                                const f2l_cuda_answer_kernels *kernels, f2l_error *err);

#endif
