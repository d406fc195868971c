/* Backward of the recurrence with a diagonal and a rank-one term, by the formulas of
 * models/learn/op/op_dplr.c. A segment is run again from what forward kept, with S before every
 * token but the first in the workspace; then it is walked backwards.
 * CPU reference: f2l_dplr_backward in models/learn/op/op_dplr.c. */
#ifndef F2L_CUDA_DPLR_BACK_CUH
#define F2L_CUDA_DPLR_BACK_CUH

#include "cuda/op/cuda_dplr.cuh"

/* Gradients that are sums over columns, in the order of their rows in shared memory. */
enum { SUM_Q, SUM_K, SUM_W, SUM_A, SUM_B, SUMS };

template <int KEY> struct back_memory {
    staged<KEY> token;
    alignas(16) float dout[tile<KEY>::CHUNK][F2L_CUDA_DPLR_DIM];
    float sum[tile<KEY>::WARPS][SUMS][KEY];
};

/* Sums COUNT numbers over the lanes that differ in bits STEP, 2 STEP, .. below LANES: at each turn
 * two lanes share the numbers, so that the lanes end with different sums, from `first` on. */
template <int COUNT, int STEP, int LANES>
static __device__ __forceinline__ void share_sums(float *x, unsigned &first)
{
    if constexpr (STEP < LANES) {
        if constexpr (COUNT > 1) {
            const bool high = threadIdx.x & STEP;
#pragma unroll
            for (int i = 0; i < COUNT / 2; i++) {
                const float mine = high ? x[i + COUNT / 2] : x[i],
                            other = high ? x[i] : x[i + COUNT / 2];
                x[i] = mine + __shfl_xor_sync(0xffffffffu, other, STEP);
            }
            if (high) first += COUNT / 2;
            share_sums<COUNT / 2, 2 * STEP, LANES>(x, first);
        } else {
            x[0] += __shfl_xor_sync(0xffffffffu, x[0], STEP);
            share_sums<1, 2 * STEP, LANES>(x, first);
        }
    }
}

/* Puts the warp's sums over its columns of S u, or of S * D number by number, into shared memory.
 */
template <int KEY>
static __device__ __forceinline__ void put_sums(back_memory<KEY> &m, int kind,
                                                float (&x)[tile<KEY>::ROWS], const place<KEY> &p)
{
    constexpr int LANES = tile<KEY>::COLUMN_LANES, ROWS = tile<KEY>::ROWS,
                  LEFT = ROWS > LANES ? ROWS / LANES : 1;
    unsigned first = 0;
    share_sums<ROWS, 1, LANES>(x, first);
    if (p.column_group >= ROWS) return; /* another lane has the same sum */
#pragma unroll
    for (int j = 0; j < LEFT; j++) m.sum[p.warp][kind][row_of<KEY>(p, first + j)] = x[j];
}
template <int KEY>
static __device__ __forceinline__ void sum_times(back_memory<KEY> &m, int kind, const part<KEY> &S,
                                                 const float (&u)[tile<KEY>::COLUMNS],
                                                 const place<KEY> &p)
{
    float x[tile<KEY>::ROWS];
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++) {
        x[i] = S.x[i][0] * u[0];
#pragma unroll
        for (int c = 1; c < tile<KEY>::COLUMNS; c++) x[i] += S.x[i][c] * u[c];
    }
    put_sums<KEY>(m, kind, x, p);
}
template <int KEY>
static __device__ __forceinline__ void sum_product(back_memory<KEY> &m, int kind,
                                                   const part<KEY> &S, const part<KEY> &D,
                                                   const place<KEY> &p)
{
    float x[tile<KEY>::ROWS];
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++) {
        x[i] = S.x[i][0] * D.x[i][0];
#pragma unroll
        for (int c = 1; c < tile<KEY>::COLUMNS; c++) x[i] += S.x[i][c] * D.x[i][c];
    }
    put_sums<KEY>(m, kind, x, p);
}

/* Adds the warps' sums, in order, and writes the gradients of the token. */
template <typename T, int KEY, bool RANKED>
static __device__ __forceinline__ void write_sums(const back_memory<KEY> &m,
                                                  const f2l_cuda_dplr_grad &grad, size_t key,
                                                  const f2l_cuda_dplr_shape &s)
{
    const unsigned warps = blockDim.x / 32, kinds = RANKED ? SUMS : SUM_W + 1;
    for (unsigned i = threadIdx.x; i < kinds * KEY; i += blockDim.x) {
        const unsigned kind = i / KEY, row = i % KEY;
        if (row >= s.key) continue;
        float total = m.sum[0][kind][row];
        for (unsigned w = 1; w < warps; w++) total += m.sum[w][kind][row];
        if (kind == SUM_Q)
            put_one((T *)grad.dq + key + row, total);
        else if (kind == SUM_K)
            put_one((T *)grad.dk + key + row, total);
        else
            (kind == SUM_W ? grad.dw : kind == SUM_A ? grad.da : grad.db)[key + row] = total;
    }
}

/* Steps D back over staged token t; S is the state after the token, and becomes the state before
 * it, which is at `before`. `row` is the token's. */
template <typename T, int KEY, bool RANKED>
static __device__ __forceinline__ void
back_token(back_memory<KEY> &m, part<KEY> &D, part<KEY> &S, const float *before, unsigned t,
           size_t row, const place<KEY> &p, const f2l_cuda_dplr_grad &grad,
           const f2l_cuda_dplr_shape &s)
{
    float x[tile<KEY>::ROWS], u[tile<KEY>::COLUMNS], r[tile<KEY>::COLUMNS];
    take(u, m.dout[t] + p.column);
    sum_times<KEY>(m, SUM_Q, S, u, p);
    take_row<KEY>(x, m.token.q[t], p);
    add_outer<KEY>(D, x, u);
    recall<KEY>(S, before);
    take(u, m.token.v[t] + p.column);
    sum_times<KEY>(m, SUM_K, D, u, p);
    sum_product<KEY>(m, SUM_W, S, D, p);
    take_row<KEY>(x, m.token.k[t], p);
    columns_of<KEY>(u, D, x);
    put_columns<T, KEY>((T *)grad.dv + row * s.value, u, p, s.value);
    if (RANKED) {
        take_row<KEY>(x, m.token.a[t], p);
        columns_of<KEY>(r, D, x);
        sum_times<KEY>(m, SUM_B, S, r, p);
        take_row<KEY>(x, m.token.b[t], p);
        columns_of<KEY>(u, S, x);
        sum_times<KEY>(m, SUM_A, D, u, p);
    }
    float w[tile<KEY>::ROWS];
    take_row<KEY>(w, m.token.w[t], p);
    scale_rows<KEY>(D, w);
    if (RANKED) add_outer<KEY>(D, x, r);
    __syncthreads();
    write_sums<T, KEY, RANKED>(m, grad, row * s.key, s);
    __syncthreads();
}

/* Does the (sequence, head) pairs blockIdx.x, blockIdx.x + blocks, ..; `states` has room for
 * SEGMENT - 1 states of each block. */
template <typename T, int KEY, bool RANKED>
static __global__ void __launch_bounds__(tile<KEY>::THREADS)
    backward(f2l_cuda_dplr_grad grad, const T *dout, const float *kept, float *states,
             f2l_cuda_dplr_in in, f2l_cuda_dplr_shape s, unsigned blocks)
{
    constexpr unsigned CHUNK = tile<KEY>::CHUNK, SEGMENT = F2L_CUDA_DPLR_SEGMENT;
    __shared__ back_memory<KEY> m;
    const place<KEY> p = place_of<KEY>();
    const size_t pairs = s.batch * s.heads, numbers = kept_numbers<KEY>();
    states += (size_t)blockIdx.x * (SEGMENT - 1) * numbers;
    for (size_t pair = blockIdx.x; pair < pairs; pair += blocks) {
        const word_rows here =
            rows_of_any_word(s.first, (unsigned)(pair / s.heads), (unsigned)s.tokens);
        const size_t head = pair % s.heads, word = here.first;
        const unsigned tokens = here.count;
        part<KEY> S, D = {};
        for (unsigned first = (tokens - 1) / SEGMENT * SEGMENT;; first -= SEGMENT) {
            const unsigned end = tokens - first < SEGMENT ? tokens - first : SEGMENT;
            const float *start = kept + (first / SEGMENT * pairs + pair) * numbers;
            recall<KEY>(S, start);
            for (unsigned from = 0; from < end; from += CHUNK) {
                const unsigned count = end - from < CHUNK ? end - from : CHUNK;
                __syncthreads();
                stage<T, KEY, RANKED>(m.token, false, in, s, (word + first + from) * s.heads + head,
                                      count);
                __syncthreads();
#pragma unroll 1
                for (unsigned t = 0; t < count; t++) {
                    if (from + t > 0) keep<KEY>(states + (from + t - 1) * numbers, S);
                    advance<KEY, RANKED>(S, m.token, t, p);
                }
            }
            for (unsigned from = (end - 1) / CHUNK * CHUNK;; from -= CHUNK) {
                const unsigned count = end - from < CHUNK ? end - from : CHUNK;
                const size_t row = (word + first + from) * s.heads + head;
                __syncthreads();
                stage<T, KEY, RANKED>(m.token, true, in, s, row, count);
                stage_values<KEY>(m.dout, dout + row * s.value, s.heads * s.value,
                                  (unsigned)s.value, count);
                __syncthreads();
#pragma unroll 1
                for (unsigned t = count; t-- > 0;)
                    back_token<T, KEY, RANKED>(
                        m, D, S, from + t > 0 ? states + (from + t - 1) * numbers : start, t,
                        row + t * s.heads, p, grad, s);
                if (from == 0) break;
            }
            if (first == 0) break;
        }
    }
}

#endif
