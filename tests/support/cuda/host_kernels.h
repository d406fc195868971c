/* The operators of cuda/cuda_kernels.h and cuda/step/cuda_answer.h, and groups of devices, on the
 * host: arrays are in host memory, and there are no streams and no graphs. Numbers are rounded to
 * bf16 where the device rounds them; sums are the reference's. Memory is filled with bytes that
 * make NaN, so that numbers that were never written are detected. */
#ifndef TESTS_HOST_KERNELS_H
#define TESTS_HOST_KERNELS_H

#include "cuda/cuda_kernels.h"
#include "cuda/device/cuda_group.h"
#include "cuda/step/cuda_answer.h"

extern const f2l_cuda_kernels f2l_cuda_kernels_host;
extern const f2l_cuda_answer_kernels f2l_cuda_answer_host;
/* All "devices" are the host; sums are taken in the order of the devices. */
extern const f2l_cuda_group_kernels f2l_cuda_group_host;

#endif
