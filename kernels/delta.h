/* The delta product behind its front door: structures are complete here, with every default filled
 * in, and checked. */
#ifndef F2L_KERNELS_DELTA_H
#define F2L_KERNELS_DELTA_H

#include "include/fsa2lrnn_kernels.h"

/* Copies *from to *p with its defaults: key_heads, scale, index_bits, sequences and states are
 * never 0 by default then. EDOMAIN, EINVAL: its numbers are out of range or contradict each other;
 * on the CPU also those of cu_seqlens and state_indices. */
int f2l_kernels_delta_plan(fsa2lrnn_delta_product *p, const fsa2lrnn_delta_product *from,
                           fsa2lrnn_kernels_error *err);

/* Copy and check the arrays of a call. */
int f2l_kernels_delta_in(fsa2lrnn_delta_product_in *in, const fsa2lrnn_delta_product_in *from,
                         const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err);
int f2l_kernels_delta_out(fsa2lrnn_delta_product_out *out, const fsa2lrnn_delta_product_out *from,
                          const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err);
int f2l_kernels_delta_grad(fsa2lrnn_delta_product_grad *grad,
                           const fsa2lrnn_delta_product_grad *from,
                           const fsa2lrnn_delta_product_in *in, const fsa2lrnn_delta_product *p,
                           fsa2lrnn_kernels_error *err);

/* Where a sequence is: its tokens are rows first .. first + count - 1 of batch entry `batch`, its
 * state is number `state` of the arrays of states, -1 for padding. */
typedef struct f2l_kernels_sequence {
    int64_t batch, first, count, state;
} f2l_kernels_sequence;

f2l_kernels_sequence f2l_kernels_sequence_at(const fsa2lrnn_delta_product *p, int64_t i);
/* Returns number i of cu_seqlens or of state_indices. */
int64_t f2l_kernels_index(const void *from, int64_t i, const fsa2lrnn_delta_product *p);

/* The reference on the CPU: sums are double, and a state between two tokens, and its gradient, is
 * rounded to fp32 unless type is f64: so a sequence in pieces gives the bits of the whole. */
int f2l_kernels_host_delta_forward(const fsa2lrnn_delta_product_out *out,
                                   const fsa2lrnn_delta_product_in *in,
                                   const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err);
/* Recomputes all states, with checkpoints: it allocates about 2 sqrt(tokens) + factors states, and
 * doubles for the dq and dk of a sequence and key head. */
int f2l_kernels_host_delta_backward(const fsa2lrnn_delta_product_grad *grad,
                                    const fsa2lrnn_delta_product_in *in,
                                    const fsa2lrnn_delta_product *p, fsa2lrnn_kernels_error *err);

#endif
