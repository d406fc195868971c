/* The recurrent kernels of the delta product (cuda/delta/cuda_recurrent.h) on the CPU: the same
 * roundings in the same order, and therefore the same bits. For tests: slow, one thread. Pointers
 * are to host memory. */
#ifndef TESTS_REPLAY_RECURRENT_H
#define TESTS_REPLAY_RECURRENT_H

#include "cuda/delta/recurrent_plan.h"

/* Returns the numbers that forward keeps for backward; 0 for a shape that the kernels do not
 * support, or when the result does not fit size_t. */
size_t f2l_replay_recurrent_kept(const f2l_delta_shape *shape);

/* Computes the same as f2l_cuda_recurrent_forward; the order of `kept` differs. F2L_EDOMAIN,
 * F2L_ENOMEM. */
f2l_status f2l_replay_recurrent_forward(void *out, float *state, float *kept,
                                        const f2l_recurrent_in *in, const f2l_delta_shape *shape,
                                        f2l_error *err);
/* Computes the same as f2l_cuda_recurrent_backward. */
f2l_status f2l_replay_recurrent_backward(const f2l_recurrent_grad *grad, const void *dout,
                                         const float *kept, const f2l_recurrent_in *in,
                                         const f2l_delta_shape *shape, f2l_error *err);

#endif
