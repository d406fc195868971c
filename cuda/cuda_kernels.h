/* The table of the operators of a training step: the launchers on a device
 * (f2l_cuda_kernels_device), or operators with the same meaning on the host, which test the step's
 * schedule, its buffers and its sums on machines without a device (tests/support/cuda). */
#ifndef F2L_CUDA_KERNELS_H
#define F2L_CUDA_KERNELS_H

#include "cuda/device/cuda_memory.h"
#include "cuda/op/cuda_adamw.h"
#include "cuda/op/cuda_conv.h"
#include "cuda/op/cuda_dplr.h"
#include "cuda/op/cuda_letters.h"
#include "cuda/op/cuda_linear.h"
#include "cuda/op/cuda_loss.h"
#include "cuda/op/cuda_norm.h"
#include "cuda/op/cuda_pairs.h"
#include "cuda/op/cuda_point.h"
#include "cuda/op/cuda_rates.h"
#include "cuda/op/cuda_select.h"
#include "models/learn/op/op_delta.h"

/* The inputs of the delta product in a step; arrays as in models/learn/op/op_delta.h. q, k, v and
 * out are of `type`, the others float. With `letter` [batch][tokens], q, k, v, beta, gate are
 * tables by letter; gradients are still per position. */
typedef struct f2l_cuda_mixer_in {
    f2l_delta_shape shape;
    f2l_cuda_type type;
    const void *q, *k, *v;         /* v NULL: no additive path */
    const float *beta, *gate, *h0; /* gate, h0 NULL: none */
    const uint32_t *letter;        /* NULL: by position */
    const uint32_t *first; /* NULL, or packed words: [batch + 1] on the device, word b has the rows
                            * first[b] .. first[b + 1] - 1, at least one and at most `tokens` of
                            * them; not with letters */
} f2l_cuda_mixer_in;

/* Outputs, written with = except dh0 +=; dv, dgate, dh0 are NULL where v, gate, h0 are. */
typedef struct f2l_cuda_mixer_grad {
    void *dq, *dk, *dv;
    float *dbeta, *dgate, *dh0;
} f2l_cuda_mixer_grad;

/* Compute the bytes that the delta product keeps and its workspace, its forward pass, and its
 * backward pass. f2l_cuda_mixer_bytes looks only at the shape, the type and which of v, gate, h0,
 * letter are NULL. */
f2l_status f2l_cuda_mixer_bytes(size_t *kept, size_t *work, const f2l_cuda_mixer_in *in,
                                f2l_error *err);
f2l_status f2l_cuda_mixer_forward(void *out, void *kept, void *work, const f2l_cuda_mixer_in *in,
                                  void *stream, f2l_error *err);
f2l_status f2l_cuda_mixer_backward(const f2l_cuda_mixer_grad *grad, const void *dout, void *kept,
                                   void *work, const f2l_cuda_mixer_in *in, void *stream,
                                   f2l_error *err);

#define F2L_CUDA_KERNEL(name) __typeof__(f2l_cuda_##name) *name
typedef struct f2l_cuda_kernels {
    F2L_CUDA_KERNEL(alloc);
    F2L_CUDA_KERNEL(free);
    F2L_CUDA_KERNEL(alloc_host);
    F2L_CUDA_KERNEL(free_host);
    F2L_CUDA_KERNEL(to_device);
    F2L_CUDA_KERNEL(to_host);
    F2L_CUDA_KERNEL(fill);
    F2L_CUDA_KERNEL(stream_new);
    F2L_CUDA_KERNEL(stream_free);
    F2L_CUDA_KERNEL(wait);
    F2L_CUDA_KERNEL(graph_begin); /* NULL: there are no graphs, every pass is launched directly */
    F2L_CUDA_KERNEL(graph_end);
    F2L_CUDA_KERNEL(graph_run);
    F2L_CUDA_KERNEL(graph_free);
    F2L_CUDA_KERNEL(cast);
    F2L_CUDA_KERNEL(swiglu_forward);
    F2L_CUDA_KERNEL(swiglu_backward);
    F2L_CUDA_KERNEL(sigmoid_forward);
    F2L_CUDA_KERNEL(sigmoid_backward);
    F2L_CUDA_KERNEL(decay_work);
    F2L_CUDA_KERNEL(decay_forward);
    F2L_CUDA_KERNEL(decay_backward);
    F2L_CUDA_KERNEL(rmsnorm_forward);
    F2L_CUDA_KERNEL(rmsnorm_work);
    F2L_CUDA_KERNEL(rmsnorm_backward);
    F2L_CUDA_KERNEL(unit_forward);
    F2L_CUDA_KERNEL(unit_backward);
    F2L_CUDA_KERNEL(letters_bytes);
    F2L_CUDA_KERNEL(letters_index);
    F2L_CUDA_KERNEL(letters_work);
    F2L_CUDA_KERNEL(letters_sum);
    F2L_CUDA_KERNEL(loss_work);
    F2L_CUDA_KERNEL(loss);
    F2L_CUDA_KERNEL(adamw_work);
    F2L_CUDA_KERNEL(adamw);
    F2L_CUDA_KERNEL(blas_new);
    F2L_CUDA_KERNEL(blas_free);
    F2L_CUDA_KERNEL(product_new);
    F2L_CUDA_KERNEL(product_free);
    F2L_CUDA_KERNEL(product_run);
    F2L_CUDA_KERNEL(mixer_bytes);
    F2L_CUDA_KERNEL(mixer_forward);
    F2L_CUDA_KERNEL(mixer_backward);
    F2L_CUDA_KERNEL(embed_forward);
    F2L_CUDA_KERNEL(conv_forward);
    F2L_CUDA_KERNEL(conv_work);
    F2L_CUDA_KERNEL(conv_backward);
    F2L_CUDA_KERNEL(select_bytes);
    F2L_CUDA_KERNEL(select_forward);
    F2L_CUDA_KERNEL(select_backward);
    F2L_CUDA_KERNEL(rates_work);
    F2L_CUDA_KERNEL(rates_forward);
    F2L_CUDA_KERNEL(rates_backward);
    F2L_CUDA_KERNEL(dplr_bytes);
    F2L_CUDA_KERNEL(dplr_forward);
    F2L_CUDA_KERNEL(dplr_backward);
    F2L_CUDA_KERNEL(pairs_bytes);
    F2L_CUDA_KERNEL(pairs_forward);
    F2L_CUDA_KERNEL(pairs_backward);
    F2L_CUDA_KERNEL(gate_forward);
    F2L_CUDA_KERNEL(gate_backward);
} f2l_cuda_kernels;
#undef F2L_CUDA_KERNEL

/* defined in the build with kernels */
extern const f2l_cuda_kernels f2l_cuda_kernels_device;

#endif
