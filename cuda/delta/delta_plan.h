/* The plan of the tensor-core delta product, shared by the kernels (cuda/delta/cuda_delta.cu) and
 * their replay on the CPU (tests/support/cuda/replay_delta.h). Rows are the factors of a word in
 * their order, token by token. The word is cut into chunks of whole tokens with at most 16 rows; a
 * chunk with fewer rows is filled up with rows of zeros. With k_i, v_i the rows of a chunk, S the
 * state before it, s_i = beta_i and z_i = 1, but s_i = 1 and z_i = 0 where |beta_i| < 2^-100:
 *
 *     M = K K^T;   T = (1 + L)^-1 with L_ij = s_i M_ij z_j for j < i;
 *     G = T diag(s) (V - K S);   W = diag(z) G
 *     o = Q S + A W with A_ts = q_t . k_s for the rows s up to the last of token t;
 *     S <- S + K^T W
 *
 * so that w_i = beta_i (v_i - S_i^T k_i) with S_i the state before row i (the WY form of Bischof
 * and Van Loan 1987, as Yang et al. 2024 use it). G is kept for backward: g_i / s_i is v_i - S_i^T
 * k_i even where beta_i = 0, and K^T W undoes a chunk. T is found by substitution: powers of L
 * cancel when beta is near 2.
 *
 * bf16 are: all inputs except beta and h0, G, outputs and gradients of q, k, v, and, as factors of
 * products, S, T, A, s (V - K S) (backward: S, dS, T, A and the gradients of these). Sums, S, M, L,
 * T while it is solved, and dS are fp32.
 * CPU reference: f2l_delta_forward in models/learn/op/op_delta.c; f2l_delta_backward in
 * models/learn/op/op_delta_back.c. */
#ifndef F2L_DELTA_PLAN_H
#define F2L_DELTA_PLAN_H

#include "models/learn/op/op_delta.h"

enum { F2L_DELTA_ROWS = 16 }; /* rows of a chunk */

/* Inputs, arrays as in models/learn/op/op_delta.h, with bf16 for q, k, v (without v: no additive
 * path). If `letter` [batch][tokens] is given, q, k, v, beta are tables [letters] instead of
 * [batch][tokens], and token t has the rows of its letter. */
typedef struct f2l_delta_mma_in {
    const uint16_t *q, *k, *v;
    const float *beta, *h0;
    const uint32_t *letter;
    const uint32_t *first; /* NULL, or [batch + 1], ascending: word b has the rows first[b] ..
                            * first[b + 1] - 1 instead of `tokens`; not with letters */
} f2l_delta_mma_in;

/* Gradients: dq, dk, dv, dbeta are by position [batch][tokens], with letters too; all are written,
 * dh0 is added to. dv NULL: no v; dh0 may be NULL. */
typedef struct f2l_delta_mma_grad {
    uint16_t *dq, *dk, *dv;
    float *dbeta, *dh0;
} f2l_delta_mma_grad;

/* Returns the tokens of a chunk, 1 <= factors <= 8. */
static inline size_t f2l_delta_chunk(size_t factors)
{
    return F2L_DELTA_ROWS / factors;
}

/* Returns the columns of S in one warp: sums over columns add slices of this width in their
 * order. */
static inline size_t f2l_delta_slice(size_t key)
{
    return key == 32 ? 32 : 16;
}

/* Returns the number of parts into which the sum of dS over sequences is cut for dh0. */
static inline size_t f2l_delta_parts(size_t batch)
{
    return batch < 64 ? 1 : batch < 2048 ? batch / 32 : 64;
}

#endif
