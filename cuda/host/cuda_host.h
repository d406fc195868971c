/* The operators of cuda/cuda_kernels.h on the host: arrays are in host memory, and there are no
 * streams and no graphs. Numbers are rounded to bf16 where the device rounds them; sums are the
 * reference's. Memory is filled with bytes that make NaN, so that numbers that were never written
 * are detected. */
#ifndef F2L_CUDA_HOST_H
#define F2L_CUDA_HOST_H

#include "cuda/cuda_kernels.h"

extern const f2l_cuda_kernels f2l_cuda_kernels_host;

#endif
