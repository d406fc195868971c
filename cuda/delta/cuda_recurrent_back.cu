/* Kernels and launches of the recurrent delta product's backward.
 * CPU reference: f2l_delta_backward in models/learn/op/op_delta_back.c. */
#include "cuda/delta/cuda_recurrent_back.cuh"

extern "C" {
#include "numeric/base/mem.h"
}

template <typename T, int KEY, bool PACKED>
static __global__ void __launch_bounds__(tile<KEY>::THREADS, 16 / tile<KEY>::WARPS)
    recurrent_backward(const backward_call<T> call)
{
    extern __shared__ __align__(16) unsigned char ring[];
    const letters<T> &a = call.word;
    const place<KEY> me;
    const piece mine = piece_of<KEY>(a);
    clear_ring(ring, AHEAD * a.slot);
    for (size_t pair = blockIdx.x; pair < a.pairs; pair += gridDim.x) {
        part<KEY> S, D;
        read_matrix<KEY>(D, nullptr, a.key, a.value, me);
        const size_t start = a.template begin<PACKED>(pair / a.heads),
                     tokens = a.template count<PACKED>(pair / a.heads);
        for (unsigned segment = PACKED ? ((unsigned)tokens + call.segment - 1) / call.segment
                                       : call.segments;
             segment-- > 0;) {
            const size_t first = (size_t)segment * call.segment, left = tokens - first;
            const unsigned count = left < call.segment ? (unsigned)left : call.segment;
            const float4 *kept =
                call.kept + ((size_t)segment * a.pairs + pair) * tile<KEY>::ROWS * blockDim.x;
            const stretch<KEY, T> here = {
                call, me, mine, ring, start + first, count, (unsigned)(pair % a.heads)};
            recall<KEY>(S, kept);
            here.replay(S);
            here.reverse(D, S, kept);
        }
        if (call.last) write_matrix<KEY>(call.last + pair * a.key * a.value, D, a.key, a.value, me);
    }
}

/* Computes sums [groups][n] of `last` [batch][n] over groups of sequences. */
static __global__ void __launch_bounds__(SUM_THREADS)
    sum_group(float *sums, const float *last, size_t n, size_t batch)
{
    const size_t i = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x;
    const size_t from = (size_t)blockIdx.y * F2L_RECURRENT_GROUP;
    if (i >= n) return;
    float sum = 0;
#pragma unroll 8
    for (size_t b = from; b < batch && b < from + F2L_RECURRENT_GROUP; b++)
        sum = __fadd_rn(sum, last[b * n + i]);
    sums[blockIdx.y * n + i] = sum;
}

static __global__ void __launch_bounds__(SUM_THREADS)
    sum_groups(float *dh0, const float *sums, size_t n, size_t groups)
{
    const size_t i = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
#pragma unroll 8
    for (size_t g = 0; g < groups; g++) sum = __fadd_rn(sum, sums[g * n + i]);
    dh0[i] = __fadd_rn(dh0[i], sum);
}

static size_t recurrent_back_blocks(const f2l_delta_shape *s, const f2l_recurrent_plan *plan)
{
    const size_t most = SLOTS / plan->warps, pairs = s->batch * s->heads;
    return pairs < most ? pairs : most;
}

static size_t groups_of(const f2l_delta_shape *s)
{
    return s->batch / F2L_RECURRENT_GROUP + (s->batch % F2L_RECURRENT_GROUP != 0);
}

/* Computes the numbers of the three parts of the workspace; false: overflow. */
static bool work_parts(size_t part[3], const f2l_delta_shape *s, const f2l_recurrent_plan *plan,
                       bool started)
{
    part[0] =
        recurrent_back_blocks(s, plan) * (plan->segment / plan->anchor) * plan->key * plan->value;
    part[1] = part[2] = 0;
    if (!started) return true;
    const size_t all = s->heads * s->key * s->value;
    if (!f2l_mul_size(&part[1], s->batch, all)) return false;
    return f2l_mul_size(&part[2], groups_of(s), all);
}

size_t f2l_cuda_recurrent_work(const f2l_delta_shape *s, bool gated, bool started)
{
    f2l_recurrent_plan plan;
    size_t part[3], sum, pairs;
    if (f2l_recurrent_plan_of(&plan, s, gated, nullptr) != F2L_OK) return SIZE_MAX;
    if (!f2l_mul_size(&pairs, s->batch, s->heads) ||
        !f2l_mul_size(&sum, s->heads, (size_t)F2L_RECURRENT_DIM * F2L_RECURRENT_DIM) ||
        !work_parts(part, s, &plan, started))
        return SIZE_MAX;
    if (!f2l_add_size(&sum, part[0], part[1]) || !f2l_add_size(&sum, sum, part[2]) ||
        !f2l_mul_size(&sum, sum, sizeof(float)))
        return SIZE_MAX;
    return sum;
}

template <typename T, int KEY, bool PACKED>
static f2l_status
launch_recurrent_back_rows(const backward_call<T> *call, unsigned bytes, const f2l_delta_shape *s,
                           const f2l_recurrent_plan *plan, void *stream, f2l_error *err)
{
    if (bytes > 48 << 10)
        cudaFuncSetAttribute(recurrent_backward<T, KEY, PACKED>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    recurrent_backward<T, KEY, PACKED><<<(unsigned)recurrent_back_blocks(s, plan),
                                         (unsigned)(32 * plan->warps), bytes, on(stream)>>>(*call);
    return launched("the gradient of the recurrent delta product", err);
}

template <typename T, int KEY>
static f2l_status launch_recurrent_back(const backward_call<T> *call, unsigned bytes,
                                        const f2l_delta_shape *s, const f2l_recurrent_plan *plan,
                                        void *stream, f2l_error *err)
{
    return call->word.first
               ? launch_recurrent_back_rows<T, KEY, true>(call, bytes, s, plan, stream, err)
               : launch_recurrent_back_rows<T, KEY, false>(call, bytes, s, plan, stream, err);
}

template <typename T>
static f2l_status
choose_recurrent_back(const f2l_recurrent_grad *g, const void *dout, const void *kept,
                      float *work[2], const f2l_recurrent_in *in, const f2l_delta_shape *s,
                      const f2l_recurrent_plan *plan, void *stream, f2l_error *err)
{
    backward_call<T> call = {};
    call.word = letters_of<T>(in, dout, s, plan);
    call.dq = static_cast<T *>(g->dq), call.dk = static_cast<T *>(g->dk),
    call.dv = static_cast<T *>(g->dv);
    call.dbeta = g->dbeta, call.dgate = g->dgate;
    call.kept = static_cast<const float4 *>(kept);
    call.anchors = reinterpret_cast<float4 *>(work[0]), call.last = work[1];
    call.segment = (unsigned)plan->segment, call.segments = (unsigned)plan->segments;
    call.anchor = (unsigned)plan->anchor;
    call.whole_dv = s->value % 4 == 0 && aligned(g->dv);
    const size_t errors = plan->segment * s->householders * plan->value * sizeof(float),
                 sums = plan->warps > 1
                            ? plan->warps * (s->householders + 1) * (plan->key + 1) * sizeof(float)
                            : 0;
    call.errors_at = AHEAD * call.word.slot;
    call.sums_at = call.errors_at + (unsigned)errors;
    const unsigned bytes = call.sums_at + (unsigned)sums;
    switch (plan->key) {
    case 16:
        return launch_recurrent_back<T, 16>(&call, bytes, s, plan, stream, err);
    case 32:
        return launch_recurrent_back<T, 32>(&call, bytes, s, plan, stream, err);
    case 64:
        return launch_recurrent_back<T, 64>(&call, bytes, s, plan, stream, err);
    default:
        return launch_recurrent_back<T, 128>(&call, bytes, s, plan, stream, err);
    }
}

f2l_status f2l_cuda_recurrent_backward(const f2l_recurrent_grad *grad, const void *dout,
                                       const void *kept, void *work, const f2l_recurrent_in *in,
                                       const f2l_delta_shape *s, void *stream, f2l_error *err)
{
    f2l_recurrent_plan plan;
    f2l_status status = f2l_recurrent_plan_of(&plan, s, in->gate, err);
    if (status != F2L_OK) return status;
    if (!s->batch || !s->heads || !s->tokens) return F2L_OK;
    size_t part[3];
    if (f2l_cuda_recurrent_work(s, in->gate, grad->dh0) == SIZE_MAX ||
        s->tokens > (size_t)UINT32_MAX || !work_parts(part, s, &plan, grad->dh0))
        return f2l_fail(err, F2L_EDOMAIN,
                        "the gradient of %zu sequences of %zu tokens is too large", s->batch,
                        s->tokens);
    float *anchors = static_cast<float *>(work), *last = anchors + part[0], *sums = last + part[1];
    float *parts[2] = {anchors, grad->dh0 ? last : nullptr};
    status = in->bf16
                 ? choose_recurrent_back<bf16>(grad, dout, kept, parts, in, s, &plan, stream, err)
                 : choose_recurrent_back<float>(grad, dout, kept, parts, in, s, &plan, stream, err);
    if (status != F2L_OK || !grad->dh0) return status;
    const size_t n = s->heads * s->key * s->value, groups = groups_of(s);
    if (groups > 65535)
        return f2l_fail(err, F2L_EDOMAIN, "the sum over %zu sequences is too long", s->batch);
    const unsigned blocks = (unsigned)((n + SUM_THREADS - 1) / SUM_THREADS);
    sum_group<<<dim3(blocks, (unsigned)groups), SUM_THREADS, 0, on(stream)>>>(sums, last, n,
                                                                              s->batch);
    sum_groups<<<blocks, SUM_THREADS, 0, on(stream)>>>(grad->dh0, sums, n, groups);
    return launched("the gradient of the start of the recurrent delta product", err);
}
