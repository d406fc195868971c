/* What the front door of the kernels (kernels/delta_face.c) calls on a GPU. Structures are complete
 * and checked; arguments as in include/fsa2lrnn_kernels.h.
 *
 * Two paths. *Tensor cores* (f16, bf16; no gate per key): the algorithm of
 * cuda/delta/delta_plan.h. Keys are filled up to 32, 64, 128 or 256 in shared memory, values to 32,
 * 64 or 128; more than 128 values (64 with more than 128 keys) are blocks of columns, whose dq, dk,
 * dbeta are rounded and then added in their order. Normalised queries and keys are rounded to
 * `type`. With f16 states and their gradients must stay below 65504 inside a product. *Recurrent*
 * (everything else): fp32, factor by factor, and where a sum is over columns, in a fixed order.
 *
 * A sequence's outputs and gradients do not depend on the batch, on packing, or on strides, whether
 * or not rows are aligned. A prefix and the rest after it, with its state in fp32, have the bits of
 * the whole: always on the recurrent path; on tensor cores where the prefix has a multiple of
 * 16 / factors (rounded down) tokens. */
#ifndef F2L_KERNELS_CUDA_H
#define F2L_KERNELS_CUDA_H

#include "include/fsa2lrnn_kernels.h"

int f2l_kernels_cuda_delta_bytes(size_t *kept, size_t *forward_work, size_t *backward_work,
                                 const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err);
int f2l_kernels_cuda_delta_forward(const fsa2lrnn_delta_product_out *out, void *kept, void *work,
                                   const fsa2lrnn_delta_product_in *in,
                                   const fsa2lrnn_delta_product *p, void *stream,
                                   fsa2lrnn_kernels_error *err);
int f2l_kernels_cuda_delta_backward(const fsa2lrnn_delta_product_grad *grad, const void *kept,
                                    void *work, const fsa2lrnn_delta_product_in *in,
                                    const fsa2lrnn_delta_product *p, void *stream,
                                    fsa2lrnn_kernels_error *err);
/* Always by the recurrence. */
int f2l_kernels_cuda_delta_step(const fsa2lrnn_delta_product_out *out, void *states,
                                const fsa2lrnn_delta_product_in *in,
                                const fsa2lrnn_delta_product *p, void *stream,
                                fsa2lrnn_kernels_error *err);
int f2l_kernels_cuda_delta_path(char *text, size_t size, const fsa2lrnn_delta_product *p,
                                fsa2lrnn_kernels_error *err);

#endif
