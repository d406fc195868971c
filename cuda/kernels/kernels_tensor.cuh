/* Launches of the tensor-core delta product with delta_call, for one type of 16 bits.
 * CPU reference: kernels/delta_host.c and kernels/delta_host_back.c. */
#ifndef F2L_KERNELS_TENSOR_CUH
#define F2L_KERNELS_TENSOR_CUH

#include "cuda/kernels/kernels_launch.cuh"
extern "C" {
#include "cuda/kernels/kernels_tensor.h"
}
#include "cuda/delta/cuda_delta_back.cuh"

namespace {

/* Ahead and BACK: blocks on a multiprocessor. */
template <int K, int V, int TT, int AHEAD, int BACK, bool GATED>
static int launch_tensor(const delta_args &p, bool back, void *stream, fsa2lrnn_kernels_error *err)
{
    using G = geometry<K, V, TT>;
    const uint32_t bytes = G::groups * (back ? back_layout<K, V, TT, GATED>::bytes
                                             : forward_layout<K, V, TT, GATED>::bytes);
    return launch_kernel<delta_args>(
        back ? delta_back<K, V, TT, BY_CALL, BACK, GATED>
             : delta_forward<K, V, TT, BY_CALL, AHEAD, GATED>,
        (p.words + G::groups - 1) / G::groups, G::threads, bytes, true, p, stream,
        back ? "the backward delta product" : "the forward delta product", err);
}

template <int TT, bool GATED>
static int choose_kernel(const delta_args &p, bool back, const f2l_kernels_choice *c, void *stream,
                         fsa2lrnn_kernels_error *err)
{
    if (c->key == 32)
        return launch_tensor < 32, 32, TT, TT == 1 ? 4 : 3, GATED ? 2 : 3,
               GATED > (p, back, stream, err);
    if (c->key == 64)
        return c->value == 64 ? launch_tensor<64, 64, TT, 4, 3, GATED>(p, back, stream, err)
                              : launch_tensor<64, 128, TT, 2, 1, GATED>(p, back, stream, err);
    return c->value == 64 ? launch_tensor<128, 64, TT, 2, 2, GATED>(p, back, stream, err)
                          : launch_tensor<128, 128, TT, 1, 1, GATED>(p, back, stream, err);
}

} // namespace

template <bool GATED>
static int launch_for_type(const void *args, bool back, const f2l_kernels_choice *c, void *stream,
                           fsa2lrnn_kernels_error *err)
{
    const delta_args &p = *static_cast<const delta_args *>(args);
    return p.chunk <= 8 ? choose_kernel<1, GATED>(p, back, c, stream, err)
                        : choose_kernel<2, GATED>(p, back, c, stream, err);
}

/* Keys of 129 to 256: blocks of 64 columns, so that the tiles and sums of backward fit into shared
 * memory. A lane then has 128 numbers of S and 128 of dS, more than its registers: the rest is in
 * local memory. Chunks of any number of tokens go through the kernel for 16. */
template <bool GATED>
static int launch_wide(const void *args, bool back, void *stream, fsa2lrnn_kernels_error *err)
{
    return launch_tensor<256, 64, 2, 1, 1, GATED>(*static_cast<const delta_args *>(args), back,
                                                  stream, err);
}

#endif
