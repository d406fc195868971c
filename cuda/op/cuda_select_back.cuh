/* Backward of the selective recurrence: chunks in reverse; in each chunk, h before every token is
 * recomputed from the states that forward kept.
 * CPU reference: backward_diagonal in models/learn/seq/diagonal/seq_diagonal_pass.c. */
#ifndef F2L_CUDA_SELECT_BACK_CUH
#define F2L_CUDA_SELECT_BACK_CUH

#include "cuda/op/cuda_select.cuh"

/* Places of sums over tokens or channels: by sequence, or by row and block of channels. */
struct partials {
    float *write_read;  /* [rows][blocks][2][states] */
    float *state_log;   /* [batch][channels][states] */
    float *bias, *skip; /* [batch][channels] */
};

/* Shared memory of backward; du, dgate and dstep replace numbers that only they need. */
template <class L> struct back_memory {
    staged_rows<L> rows;
    float dt[CHUNK][L::CHANNELS], u[CHUNK][L::CHANNELS], dy[CHUNK][L::CHANNELS],
        du[CHUNK][L::CHANNELS];
    float dgate[CHUNK][L::CHANNELS]; /* first d out / d gate without y */
    float dstep[CHUNK][L::CHANNELS]; /* first the slope of softplus */
    float sums[L::WARPS][CHUNK][2][L::STATES];
};

template <typename T, class L>
static __device__ __forceinline__ void
stage_back(back_memory<L> &m, const place &p, const chunk_rows &r, const T *dout,
           const f2l_cuda_select_in &in, const f2l_cuda_select_shape &s)
{
    const float bias = in.bias[p.stage_channel];
    staged_items<L, 4> x;
    take_items<T, L>(x.of[0], (const T *)in.step, s.channels, p, r);
    take_items<T, L>(x.of[1], (const T *)in.u, s.channels, p, r);
    take_items<T, L>(x.of[2], (const T *)in.gate, s.gate_stride, p, r);
    take_items<T, L>(x.of[3], dout, s.channels, p, r);
    take_rows<T>(x, r, in, s);
    stage_rows(m.rows, x, r, s);
#pragma unroll
    for (int k = 0; k < L::ITEMS; k++) {
        const unsigned t = p.token + k * L::LANES;
        const bool there = p.stage_here && t < r.count;
        const float gate = x.of[2][k], from = there ? x.of[3][k] : 0;
        float dt, z, slope;
        softplus<T>(dt, slope, x.of[0][k] + bias);
        m.dt[t][p.staged] = there ? dt : 0;
        m.u[t][p.staged] = there ? x.of[1][k] : 0;
        m.dstep[t][p.staged] = slope;
        sigmoid<T>(z, slope, gate);
        m.dy[t][p.staged] = from * gate * z;
        m.dgate[t][p.staged] = from * (z + gate * slope);
    }
}

template <typename T, class L>
static __device__ __forceinline__ void
store_back(const back_memory<L> &m, const place &p, const chunk_rows &r,
           const f2l_cuda_select_grad &grad, const partials &part, const f2l_cuda_select_shape &s,
           unsigned blocks)
{
    put_items<T, L>((T *)grad.du, m.du, s.channels, p, r);
    put_items<T, L>((T *)grad.dstep, m.dstep, s.channels, p, r);
    put_items<T, L>((T *)grad.dgate, m.dgate, s.gate_stride, p, r);
    const unsigned states = (unsigned)s.states;
    float *to = part.write_read + (r.first * blocks + p.block) * 2 * states;
#pragma unroll
    for (unsigned k = 0; k < CHUNK * 2 * L::STATES; k += L::THREADS) {
        const unsigned i = k + threadIdx.x, t = i / (2 * L::STATES), kind = i / L::STATES % 2,
                       n = i % L::STATES;
        if (t >= r.count || n >= states) continue;
        float total = 0;
#pragma unroll
        for (int w = 0; w < L::WARPS; w++) total += m.sums[w][t][kind][n];
        to[(t * blocks * 2 + kind) * states + n] = total;
    }
}

/* Sums COUNT numbers over the lanes of a warp that differ in bits MASK, 2 MASK, .. of their number.
 * In every turn two lanes share the numbers: each gives one half away and goes on with the other
 * half, so that the lanes end with different sums. `first` is the number of the lane's first sum;
 * `whole` is false if another lane has the same sum. */
template <int COUNT, int MASK>
static __device__ __forceinline__ void share_sums(float *sum, unsigned &first, bool &whole)
{
    if constexpr (MASK < 32) {
        const bool high = threadIdx.x & MASK;
        if constexpr (COUNT > 1) {
#pragma unroll
            for (int i = 0; i < COUNT / 2; i++) {
                const float mine = high ? sum[i + COUNT / 2] : sum[i],
                            other = high ? sum[i] : sum[i + COUNT / 2];
                sum[i] = mine + __shfl_xor_sync(0xffffffffu, other, MASK);
            }
            if (high) first += COUNT / 2;
            share_sums<COUNT / 2, 2 * MASK>(sum, first, whole);
        } else {
            sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], MASK);
            whole = whole && !high;
            share_sums<1, 2 * MASK>(sum, first, whole);
        }
    }
}

/* The numbers that a lane carries from chunk to chunk. */
template <class L> struct back_state {
    float rate[L::PER], drate[L::PER], g[L::PER]; /* g: the gradient from the next token */
    float dbias, dskip, skip;
};

/* Computes backward of token t, with h before and after it. */
template <typename T, class L>
static __device__ __forceinline__ void
token_back(back_memory<L> &m, back_state<L> &b, const float (&before)[L::PER],
           const float (&after)[L::PER], int t, const place &p, float low)
{
    constexpr int PER = L::PER, LEFT = PER * L::LANES / 16 > 1 ? PER * L::LANES / 16 : 1;
    const float dt = m.dt[t][p.lane], u = m.u[t][p.lane], dy = m.dy[t][p.lane], in_u = dt * u;
    float B[PER], C[PER], sum[2 * PER], y = 0, dstep = 0, din = 0;
    take(B, &m.rows.write[t][p.group * PER]);
    take(C, &m.rows.read[t][p.group * PER]);
#pragma unroll
    for (int i = 0; i < PER; i++) {
        const float e = fall<T>(dt, b.rate[i], low), dh = dy * C[i] + b.g[i];
        const float drate = dh * before[i] * e; /* d a / d(dt rate) = -e */
        y += C[i] * after[i];
        sum[i] = dh * in_u;
        sum[PER + i] = dy * after[i];
        dstep -= drate * b.rate[i];
        b.drate[i] -= drate * dt;
        din += dh * B[i];
        b.g[i] = (low + e) * dh;
    }
    unsigned first = 0;
    bool whole = true;
    share_sums<2 * PER, L::LANES>(sum, first, whole);
    if (whole) {
#pragma unroll
        for (int i = 0; i < LEFT; i++) {
            const unsigned n = first + i;
            m.sums[threadIdx.x / 32][t][n / PER][p.group * PER + n % PER] = sum[i];
        }
    }
    y = sum_lanes<L::LANES>(y) + b.skip * u;
    din = sum_lanes<L::LANES>(din);
    dstep = sum_lanes<L::LANES>(dstep) * (1 / rate_unit<T>()) + din * u;
    b.dskip += dy * u;
    if (p.group == 0) {
        dstep *= m.dstep[t][p.lane];
        b.dbias += dstep;
        m.dstep[t][p.lane] = dstep;
        m.dgate[t][p.lane] *= y;
        m.du[t][p.lane] = dy * b.skip + din * dt;
    }
}

/* Computes h after token t. */
template <typename T, class L>
static __device__ __forceinline__ void advance(float (&after)[L::PER], const float (&h)[L::PER],
                                               const back_memory<L> &m, const back_state<L> &b,
                                               int t, const place &p, float low)
{
    const float dt = m.dt[t][p.lane], in_u = dt * m.u[t][p.lane];
    float B[L::PER];
    take(B, &m.rows.write[t][p.group * L::PER]);
#pragma unroll
    for (int i = 0; i < L::PER; i++)
        after[i] = (low + fall<T>(dt, b.rate[i], low)) * h[i] + in_u * B[i];
}

template <typename T, class L, bool PACKED>
static __global__ void __launch_bounds__(L::THREADS, L::BACK_BLOCKS)
    backward(f2l_cuda_select_grad grad, partials part, const T *dout, const float *kept,
             f2l_cuda_select_in in, f2l_cuda_select_shape s, unsigned blocks, bool wide)
{
    constexpr int PART = L::PART;
    __shared__ back_memory<L> m;
    const place p = place_of<L, PACKED>(s, blocks);
    back_state<L> b = {};
    b.skip = in.skip[p.channel];
    rates_of<T, L>(b.rate, in, p, s);
    for (unsigned start = (p.word.count - 1) / CHUNK * CHUNK;; start -= CHUNK) {
        float h[PART + 1][L::PER];
        const chunk_rows r = rows_of(p, start);
        stage_back<T>(m, p, r, dout, in, s);
        __syncthreads();
#pragma unroll 1
        for (int from = CHUNK - PART; from >= 0; from -= PART) {
            take_states<L>(h[0], kept + kept_at(p, start, s), p, s, wide);
#pragma unroll 1
            for (int t = 0; t < from; t++) advance<T, L>(h[0], h[0], m, b, t, p, s.low);
#pragma unroll
            for (int j = 0; j < PART; j++) advance<T, L>(h[j + 1], h[j], m, b, from + j, p, s.low);
#pragma unroll
            for (int j = PART - 1; j >= 0; j--)
                token_back<T, L>(m, b, h[j], h[j + 1], from + j, p, s.low);
        }
        __syncthreads();
        store_back<T>(m, p, r, grad, part, s, blocks);
        if (start == 0) break;
    }
    if (!p.here) return;
    const size_t at = (size_t)p.batch * s.channels + p.channel;
#pragma unroll
    for (int i = 0; i < L::PER; i++) b.drate[i] *= b.rate[i] * (1 / rate_unit<T>());
    put_states<L>(part.state_log + at * s.states, b.drate, p, s, wide);
    if (p.group == 0) part.bias[at] = b.dbias, part.skip[at] = b.dskip;
}

#endif
