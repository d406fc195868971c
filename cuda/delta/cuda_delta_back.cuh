/* Backward of the tensor-core delta product; the formulas are at the head of
 * tests/support/cuda/replay_delta_back.c. A warp holds, for its columns, S [key][value] (going back
 * by K^T W) and E = dS^T [value][key]: products that sum over values need the first form, products
 * that sum over keys the second, and E is needed in both (movm).
 * CPU reference: f2l_delta_backward in models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_DELTA_BACK_CUH
#define F2L_CUDA_DELTA_BACK_CUH

#include "cuda/delta/cuda_delta_back_parts.cuh"

namespace {

/* Computes one chunk of one warp. On return dQ and dK are in the tiles of Q and K (one warp) or in
 * the sums of this warp, -U is in the tile of G, and dbeta in the lanes. */
template <int D, int TT>
static __device__ __forceinline__ void back_chunk(float (&dbeta)[2],
                                                  float (&S)[D / 16][geometry<D, TT>::slice / 8][4],
                                                  float (&E)[geometry<D, TT>::slice / 16][D / 8][4],
                                                  const back_chunk_at &c, const delta_lane<D> &at)
{
    using G = geometry<D, TT>;
    constexpr int V = G::slice / 8, M = V / 2, K = D / 16;
    constexpr uint32_t wide = back_layout<D, TT>::wide;
    uint32_t s[K][M][4], g[M][4], u[M][4], w[M][4], da[2 * TT], da_t[TT][2], dout_t[M][2 * TT];
    float Z[V][4];
    undo<D, V>(S, c, at);
    load_tokens_t<D, TT, M>(dout_t, c.douts, at, c.column);
    solve_back<D, TT, V>(Z, E, dout_t, c, at);
    pack_state(s, S);
    const float beta0 = lds32(c.betas + at.row * 4), beta8 = lds32(c.betas + 32 + at.row * 4);
    const uint32_t mask0 = acts(beta0) ? ~0u : 0u, mask8 = acts(beta8) ? ~0u : 0u;
#pragma unroll
    for (int m = 0; m < M; m++) ldsm4(g[m], (c.kept + at.across) ^ (c.column + (m << 5)));
    betas_back<V>(dbeta, u, Z, g, beta0, beta8);
#pragma unroll
    for (int m = 0; m < M; m++) {
        stsm4((c.kept + at.across) ^ (c.column + (m << 5)), u[m][0], u[m][1], u[m][2], u[m][3]);
#pragma unroll
        for (int i = 0; i < 4; i++) w[m][i] = g[m][i] & (i % 2 ? mask8 : mask0);
    }
    uint32_t p[4];
    symmetric<V>(p, u, w, at.row, at.pair);
    /* dA^T = W dO^T [row][token], also transposed */
    uint32_t dout[TT][M][2];
    load_tokens<D, TT, M>(dout, c.douts, at, c.column);
#pragma unroll
    for (int t = 0; t < TT; t++) {
        float x[4] = {0, 0, 0, 0};
#pragma unroll
        for (int m = 0; m < M; m++) mma16(x, w[m], dout[t][m][0], dout[t][m][1]);
        const uint32_t end = c.factors * (8 * t + 2 * at.pair + 1), after = end + c.factors,
                       r = at.row;
        da[2 * t] = pack(r < end ? x[0] : 0, r < after ? x[1] : 0);
        da[2 * t + 1] = pack(r + 8 < end ? x[2] : 0, r + 8 < after ? x[3] : 0);
        da_t[t][0] = movm(da[2 * t]);
        da_t[t][1] = movm(da[2 * t + 1]);
    }
    __syncwarp(); /* -U is in its tile */
#pragma unroll
    for (int m = 0; m < M; m++) ldsm4_t(u[m], (c.kept + at.along) ^ (c.column + (m << 5)));
    uint32_t ur[M][4]; /* -U [row][value] again: cheaper than to keep it */
#pragma unroll
    for (int m = 0; m < M; m++) ldsm4(ur[m], (c.kept + at.across) ^ (c.column + (m << 5)));
        /* by 16 keys: dQ^T = S dO^T + K^T dA^T [key][token]; dK = W dS^T - (P + P^T) K + dA^T Q - U
         * S^T; E */
#pragma unroll
    for (int i = 0; i < K; i++) {
        uint32_t k[4], q[4];
        ldsm4_t(k, (c.keys + at.along) ^ (i << 5));
        if constexpr (TT == 2) {
            ldsm4_t(q, (c.queries + at.along) ^ (i << 5)); /* tokens 0-7: q0, q1; 8-15: q2, q3 */
        } else {
            ldsm2_t(q[0], q[1], (c.queries + at.eight) ^ (i << 5));
            q[2] = q[3] = 0;
        }
        float dq[1][TT][4];
#pragma unroll
        for (int t = 0; t < TT; t++) {
            dq[0][t][0] = dq[0][t][1] = dq[0][t][2] = dq[0][t][3] = 0;
#pragma unroll
            for (int m = 0; m < M; m++) mma16(dq[0][t], s[i][m], dout[t][m][0], dout[t][m][1]);
            mma16(dq[0][t], k, da_t[t][0], da_t[t][1]);
        }
        float dk[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int h = 0; h < 2; h++) { /* E of these keys [key][value], before it changes */
                const float(&x)[4] = E[m][2 * i + h];
                mma16(dk[h], w[m], movm(pack(x[0], x[1])), movm(pack(x[2], x[3])));
            }
#pragma unroll
        for (int h = 0; h < 2; h++) {
            mma16(dk[h], p, k[h], k[h + 2]);
            mma_tokens<TT>(dk[h], da, q[h], q[h + 2]);
#pragma unroll
            for (int m = 0; m < M; m++) mma16(dk[h], ur[m], s[i][m][h], s[i][m][h + 2]);
        }
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                mma_tokens<TT>(E[m][2 * i + h], dout_t[m], q[h], q[h + 2]);
                mma16(E[m][2 * i + h], u[m], k[h], k[h + 2]);
            }
        if constexpr (G::warps == 1) {
            stsm4((c.keys + at.across) ^ (i << 5), pack(dk[0][0], dk[0][1]),
                  pack(dk[0][2], dk[0][3]), pack(dk[1][0], dk[1][1]), pack(dk[1][2], dk[1][3]));
            put_tokens<D, TT, 1>(c.queries, dq, 1.0f, at, i << 5);
        } else {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const uint32_t to = c.sum_keys + at.row * wide + (16 * i + 8 * h + 2 * at.pair) * 4;
                sts64(to, dk[h][0], dk[h][1]);
                sts64(to + 8 * wide, dk[h][2], dk[h][3]);
            }
#pragma unroll
            for (int t = 0; t < TT; t++)
#pragma unroll
                for (int x = 0; x < 4; x++)
                    sts32(c.sum_tokens + (8 * t + 2 * at.pair + x % 2) * wide +
                              (16 * i + x / 2 * 8 + at.row) * 4,
                          dq[0][t][x]);
        }
    }
}

template <int D, int TT, bool LETTERS>
static __device__ __forceinline__ void back_fetch(uint32_t stage, const delta_args &p,
                                                  const delta_place &place, uint32_t t0,
                                                  uint32_t thread)
{
    using L = back_layout<D, TT>;
    fetch_factors<D, TT, LETTERS, true>(stage, stage + L::kept, stage + L::betas, p.k, p.kept,
                                        p.beta, place, t0, thread);
    fetch_tokens<D, TT, LETTERS>(stage + L::queries, p.q, place, t0, thread);
    fetch_tokens<D, TT, false>(stage + L::douts, p.dout, place, t0, thread);
}

/* Returns sums over the warps of a group, slice by slice: 8 numbers of a row, rounded. */
template <int WARPS>
static __device__ __forceinline__ uint4 sum_slices(uint32_t from, uint32_t stride)
{
    float x[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < WARPS; i++) {
        const float4 low = lds128(from + i * stride), high = lds128(from + i * stride + 16);
        x[0] += low.x, x[1] += low.y, x[2] += low.z, x[3] += low.w;
        x[4] += high.x, x[5] += high.y, x[6] += high.z, x[7] += high.w;
    }
    return {pack(x[0], x[1]), pack(x[2], x[3]), pack(x[4], x[5]), pack(x[6], x[7])};
}

/* Stores dK, dQ, dbeta of chunk c of the pair, from the sums of all warps. */
template <int D, int TT>
static __device__ __forceinline__ void store_sums(const delta_args &p, const delta_place &place,
                                                  uint32_t base, uint32_t t0, uint32_t c,
                                                  uint32_t thread)
{
    using G = geometry<D, TT>;
    using L = back_layout<D, TT>;
    const uint32_t r = thread / G::pieces, piece = thread % G::pieces;
    const delta_slot s = factor_slot(place, t0, 16 * c + r);
    const uint4 dk = sum_slices<G::warps>(base + L::keys + r * L::wide + piece * 32, 16 * L::wide);
    put_piece(p.dk, s, D, piece, dk);
    if (r < G::tokens) {
        const delta_slot t = token_slot<G::tokens>(place, t0, G::tokens * c + r);
        const uint4 dq =
            sum_slices<G::warps>(base + L::tokens + r * L::wide + piece * 32, G::tokens * L::wide);
        put_piece(p.dq, t, D, piece, dq);
    }
    if (thread < 16) {
        const delta_slot b = factor_slot(place, t0, 16 * c + thread);
        float sum = 0;
#pragma unroll
        for (int i = 0; i < G::warps; i++) sum += lds32(base + L::scalars + i * 64 + thread * 4);
        if (b.real) p.dbeta[b.row] = sum;
    }
}

/* Reads S [key][value] of this warp's columns. */
template <int D, int V>
static __device__ __forceinline__ void take_end(float (&S)[D / 16][V][4], const float *state,
                                                uint32_t from, const delta_lane<D> &at)
{
#pragma unroll
    for (int i = 0; i < D / 16; i++)
#pragma unroll
        for (int v = 0; v < V; v++) {
            const float *x = state + (16 * i + at.row) * D + from + 8 * v + 2 * at.pair;
            const float2 low = *reinterpret_cast<const float2 *>(x),
                         high = *reinterpret_cast<const float2 *>(x + 8 * D);
            S[i][v][0] = low.x, S[i][v][1] = low.y, S[i][v][2] = high.x, S[i][v][3] = high.y;
        }
}

/* The kernel of backward. p.state: S after the last token, replaced by dS before the first one. */
template <int D, int TT, bool LETTERS, int BLOCKS>
__global__ void __launch_bounds__((geometry<D, TT>::threads), BLOCKS)
    delta_back(const __grid_constant__ delta_args p)
{
    using G = geometry<D, TT>;
    using L = back_layout<D, TT>;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t thread = G::warps == 1 ? lane : threadIdx.x;
    const uint32_t word = G::warps == 1 ? blockIdx.x * G::groups + warp : blockIdx.x;
    if (word >= p.words) return;
    const uint32_t base = shared_base() + (G::warps == 1 ? warp * L::bytes : 0);
    const uint32_t slice = G::warps == 1 ? 0 : warp;
    const delta_lane<D> at(lane);
    const delta_place place = place_of(p, word);
    const uint32_t step = 2 * p.chunk;
    float S[D / 16][G::slice / 8][4], E[G::slice / 16][D / 8][4] = {};
    uint32_t stage = base;
    int t0 = p.tokens ? static_cast<int>((p.tokens - 1) / step * step) : -1;
    if (t0 >= 0) back_fetch<D, TT, LETTERS>(stage, p, place, t0, thread);
    take_end<D, G::slice / 8>(S, p.state + static_cast<size_t>(word) * D * D, slice * G::slice, at);
    /* `stage` alternates between two stages */
    for (; t0 >= 0; t0 -= step, stage = 2 * base + L::stage - stage) {
        copies_done();
        group_sync<G::warps>(); /* this stage has arrived, and the other stage has been stored */
        if (t0 > 0)
            back_fetch<D, TT, LETTERS>(2 * base + L::stage - stage, p, place, t0 - step, thread);
        if (G::warps == 1 || warp == 0)
            solve_pair<D, false>(stage, stage + L::betas, base + L::solve, at, lane);
        if (G::warps > 1) __syncthreads();
#pragma unroll 1
        for (int c = static_cast<uint32_t>(t0) + p.chunk < p.tokens; c >= 0; c--) {
            float dbeta[2];
            back_chunk<D, TT>(dbeta, S, E,
                              {stage + c * 16 * G::row, stage + L::kept + c * 16 * G::row,
                               stage + L::queries + c * G::tokens * G::row,
                               stage + L::douts + c * G::tokens * G::row, stage + L::betas + c * 64,
                               base + L::solve + c * square_bytes, slice * G::slice * 2, p.factors,
                               base + L::keys + slice * 16 * L::wide,
                               base + L::tokens + slice * G::tokens * L::wide,
                               base + L::scalars + slice * 64},
                              at);
            if constexpr (G::warps == 1) {
                if (at.pair < 2) {
                    const delta_slot s = factor_slot(place, t0, 16 * c + at.row + 8 * at.pair);
                    if (s.real) p.dbeta[s.row] = at.pair ? dbeta[1] : dbeta[0];
                }
            } else {
                if (at.pair < 2)
                    sts32(base + L::scalars + slice * 64 + (at.row + 8 * at.pair) * 4,
                          at.pair ? dbeta[1] : dbeta[0]);
                __syncthreads();
                store_sums<D, TT>(p, place, base, t0, c, thread);
                __syncthreads();
            }
        }
        group_sync<G::warps>();
        if (p.dv) store_factors<D, TT>(p.dv, stage + L::kept, minus, place, t0, thread);
        if constexpr (G::warps == 1) {
            store_factors<D, TT>(p.dk, stage, 0, place, t0, thread);
            store_tokens<D, TT>(p.dq, stage + L::queries, place, t0, thread);
        }
    }
    move_state<D, G::slice / 16, false>(E, p.state + static_cast<size_t>(word) * D * D, 1.0f,
                                        slice * G::slice, at);
}

} // namespace

#endif
