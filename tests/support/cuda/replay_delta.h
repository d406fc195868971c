/* The computation of the kernels of cuda/delta/cuda_delta.h on the CPU: the same chunks, the same
 * products with the same roundings to bf16, sums in fp32. Inside a product of 16 terms the tensor
 * cores' order and truncation are not specified: here such a product is summed exactly (in double)
 * and rounded once. Slow; for tests. */
#ifndef TESTS_REPLAY_DELTA_H
#define TESTS_REPLAY_DELTA_H

#include "cuda/delta/delta_plan.h"
#include "tests/support/cuda/replay_bf16.h"

/* Compute the same as f2l_cuda_delta_forward and _backward. F2L_EDOMAIN for shapes that the kernels
 * do not support, F2L_ENOMEM. */
f2l_status f2l_replay_delta_forward(uint16_t *out, float *state, uint16_t *kept, bool go_on,
                                    const f2l_delta_mma_in *in, const f2l_delta_shape *shape,
                                    f2l_error *err);
f2l_status f2l_replay_delta_backward(const f2l_delta_mma_grad *grad, const uint16_t *dout,
                                     const uint16_t *kept, float *state, const f2l_delta_mma_in *in,
                                     const f2l_delta_shape *shape, f2l_error *err);

#endif
