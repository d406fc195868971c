/* Forward of the tensor-core delta product. A warp holds N = -S^T [value][key] of its columns as
 * accumulators, whose packed form is the left operand of N K^T and N Q^T: with -S instead of S,
 * both V - K S and -o are sums, and no sign is lost.
 * CPU reference: f2l_delta_forward in models/learn/op/op_delta.c. */
#ifndef F2L_CUDA_DELTA_FORWARD_CUH
#define F2L_CUDA_DELTA_FORWARD_CUH

#include "cuda/delta/cuda_delta_gate_state.cuh"

namespace {

template <int K, int V, int TT, bool GATED> struct forward_layout {
    using G = geometry<K, V, TT>;
    static constexpr uint32_t values = G::key_tile, queries = values + G::value_tile,
                              betas = queries + G::query_tile,
                              stage = betas + (GATED ? G::gate_tile : G::beta_tile);
    static constexpr uint32_t solve = 2 * stage, outputs = solve + solve_bytes;
    /* one warp writes o over its queries; several warps would overwrite queries that others still
     * read */
    static constexpr uint32_t bytes = outputs + (G::warps == 1 ? 0 : G::out_tile);
};

/* Computes one chunk: keys, values, queries, betas, square (T), outputs are its places in shared
 * memory; column: bytes to the columns of this warp. values is read when `additive` and receives G
 * when `keep`. o is multiplied by -minus_scale. */
template <int K, int V, int TT, bool GATED>
static __device__ __forceinline__ void
forward_chunk(float (&N)[geometry<K, V, TT>::slice / 16][K / 8][4], uint32_t keys, uint32_t values,
              uint32_t queries, uint32_t betas, uint32_t square, uint32_t outputs, uint32_t column,
              bool additive, bool keep, uint32_t factors, float minus_scale,
              const delta_lane<K> &at, const delta_lane<V> &along_values)
{
    constexpr int M = geometry<K, V, TT>::slice / 16, STEPS = K / 16;
    uint32_t k[STEPS][4], n[M][STEPS][4], w[M][4], last[M][4]; /* last: W as it is at the end */
    pack_state(n, N);
    [[maybe_unused]] const chunk_gates gates(betas);
#pragma unroll
    for (int s = 0; s < STEPS; s++) ldsm4(k[s], (keys + at.across) ^ (s << 5));
    const float2 b0 = lds64(betas + at.pair * 8), b8 = lds64(betas + 32 + at.pair * 8);
    const uint32_t mask0 = mask_of(b0.x, b0.y), mask8 = mask_of(b8.x, b8.y);
    const float s00 = scale_of(b0.x), s01 = scale_of(b0.y), s80 = scale_of(b8.x),
                s81 = scale_of(b8.y);
    uint32_t T[4];
    ldsm4_t(T, square + at.square_along);
#pragma unroll
    for (int m = 0; m < M; m++) {
        float x[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}}, g[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        const uint32_t here = (values + along_values.along) ^ (column + (m << 5));
        if (additive && !GATED) {
            uint32_t v[4];
            ldsm4_t(v, here);
#pragma unroll
            for (int i = 0; i < 4; i++)
                x[i / 2][i % 2 * 2] = low_of(v[i]), x[i / 2][i % 2 * 2 + 1] = high_of(v[i]);
        }
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            mma16(x[0], n[m][s], k[s][0], k[s][2]);
            mma16(x[1], n[m][s], k[s][1], k[s][3]);
        }
        if constexpr (GATED) add_values(x, here, additive, gates, at.pair);
        const uint32_t y[4] = {
            pack(x[0][0] * s00, x[0][1] * s01), pack(x[0][2] * s00, x[0][3] * s01),
            pack(x[1][0] * s80, x[1][1] * s81), pack(x[1][2] * s80, x[1][3] * s81)};
        mma8(g[0], y[0], y[1], T[0]); /* T is lower triangular */
        mma16(g[1], y, T[1], T[3]);
#pragma unroll
        for (int i = 0; i < 4; i++) w[m][i] = pack(g[i / 2][i % 2 * 2], g[i / 2][i % 2 * 2 + 1]);
        if (keep) stsm4_t(here, w[m][0], w[m][1], w[m][2], w[m][3]);
        if constexpr (GATED) decay_rows(g, gates, at.pair);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            last[m][i] = GATED ? pack(g[i / 2][i % 2 * 2], g[i / 2][i % 2 * 2 + 1]) : w[m][i];
            last[m][i] = (last[m][i] ^ minus) & (i < 2 ? mask0 : mask8);
            w[m][i] = GATED ? (w[m][i] ^ minus) & (i < 2 ? mask0 : mask8) : last[m][i];
        }
    }
    uint32_t q[TT][STEPS][2];
    load_tokens<K, TT, STEPS>(q, queries, at, 0);
    float a[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}}, o[M][TT][4];
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        const uint32_t left[4] = {q[0][s][0], TT == 2 ? q[TT - 1][s][0] : 0, q[0][s][1],
                                  TT == 2 ? q[TT - 1][s][1] : 0};
        mma16(a[0], left, k[s][0], k[s][2]);
        mma16(a[1], left, k[s][1], k[s][3]);
    }
#pragma unroll
    for (int e = 0; e < TT; e++) {
        const uint32_t end = factors * (8 * e + at.row + 1), r = 2 * at.pair; /* rows before `end`
                                                                                 count */
        if constexpr (GATED) decay_attention(a, e, gates, factors, at.row, at.pair);
        const uint32_t a0 = pack(r < end ? a[0][2 * e] : 0, r + 1 < end ? a[0][2 * e + 1] : 0);
        const uint32_t a8 = pack(r + 8 < end ? a[1][2 * e] : 0, r + 9 < end ? a[1][2 * e + 1] : 0);
#pragma unroll
        for (int m = 0; m < M; m++) {
            o[m][e][0] = o[m][e][1] = o[m][e][2] = o[m][e][3] = 0;
#pragma unroll
            for (int s = 0; s < STEPS; s++) mma16(o[m][e], n[m][s], q[e][s][0], q[e][s][1]);
            if constexpr (GATED)
                scale_columns(o[m][e], gates.token(8 * e + r, factors, decay_after_sums),
                              gates.token(8 * e + r + 1, factors, decay_after_sums));
            mma16(o[m][e], w[m], a0, a8);
        }
    }
    put_tokens<V, TT, M>(outputs, o, minus_scale, along_values, column);
    if constexpr (GATED) decay_state<M, K / 8>(N, gates);
#pragma unroll
    for (int s = 0; s < STEPS; s++) {
        uint32_t kt[4];
        ldsm4_t(kt, (keys + at.along) ^ (s << 5));
#pragma unroll
        for (int m = 0; m < M; m++) {
            mma16(N[m][2 * s], last[m], kt[0], kt[2]);
            mma16(N[m][2 * s + 1], last[m], kt[1], kt[3]);
        }
    }
}

template <int K, int V, int TT, delta_mode MODE, bool GATED>
static __device__ __forceinline__ void forward_fetch(uint32_t stage, const delta_args &p,
                                                     const delta_place &place, uint32_t t0,
                                                     uint32_t thread)
{
    using L = forward_layout<K, V, TT, GATED>;
    if constexpr (MODE == BY_CALL) {
        constexpr int N = L::G::group_threads;
        using tokens = token_slots<L::G::tokens>;
        if constexpr (GATED)
            fetch_gates(stage + L::betas + gates_after_betas, p.call.g, place, t0, thread);
        fetch_rows<K, N, factor_slots>(stage, p.call.k, place.key_head, place, t0, thread);
        if (p.call.v.data)
            fetch_rows<V, N, factor_slots>(stage + L::values, p.call.v, place.value_head, place, t0,
                                           thread);
        fetch_betas(stage + L::betas, p.call.beta, place, t0, thread);
        fetch_rows<K, N, tokens>(stage + L::queries, p.call.q, place.key_head, place, t0, thread);
    } else {
        fetch_factors<K, TT, MODE == BY_LETTER, false>(stage, stage + L::values, stage + L::betas,
                                                       p.k, p.v, p.beta, place, t0, thread);
        fetch_tokens<K, TT, MODE == BY_LETTER>(stage + L::queries, p.q, place, t0, thread);
    }
}

/* Moves N from S [key][value] in memory, or back. */
template <int K, int V, int M, bool LOAD>
static __device__ __forceinline__ void move_state(float (&N)[M][K / 8][4], float *state, float sign,
                                                  uint32_t from, const delta_lane<K> &at)
{
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int k = 0; k < K / 8; k++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float *x =
                    state + (8 * k + 2 * at.pair + i % 2) * V + from + 16 * m + at.row + i / 2 * 8;
                if (LOAD)
                    N[m][k][i] = sign * *x;
                else
                    *x = sign * N[m][k][i];
            }
}

/* Stores G and o of a pair of chunks. */
template <int K, int V, int TT, delta_mode MODE>
static __device__ __forceinline__ void forward_store(uint32_t values, uint32_t outputs,
                                                     const delta_args &p, const delta_place &place,
                                                     uint32_t t0, uint32_t thread)
{
    using G = geometry<K, V, TT>;
    if constexpr (MODE == BY_CALL) {
        constexpr int N = G::group_threads;
        if (p.call.kept.data)
            store_rows<V, N, factor_slots>(p.call.kept, values, place.value_head, 1, place, t0,
                                           thread);
        store_rows<V, N, token_slots<G::tokens>>(p.call.out, outputs, place.value_head, 1, place,
                                                 t0, thread);
    } else {
        if (p.kept) store_factors<K, TT>(p.kept, values, 0, place, t0, thread);
        store_tokens<K, TT>(p.out, outputs, place, t0, thread);
    }
}

/* Moves N from the state before the first token. */
template <int K, int V, int M, delta_mode MODE>
static __device__ __forceinline__ void take_start(float (&N)[M][K / 8][4], const delta_args &p,
                                                  const delta_place &place, uint32_t word,
                                                  uint32_t from, const delta_lane<K> &at)
{
    if constexpr (MODE == BY_CALL) {
        if (p.call.initial.data)
            move_columns<K, M, true>(N, p.call.initial, -1.0f, place.block * V + from, p.call,
                                     place, at);
    } else {
        if (p.start)
            move_state<K, V, M, true>(N,
                                      const_cast<float *>(p.start) +
                                          static_cast<size_t>(p.starts ? word : place.head) * K * V,
                                      -1.0f, from, at);
    }
}

template <int K, int V, int TT, delta_mode MODE, int BLOCKS, bool GATED = false>
__global__ void __launch_bounds__((geometry<K, V, TT>::threads), BLOCKS)
    delta_forward(const __grid_constant__ delta_args p)
{
    using G = geometry<K, V, TT>;
    using L = forward_layout<K, V, TT, GATED>;
    constexpr int M = G::slice / 16;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t thread = G::warps == 1 ? lane : threadIdx.x;
    const uint32_t word = G::warps == 1 ? blockIdx.x * G::groups + warp : blockIdx.x;
    if (word >= p.words) return;
    const uint32_t base = shared_base() + (G::warps == 1 ? warp * L::bytes : 0);
    const uint32_t slice = G::warps == 1 ? 0 : warp, column = slice * G::slice * 2;
    const delta_lane<K> at(lane);
    const delta_lane<V> along_values(lane);
    const delta_place place = place_of<MODE>(p, word);
    if constexpr (MODE == BY_CALL)
        if (place.idle) {
            clear_outputs<V, G::group_threads>(p.call.out, place, thread);
            return;
        }
    const uint32_t step = 2 * p.chunk, tokens = tokens_of<MODE>(p, place);
    const bool additive = MODE == BY_CALL ? p.call.v.data != nullptr : p.v != nullptr,
               keep = MODE == BY_CALL ? p.call.kept.data != nullptr : p.kept != nullptr;
    if (tokens) forward_fetch<K, V, TT, MODE, GATED>(base, p, place, 0, thread);
    float N[M][K / 8][4] = {};
    take_start<K, V, M, MODE>(N, p, place, word, slice * G::slice, at);
    uint32_t stage = base;
    /* `stage` alternates between two stages */
    for (uint32_t t0 = 0; t0 < tokens; t0 += step, stage = 2 * base + L::stage - stage) {
        copies_done();
        group_sync<G::warps>(); /* this stage has arrived, and the other stage has been stored */
        if (t0 + step < tokens)
            forward_fetch<K, V, TT, MODE, GATED>(2 * base + L::stage - stage, p, place, t0 + step,
                                                 thread);
        if (G::warps == 1 || warp == 0)
            solve_pair<K, true, GATED>(stage, stage + L::betas, base + L::solve, at, lane);
        if constexpr (GATED)
            if (keep) keep_state<M, K / 16>(N, p, place, t0, G::warps, slice, lane);
        if (G::warps > 1) __syncthreads();
        const uint32_t outputs = G::warps == 1 ? stage + L::queries : base + L::outputs;
#pragma unroll 1
        for (uint32_t c = 0; c < 2 && t0 + c * p.chunk < tokens; c++)
            forward_chunk<K, V, TT, GATED>(
                N, stage + c * 16 * G::key_row, stage + L::values + c * 16 * G::value_row,
                stage + L::queries + c * G::tokens * G::key_row, stage + L::betas + c * 64,
                base + L::solve + c * square_bytes, outputs + c * G::tokens * G::value_row, column,
                additive, keep, p.factors, MODE == BY_CALL ? -p.call.scale : -1.0f, at,
                along_values);
        if constexpr (MODE == BY_CALL && !GATED)
            if (p.call.before) keep_state<M, K / 16>(N, p, place, t0, G::warps, slice, lane);
        group_sync<G::warps>();
        forward_store<K, V, TT, MODE>(stage + L::values, outputs, p, place, t0, thread);
    }
    if (p.state)
        move_state<K, V, M, false>(N, p.state + static_cast<size_t>(word) * K * V, -1.0f,
                                   slice * G::slice, at);
    if constexpr (MODE == BY_CALL)
        if (p.call.final.data)
            move_columns<K, M, false>(N, p.call.final, -1.0f, place.block * V + slice * G::slice,
                                      p.call, place, at);
}

} // namespace

#endif
