/* Gates of the tensor-core delta product: a logarithm g per head and token, by which S decays
 * before the factors of the token. With c_r the sum of g over the tokens of a chunk as far as row
 * r's, c the sum over the chunk, and S_r = exp(c_r) S + sum over s < r of exp(c_r - c_s) k_s w_s^T
 * the state before row r, the formulas of cuda/delta/delta_plan.h become
 *
 *     L_ij = exp(c_i - c_j) s_i M_ij z_j;   G = T diag(s) (V - diag(exp c_r) K S);
 *     o = diag(exp c_t) Q S + A W with A_ts = exp(c_t - c_s) q_t . k_s;
 *     S <- exp(c) S + (diag(exp(c - c_r)) K)^T W.
 *
 * Only sums over stretches of tokens are ever taken to exp, so that nothing overflows; an earlier
 * state cannot be computed from a later one. So forward keeps S before every pair of chunks,
 * rounded as products take it, and backward computes the state between both chunks again. The
 * gradient of g at a token is the sum, over it and all that is later in its chunk, of q_t . dq_t
 * for tokens and k_r . (y_r - x_r) for rows, and of <dS, S> after the chunk: dk_r = x_r + y_r, y_r
 * by what row r reads (S and earlier rows), x_r by what it writes. What does not cross the gate is
 * in two of the terms with the same numbers, so that a gate near 0 has a gradient near 0.
 *
 * CPU reference: f2l_kernels_host_delta_forward in kernels/delta_host.c;
 * f2l_kernels_host_delta_backward in kernels/delta_host_back.c. */
#ifndef F2L_CUDA_DELTA_GATE_CUH
#define F2L_CUDA_DELTA_GATE_CUH

#include "cuda/delta/cuda_mma.cuh"

namespace {

/* Logarithms are to the base 2 in shared memory. A gate below 2^-160 is 0 in fp32, and is taken as
 * 2^-160, so that sums stay finite; below 2^-140 it has no gradient. The terms of a gradient that
 * do not cross the gate cancel but for roundings, which are more than what crosses a gate below
 * 2^-40: its gradient is 0 unless it is more than faint_part of all terms of the chunk, as it can
 * be behind a state that is 2^28 times as large as what follows. */
constexpr float least_log = -160.0f, shut_log = -140.0f, faint_log = -40.0f,
                faint_part = 1.0f / 4096, log2_of_e = 1.4426950408889634f;
constexpr uint32_t gates_after_betas = 128; /* bytes from betas to gates in a stage */
/* From the sums to exp(c_r), and to exp(c - c_r). */
constexpr uint32_t decay_after_sums = 128, rest_after_sums = 256;

/* Replaces g by sums of logarithms from the beginning of each chunk, and writes powers of them, by
 * one warp. */
static __device__ __forceinline__ void sum_gates(uint32_t gates, uint32_t lane)
{
    float sum = 0, end = 0;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
        const float4 x = lds128(gates + lane / 16 * 64 + i * 16);
        const float g[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
        for (uint32_t j = 0; j < 4; j++) {
            const float y = log2_of_e * g[j];
            end += y < least_log ? least_log : y;
            if (4 * i + j == lane % 16) sum = end;
        }
    }
    __syncwarp();
    sts32(gates + lane * 4, sum);
    sts32(gates + decay_after_sums + lane * 4, power_of_2(sum));
    sts32(gates + rest_after_sums + lane * 4, power_of_2(end - sum));
    __syncwarp();
}

/* The sums of one chunk, and their powers. */
struct chunk_gates {
    uint32_t at;
    __device__ __forceinline__ explicit chunk_gates(uint32_t betas) : at(betas + gates_after_betas)
    {
    }
    __device__ __forceinline__ float whole(void) const
    {
        return lds32(at + decay_after_sums + 60);
    }
    __device__ __forceinline__ float row(uint32_t r, uint32_t from = 0) const
    {
        return lds32(at + from + r * 4);
    }
    __device__ __forceinline__ float2 rows(uint32_t pair, uint32_t half, uint32_t from = 0) const
    {
        return lds64(at + from + half * 32 + pair * 8);
    }
    /* Of token t; of one that the chunk does not have, the last one's. */
    __device__ __forceinline__ float token(uint32_t t, uint32_t factors, uint32_t from = 0) const
    {
        const uint32_t r = t * factors;
        return lds32(at + from + (r < 16 ? r : 15) * 4);
    }
};

/* Multiplies both columns of an accumulator by the powers of 2. */
static __device__ __forceinline__ void scale_columns(float (&x)[4], float first, float second)
{
    x[0] *= first, x[1] *= second, x[2] *= first, x[3] *= second;
}
static __device__ __forceinline__ void scale_rows(float (&x)[4], float upper, float lower)
{
    x[0] *= upper, x[1] *= upper, x[2] *= lower, x[3] *= lower;
}
/* Multiplies numbers of a fragment, and rounds them again. */
static __device__ __forceinline__ uint32_t scale_pair(uint32_t x, float low, float high)
{
    return pack(low * low_of(x), high * high_of(x));
}

/* Multiplies the elements of M that L takes, in the accumulators of solve_pair: row j, column i. */
static __device__ __forceinline__ void decay_products(float (&low)[4], float (&high)[4],
                                                      const chunk_gates &gates, uint32_t row,
                                                      uint32_t pair)
{
    const float2 c0 = gates.rows(pair, 0), c8 = gates.rows(pair, 1);
    const float j0 = gates.row(row), j8 = gates.row(row + 8);
    low[0] *= power_of_2(c0.x - j0), low[1] *= power_of_2(c0.y - j0);
    high[0] *= power_of_2(c8.x - j0), high[1] *= power_of_2(c8.y - j0);
    high[2] *= power_of_2(c8.x - j8), high[3] *= power_of_2(c8.y - j8);
}

/* Multiplies what tokens 8 e + row take from rows 2 pair, + 1, and 8 more, in a. */
static __device__ __forceinline__ void decay_attention(float (&a)[2][4], int e,
                                                       const chunk_gates &gates, uint32_t factors,
                                                       uint32_t row, uint32_t pair)
{
    const float t = gates.token(8 * e + row, factors);
#pragma unroll
    for (uint32_t h = 0; h < 2; h++) {
        const float2 c = gates.rows(pair, h);
        a[h][2 * e] *= power_of_2(t - c.x), a[h][2 * e + 1] *= power_of_2(t - c.y);
    }
}

/* Multiplies the elements of the lower part that L has, in accumulators of row r, column s. */
static __device__ __forceinline__ void decay_lower(float (&x)[2][4], const chunk_gates &gates,
                                                   uint32_t row, uint32_t pair)
{
    const float2 c0 = gates.rows(pair, 0), c8 = gates.rows(pair, 1);
    const float r0 = gates.row(row), r8 = gates.row(row + 8);
    x[0][0] *= power_of_2(r0 - c0.x), x[0][1] *= power_of_2(r0 - c0.y);
    x[0][2] *= power_of_2(r8 - c0.x), x[0][3] *= power_of_2(r8 - c0.y);
    x[1][2] *= power_of_2(r8 - c8.x), x[1][3] *= power_of_2(r8 - c8.y);
}

/* Multiplies what rows row, row + 8 give to tokens 2 pair, + 1 of the e-th eight. */
static __device__ __forceinline__ void decay_given(float (&x)[4], int e, const chunk_gates &gates,
                                                   uint32_t factors, uint32_t row, uint32_t pair)
{
    const float t0 = gates.token(8 * e + 2 * pair, factors),
                t1 = gates.token(8 * e + 2 * pair + 1, factors), c0 = gates.row(row),
                c8 = gates.row(row + 8);
    x[0] *= power_of_2(t0 - c0), x[1] *= power_of_2(t1 - c0);
    x[2] *= power_of_2(t0 - c8), x[3] *= power_of_2(t1 - c8);
}

/* Multiplies x of rows r by exp(c_r), and adds v. */
static __device__ __forceinline__ void add_values(float (&x)[2][4], uint32_t from, bool additive,
                                                  const chunk_gates &gates, uint32_t pair)
{
#pragma unroll
    for (uint32_t h = 0; h < 2; h++) {
        const float2 by = gates.rows(pair, h, decay_after_sums);
        scale_columns(x[h], by.x, by.y);
    }
    if (!additive) return;
    uint32_t v[4];
    ldsm4_t(v, from);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        x[i / 2][i % 2 * 2] += low_of(v[i]);
        x[i / 2][i % 2 * 2 + 1] += high_of(v[i]);
    }
}

/* Multiplies numbers of rows r by exp(c - c_r). */
static __device__ __forceinline__ void decay_rows(float (&x)[2][4], const chunk_gates &gates,
                                                  uint32_t pair)
{
#pragma unroll
    for (uint32_t h = 0; h < 2; h++) {
        const float2 by = gates.rows(pair, h, rest_after_sums);
        scale_columns(x[h], by.x, by.y);
    }
}

template <int M, int KEYS>
static __device__ __forceinline__ void decay_state(float (&N)[M][KEYS][4], const chunk_gates &gates)
{
    const float by = gates.whole();
#pragma unroll
    for (int m = 0; m < M; m++)
#pragma unroll
        for (int k = 0; k < KEYS; k++) scale_columns(N[m][k], by, by);
}

} // namespace

#endif
