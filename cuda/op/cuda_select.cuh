/* Code shared by both directions of the selective recurrence. A block has the CHANNELS channels of
 * one sequence, each with LANES neighbouring lanes of PER states, and goes through chunks of tokens
 * in three phases: all threads copy the inputs of a chunk to shared memory, with every number that
 * depends only on channel and token computed once; lanes walk through the tokens; all threads store
 * the results. Tokens, channels and states behind the last are zeros, which change nothing.
 * CPU reference: forward_diagonal, backward_diagonal in
 * models/learn/seq/diagonal/seq_diagonal_pass.c. */
#ifndef F2L_CUDA_SELECT_CUH
#define F2L_CUDA_SELECT_CUH

#include "cuda/device/cuda_words.cuh"
#include "cuda/op/cuda_one.cuh"
extern "C" {
#include "cuda/op/cuda_select.h"
}

constexpr int CHUNK = F2L_CUDA_SELECT_CHUNK;

template <int PER_, int LANES_> struct layout {
    static constexpr int PER = PER_, LANES = LANES_, STATES = PER * LANES;
    static constexpr int CHANNELS = LANES <= 2 ? 64 : 128 / LANES, THREADS = CHANNELS * LANES,
                         WARPS = THREADS / 32;
    /* A thread stages one channel's tokens, LANES apart. */
    static constexpr int ITEMS = CHUNK / LANES;
    /* Backward: tokens whose h are in registers at a time, and the blocks that then fit a
     * multiprocessor (measured: with fewer tokens more blocks fit, but h is recomputed from further
     * back). */
    static constexpr int PART = LANES > 1 ? 8 : 4, BACK_BLOCKS = LANES > 1 ? 3 : PER == 4 ? 8 : 10;
};

struct place {
    unsigned batch, block; /* block: of channels */
    word_rows word;
    unsigned group, lane; /* walking: of a channel's lanes; the channel in the block */
    unsigned channel;     /* walking; 0 if !here */
    bool here;
    unsigned staged, token; /* staging: the channel in the block, the first token */
    unsigned stage_channel; /* 0 if !stage_here */
    bool stage_here;
};

template <class L, bool PACKED>
static __device__ __forceinline__ place place_of(const f2l_cuda_select_shape &s, unsigned blocks)
{
    place p;
    p.batch = blockIdx.x / blocks;
    p.block = blockIdx.x % blocks;
    p.word = rows_of_word<PACKED>(s.first, p.batch, (unsigned)s.tokens);
    p.group = threadIdx.x % L::LANES;
    p.lane = threadIdx.x / L::LANES;
    p.channel = p.block * L::CHANNELS + p.lane;
    p.here = p.channel < s.channels;
    if (!p.here) p.channel = 0;
    p.staged = threadIdx.x % L::CHANNELS;
    p.token = threadIdx.x / L::CHANNELS;
    p.stage_channel = p.block * L::CHANNELS + p.staged;
    p.stage_here = p.stage_channel < s.channels;
    if (!p.stage_here) p.stage_channel = 0;
    return p;
}

/* B and C of a chunk. */
template <class L> struct staged_rows {
    alignas(16) float write[CHUNK][L::STATES], read[CHUNK][L::STATES];
};

/* The numbers that a thread loads for a chunk. All loads are issued before the first result is
 * used, and without conditions: behind the last token, channel or state the last one is loaded
 * again, and `there` then makes it zero. */
template <class L, int ARRAYS> struct staged_items {
    static constexpr int ROWS = CHUNK * L::STATES / L::THREADS;
    float of[ARRAYS][L::ITEMS], write[ROWS], read[ROWS];
};

/* Rows of a chunk: the first row, and the number of rows. Offsets from there on fit 32 bits. */
struct chunk_rows {
    size_t first;
    unsigned count;
};

static __device__ __forceinline__ chunk_rows rows_of(const place &p, unsigned start)
{
    const unsigned left = p.word.count - start;
    return {(size_t)p.word.first + start, left < CHUNK ? left : CHUNK};
}

/* Loads one column of each of ITEMS rows. */
template <typename T, class L>
static __device__ __forceinline__ void
take_items(float (&x)[L::ITEMS], const T *from, size_t stride, const place &p, const chunk_rows &r)
{
    const T *first = from + r.first * stride + p.stage_channel;
#pragma unroll
    for (int k = 0; k < L::ITEMS; k++) {
        const unsigned t = p.token + k * L::LANES;
        x[k] = one(first + (t < r.count ? t : r.count - 1) * (unsigned)stride);
    }
}

template <typename T, class L>
static __device__ __forceinline__ void put_items(T *to, const float (&x)[CHUNK][L::CHANNELS],
                                                 size_t stride, const place &p, const chunk_rows &r)
{
    T *first = to + r.first * stride + p.stage_channel;
#pragma unroll
    for (int k = 0; k < L::ITEMS; k++) {
        const unsigned t = p.token + k * L::LANES;
        if (p.stage_here && t < r.count) put_one(first + t * (unsigned)stride, x[t][p.staged]);
    }
}

template <typename T, class L, int ARRAYS>
static __device__ __forceinline__ void take_rows(staged_items<L, ARRAYS> &x, const chunk_rows &r,
                                                 const f2l_cuda_select_in &in,
                                                 const f2l_cuda_select_shape &s)
{
    const T *write = (const T *)in.write + r.first * s.stride,
            *read = (const T *)in.read + r.first * s.stride;
#pragma unroll
    for (int k = 0; k < x.ROWS; k++) {
        const unsigned i = threadIdx.x + k * L::THREADS, t = i / L::STATES, n = i % L::STATES;
        const unsigned at =
            (t < r.count ? t : r.count - 1) * (unsigned)s.stride + (n < s.states ? n : 0);
        x.write[k] = one(write + at);
        x.read[k] = one(read + at);
    }
}

template <class L, int ARRAYS>
static __device__ __forceinline__ void
stage_rows(staged_rows<L> &m, const staged_items<L, ARRAYS> &x, const chunk_rows &r,
           const f2l_cuda_select_shape &s)
{
#pragma unroll
    for (int k = 0; k < x.ROWS; k++) {
        const unsigned i = threadIdx.x + k * L::THREADS, t = i / L::STATES, n = i % L::STATES;
        const bool there = t < r.count && n < s.states;
        m.write[t][n] = there ? x.write[k] : 0;
        m.read[t][n] = there ? x.read[k] : 0;
    }
}

/* Computes softplus and its slope, from exp of a number that is not positive. */
template <typename T>
static __device__ __forceinline__ void softplus(float &value, float &slope, float x)
{
    const float e = exp_down<T>(-fabsf(x));
    float log_1p;
    if constexpr (sizeof(T) == 2) /* log of 1 + e loses the digits of a small e */
        log_1p = e < 0x1p-6f ? e * (1 - e * (0.5f - e * (1.0f / 3))) : __logf(1 + e);
    else
        log_1p = log1pf(e);
    value = fmaxf(x, 0) + log_1p;
    slope = ratio<T>(x >= 0 ? 1.0f : e, 1 + e);
}

/* Returns the factor of the rates for `fall`: it makes exp a power of two where half the digits of
 * a float are enough. */
template <typename T> static __device__ __forceinline__ constexpr float rate_unit()
{
    return sizeof(T) == 2 ? 1.4426950408889634f : 1.0f;
}
/* Returns (1 - low) exp(-dt rate), so that a = low + fall, for low = 0 or -1. */
template <typename T> static __device__ __forceinline__ float fall(float dt, float rate, float low)
{
    float e;
    if constexpr (sizeof(T) == 2)
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(e) : "f"(-dt * rate - low));
    else
        e = (1 - low) * expf(-dt * rate);
    return e;
}

template <typename T, class L>
static __device__ __forceinline__ void rates_of(float (&rate)[L::PER], const f2l_cuda_select_in &in,
                                                const place &p, const f2l_cuda_select_shape &s)
{
#pragma unroll
    for (int i = 0; i < L::PER; i++) {
        const unsigned n = p.group * L::PER + i;
        rate[i] = expf(n < s.states ? in.state_log[(size_t)p.channel * s.states + n] : 0) *
                  rate_unit<T>();
    }
}

/* Returns the place where h before a chunk is kept. */
static __device__ __forceinline__ size_t kept_at(const place &p, unsigned start,
                                                 const f2l_cuda_select_shape &s)
{
    const size_t chunks = (s.tokens + CHUNK - 1) / CHUNK;
    return ((p.batch * chunks + start / CHUNK) * s.channels + p.channel) * s.states;
}

/* Loads h of this lane's states, in pieces of 16 bytes if rows of states are whole pieces
 * (`wide`). */
template <class L>
static __device__ __forceinline__ void take_states(float (&h)[L::PER], const float *row,
                                                   const place &p, const f2l_cuda_select_shape &s,
                                                   bool wide)
{
#pragma unroll
    for (int i = 0; i < L::PER; i += 4) {
        const unsigned n = p.group * L::PER + i;
        float4 v = make_float4(0, 0, 0, 0);
        if (wide && n < s.states) {
            v = *reinterpret_cast<const float4 *>(row + n);
        } else if (!wide) {
            if (n < s.states) v.x = row[n];
            if (n + 1 < s.states) v.y = row[n + 1];
            if (n + 2 < s.states) v.z = row[n + 2];
            if (n + 3 < s.states) v.w = row[n + 3];
        }
        h[i] = v.x, h[i + 1] = v.y, h[i + 2] = v.z, h[i + 3] = v.w;
    }
}
template <class L>
static __device__ __forceinline__ void put_states(float *row, const float (&h)[L::PER],
                                                  const place &p, const f2l_cuda_select_shape &s,
                                                  bool wide)
{
#pragma unroll
    for (int i = 0; i < L::PER; i += 4) {
        const unsigned n = p.group * L::PER + i;
        if (wide) {
            if (n < s.states)
                *reinterpret_cast<float4 *>(row + n) =
                    make_float4(h[i], h[i + 1], h[i + 2], h[i + 3]);
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (n + j < s.states) row[n + j] = h[i + j];
        }
    }
}

/* --- forward --- */

template <class L> struct forward_memory {
    staged_rows<L> rows;
    float dt[CHUNK][L::CHANNELS], u[CHUNK][L::CHANNELS];
    float out[CHUNK][L::CHANNELS]; /* silu(gate), and then the output */
};

template <typename T, class L>
static __device__ __forceinline__ void
stage_forward(forward_memory<L> &m, const place &p, const chunk_rows &r,
              const f2l_cuda_select_in &in, const f2l_cuda_select_shape &s)
{
    const float bias = in.bias[p.stage_channel];
    staged_items<L, 3> x;
    take_items<T, L>(x.of[0], (const T *)in.step, s.channels, p, r);
    take_items<T, L>(x.of[1], (const T *)in.u, s.channels, p, r);
    take_items<T, L>(x.of[2], (const T *)in.gate, s.gate_stride, p, r);
    take_rows<T>(x, r, in, s);
    stage_rows(m.rows, x, r, s);
#pragma unroll
    for (int k = 0; k < L::ITEMS; k++) {
        const unsigned t = p.token + k * L::LANES;
        const bool there = p.stage_here && t < r.count;
        float dt, z, slope;
        softplus<T>(dt, slope, x.of[0][k] + bias);
        sigmoid<T>(z, slope, x.of[2][k]);
        m.dt[t][p.staged] = there ? dt : 0;
        m.u[t][p.staged] = there ? x.of[1][k] : 0;
        m.out[t][p.staged] = x.of[2][k] * z;
    }
}

template <typename T, class L, bool PACKED>
static __global__ void __launch_bounds__(L::THREADS)
    forward(T *out, float *kept, f2l_cuda_select_in in, f2l_cuda_select_shape s, unsigned blocks,
            bool wide)
{
    __shared__ forward_memory<L> m;
    const place p = place_of<L, PACKED>(s, blocks);
    const float skip = in.skip[p.channel];
    float rate[L::PER], h[L::PER] = {}, B[L::PER], C[L::PER];
    rates_of<T, L>(rate, in, p, s);
    for (unsigned start = 0; start < p.word.count; start += CHUNK) {
        const chunk_rows r = rows_of(p, start);
        stage_forward<T>(m, p, r, in, s);
        if (kept && p.here) put_states<L>(kept + kept_at(p, start, s), h, p, s, wide);
        __syncthreads();
#pragma unroll 4
        for (int t = 0; t < CHUNK; t++) {
            const float dt = m.dt[t][p.lane], u = m.u[t][p.lane], in_u = dt * u;
            float y = 0;
            take(B, &m.rows.write[t][p.group * L::PER]);
            take(C, &m.rows.read[t][p.group * L::PER]);
#pragma unroll
            for (int i = 0; i < L::PER; i++) {
                h[i] = (s.low + fall<T>(dt, rate[i], s.low)) * h[i] + in_u * B[i];
                y += C[i] * h[i];
            }
            y = sum_lanes<L::LANES>(y) + skip * u;
            if (p.group == 0) m.out[t][p.lane] *= y;
        }
        __syncthreads();
        put_items<T, L>(out, m.out, s.channels, p, r);
    }
}

#endif
