/* The tensor-core delta product of the C interface for bf16.
 * CPU reference: kernels/delta_host.c and kernels/delta_host_back.c. */
#include "cuda/kernels/kernels_tensor.cuh"

int f2l_kernels_tensor_bf16(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                            fsa2lrnn_kernels_error *err)
{
    return launch_for_type<false>(args, back, c, stream, err);
}
