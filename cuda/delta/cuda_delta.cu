/* Launches of the tensor-core delta product. CPU reference: f2l_delta_forward in
 * models/learn/op/op_delta.c; f2l_delta_backward in models/learn/op/op_delta_back.c. */
#include "cuda/device/cuda_common.cuh"
extern "C" {
#include "cuda/delta/cuda_delta.h"
}
#include "cuda/delta/cuda_delta_back.cuh"

static f2l_status taken(const f2l_delta_mma_in *in, const f2l_delta_shape *s, f2l_error *err)
{
    if (s->key != s->value || (s->key != 32 && s->key != 64 && s->key != 128))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the tensor-core delta product needs key = value = 32, "
                        "64 or 128");
    if (in && in->letter && in->first)
        return f2l_fail(err, F2L_EDOMAIN, "packed words have no tables by letter");
    if (s->householders < 1 || s->householders > 8)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the tensor-core delta product needs 1 to 8 factors per token");
    size_t rows = s->householders;
    if (__builtin_mul_overflow(rows, s->heads, &rows) ||
        __builtin_mul_overflow(rows, s->batch, &rows) ||
        __builtin_mul_overflow(rows, s->tokens + 32, &rows) || rows > 0x7fffffff)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the tensor-core delta product takes less than 2^31 factors in a batch");
    return F2L_OK;
}

size_t f2l_cuda_delta_kept(const f2l_delta_shape *s)
{
    if (taken(NULL, s, NULL) != F2L_OK) return SIZE_MAX;
    return s->batch * s->tokens * s->householders * s->heads * s->value * sizeof(uint16_t);
}

size_t f2l_cuda_delta_work(const f2l_delta_shape *s, bool dh0_wanted)
{
    if (taken(NULL, s, NULL) != F2L_OK) return SIZE_MAX;
    return dh0_wanted ? f2l_delta_parts(s->batch) * s->heads * s->key * s->value * sizeof(float)
                      : 0;
}

static delta_args arguments(const f2l_delta_mma_in *in, const f2l_delta_shape *s)
{
    delta_args p = {};
    p.q = in->q, p.k = in->k, p.v = in->v, p.beta = in->beta, p.letter = in->letter;
    p.first = in->first;
    p.words = static_cast<uint32_t>(s->batch * s->heads);
    p.tokens = static_cast<uint32_t>(s->tokens);
    p.heads = static_cast<uint32_t>(s->heads);
    p.factors = static_cast<uint32_t>(s->householders);
    p.chunk = static_cast<uint32_t>(f2l_delta_chunk(s->householders));
    p.inverse = (256 + p.factors - 1) / p.factors;
    return p;
}

/* Launches a kernel with one group per word. Shared memory beyond 48 KB must be requested. */
template <typename Kernel>
static f2l_status launch_delta_kernel(Kernel kernel, const char *what, uint32_t groups, int threads,
                                      uint32_t group_bytes, const delta_args &p, void *stream,
                                      f2l_error *err)
{
    const uint32_t bytes = groups * group_bytes;
    if (!p.words) return F2L_OK;
    cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes));
    /* with the number of blocks per multiprocessor of the launch bounds nearly all of it is
     * needed */
    if (code == cudaSuccess)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared);
    if (code != cudaSuccess)
        return f2l_fail(err, F2L_EIO, "CUDA refused %u bytes of shared memory for %s: %s", bytes,
                        what, cudaGetErrorString(code));
    kernel<<<(p.words + groups - 1) / groups, threads, bytes, on(stream)>>>(p);
    return launched(what, err);
}

template <int D, int TT, int BLOCKS>
static f2l_status launch_delta_forward(const delta_args &p, void *stream, f2l_error *err)
{
    using G = geometry<D, D, TT>;
    return launch_delta_kernel(p.letter  ? delta_forward<D, D, TT, BY_LETTER, BLOCKS>
                               : p.first ? delta_forward<D, D, TT, PACKED, BLOCKS>
                                         : delta_forward<D, D, TT, BY_POSITION, BLOCKS>,
                               "the forward delta product", G::groups, G::threads,
                               forward_layout<D, D, TT, false>::bytes, p, stream, err);
}
template <int D, int TT, int BLOCKS>
static f2l_status launch_delta_backward(const delta_args &p, void *stream, f2l_error *err)
{
    using G = geometry<D, D, TT>;
    return launch_delta_kernel(p.letter  ? delta_back<D, D, TT, BY_LETTER, BLOCKS>
                               : p.first ? delta_back<D, D, TT, PACKED, BLOCKS>
                                         : delta_back<D, D, TT, BY_POSITION, BLOCKS>,
                               "the backward delta product", G::groups, G::threads,
                               back_layout<D, D, TT, false>::bytes, p, stream, err);
}

f2l_status f2l_cuda_delta_forward(uint16_t *out, float *state, uint16_t *kept, bool go_on,
                                  const f2l_delta_mma_in *in, const f2l_delta_shape *s,
                                  void *stream, f2l_error *err)
{
    const f2l_status status = taken(in, s, err);
    if (status != F2L_OK) return status;
    delta_args p = arguments(in, s);
    p.out = out, p.kept = kept, p.state = state;
    p.start = go_on ? state : in->h0;
    p.starts = go_on;
    const bool eight = p.chunk <= 8;
    if (s->key == 32)
        return eight ? launch_delta_forward<32, 1, 4>(p, stream, err)
                     : launch_delta_forward<32, 2, 3>(p, stream, err);
    if (s->key == 64)
        return eight ? launch_delta_forward<64, 1, 4>(p, stream, err)
                     : launch_delta_forward<64, 2, 4>(p, stream, err);
    return eight ? launch_delta_forward<128, 1, 1>(p, stream, err)
                 : launch_delta_forward<128, 2, 1>(p, stream, err);
}

/* Adds the numbers of one state for all heads over the sequences of one part; then over parts, to
 * dh0. */
static __global__ void delta_start_parts(float *sums, const float *state, uint32_t numbers,
                                         uint32_t batch, uint32_t parts)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, part = blockIdx.y;
    if (i >= numbers) return;
    const uint32_t from = static_cast<uint64_t>(part) * batch / parts,
                   to = static_cast<uint64_t>(part + 1) * batch / parts;
    float sum = 0;
    for (uint32_t b = from; b < to; b++) sum += state[static_cast<size_t>(b) * numbers + i];
    sums[static_cast<size_t>(part) * numbers + i] = sum;
}
static __global__ void delta_start_sum(float *dh0, const float *sums, uint32_t numbers,
                                       uint32_t parts)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= numbers) return;
    float sum = 0;
    for (uint32_t part = 0; part < parts; part++)
        sum += sums[static_cast<size_t>(part) * numbers + i];
    dh0[i] += sum;
}

static f2l_status add_start(float *dh0, const float *state, float *sums, const f2l_delta_shape *s,
                            void *stream, f2l_error *err)
{
    const uint32_t numbers = static_cast<uint32_t>(s->heads * s->key * s->value),
                   batch = static_cast<uint32_t>(s->batch),
                   parts = static_cast<uint32_t>(f2l_delta_parts(s->batch));
    if (!numbers) return F2L_OK;
    delta_start_parts<<<dim3((numbers + 255) / 256, parts), 256, 0, on(stream)>>>(
        sums, state, numbers, batch, parts);
    delta_start_sum<<<(numbers + 255) / 256, 256, 0, on(stream)>>>(dh0, sums, numbers, parts);
    return launched("the gradient of the start", err);
}

f2l_status f2l_cuda_delta_backward(const f2l_delta_mma_grad *grad, const uint16_t *dout,
                                   const uint16_t *kept, float *state, void *work,
                                   const f2l_delta_mma_in *in, const f2l_delta_shape *s,
                                   void *stream, f2l_error *err)
{
    f2l_status status = taken(in, s, err);
    if (status != F2L_OK) return status;
    delta_args p = arguments(in, s);
    p.dout = dout, p.kept = const_cast<uint16_t *>(kept), p.state = state;
    p.dq = grad->dq, p.dk = grad->dk, p.dv = grad->dv, p.dbeta = grad->dbeta;
    const bool eight = p.chunk <= 8;
    if (s->key == 32)
        status = eight ? launch_delta_backward<32, 1, 3>(p, stream, err)
                       : launch_delta_backward<32, 2, 3>(p, stream, err);
    else if (s->key == 64)
        status = eight ? launch_delta_backward<64, 1, 3>(p, stream, err)
                       : launch_delta_backward<64, 2, 3>(p, stream, err);
    else
        status = eight ? launch_delta_backward<128, 1, 1>(p, stream, err)
                       : launch_delta_backward<128, 2, 1>(p, stream, err);
    if (status != F2L_OK || !grad->dh0) return status;
    return add_start(grad->dh0, state, static_cast<float *>(work), s, stream, err);
}
