/* The recurrent delta product of the C interface: every option, fp32, factor by factor.
 *
 * A block of threads owns `columns` columns of the S of one (sequence, head). LANES neighbouring
 * threads own a column, each F2L_WALK_ROWS rows of it, in quadruples that alternate between them,
 * so that they read neighbouring numbers of a key at once. S^T k is summed over a thread's rows,
 * then over its LANES as a binary tree; sums over columns over a warp as a binary tree,
 * over warps and over blocks one after the other. Rows of a few tokens at a time are read to shared
 * memory by all threads, where norms, exp and sigmoid are applied. CPU reference:
 * kernels/delta_host.c and kernels/delta_host_back.c. */
#ifndef F2L_KERNELS_WALK_CUH
#define F2L_KERNELS_WALK_CUH

#include "cuda/kernels/kernels_number.cuh"

namespace {

enum { WALK_ROWS = F2L_WALK_ROWS, WALK_STAGE = 16 }; /* factors in shared memory */

struct walk_args {
    any_array q, k, v, beta, g, dout, out, dv;
    delta_states initial, final, dfinal, dinitial;
    float *kept, *anchors, *errors; /* [..][rows / 4][threads] of float4; errors [..][columns] */
    float *dq, *dk, *dbeta, *dg;    /* parts [strip][row][head]; NULL: not wanted */
    size_t q_part, k_part, beta_part, g_part; /* numbers of a part */
    const void *lengths, *indices;
    uint32_t wide_index;
    uint32_t items, walks, sequences, tokens, heads, group, factors, key, value;
    uint32_t chunk, columns, strips;
    int64_t states;
    int gate, norm, form;
    float eps, scale;
};

/* Where everything is in shared memory, in bytes; rows of keys, queries and gates are of `row`. */
struct walk_places {
    uint32_t row, keys, queries, gates, betas, values, douts, sums, per_warp, bytes;
};
static __host__ __device__ inline walk_places walk_places_of(const walk_args &a, uint32_t lanes,
                                                             uint32_t warps, bool back)
{
    walk_places s = {};
    s.row = WALK_ROWS * lanes * 4;
    s.queries = s.keys + WALK_STAGE * s.row;
    s.gates = s.queries + a.chunk * s.row;
    s.betas = s.gates + (a.gate == FSA2LRNN_KERNELS_GATE_KEY ? a.chunk * s.row : 64);
    s.values = s.betas + 64;
    s.douts = s.values + WALK_STAGE * a.columns * 4;
    s.sums = s.douts + (back ? a.chunk * a.columns * 4 : 0);
    /* N rows dk, dq, dg; N numbers dbeta, dg */
    s.per_warp = (a.factors + 2) * s.row + 64;
    s.bytes = s.sums + (back ? warps * s.per_warp : 0);
    return s;
}

/* The state that a block works on, and the place of a thread in it. */
template <int LANES> struct walk_at {
    uint32_t sequence, head, key_head, strip; /* sequence: dimension 0 of arrays */
    uint32_t first, tokens;
    uint32_t lane, warp, part, column, value; /* part: of the column; column: in the block */
    uint64_t segment;                         /* the first in what is kept */
    size_t state;
    bool idle;

    __device__ walk_at(const walk_args &a, uint32_t item)
    {
        const uint32_t word = item / a.strips, number = word / a.heads;
        strip = item % a.strips, head = word % a.heads, key_head = head / a.group;
        sequence = number, first = 0, tokens = a.tokens;
        if (a.lengths) {
            find_tokens(first, tokens, a.lengths, a.wide_index, number, a.tokens);
            sequence = 0;
        }
        const uint64_t segments = (a.tokens + F2L_WALK_SEGMENT - 1) / F2L_WALK_SEGMENT;
        segment = a.lengths ? first / F2L_WALK_SEGMENT + number : number * segments;
        const int64_t index = a.indices ? index_at(a.indices, a.wide_index, number) : number;
        idle = a.indices && (index < 0 || index >= a.states);
        state = static_cast<size_t>(index) * a.heads + head;
        lane = threadIdx.x % 32, warp = threadIdx.x / 32, part = lane % LANES;
        column = warp * (32 / LANES) + lane / LANES, value = strip * a.columns + column;
    }
    __device__ uint32_t row(uint32_t i) const
    {
        return (i / 4 * LANES + part) * 4 + i % 4;
    }
    /* The row of factor j of token t, and of token t, counted over all sequences. */
    __device__ size_t token(const walk_args &a, uint32_t t) const
    {
        return static_cast<size_t>(sequence) * a.tokens + first + t;
    }
};

/* Reads a row to shared memory, filled up with zeros: under the norm, or exp of it. */
template <int LANES>
static __device__ __forceinline__ void stage_row(uint32_t to, const any_array &from, size_t at,
                                                 const walk_args &a, bool gates, uint32_t lane)
{
    float x[LANES], squares = 0;
#pragma unroll
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t n = lane + 32 * i;
        x[i] = n < a.key ? load_number(from.data, at + n, from.type) : 0;
        squares = fmaf(x[i], x[i], squares);
    }
    const float by = gates || !a.norm ? 1 : factor_of(add_lanes<1, 32>(squares), a.norm, a.eps).by;
#pragma unroll
    for (uint32_t i = 0; i < LANES; i++)
        sts32(to + (lane + 32 * i) * 4, gates ? expf(x[i]) : by * x[i]);
}

/* Reads `rows` rows of this block's columns. */
template <int LANES>
static __device__ __forceinline__ void stage_values(uint32_t to, const any_array &from,
                                                    uint32_t row, uint32_t rows, const walk_args &a,
                                                    const walk_at<LANES> &at)
{
    for (uint32_t i = threadIdx.x; i < rows * a.columns; i += blockDim.x) {
        const uint32_t n = i / a.columns, v = at.strip * a.columns + i % a.columns;
        sts32(to + i * 4,
              v < a.value && from.data
                  ? load_number(from.data, place_in(from, at.sequence, row + n, at.head) + v,
                                from.type)
                  : 0);
    }
}

/* Reads everything of `count` tokens from token t on. */
template <int LANES>
static __device__ void stage_tokens(const walk_places &s, uint32_t t, uint32_t count,
                                    const walk_args &a, const walk_at<LANES> &at, bool back)
{
    const uint32_t base = shared_base(), N = a.factors, warps = blockDim.x / 32,
                   token = at.first + t;
    for (uint32_t i = at.warp; i < count * N; i += warps)
        stage_row<LANES>(base + s.keys + i * s.row, a.k,
                         place_in(a.k, at.sequence, token * N + i, at.key_head), a, false, at.lane);
    for (uint32_t i = at.warp; i < count; i += warps)
        stage_row<LANES>(base + s.queries + i * s.row, a.q,
                         place_in(a.q, at.sequence, token + i, at.key_head), a, false, at.lane);
    if (a.gate == FSA2LRNN_KERNELS_GATE_KEY)
        for (uint32_t i = at.warp; i < count; i += warps)
            stage_row<LANES>(base + s.gates + i * s.row, a.g,
                             place_in(a.g, at.sequence, token + i, at.head), a, true, at.lane);
    if (threadIdx.x < count * N) {
        const size_t from = place_in(a.beta, at.sequence, token * N + threadIdx.x, at.head);
        sts32(base + s.betas + threadIdx.x * 4,
              beta_of(load_number(a.beta.data, from, a.beta.type), a.form).beta);
    }
    if (a.gate == FSA2LRNN_KERNELS_GATE_HEAD && threadIdx.x < count) {
        const size_t from = place_in(a.g, at.sequence, token + threadIdx.x, at.head);
        sts32(base + s.gates + threadIdx.x * 4, expf(load_number(a.g.data, from, a.g.type)));
    }
    stage_values<LANES>(base + s.values, a.v, token * N, count * N, a, at);
    if (back) stage_values<LANES>(base + s.douts, a.dout, token, count, a, at);
}

/* Reads this thread's numbers of a row in shared memory. */
template <int LANES>
static __device__ __forceinline__ void take_row(float (&x)[WALK_ROWS], uint32_t row, uint32_t part)
{
#pragma unroll
    for (uint32_t i = 0; i < WALK_ROWS / 4; i++) {
        const float4 v = lds128(row + (i * LANES + part) * 16);
        x[4 * i] = v.x, x[4 * i + 1] = v.y, x[4 * i + 2] = v.z, x[4 * i + 3] = v.w;
    }
}

/* Returns the product of this thread's column of S with k, in all its lanes. */
template <int LANES>
static __device__ __forceinline__ float column_product(const float (&S)[WALK_ROWS],
                                                       const float (&k)[WALK_ROWS])
{
    float sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < WALK_ROWS; i++) sum[i % 4] = fmaf(S[i], k[i], sum[i % 4]);
    return add_lanes<1, LANES>((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

/* Multiplies S by the gate of token i in shared memory. */
template <int LANES>
static __device__ __forceinline__ void decay(float (&S)[WALK_ROWS], const walk_places &s,
                                             uint32_t i, const walk_args &a, uint32_t part)
{
    float gate[WALK_ROWS];
    if (!a.gate) return;
    if (a.gate == FSA2LRNN_KERNELS_GATE_KEY) {
        take_row<LANES>(gate, shared_base() + s.gates + i * s.row, part);
    } else {
        const float x = lds32(shared_base() + s.gates + i * 4);
#pragma unroll
        for (int r = 0; r < WALK_ROWS; r++) gate[r] = x;
    }
#pragma unroll
    for (int r = 0; r < WALK_ROWS; r++) S[r] *= gate[r];
}

/* Moves this thread's rows from a state, or to it; what a state does not have is 0. */
template <int LANES, bool LOAD>
static __device__ void move_rows(float (&S)[WALK_ROWS], const delta_states &to, const walk_args &a,
                                 const walk_at<LANES> &at)
{
#pragma unroll
    for (uint32_t i = 0; i < WALK_ROWS; i++) {
        const bool real = to.data && at.row(i) < a.key && at.value < a.value;
        const size_t x = at.state * to.state + at.row(i) * to.key + at.value * to.value;
        const int type = to.bf16 ? FSA2LRNN_KERNELS_BF16 : FSA2LRNN_KERNELS_F32;
        if (LOAD)
            S[i] = real ? load_number(to.data, x, type) : 0;
        else if (real)
            store_number(to.data, x, S[i], type);
    }
}

/* Keeps S as the matrix number `index`; each thread reads back what it wrote. */
static __device__ __forceinline__ void keep_rows(float *to, uint64_t index,
                                                 const float (&S)[WALK_ROWS])
{
    float4 *there = reinterpret_cast<float4 *>(to) + index * (WALK_ROWS / 4) * blockDim.x;
#pragma unroll
    for (int i = 0; i < WALK_ROWS / 4; i++)
        there[i * blockDim.x + threadIdx.x] = {S[4 * i], S[4 * i + 1], S[4 * i + 2], S[4 * i + 3]};
}
static __device__ __forceinline__ void recall_rows(float (&S)[WALK_ROWS], const float *from,
                                                   uint64_t index)
{
    const float4 *there =
        reinterpret_cast<const float4 *>(from) + index * (WALK_ROWS / 4) * blockDim.x;
#pragma unroll
    for (int i = 0; i < WALK_ROWS / 4; i++) {
        const float4 v = there[i * blockDim.x + threadIdx.x];
        S[4 * i] = v.x, S[4 * i + 1] = v.y, S[4 * i + 2] = v.z, S[4 * i + 3] = v.w;
    }
}

template <int LANES>
static __device__ __forceinline__ uint64_t segment_at(const walk_args &a, const walk_at<LANES> &at,
                                                      uint32_t t)
{
    return ((at.segment + t / F2L_WALK_SEGMENT) * a.heads + at.head) * a.strips + at.strip;
}

/* Applies the factors of token i in shared memory; errors, when not NULL, receives v - S^T k. */
template <int LANES>
static __device__ __forceinline__ void apply_token(float (&S)[WALK_ROWS], const walk_places &s,
                                                   uint32_t i, float *errors, const walk_args &a,
                                                   const walk_at<LANES> &at)
{
    const uint32_t base = shared_base(), first = i * a.factors;
    decay<LANES>(S, s, i, a, at.part);
    for (uint32_t j = 0; j < a.factors; j++) {
        float k[WALK_ROWS];
        take_row<LANES>(k, base + s.keys + (first + j) * s.row, at.part);
        const float e = lds32(base + s.values + ((first + j) * a.columns + at.column) * 4) -
                        column_product<LANES>(S, k);
        if (errors && at.part == 0) errors[j * a.columns + at.column] = e;
        const float u = lds32(base + s.betas + (first + j) * 4) * e;
#pragma unroll
        for (int r = 0; r < WALK_ROWS; r++) S[r] = fmaf(k[r], u, S[r]);
    }
}

template <int LANES>
__global__ void __launch_bounds__(F2L_WALK_THREADS)
    walk_forward(const __grid_constant__ walk_args a)
{
    const walk_at<LANES> at(a, blockIdx.x);
    const walk_places s = walk_places_of(a, LANES, blockDim.x / 32, false);
    float S[WALK_ROWS], x[WALK_ROWS];
    if (at.idle) {
        if (at.part == 0 && at.value < a.value)
            for (uint32_t t = 0; t < at.tokens; t++)
                store_number(a.out.data,
                             place_in(a.out, at.sequence, at.first + t, at.head) + at.value, 0,
                             a.out.type);
        return;
    }
    move_rows<LANES, true>(S, a.initial, a, at);
    for (uint32_t t0 = 0; t0 < at.tokens; t0 += a.chunk) {
        const uint32_t left = at.tokens - t0, count = left < a.chunk ? left : a.chunk;
        __syncthreads(); /* the tokens before are no longer read */
        stage_tokens<LANES>(s, t0, count, a, at, false);
        __syncthreads();
        for (uint32_t i = 0; i < count; i++) {
            if (a.kept && (t0 + i) % F2L_WALK_SEGMENT == 0)
                keep_rows(a.kept, segment_at<LANES>(a, at, t0 + i), S);
            apply_token<LANES>(S, s, i, nullptr, a, at);
            take_row<LANES>(x, shared_base() + s.queries + i * s.row, at.part);
            const float o = a.scale * column_product<LANES>(S, x);
            if (at.part == 0 && at.value < a.value)
                store_number(a.out.data,
                             place_in(a.out, at.sequence, at.first + t0 + i, at.head) + at.value, o,
                             a.out.type);
        }
    }
    move_rows<LANES, false>(S, a.final, a, at);
}

} // namespace

#endif
