/* What gated backward needs of forward: S before every pair of chunks, kept and taken again; and
 * the gradient of the gates. The algorithm is at the head of cuda/delta/cuda_delta_gate.cuh.
 *
 * CPU reference: f2l_kernels_host_delta_forward in kernels/delta_host.c;
 * f2l_kernels_host_delta_backward in kernels/delta_host_back.c. */
#ifndef F2L_CUDA_DELTA_GATE_STATE_CUH
#define F2L_CUDA_DELTA_GATE_STATE_CUH

#include "cuda/delta/cuda_delta_call.cuh"

namespace {

/* Packs N as left operand. */
template <int M, int STEPS>
static __device__ __forceinline__ void pack_state(uint32_t (&f)[M][STEPS][4],
                                                  const float (&N)[M][2 * STEPS][4])
{
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            f[m][s][0] = pack(N[m][2 * s][0], N[m][2 * s][1]);
            f[m][s][1] = pack(N[m][2 * s][2], N[m][2 * s][3]);
            f[m][s][2] = pack(N[m][2 * s + 1][0], N[m][2 * s + 1][1]);
            f[m][s][3] = pack(N[m][2 * s + 1][2], N[m][2 * s + 1][3]);
        }
}

/* Copies g to the first row of each token of a pair, and zeros to the others. */
static __device__ __forceinline__ void fetch_gates(uint32_t gates, const delta_numbers &g,
                                                   const delta_place &place, uint32_t t0,
                                                   uint32_t thread)
{
    if (thread >= 32) return;
    const uint32_t r = thread % 16, token = r * place.inverse / 256;
    const bool first = r == token * place.factors && factor_slot(place, t0, thread).real;
    copy4(gates + thread * 4,
          number_at(g, place, place.first + t0 + thread / 16 * place.chunk + token), first);
}

/* Returns where this warp's part of S before or after a pair of chunks is kept, in pieces of 16
 * bytes. */
template <int M, int STEPS>
static __device__ __forceinline__ uint4 *kept_state(const delta_args &p, const delta_place &place,
                                                    uint32_t t0, uint32_t warps, uint32_t slice,
                                                    uint32_t lane)
{
    const uint32_t segment = place.segment + t0 / (2 * p.chunk);
    const size_t state =
        (wide_product(segment, p.heads) + place.value_head) * p.call.blocks + place.block;
    return static_cast<uint4 *>(p.call.before) + (state * warps + slice) * (M * STEPS * 32) + lane;
}

template <int M, int STEPS>
static __device__ __forceinline__ void recall_state(uint32_t (&n)[M][STEPS][4], const uint4 *from)
{
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            const uint4 x = from[(m * STEPS + s) * 32];
            n[m][s][0] = x.x, n[m][s][1] = x.y, n[m][s][2] = x.z, n[m][s][3] = x.w;
        }
}

/* Keeps N, packed as left operand. */
template <int M, int STEPS>
static __device__ __forceinline__ void
keep_state(const float (&N)[M][2 * STEPS][4], const delta_args &p, const delta_place &place,
           uint32_t t0, uint32_t warps, uint32_t slice, uint32_t lane)
{
    uint32_t n[M][STEPS][4];
    uint4 *const to = kept_state<M, STEPS>(p, place, t0, warps, slice, lane);
    pack_state(n, N);
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            to[(m * STEPS + s) * 32] = {n[m][s][0], n[m][s][1], n[m][s][2], n[m][s][3]};
}

/* Turns N [value][key] into S [key][value], both as left operands. */
template <int M, int STEPS>
static __device__ __forceinline__ void turn_state(uint32_t (&s)[STEPS][M][4],
                                                  const uint32_t (&n)[M][STEPS][4])
{
#pragma unroll
    for (int i = 0; i < STEPS; i++)
#pragma unroll
        for (int m = 0; m < M; m++) {
            s[i][m][0] = movm(n[m][i][0]) ^ minus;
            s[i][m][1] = movm(n[m][i][2]) ^ minus;
            s[i][m][2] = movm(n[m][i][1]) ^ minus;
            s[i][m][3] = movm(n[m][i][3]) ^ minus;
        }
}

/* Turns N [value][key] as it was kept into S [key][value]. */
template <int M, int STEPS>
static __device__ __forceinline__ void unpack_state(float (&S)[STEPS][2 * M][4],
                                                    const uint32_t (&n)[M][STEPS][4])
{
    uint32_t s[STEPS][M][4];
    turn_state(s, n);
#pragma unroll
    for (int i = 0; i < STEPS; i++)
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                S[i][2 * m + j / 2][j % 2 * 2] = low_of(s[i][m][j]);
                S[i][2 * m + j / 2][j % 2 * 2 + 1] = high_of(s[i][m][j]);
            }
}

/* Multiplies dS by scale and its inverse, as dinitial and dfinal of a cut would be. */
template <int M, int K8>
static __device__ __forceinline__ void round_cut(float (&E)[M][K8][4], float scale)
{
    const float inverse = 1 / scale;
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int k = 0; k < K8; k++)
#pragma unroll
            for (int i = 0; i < 4; i++) E[m][k][i] = inverse * (scale * E[m][k][i]);
}

/* Steps S through a chunk whose G is in its tile: S <- exp(c) S + (diag(exp(c - c_r)) K)^T W. */
template <int K, int V, int M>
static __device__ __forceinline__ void
step_state(uint32_t (&s)[K / 16][M][4], uint32_t keys, uint32_t kept, uint32_t betas,
           uint32_t column, const delta_lane<K> &at, const delta_lane<V> &along_values)
{
    const chunk_gates gates(betas);
    const float2 b[2] = {lds64(betas + at.pair * 8), lds64(betas + 32 + at.pair * 8)};
    const float by = gates.whole();
    uint32_t w[M][4];
#pragma unroll
    for (int m = 0; m < M; m++) {
        ldsm4_t(w[m], (kept + along_values.along) ^ (column + (m << 5)));
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float2 rest = gates.rows(at.pair, i / 2, rest_after_sums);
            w[m][i] = scale_pair(w[m][i] & mask_of(b[i / 2].x, b[i / 2].y), rest.x, rest.y);
        }
    }
#pragma unroll
    for (int i = 0; i < K / 16; i++) {
        uint32_t k[4];
        ldsm4_t(k, (keys + at.along) ^ (i << 5));
#pragma unroll
        for (int m = 0; m < M; m++) {
            float x[2][4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                x[j / 2][j % 2 * 2] = by * low_of(s[i][m][j]);
                x[j / 2][j % 2 * 2 + 1] = by * high_of(s[i][m][j]);
            }
            mma16(x[0], k, w[m][0], w[m][2]);
            mma16(x[1], k, w[m][1], w[m][3]);
#pragma unroll
            for (int j = 0; j < 4; j++)
                s[i][m][j] = pack(x[j / 2][j % 2 * 2], x[j / 2][j % 2 * 2 + 1]);
        }
    }
}

/* What the warps of a group add up for dg of a chunk: numbers of 16 rows, of 16 tokens, and <dS, S>
 * after the chunk, after 16 numbers dbeta. */
constexpr uint32_t gate_scalars = 256, scalar_rows = 64, scalar_tokens = 128, scalar_flow = 192;

/* Returns the sum over a warp, in all lanes. */
static __device__ __forceinline__ float add_warp(float x)
{
#pragma unroll
    for (int step = 1; step < 32; step *= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* The S of backward: with gates before the chunk, packed. */
template <int K, int SLICE, bool GATED> struct back_state {
    float now[K / 16][SLICE / 8][4];
};
template <int K, int SLICE> struct back_state<K, SLICE, true> {
    uint32_t now[K / 16][SLICE / 16][4];
};
template <int STEPS, int M>
static __device__ __forceinline__ void copy_state(uint32_t (&to)[STEPS][M][4],
                                                  const uint32_t (&from)[STEPS][M][4])
{
#pragma unroll
    for (int s = 0; s < STEPS; s++)
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int i = 0; i < 4; i++) to[s][m][i] = from[s][m][i];
}

/* The powers that a lane needs for all keys of a chunk. */
template <int TT> struct lane_decays {
    float whole, rows[2], rests[2], tokens[TT][2]; /* as in gate_sums */

    __device__ __forceinline__ lane_decays(const chunk_gates &gates, uint32_t factors, uint32_t row,
                                           uint32_t pair)
        : whole(gates.whole())
    {
#pragma unroll
        for (uint32_t i = 0; i < 2; i++) {
            rows[i] = gates.row(row + 8 * i, decay_after_sums);
            rests[i] = gates.row(row + 8 * i, rest_after_sums);
#pragma unroll
            for (uint32_t t = 0; t < TT; t++)
                tokens[t][i] = gates.token(8 * t + 2 * pair + i, factors, decay_after_sums);
        }
    }
};

template <> struct lane_decays<0> { /* without gates */
    __device__ __forceinline__ lane_decays(const chunk_gates &, uint32_t, uint32_t, uint32_t)
    {
    }
};

/* Multiplies the operands of what is added to dS by the powers of their rows and tokens. */
template <int TT, int M>
static __device__ __forceinline__ void
decay_operands(uint32_t (&u)[M][4], uint32_t (&dout_t)[M][2 * TT], const chunk_gates &gates,
               const lane_decays<TT> &by, uint32_t pair)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const float2 row = gates.rows(pair, h, decay_after_sums);
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int i = 0; i < 2; i++) u[m][2 * h + i] = scale_pair(u[m][2 * h + i], row.x, row.y);
    }
#pragma unroll
    for (int t = 0; t < TT; t++)
#pragma unroll
        for (int m = 0; m < M; m++)
#pragma unroll
            for (int i = 0; i < 2; i++)
                dout_t[m][2 * t + i] =
                    scale_pair(dout_t[m][2 * t + i], by.tokens[t][0], by.tokens[t][1]);
}

/* What a lane adds up for dg of a chunk: of rows row, row + 8 of factors, of tokens 8 t + 2 pair, +
 * 1. */
template <int TT> struct gate_sums {
    float rows[2] = {0, 0}, tokens[TT][2] = {};
    /* <dS, S> after the chunk: `whole` times what is left of S before it, and what rows write, with
     * the numbers of x: a gate that lets nothing pass has no gradient then. */
    float before = 0, writes = 0;

    __device__ __forceinline__ void add_state(const uint32_t (&e)[2], uint32_t s0, uint32_t s1)
    {
        const uint32_t s[2] = {s0, s1};
#pragma unroll
        for (int i = 0; i < 2; i++) {
            before = fmaf(low_of(e[i]), low_of(s[i]), before);
            before = fmaf(high_of(e[i]), high_of(s[i]), before);
        }
    }
    __device__ __forceinline__ void add_writes(const float (&x)[4], uint32_t k0, uint32_t k8)
    {
        writes = fmaf(low_of(k0), x[0], fmaf(high_of(k0), x[1], writes));
        writes = fmaf(low_of(k8), x[2], fmaf(high_of(k8), x[3], writes));
    }

    /* Adds 16 keys: x, which becomes dk, and y of the rows, and dq [key][token]. */
    __device__ __forceinline__ void add(float (&x)[2][4], const float (&y)[2][4],
                                        const uint32_t (&k)[4], const float (&dq)[TT][4],
                                        const uint32_t (&q)[4])
    {
#pragma unroll
        for (int h = 0; h < 2; h++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint32_t word = k[2 * h + i / 2];
                const float key = i % 2 ? high_of(word) : low_of(word);
                rows[i / 2] = fmaf(key, y[h][i] - x[h][i], rows[i / 2]);
                x[h][i] += y[h][i];
            }
#pragma unroll
        for (int t = 0; t < TT; t++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const uint32_t word = q[2 * t + i / 2];
                tokens[t][i % 2] =
                    fmaf(i % 2 ? high_of(word) : low_of(word), dq[t][i], tokens[t][i % 2]);
            }
    }
    __device__ __forceinline__ void store(uint32_t scalars, float whole, uint32_t row,
                                          uint32_t pair)
    {
        const float flow = add_warp(fmaf(whole, before, writes));
        if (row == 0 && pair == 0) sts32(scalars + scalar_flow, flow);
#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int step = 1; step < 4; step *= 2)
                rows[i] += __shfl_xor_sync(0xffffffffu, rows[i], step);
            if (pair == 0) sts32(scalars + scalar_rows + (row + 8 * i) * 4, rows[i]);
#pragma unroll
            for (int t = 0; t < TT; t++) {
#pragma unroll
                for (int step = 4; step < 32; step *= 2)
                    tokens[t][i] += __shfl_xor_sync(0xffffffffu, tokens[t][i], step);
                if (row == 0)
                    sts32(scalars + scalar_tokens + (8 * t + 2 * pair + i) * 4, tokens[t][i]);
            }
        }
    }
};

/* Writes dg of a chunk by the first warp of a group. scalars: of all warps, in their order. */
template <int WARPS, int TOKENS>
static __device__ __forceinline__ void store_gates(const delta_args &p, const delta_place &place,
                                                   uint32_t scalars, uint32_t betas, uint32_t t0,
                                                   uint32_t c, uint32_t lane)
{
    float flow = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) flow += lds32(scalars + scalar_flow + w * gate_scalars);
    const uint32_t mine = scalars + scalar_rows + lane * 4; /* lanes 16 on: tokens */
    float sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        if (lane < 16 + TOKENS) sum += lds32(mine + w * gate_scalars);
    __syncwarp();
    sts32(mine, sum);
    __syncwarp();
    float after = 0, size = fabsf(flow); /* of tokens and rows from this lane's token on; of all */
#pragma unroll
    for (uint32_t i = 0; i < 8; i++) {
        const float4 x = lds128(scalars + scalar_rows + i * 16);
        const float part[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
        for (uint32_t j = 0; j < 4; j++) {
            const uint32_t n = 4 * i + j;
            if (n < 16 ? n >= lane * p.factors : n - 16 >= lane) after += part[j];
            size += fabsf(part[j]);
        }
    }
    const chunk_gates gates(betas);
    if (lane < TOKENS && p.call.dg.data) {
        const delta_slot s = token_slot<TOKENS>(place, t0, TOKENS * c + lane);
        const float log =
            gates.token(lane, p.factors) - (lane ? gates.token(lane - 1, p.factors) : 0);
        const float all = flow + after;
        const bool none = log < shut_log || (log < faint_log && fabsf(all) <= faint_part * size);
        if (s.real) *number_at(p.call.dg, place, s.row) = none ? 0 : p.call.scale * all;
    }
}

} // namespace

#endif
