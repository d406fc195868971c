/* The parts of one chunk of the backward of the tensor-core delta product
 * (cuda/delta/cuda_delta_back.cuh).
 * CPU reference: f2l_delta_backward in models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_DELTA_BACK_PARTS_CUH
#define F2L_CUDA_DELTA_BACK_PARTS_CUH

#include "cuda/delta/cuda_delta_forward.cuh"

namespace {

template <int K, int V, int TT, bool GATED> struct back_layout {
    using G = geometry<K, V, TT>;
    static constexpr uint32_t kept = G::key_tile, queries = kept + G::value_tile,
                              douts = queries + G::query_tile, betas = douts + G::out_tile,
                              stage = betas + (GATED ? G::gate_tile : G::beta_tile),
                              solve = 2 * stage;
    /* sums over the warps of a group: dK, dQ, dbeta of a chunk; rows of K + 8 floats avoid bank
     * conflicts */
    static constexpr uint32_t wide = (K + 8) * 4, keys = solve + solve_bytes,
                              tokens = keys + (G::warps == 1 ? 0 : G::warps * 16 * wide),
                              scalars = tokens + (G::warps == 1 ? 0 : G::warps * G::tokens * wide),
                              scalar = GATED ? gate_scalars : 64; /* bytes of a warp */
    static constexpr uint32_t bytes = G::warps == 1 && !GATED ? keys : scalars + G::warps * scalar;
};

/* The places of one chunk, and the constants that a warp needs for it. */
struct back_chunk_at {
    uint32_t keys, kept, queries, douts, betas, square, column, factors;
    uint32_t sum_keys, sum_tokens, sum_scalars; /* of this warp */
};

/* Computes S -= K^T W, with W^T = G^T masked; N: columns of a warp in eights. */
template <int K, int V, int N>
static __device__ __forceinline__ void undo(float (&S)[K / 16][N][4], const back_chunk_at &c,
                                            const delta_lane<K> &at,
                                            const delta_lane<V> &along_values)
{
    uint32_t w[N / 2][4];
    const float2 b0 = lds64(c.betas + at.pair * 8), b8 = lds64(c.betas + 32 + at.pair * 8);
    const uint32_t mask0 = mask_of(b0.x, b0.y), mask8 = mask_of(b8.x, b8.y);
#pragma unroll
    for (int m = 0; m < N / 2; m++) {
        ldsm4_t(w[m], (c.kept + along_values.along) ^ (c.column + (m << 5)));
#pragma unroll
        for (int i = 0; i < 4; i++) w[m][i] = (w[m][i] ^ minus) & (i < 2 ? mask0 : mask8);
    }
#pragma unroll
    for (int s = 0; s < K / 16; s++) {
        uint32_t k[4];
        ldsm4_t(k, (c.keys + at.along) ^ (s << 5));
#pragma unroll
        for (int m = 0; m < N / 2; m++) {
            mma16(S[s][2 * m], k, w[m][0], w[m][2]);
            mma16(S[s][2 * m + 1], k, w[m][1], w[m][3]);
        }
    }
}

/* Computes the A of the plan, transposed and rounded: a[r][e] = rows 8 r .. of tokens 8 e .. as
 * right operand with columns = rows. */
template <int D, int TT, bool GATED>
static __device__ __forceinline__ void attend_t(uint32_t (&a)[2][TT],
                                                const uint32_t (&k)[D / 16][4],
                                                const back_chunk_at &c, const delta_lane<D> &at)
{
    uint32_t q[TT][D / 16][2];
    load_tokens<D, TT, D / 16>(q, c.queries, at, 0);
#pragma unroll
    for (int e = 0; e < TT; e++) {
        float x[4] = {0, 0, 0, 0};
#pragma unroll
        for (int s = 0; s < D / 16; s++) mma16(x, k[s], q[e][s][0], q[e][s][1]);
        if constexpr (GATED) decay_given(x, e, chunk_gates(c.betas), c.factors, at.row, at.pair);
        const uint32_t end = c.factors * (8 * e + 2 * at.pair + 1), after = end + c.factors,
                       r = at.row;
        a[0][e] = pack(r < end ? x[0] : 0, r < after ? x[1] : 0);
        a[1][e] = pack(r + 8 < end ? x[2] : 0, r + 8 < after ? x[3] : 0);
    }
}

/* Multiplies with the tokens of a chunk as the inner dimension. */
template <int TT>
static __device__ __forceinline__ void mma_tokens(float (&x)[4], const uint32_t (&a)[2 * TT],
                                                  uint32_t b0, uint32_t b1)
{
    if constexpr (TT == 2)
        mma16(x, a, b0, b1);
    else
        mma8(x, a[0], a[1], b0);
}

/* Computes dW = A^T dO + K dS, then Z = T^T dW [row][value]. */
template <int K, int TT, int N, bool GATED>
static __device__ __forceinline__ void
solve_back(float (&Z)[N][4], const float (&E)[N / 2][K / 8][4],
           const uint32_t (&dout_t)[N / 2][2 * TT], const back_chunk_at &c, const delta_lane<K> &at)
{
    uint32_t e[N / 2][K / 16][4], k[K / 16][4], a[2][TT], T[4];
    pack_state(e, E);
#pragma unroll
    for (int s = 0; s < K / 16; s++) ldsm4(k[s], (c.keys + at.across) ^ (s << 5));
    attend_t<K, TT, GATED>(a, k, c, at);
    ldsm4(T, c.square + at.square_across);
#pragma unroll
    for (int m = 0; m < N / 2; m++) {
        float x[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}}; /* dW^T of rows 0-7, 8-15 */
#pragma unroll
        for (int s = 0; s < K / 16; s++) {
            mma16(x[0], e[m][s], k[s][0], k[s][2]);
            mma16(x[1], e[m][s], k[s][1], k[s][3]);
        }
        if constexpr (GATED) decay_rows(x, chunk_gates(c.betas), at.pair);
        mma_tokens<TT>(x[0], dout_t[m], a[0][0], a[0][TT - 1]);
        mma_tokens<TT>(x[1], dout_t[m], a[1][0], a[1][TT - 1]);
#pragma unroll
        for (int h = 0; h < 2; h++) {
#pragma unroll
            for (int i = 0; i < 4; i++) Z[2 * m + h][i] = 0;
            mma16(Z[2 * m + h], T, pack(x[0][2 * h], x[0][2 * h + 1]),
                  pack(x[1][2 * h], x[1][2 * h + 1]));
        }
    }
}

/* Computes P and P^T, whose sum the caller takes without gates, with P the strict lower part of
 * u w^T, rounded, as left operands. */
template <int V, bool GATED>
static __device__ __forceinline__ void
lower_products(uint32_t (&p)[4], uint32_t (&p_t)[4], const uint32_t (&u)[V / 2][4],
               const uint32_t (&w)[V / 2][4], uint32_t betas, uint32_t row, uint32_t pair)
{
    float x[2][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
#pragma unroll
    for (int m = 0; m < V / 2; m++) {
        mma16(x[0], u[m], w[m][0], w[m][2]);
        mma16(x[1], u[m], w[m][1], w[m][3]);
    }
    if constexpr (GATED) decay_lower(x, chunk_gates(betas), row, pair);
    const bool first = 2 * pair < row, second = 2 * pair + 1 < row;
    p[0] = pack(first ? x[0][0] : 0, second ? x[0][1] : 0);
    p[1] = pack(x[0][2], x[0][3]);
    p[2] = 0;
    p[3] = pack(first ? x[1][2] : 0, second ? x[1][3] : 0);
    p_t[0] = movm(p[0]), p_t[1] = 0, p_t[2] = movm(p[1]), p_t[3] = movm(p[3]);
}

/* Computes dbeta of rows l / 4 and l / 4 + 8 in the lanes with pair 0, and u = -diag(beta) Z as
 * left operand. */
template <int V>
static __device__ __forceinline__ void
betas_back(float (&dbeta)[2], uint32_t (&u)[V / 2][4], const float (&Z)[V][4],
           const uint32_t (&g)[V / 2][4], float beta0, float beta8)
{
    float sum0 = 0, sum8 = 0;
#pragma unroll
    for (int m = 0; m < V / 2; m++) {
        sum0 = fmaf(Z[2 * m][0], low_of(g[m][0]), sum0);
        sum0 = fmaf(Z[2 * m][1], high_of(g[m][0]), sum0);
        sum8 = fmaf(Z[2 * m][2], low_of(g[m][1]), sum8);
        sum8 = fmaf(Z[2 * m][3], high_of(g[m][1]), sum8);
        sum0 = fmaf(Z[2 * m + 1][0], low_of(g[m][2]), sum0);
        sum0 = fmaf(Z[2 * m + 1][1], high_of(g[m][2]), sum0);
        sum8 = fmaf(Z[2 * m + 1][2], low_of(g[m][3]), sum8);
        sum8 = fmaf(Z[2 * m + 1][3], high_of(g[m][3]), sum8);
        u[m][0] = pack(-beta0 * Z[2 * m][0], -beta0 * Z[2 * m][1]);
        u[m][1] = pack(-beta8 * Z[2 * m][2], -beta8 * Z[2 * m][3]);
        u[m][2] = pack(-beta0 * Z[2 * m + 1][0], -beta0 * Z[2 * m + 1][1]);
        u[m][3] = pack(-beta8 * Z[2 * m + 1][2], -beta8 * Z[2 * m + 1][3]);
    }
#pragma unroll
    for (int step = 1; step < 4; step *= 2) {
        sum0 += __shfl_xor_sync(0xffffffffu, sum0, step);
        sum8 += __shfl_xor_sync(0xffffffffu, sum8, step);
    }
    dbeta[0] = __fdividef(sum0, scale_of(beta0));
    dbeta[1] = __fdividef(sum8, scale_of(beta8));
}

} // namespace

#endif
