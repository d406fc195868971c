/* The selective scan and the convolution on the CPU, behind the door: structures are complete and
 * checked, and row distances are never 0 by default. */
#ifndef F2L_KERNELS_SCAN_H
#define F2L_KERNELS_SCAN_H

#include "include/fsa2lrnn_kernels.h"

int f2l_kernels_host_scan_forward(void *out, const fsa2lrnn_selective_scan_in *in,
                                  const fsa2lrnn_selective_scan *p, fsa2lrnn_kernels_error *err);
int f2l_kernels_host_scan_backward(const fsa2lrnn_selective_scan_grad *grad,
                                   const fsa2lrnn_selective_scan_in *in,
                                   const fsa2lrnn_selective_scan *p, fsa2lrnn_kernels_error *err);
void f2l_kernels_host_conv_forward(void *y, void *new_past, const fsa2lrnn_causal_conv1d_in *in,
                                   const fsa2lrnn_causal_conv1d *p);
void f2l_kernels_host_conv_backward(const fsa2lrnn_causal_conv1d_grad *grad,
                                    const fsa2lrnn_causal_conv1d_in *in,
                                    const fsa2lrnn_causal_conv1d *p);

#endif
