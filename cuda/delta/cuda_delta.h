/* The delta product (models/learn/op/op_delta.h) through the tensor cores: bf16 inputs, state in
 * fp32, key = value = 32, 64 or 128, 1 to 8 factors per token, any number of tokens, values or
 * none, learned start or none, no gates (cuda/delta/cuda_recurrent.h has gates). Needs compute
 * capability 9.0. The algorithm and its roundings are in cuda/delta/delta_plan.h;
 * tests/support/cuda/replay_delta.h computes the same on the CPU.
 *
 * Errors come from rounding operands to bf16: with random unit keys and beta in [0, 2] about 0.5 %
 * (o) and 1 % (gradients) relative to double. The results are exact where keys, values and all
 * states have few binary digits.
 * CPU reference: f2l_delta_forward in models/learn/op/op_delta.c; f2l_delta_backward in
 * models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_DELTA_H
#define F2L_CUDA_DELTA_H

#include "cuda/delta/delta_plan.h"
#include "cuda/device/cuda_type.h"

/* Return the bytes of G, which forward keeps for backward, and of the workspace of backward (0
 * without dh0). SIZE_MAX: overflow, or a shape that the kernels do not support. */
size_t f2l_cuda_delta_kept(const f2l_delta_shape *shape);
size_t f2l_cuda_delta_work(const f2l_delta_shape *shape, bool dh0_wanted);

/* Computes out [batch][tokens][heads][value]. All arrays are on the device and aligned to 16 bytes.
 * kept (of f2l_cuda_delta_kept bytes, bf16) may be NULL if there is no backward, otherwise state
 * must not be NULL. state [batch][heads][key][value], may be NULL: S after the last token; with
 * go_on it is also S before the first token (h0 is not read then). Letters must be rows of the
 * tables. F2L_EDOMAIN, F2L_EIO. */
f2l_status f2l_cuda_delta_forward(uint16_t *out, float *state, uint16_t *kept, bool go_on,
                                  const f2l_delta_mma_in *in, const f2l_delta_shape *shape,
                                  void *stream, f2l_error *err);

/* Computes the gradients. state: as forward left it; replaced by the gradient at S before the first
 * token. work (f2l_cuda_delta_work bytes) is used only if dh0 is wanted. */
f2l_status f2l_cuda_delta_backward(const f2l_delta_mma_grad *grad, const uint16_t *dout,
                                   const uint16_t *kept, float *state, void *work,
                                   const f2l_delta_mma_in *in, const f2l_delta_shape *shape,
                                   void *stream, f2l_error *err);

#endif
