/* The delta product (models/op/op_delta.h) letter by letter, state in fp32: any key and value
 * dimension to 128, 1 to 8 factors per token, gates, values or none, learned start, any number of
 * tokens, in pieces if wanted. The kernel that is right for everything; also the one that streams
 * long words, with q, k, v, beta by letter.
 *
 * All arithmetic is fp32 in a fixed order (cuda/replay/replay_recurrent_plan.h), so that the replay
 * on the CPU (cuda/replay/replay_recurrent.h) has the same bits, on every device. bf16 is rounded
 * to where outputs are stored, nowhere else. */
#ifndef F2L_CUDA_RECURRENT_H
#define F2L_CUDA_RECURRENT_H

#include "cuda/device/cuda_type.h"
#include "cuda/replay/replay_recurrent_plan.h"

/* Bytes of what forward keeps for backward, and of the workspace of backward. SIZE_MAX: overflow,
 * or a shape that is not taken. */
size_t f2l_cuda_recurrent_kept(const f2l_delta_shape *shape);
size_t f2l_cuda_recurrent_work(const f2l_delta_shape *shape, bool gated, bool started);

/* out [batch][tokens][heads][value] in the type of q. `state` [batch][heads][key][value], when not
 * NULL, is S before the first token (h0 is not read then) and is replaced by S after the last.
 * `kept`, aligned to 16 bytes, when not NULL, receives what backward reads: f2l_cuda_recurrent_kept
 * bytes. Letters must be rows of the tables. F2L_EDOMAIN, F2L_EIO. */
f2l_status f2l_cuda_recurrent_forward(void *out, float *state, void *kept,
                                      const f2l_recurrent_in *in, const f2l_delta_shape *shape,
                                      void *stream, f2l_error *err);

/* As f2l_delta_backward; dout has the type of q. dv, dgate, dh0 must be NULL where v, gate, h0 are,
 * and dh0 where forward had a state. `work` is aligned to 16 bytes, of
 * f2l_cuda_recurrent_work(shape, gate given, dh0 wanted) bytes. The keys are taken not to stretch
 * the state by much: undoing F2L_RECURRENT_FACTORS factors loses the digits by which they stretched
 * it, none for beta |k|^2 in [0, 2]. */
f2l_status f2l_cuda_recurrent_backward(const f2l_recurrent_grad *grad, const void *dout,
                                       const void *kept, void *work, const f2l_recurrent_in *in,
                                       const f2l_delta_shape *shape, void *stream, f2l_error *err);

#endif
