/* What the backward of the tensor-core delta product (cuda/delta/cuda_delta_back.cuh) stores: sums
 * over the warps of a group, and tiles.
 * CPU reference: f2l_delta_backward in models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_DELTA_BACK_STORE_CUH
#define F2L_CUDA_DELTA_BACK_STORE_CUH

#include "cuda/delta/cuda_delta_back_parts.cuh"

namespace {

/* Returns sums over the warps of a group, slice by slice: 8 numbers of a row, times `scale`,
 * rounded. */
template <int WARPS>
static __device__ __forceinline__ uint4 sum_slices(uint32_t from, uint32_t stride, float scale)
{
    float x[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < WARPS; i++) {
        const float4 low = lds128(from + i * stride), high = lds128(from + i * stride + 16);
        x[0] += low.x, x[1] += low.y, x[2] += low.z, x[3] += low.w;
        x[4] += high.x, x[5] += high.y, x[6] += high.z, x[7] += high.w;
    }
    return {pack(scale * x[0], scale * x[1]), pack(scale * x[2], scale * x[3]),
            pack(scale * x[4], scale * x[5]), pack(scale * x[6], scale * x[7])};
}

/* Stores 8 numbers of a row of dq or dk. */
template <int K, delta_mode MODE>
static __device__ __forceinline__ void put_gradient(uint16_t *to, const delta_rows &call,
                                                    const delta_place &place, const delta_slot &s,
                                                    uint32_t piece, uint4 x)
{
    if constexpr (MODE == BY_CALL) {
        if (call.data)
            give_piece(rows_from(call, place, place.value_head) + wide_product(s.row, call.row),
                       piece * 8, width_of(call, place), x, s.real, call.whole);
    } else {
        put_piece(to, s, K, piece, x);
    }
}

template <delta_mode MODE>
static __device__ __forceinline__ void put_dbeta(const delta_args &p, const delta_place &place,
                                                 const delta_slot &s, float x)
{
    if (!s.real) return;
    if constexpr (MODE == BY_CALL) {
        if (p.call.dbeta.data) *number_at(p.call.dbeta, place, s.row) = p.call.scale * x;
    } else {
        p.dbeta[s.row] = x;
    }
}

/* Stores dK, dQ, dbeta of chunk c of the pair, from the sums of all warps. */
template <int K, int V, int TT, delta_mode MODE, bool GATED>
static __device__ __forceinline__ void store_sums(const delta_args &p, const delta_place &place,
                                                  uint32_t base, uint32_t t0, uint32_t c,
                                                  uint32_t thread)
{
    using G = geometry<K, V, TT>;
    using L = back_layout<K, V, TT, GATED>;
    const float scale = MODE == BY_CALL ? p.call.scale : 1.0f;
#pragma unroll
    for (int j = 0; j < (16 * G::key_pieces + G::group_threads - 1) / G::group_threads; j++) {
        const uint32_t i = j * G::group_threads + thread;
        const uint32_t r = i / G::key_pieces, piece = i % G::key_pieces;
        if (16 * G::key_pieces % G::group_threads && r >= 16) break;
        const delta_slot s = factor_slot(place, t0, 16 * c + r);
        const uint4 dk =
            sum_slices<G::warps>(base + L::keys + r * L::wide + piece * 32, 16 * L::wide, scale);
        put_gradient<K, MODE>(p.dk, p.call.dk, place, s, piece, dk);
        if (r < G::tokens) {
            const delta_slot t = token_slot<G::tokens>(place, t0, G::tokens * c + r);
            const uint4 dq = sum_slices<G::warps>(base + L::tokens + r * L::wide + piece * 32,
                                                  G::tokens * L::wide, scale);
            put_gradient<K, MODE>(p.dq, p.call.dq, place, t, piece, dq);
        }
    }
    if (thread < 16) {
        const delta_slot b = factor_slot(place, t0, 16 * c + thread);
        float sum = 0;
#pragma unroll
        for (int i = 0; i < G::warps; i++)
            sum += lds32(base + L::scalars + i * L::scalar + thread * 4);
        put_dbeta<MODE>(p, place, b, sum);
    }
}

/* Reads S [key][value] of this warp's columns. */
template <int K, int V, int N>
static __device__ __forceinline__ void take_end(float (&S)[K / 16][N][4], const float *state,
                                                uint32_t from, const delta_lane<K> &at)
{
#pragma unroll
    for (int i = 0; i < K / 16; i++)
#pragma unroll
        for (int v = 0; v < N; v++) {
            const float *x = state + (16 * i + at.row) * V + from + 8 * v + 2 * at.pair;
            const float2 low = *reinterpret_cast<const float2 *>(x),
                         high = *reinterpret_cast<const float2 *>(x + 8 * V);
            S[i][v][0] = low.x, S[i][v][1] = low.y, S[i][v][2] = high.x, S[i][v][3] = high.y;
        }
}

/* Stores dV of a pair of chunks, and, with one warp, dK and dQ. */
template <int K, int V, int TT, delta_mode MODE, bool GATED>
static __device__ __forceinline__ void back_store(uint32_t stage, const delta_args &p,
                                                  const delta_place &place, uint32_t t0,
                                                  uint32_t thread)
{
    using G = geometry<K, V, TT>;
    using L = back_layout<K, V, TT, GATED>;
    if constexpr (MODE == BY_CALL) {
        constexpr int N = G::group_threads;
        const delta_call &c = p.call;
        if (c.dv.data)
            store_rows<V, N, factor_slots>(c.dv, stage + L::kept, place.value_head, -c.scale, place,
                                           t0, thread);
        if constexpr (G::warps == 1) {
            if (c.dk.data)
                store_rows<K, N, factor_slots>(c.dk, stage, place.value_head, 1, place, t0, thread);
            if (c.dq.data)
                store_rows<K, N, token_slots<G::tokens>>(c.dq, stage + L::queries, place.value_head,
                                                         1, place, t0, thread);
        }
    } else {
        if (p.dv) store_factors<K, TT>(p.dv, stage + L::kept, minus, place, t0, thread);
        if constexpr (G::warps == 1) {
            store_factors<K, TT>(p.dk, stage, 0, place, t0, thread);
            store_tokens<K, TT>(p.dq, stage + L::queries, place, t0, thread);
        }
    }
}

} // namespace

#endif
