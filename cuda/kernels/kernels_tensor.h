/* Launches of the tensor-core kernels without and with gates, for bf16 and fp16, and of those for
 * more than 128 keys, in a source of its own each: they take nvcc minutes. */
#ifndef F2L_KERNELS_TENSOR_H
#define F2L_KERNELS_TENSOR_H

#include "cuda/kernels/kernels_choice.h"

/* args: a delta_args of cuda/delta/cuda_delta_args.cuh. */
int f2l_kernels_tensor_bf16(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                            fsa2lrnn_kernels_error *err);
int f2l_kernels_tensor_f16(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                           fsa2lrnn_kernels_error *err);
int f2l_kernels_gated_bf16(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                           fsa2lrnn_kernels_error *err);
int f2l_kernels_gated_f16(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                          fsa2lrnn_kernels_error *err);
int f2l_kernels_wide_bf16(const void *args, bool back, bool gated, void *stream,
                          fsa2lrnn_kernels_error *err);
int f2l_kernels_wide_f16(const void *args, bool back, bool gated, void *stream,
                         fsa2lrnn_kernels_error *err);

#endif
