/* The delta product (models/learn/op/op_delta.h) letter by letter, state in fp32: any key and value
 * dimension to 128, 1 to 8 factors per token, gates, values or none, learned start, any number of
 * tokens, in pieces if wanted. This kernel supports every model; it also streams long words, with
 * q, k, v, beta by letter.
 *
 * All arithmetic is fp32 in a fixed order (cuda/delta/recurrent_plan.h), so that the replay
 * on the CPU (tests/support/cuda/replay_recurrent.h) has the same bits, on every device. Only
 * stored outputs are rounded to bf16.
 * CPU reference: f2l_delta_forward in models/learn/op/op_delta.c; f2l_delta_backward in
 * models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_RECURRENT_H
#define F2L_CUDA_RECURRENT_H

#include "cuda/delta/recurrent_plan.h"
#include "cuda/device/cuda_type.h"

/* Return the bytes that forward keeps for backward, and the bytes of the workspace of backward.
 * SIZE_MAX: overflow, or a shape that the kernels do not support. */
size_t f2l_cuda_recurrent_kept(const f2l_delta_shape *shape);
size_t f2l_cuda_recurrent_work(const f2l_delta_shape *shape, bool gated, bool started);

/* Computes out [batch][tokens][heads][value] in the type of q. `state` [batch][heads][key][value],
 * when not NULL, is S before the first token (h0 is not read then) and is replaced by S after the
 * last. `kept`, aligned to 16 bytes, when not NULL, receives the input of backward:
 * f2l_cuda_recurrent_kept bytes. Letters must be rows of the tables. F2L_EDOMAIN, F2L_EIO. */
f2l_status f2l_cuda_recurrent_forward(void *out, float *state, void *kept,
                                      const f2l_recurrent_in *in, const f2l_delta_shape *shape,
                                      void *stream, f2l_error *err);

/* Computes the gradients as f2l_delta_backward does; dout has the type of q. dv, dgate, dh0 must be
 * NULL where v, gate, h0 are, and dh0 where forward had a state. `work` is aligned to 16 bytes, of
 * f2l_cuda_recurrent_work(shape, gate given, dh0 wanted) bytes. Keys are assumed not to stretch the
 * state by much: undoing F2L_RECURRENT_FACTORS factors loses the digits by which the factors
 * stretched it, none for beta |k|^2 in [0, 2]. */
f2l_status f2l_cuda_recurrent_backward(const f2l_recurrent_grad *grad, const void *dout,
                                       const void *kept, void *work, const f2l_recurrent_in *in,
                                       const f2l_delta_shape *shape, void *stream, f2l_error *err);

#endif
