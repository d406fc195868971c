/* Every channel of a sequence has LANES neighbouring lanes with PER states each, which walk through
 * the tokens together; the data of the next token are read before this token is computed. Products
 * and sums are written out as they round, so that the compiler cannot make the first token of a
 * piece differ from a token in the middle of another piece.
 * CPU reference: forward_diagonal in models/learn/seq/diagonal/seq_diagonal_pass.c. */
#include "cuda/op/cuda_one.cuh"
extern "C" {
#include "cuda/op/cuda_stream.h"
#include "numeric/base/mem.h"
}

constexpr int PER = 4;
constexpr unsigned THREADS = 128;

/* The place of a thread. Threads behind the last channel do the work of channel 0, and store
 * nothing. */
struct place {
    unsigned batch, channel, first; /* first: of its states */
    bool here;
};

template <int LANES>
static __device__ __forceinline__ place stream_place_of(const f2l_cuda_select_shape &s,
                                                        unsigned blocks)
{
    const unsigned channel = blockIdx.x % blocks * (THREADS / LANES) + threadIdx.x / LANES;
    place p;
    p.batch = blockIdx.x / blocks;
    p.here = channel < s.channels;
    p.channel = p.here ? channel : 0;
    p.first = threadIdx.x % LANES * PER;
    return p;
}

/* The data of a token for a thread; B and C are 0 behind the last state. */
struct brought {
    float u, step, gate, write[PER], read[PER];
};

template <typename T>
static __device__ __forceinline__ void bring(brought &b, const f2l_cuda_select_in &in,
                                             const place &p, size_t row,
                                             const f2l_cuda_select_shape &s)
{
    const size_t at = row * s.channels + p.channel;
    b.u = one((const T *)in.u + at);
    b.step = one((const T *)in.step + at);
    b.gate = one((const T *)in.gate + row * s.gate_stride + p.channel);
#pragma unroll
    for (int i = 0; i < PER; i++) {
        const bool is = p.first + i < s.states;
        b.write[i] = is ? one((const T *)in.write + row * s.stride + p.first + i) : 0;
        b.read[i] = is ? one((const T *)in.read + row * s.stride + p.first + i) : 0;
    }
}

template <typename T, int LANES>
static __global__ void __launch_bounds__(THREADS)
    walk(T *out, float *state, f2l_cuda_select_in in, f2l_cuda_select_shape s, unsigned blocks)
{
    const place p = stream_place_of<LANES>(s, blocks);
    const float bias = in.bias[p.channel], skip = in.skip[p.channel];
    const size_t own = (size_t)p.channel * s.states + p.first;
    float *kept = state + (size_t)p.batch * s.channels * s.states + own;
    float rate[PER], h[PER];
#pragma unroll
    for (int i = 0; i < PER; i++) {
        const bool is = p.first + i < s.states;
        rate[i] = is ? expf(in.state_log[own + i]) : 0;
        h[i] = is ? kept[i] : 0;
    }
    brought now, next;
    bring<T>(next, in, p, (size_t)p.batch * s.tokens, s);
    for (size_t t = 0; t < s.tokens; t++) {
        const size_t row = (size_t)p.batch * s.tokens + t;
        now = next;
        if (t + 1 < s.tokens) bring<T>(next, in, p, row + 1, s);
        const float pre = now.step + bias, dt = fmaxf(pre, 0) + log1pf(expf(-fabsf(pre))),
                    in_step = __fmul_rn(dt, now.u);
        float y = 0, z, slope;
#pragma unroll
        for (int i = 0; i < PER; i++) {
            const float a = __fmaf_rn(1 - s.low, exp_down<T>(-__fmul_rn(dt, rate[i])), s.low);
            h[i] = __fmaf_rn(a, h[i], __fmul_rn(in_step, now.write[i]));
            y = __fmaf_rn(now.read[i], h[i], y);
        }
        y = __fmaf_rn(skip, now.u, sum_lanes<LANES>(y));
        sigmoid<T>(z, slope, now.gate);
        const float store[1] = {__fmul_rn(__fmul_rn(y, now.gate), z)};
        if (p.here && p.first == 0) put(out + row * s.channels + p.channel, store);
    }
#pragma unroll
    for (int i = 0; i < PER; i++)
        if (p.here && p.first + i < s.states) kept[i] = h[i];
}

static unsigned lanes_of(const f2l_cuda_select_shape *s)
{
    unsigned lanes = 1;
    while (lanes * PER < s->states) lanes *= 2;
    return lanes;
}

template <typename T>
static void launch_select_stream(T *out, float *state, const f2l_cuda_select_in *in,
                                 const f2l_cuda_select_shape *s, unsigned blocks, void *stream)
{
    const unsigned grid = blocks * (unsigned)s->batch;
    switch (lanes_of(s)) {
    case 1:
        walk<T, 1><<<grid, THREADS, 0, on(stream)>>>(out, state, *in, *s, blocks);
        break;
    case 2:
        walk<T, 2><<<grid, THREADS, 0, on(stream)>>>(out, state, *in, *s, blocks);
        break;
    case 4:
        walk<T, 4><<<grid, THREADS, 0, on(stream)>>>(out, state, *in, *s, blocks);
        break;
    case 8:
        walk<T, 8><<<grid, THREADS, 0, on(stream)>>>(out, state, *in, *s, blocks);
        break;
    default:
        walk<T, 16><<<grid, THREADS, 0, on(stream)>>>(out, state, *in, *s, blocks);
        break;
    }
}

f2l_status f2l_cuda_select_stream(void *out, float *state, const f2l_cuda_select_in *in,
                                  const f2l_cuda_select_shape *shape, void *stream, f2l_error *err)
{
    const f2l_cuda_select_shape *s = shape;
    size_t rows, numbers, grid;
    if (s->batch == 0 || s->tokens == 0) return F2L_OK;
    if (s->states < 1 || s->states > F2L_CUDA_SELECT_STATES || s->channels < 1 ||
        s->channels > INT32_MAX - THREADS || !f2l_mul_size(&rows, s->batch, s->tokens) ||
        !f2l_mul_size(&numbers, rows, s->channels) || numbers > SIZE_MAX / 64 ||
        !f2l_mul_size(&grid, s->batch,
                      (s->channels + THREADS / lanes_of(s) - 1) / (THREADS / lanes_of(s))) ||
        grid > INT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN,
                        "no kernel takes %zu sequences of %zu letters, %zu channels of %zu states",
                        s->batch, s->tokens, s->channels, s->states);
    const unsigned blocks = (unsigned)(grid / s->batch);
    if (s->type == F2L_CUDA_F32)
        launch_select_stream((float *)out, state, in, s, blocks, stream);
    else
        launch_select_stream((bf16 *)out, state, in, s, blocks, stream);
    return launched("a selective recurrence", err);
}
