/* The tensor-core delta product of the C interface for fp16, with gates per head.
 * CPU reference: kernels/delta_host.c and kernels/delta_host_back.c. */
#define F2L_DELTA_F16
#include "cuda/kernels/kernels_tensor.cuh"

int f2l_kernels_gated_f16(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                          fsa2lrnn_kernels_error *err)
{
    return launch_for_type<true>(args, back, c, stream, err);
}
