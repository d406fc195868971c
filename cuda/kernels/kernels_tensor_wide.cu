/* The tensor-core delta product of the C interface for bf16 and more than 128 keys.
 * CPU reference: kernels/delta_host.c and kernels/delta_host_back.c. */
#include "cuda/kernels/kernels_tensor.cuh"

int f2l_kernels_wide_bf16(const void *args, bool back, bool gated, void *stream,
                          fsa2lrnn_kernels_error *err)
{
    return gated ? launch_wide<true>(args, back, stream, err)
                 : launch_wide<false>(args, back, stream, err);
}
