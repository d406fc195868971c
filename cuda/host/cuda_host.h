/* The operators of cuda/cuda_kernels.h on the host: arrays are those of the host, there are no
 * streams and no graphs. bf16 is rounded to where the device rounds to it; sums are the
 * reference's. Memory comes filled with bytes that make NaN, so that what was not written shows. */
#ifndef F2L_CUDA_HOST_H
#define F2L_CUDA_HOST_H

#include "cuda/cuda_kernels.h"

extern const f2l_cuda_kernels f2l_cuda_kernels_host;

#endif
