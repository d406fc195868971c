/* Backward of the tensor-core delta product; the formulas are at the head of
 * tests/support/cuda/replay_delta_back.c. A warp holds, for its columns, S [key][value] (going back
 * by K^T W) and E = dS^T [value][key]: products that sum over values need the first form, products
 * that sum over keys the second, and E is needed in both (movm).
 * CPU reference: f2l_delta_backward in models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_DELTA_BACK_CUH
#define F2L_CUDA_DELTA_BACK_CUH

#include "cuda/delta/cuda_delta_back_store.cuh"

namespace {

/* Computes one chunk of one warp. On return dQ and dK are in the tiles of Q and K (one warp, then
 * times `scale`) or in the sums of this warp, -U is in the tile of G, and dbeta in the lanes. S is
 * the state after the chunk, and becomes the one before it; with gates it is that already, packed,
 * and numbers for dg go to the scalars of this warp. */
template <int K, int V, int TT, bool GATED, typename State>
static __device__ __forceinline__ void
back_chunk(float (&dbeta)[2], State &S, float (&E)[geometry<K, V, TT>::slice / 16][K / 8][4],
           const back_chunk_at &c, float scale, const delta_lane<K> &at,
           const delta_lane<V> &along_values)
{
    using G = geometry<K, V, TT>;
    constexpr int N = G::slice / 8, M = N / 2, STEPS = K / 16;
    constexpr uint32_t wide = back_layout<K, V, TT, GATED>::wide;
    uint32_t s[STEPS][M][4], g[M][4], u[M][4], w[M][4], da[2 * TT], da_t[TT][2], dout_t[M][2 * TT];
    float Z[N][4];
    [[maybe_unused]] const chunk_gates gates(c.betas);
    [[maybe_unused]] gate_sums<TT> sums;
    if constexpr (!GATED) undo<K, V, N>(S, c, at, along_values);
    load_tokens_t<V, TT, M>(dout_t, c.douts, along_values, c.column);
    solve_back<K, TT, N, GATED>(Z, E, dout_t, c, at);
    if constexpr (GATED)
        copy_state<STEPS, M>(s, S);
    else
        pack_state(s, S);
    const float beta0 = lds32(c.betas + at.row * 4), beta8 = lds32(c.betas + 32 + at.row * 4);
    const uint32_t mask0 = acts(beta0) ? ~0u : 0u, mask8 = acts(beta8) ? ~0u : 0u;
#pragma unroll
    for (int m = 0; m < M; m++) ldsm4(g[m], (c.kept + along_values.across) ^ (c.column + (m << 5)));
    betas_back<N>(dbeta, u, Z, g, beta0, beta8);
#pragma unroll
    for (int m = 0; m < M; m++) {
        stsm4((c.kept + along_values.across) ^ (c.column + (m << 5)), u[m][0], u[m][1], u[m][2],
              u[m][3]);
#pragma unroll
        for (int i = 0; i < 4; i++) w[m][i] = g[m][i] & (i % 2 ? mask8 : mask0);
    }
    uint32_t p[4], p_t[4];
    lower_products<N, GATED>(p, p_t, u, w, c.betas, at.row, at.pair);
    if constexpr (!GATED) /* each element is zero in one of the two terms */
        p[0] |= p_t[0], p[2] = p_t[2], p[3] |= p_t[3];
    /* dA^T = W dO^T [row][token], also transposed */
    uint32_t dout[TT][M][2];
    load_tokens<V, TT, M>(dout, c.douts, along_values, c.column);
#pragma unroll
    for (int t = 0; t < TT; t++) {
        float x[4] = {0, 0, 0, 0};
#pragma unroll
        for (int m = 0; m < M; m++) mma16(x, w[m], dout[t][m][0], dout[t][m][1]);
        if constexpr (GATED) decay_given(x, t, gates, c.factors, at.row, at.pair);
        const uint32_t end = c.factors * (8 * t + 2 * at.pair + 1), after = end + c.factors,
                       r = at.row;
        da[2 * t] = pack(r < end ? x[0] : 0, r < after ? x[1] : 0);
        da[2 * t + 1] = pack(r + 8 < end ? x[2] : 0, r + 8 < after ? x[3] : 0);
        da_t[t][0] = movm(da[2 * t]);
        da_t[t][1] = movm(da[2 * t + 1]);
    }
    __syncwarp(); /* -U is in its tile */
#pragma unroll
    for (int m = 0; m < M; m++)
        ldsm4_t(u[m], (c.kept + along_values.along) ^ (c.column + (m << 5)));
    uint32_t ur[M][4]; /* -U [row][value] again: cheaper than to keep it */
#pragma unroll
    for (int m = 0; m < M; m++)
        ldsm4(ur[m], (c.kept + along_values.across) ^ (c.column + (m << 5)));
    [[maybe_unused]] lane_decays<GATED ? TT : 0> decays(gates, c.factors, at.row, at.pair);
    if constexpr (GATED) decay_operands<TT, M>(u, dout_t, gates, decays, at.pair);
        /* by 16 keys: dQ^T = S dO^T + K^T dA^T [key][token]; dK = W dS^T - (P + P^T) K + dA^T Q - U
         * S^T; E */
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
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
            if constexpr (GATED) scale_columns(dq[0][t], decays.tokens[t][0], decays.tokens[t][1]);
            mma16(dq[0][t], k, da_t[t][0], da_t[t][1]);
        }
        float dk[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int h = 0; h < 2; h++) { /* E of these keys [key][value], before it changes */
                const float(&x)[4] = E[m][2 * i + h];
                const uint32_t e[2] = {movm(pack(x[0], x[1])), movm(pack(x[2], x[3]))};
                mma16(dk[h], w[m], e[0], e[1]);
                if constexpr (GATED) sums.add_state(e, s[i][m][h], s[i][m][h + 2]);
            }
        if constexpr (GATED) {
            float y[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}}; /* dk: x at first */
            uint32_t here[4];                             /* keys as dk has them */
            ldsm4(here, (c.keys + at.across) ^ (i << 5));
#pragma unroll
            for (int h = 0; h < 2; h++) {
                scale_rows(dk[h], decays.rests[0], decays.rests[1]);
                sums.add_writes(dk[h], here[2 * h], here[2 * h + 1]);
                mma16(dk[h], p_t, k[h], k[h + 2]);
                mma_tokens<TT>(dk[h], da, q[h], q[h + 2]);
#pragma unroll
                for (int m = 0; m < M; m++) mma16(y[h], ur[m], s[i][m][h], s[i][m][h + 2]);
                scale_rows(y[h], decays.rows[0], decays.rows[1]);
                mma16(y[h], p, k[h], k[h + 2]);
            }
            sums.add(dk, y, here, dq[0], q);
        } else {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                mma16(dk[h], p, k[h], k[h + 2]);
                mma_tokens<TT>(dk[h], da, q[h], q[h + 2]);
#pragma unroll
                for (int m = 0; m < M; m++) mma16(dk[h], ur[m], s[i][m][h], s[i][m][h + 2]);
            }
        }
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                if constexpr (GATED) scale_columns(E[m][2 * i + h], decays.whole, decays.whole);
                mma_tokens<TT>(E[m][2 * i + h], dout_t[m], q[h], q[h + 2]);
                mma16(E[m][2 * i + h], u[m], k[h], k[h + 2]);
            }
        if constexpr (G::warps == 1) {
            stsm4((c.keys + at.across) ^ (i << 5), pack(scale * dk[0][0], scale * dk[0][1]),
                  pack(scale * dk[0][2], scale * dk[0][3]),
                  pack(scale * dk[1][0], scale * dk[1][1]),
                  pack(scale * dk[1][2], scale * dk[1][3]));
            put_tokens<K, TT, 1>(c.queries, dq, scale, at, i << 5);
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
    if constexpr (GATED) sums.store(c.sum_scalars, decays.whole, at.row, at.pair);
}

template <int K, int V, int TT, delta_mode MODE, bool GATED>
static __device__ __forceinline__ void back_fetch(uint32_t stage, const delta_args &p,
                                                  const delta_place &place, uint32_t t0,
                                                  uint32_t thread)
{
    using L = back_layout<K, V, TT, GATED>;
    if constexpr (MODE == BY_CALL) {
        constexpr int N = L::G::group_threads;
        using tokens = token_slots<L::G::tokens>;
        if constexpr (GATED)
            fetch_gates(stage + L::betas + gates_after_betas, p.call.g, place, t0, thread);
        fetch_rows<K, N, factor_slots>(stage, p.call.k, place.key_head, place, t0, thread);
        fetch_rows<V, N, factor_slots>(stage + L::kept, p.call.kept, place.value_head, place, t0,
                                       thread);
        fetch_betas(stage + L::betas, p.call.beta, place, t0, thread);
        fetch_rows<K, N, tokens>(stage + L::queries, p.call.q, place.key_head, place, t0, thread);
        fetch_rows<V, N, tokens>(stage + L::douts, p.call.dout, place.value_head, place, t0,
                                 thread);
    } else {
        fetch_factors<K, TT, MODE == BY_LETTER, true>(stage, stage + L::kept, stage + L::betas, p.k,
                                                      p.kept, p.beta, place, t0, thread);
        fetch_tokens<K, TT, MODE == BY_LETTER>(stage + L::queries, p.q, place, t0, thread);
        fetch_tokens<V, TT, false>(stage + L::douts, p.dout, place, t0, thread);
    }
}

/* The kernel of backward. p.state: S after the last token; without BY_CALL it is replaced by dS
 * before the first one. Gradients are linear in dO and dS after the last token, so that with a
 * scale they are computed for dS / scale, and multiplied by it. */
template <int K, int V, int TT, delta_mode MODE, int BLOCKS, bool GATED = false>
__global__ void __launch_bounds__((geometry<K, V, TT>::threads), BLOCKS)
    delta_back(const __grid_constant__ delta_args p)
{
    using G = geometry<K, V, TT>;
    using L = back_layout<K, V, TT, GATED>;
    constexpr int M = G::slice / 16;
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const uint32_t thread = G::warps == 1 ? lane : threadIdx.x;
    const uint32_t word = G::warps == 1 ? blockIdx.x * G::groups + warp : blockIdx.x;
    if (word >= p.words) return;
    const uint32_t base = shared_base() + (G::warps == 1 ? warp * L::bytes : 0);
    const uint32_t slice = G::warps == 1 ? 0 : warp;
    const delta_lane<K> at(lane);
    const delta_lane<V> along_values(lane);
    const delta_place place = place_of<MODE>(p, word);
    const uint32_t step = 2 * p.chunk, tokens = tokens_of<MODE>(p, place);
    back_state<K, G::slice, GATED> S;
    float E[M][K / 8][4] = {};
    uint32_t stage = base;
    int t0 = tokens ? static_cast<int>((tokens - 1) / step * step) : -1;
    if (t0 >= 0) back_fetch<K, V, TT, MODE, GATED>(stage, p, place, t0, thread);
    if constexpr (!GATED)
        take_end<K, V, G::slice / 8>(S.now, p.state + static_cast<size_t>(word) * K * V,
                                     slice * G::slice, at);
    if constexpr (MODE == BY_CALL)
        if (p.call.dfinal.data)
            move_columns<K, M, true>(E, p.call.dfinal, tokens ? 1 / p.call.scale : 1,
                                     place.block * V + slice * G::slice, p.call, place, at);
    /* `stage` alternates between two stages */
    for (; t0 >= 0; t0 -= step, stage = 2 * base + L::stage - stage) {
        copies_done();
        group_sync<G::warps>(); /* this stage has arrived, and the other stage has been stored */
        if (t0 > 0)
            back_fetch<K, V, TT, MODE, GATED>(2 * base + L::stage - stage, p, place, t0 - step,
                                              thread);
        if (G::warps == 1 || warp == 0)
            solve_pair<K, false, GATED>(stage, stage + L::betas, base + L::solve, at, lane);
        if (G::warps > 1) __syncthreads();
        if constexpr (MODE == BY_CALL && !GATED)
            if (p.call.before) {
                uint32_t n[M][K / 16][4];
                recall_state(n, kept_state<M, K / 16>(p, place, static_cast<uint32_t>(t0), G::warps,
                                                      slice, lane));
                unpack_state(S.now, n);
            }
#pragma unroll 1
        for (int c = static_cast<uint32_t>(t0) + p.chunk < tokens; c >= 0; c--) {
            float dbeta[2];
            if constexpr (GATED) {
                uint32_t n[M][K / 16][4];
                recall_state(n, kept_state<M, K / 16>(p, place, static_cast<uint32_t>(t0), G::warps,
                                                      slice, lane));
                turn_state(S.now, n);
                if (c)
                    step_state<K, V, M>(S.now, stage, stage + L::kept, stage + L::betas,
                                        slice * G::slice * 2, at, along_values);
            }
            back_chunk<K, V, TT, GATED>(
                dbeta, S.now, E,
                {stage + c * 16 * G::key_row, stage + L::kept + c * 16 * G::value_row,
                 stage + L::queries + c * G::tokens * G::key_row,
                 stage + L::douts + c * G::tokens * G::value_row, stage + L::betas + c * 64,
                 base + L::solve + c * square_bytes, slice * G::slice * 2, p.factors,
                 base + L::keys + slice * 16 * L::wide,
                 base + L::tokens + slice * G::tokens * L::wide,
                 base + L::scalars + slice * L::scalar},
                MODE == BY_CALL ? p.call.scale : 1.0f, at, along_values);
            if constexpr (G::warps == 1) {
                if constexpr (GATED) {
                    __syncwarp();
                    store_gates<1, G::tokens>(p, place, base + L::scalars,
                                              stage + L::betas + c * 64, t0, c, lane);
                }
                if (at.pair < 2)
                    put_dbeta<MODE>(p, place, factor_slot(place, t0, 16 * c + at.row + 8 * at.pair),
                                    at.pair ? dbeta[1] : dbeta[0]);
            } else {
                if (at.pair < 2)
                    sts32(base + L::scalars + slice * L::scalar + (at.row + 8 * at.pair) * 4,
                          at.pair ? dbeta[1] : dbeta[0]);
                __syncthreads();
                store_sums<K, V, TT, MODE, GATED>(p, place, base, t0, c, thread);
                if constexpr (GATED)
                    if (warp == 0)
                        store_gates<G::warps, G::tokens>(p, place, base + L::scalars,
                                                         stage + L::betas + c * 64, t0, c, lane);
                __syncthreads();
            }
        }
        if constexpr (MODE == BY_CALL)
            if (p.call.before && t0 > 0) round_cut(E, p.call.scale);
        group_sync<G::warps>();
        back_store<K, V, TT, MODE, GATED>(stage, p, place, t0, thread);
    }
    if constexpr (MODE == BY_CALL) {
        if (p.call.dinitial.data)
            move_columns<K, M, false>(E, p.call.dinitial, tokens ? p.call.scale : 1,
                                      place.block * V + slice * G::slice, p.call, place, at);
    } else {
        move_state<K, V, M, false>(E, p.state + static_cast<size_t>(word) * K * V, 1.0f,
                                   slice * G::slice, at);
    }
}

} // namespace

#endif
