/* Forward of the recurrence with a diagonal and a rank-one term, and what backward shares with it.
 * S is filled up with zeros to KEY rows and cut into strips of WIDTH columns, one for each warp. Of
 * a strip a lane has COLUMNS neighbouring columns and ROWS rows in quadruples: sums over rows go
 * over a lane's rows and then over row groups, sums over columns likewise, and then over warps.
 * CPU reference: f2l_dplr_forward in models/learn/op/op_dplr.c. */
#ifndef F2L_CUDA_DPLR_CUH
#define F2L_CUDA_DPLR_CUH

#include "cuda/device/cuda_words.cuh"
#include "cuda/op/cuda_one.cuh"
extern "C" {
#include "cuda/op/cuda_dplr.h"
}

template <int KEY> struct tile {
    static constexpr int ROW_LANES = KEY <= 32 ? 4 : KEY / 8, ROWS = KEY / ROW_LANES,
                         COLUMN_LANES = 32 / ROW_LANES, COLUMNS = KEY == 128 ? 8 : 4,
                         WIDTH = COLUMNS * COLUMN_LANES, WARPS = F2L_CUDA_DPLR_DIM / WIDTH,
                         THREADS = 32 * WARPS;
    /* Tokens that are in shared memory at a time. */
    static constexpr int CHUNK = KEY == 128 ? 4 : 8;
    /* Pieces of 16 bytes of a lane's part of S. */
    static constexpr int PIECES = ROWS * COLUMNS / 4;
};

template <int KEY> struct place {
    unsigned row_group, column_group, warp, column; /* column: the lane's first */
};
template <int KEY> static __device__ __forceinline__ place<KEY> place_of(void)
{
    place<KEY> p;
    const unsigned lane = threadIdx.x % 32;
    p.row_group = lane / tile<KEY>::COLUMN_LANES;
    p.column_group = lane % tile<KEY>::COLUMN_LANES;
    p.warp = threadIdx.x / 32;
    p.column = p.warp * tile<KEY>::WIDTH + tile<KEY>::COLUMNS * p.column_group;
    return p;
}
/* Returns row i of the lane. */
template <int KEY>
static __device__ __forceinline__ unsigned row_of(const place<KEY> &p, unsigned i)
{
    return (i / 4 * tile<KEY>::ROW_LANES + p.row_group) * 4 + i % 4;
}

/* The data of CHUNK tokens, as float, with zeros behind the dimensions. */
template <int KEY> struct staged {
    static constexpr int CHUNK = tile<KEY>::CHUNK;
    alignas(16) float q[CHUNK][KEY], k[CHUNK][KEY], w[CHUNK][KEY], a[CHUNK][KEY], b[CHUNK][KEY];
    alignas(16) float v[CHUNK][F2L_CUDA_DPLR_DIM];
};

/* Set to [CHUNK][..] to `count` tokens' rows of `width` numbers, `step` apart: rows of keys, and of
 * as many values as the block's warps have columns. */
template <int CHUNK, int KEY, typename From>
static __device__ __forceinline__ void stage_keys(float (&to)[CHUNK][KEY], const From *from,
                                                  size_t step, unsigned width, unsigned count)
{
    for (unsigned i = threadIdx.x; i < CHUNK * KEY; i += blockDim.x) {
        const unsigned t = i / KEY, c = i % KEY;
        to[t][c] = t < count && c < width ? one(from + t * step + c) : 0;
    }
}
template <int KEY, int CHUNK, typename From>
static __device__ __forceinline__ void stage_values(float (&to)[CHUNK][F2L_CUDA_DPLR_DIM],
                                                    const From *from, size_t step, unsigned width,
                                                    unsigned count)
{
    const unsigned columns = blockDim.x / 32 * tile<KEY>::WIDTH, c = threadIdx.x % columns;
    for (unsigned t = threadIdx.x / columns; t < CHUNK; t += 32 / tile<KEY>::WIDTH)
        to[t][c] = t < count && c < width ? one(from + t * step + c) : 0;
}

/* Stages `count` tokens from the token `row` = (sequence * tokens + t) * heads + head on. */
template <typename T, int KEY, bool RANKED>
static __device__ __forceinline__ void
stage(staged<KEY> &m, bool queries, const f2l_cuda_dplr_in &in, const f2l_cuda_dplr_shape &s,
      size_t row, unsigned count)
{
    const size_t key = row * s.key, step = s.heads * s.key;
    const unsigned width = (unsigned)s.key;
    if (queries) stage_keys(m.q, (const T *)in.q + key, step, width, count);
    stage_keys(m.k, (const T *)in.k + key, step, width, count);
    stage_keys(m.w, in.w + key, step, width, count);
    if (RANKED) {
        stage_keys(m.a, in.a + key, step, width, count);
        stage_keys(m.b, in.b + key, step, width, count);
    }
    stage_values<KEY>(m.v, (const T *)in.v + row * s.value, s.heads * s.value, (unsigned)s.value,
                      count);
}

/* A lane's part of S or of its gradient. */
template <int KEY> struct part {
    float x[tile<KEY>::ROWS][tile<KEY>::COLUMNS];
};

template <int KEY>
static __device__ __forceinline__ void take_row(float (&x)[tile<KEY>::ROWS], const float *from,
                                                const place<KEY> &p)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i += 4) {
        float y[4];
        take(y, from + row_of<KEY>(p, i));
#pragma unroll
        for (int j = 0; j < 4; j++) x[i + j] = y[j];
    }
}

/* Computes u = S^T x, in all lanes of the columns. */
template <int KEY>
static __device__ __forceinline__ void
columns_of(float (&u)[tile<KEY>::COLUMNS], const part<KEY> &S, const float (&x)[tile<KEY>::ROWS])
{
#pragma unroll
    for (int c = 0; c < tile<KEY>::COLUMNS; c++) u[c] = S.x[0][c] * x[0];
#pragma unroll
    for (int i = 1; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (int c = 0; c < tile<KEY>::COLUMNS; c++) u[c] += S.x[i][c] * x[i];
#pragma unroll
    for (int step = tile<KEY>::COLUMN_LANES; step < 32; step *= 2)
#pragma unroll
        for (int c = 0; c < tile<KEY>::COLUMNS; c++)
            u[c] += __shfl_xor_sync(0xffffffffu, u[c], step);
}

/* Computes S += x u^T. */
template <int KEY>
static __device__ __forceinline__ void add_outer(part<KEY> &S, const float (&x)[tile<KEY>::ROWS],
                                                 const float (&u)[tile<KEY>::COLUMNS])
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (int c = 0; c < tile<KEY>::COLUMNS; c++) S.x[i][c] += x[i] * u[c];
}

/* Computes S = diag(x) S. */
template <int KEY>
static __device__ __forceinline__ void scale_rows(part<KEY> &S, const float (&x)[tile<KEY>::ROWS])
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (int c = 0; c < tile<KEY>::COLUMNS; c++) S.x[i][c] *= x[i];
}

/* Steps S over staged token t. */
template <int KEY, bool RANKED>
static __device__ __forceinline__ void advance(part<KEY> &S, const staged<KEY> &m, unsigned t,
                                               const place<KEY> &p)
{
    float x[tile<KEY>::ROWS], u[tile<KEY>::COLUMNS];
    if (RANKED) {
        take_row<KEY>(x, m.b[t], p);
        columns_of<KEY>(u, S, x);
    }
    take_row<KEY>(x, m.w[t], p);
    scale_rows<KEY>(S, x);
    if (RANKED) {
        take_row<KEY>(x, m.a[t], p);
        add_outer<KEY>(S, x, u);
    }
    take_row<KEY>(x, m.k[t], p);
    take(u, m.v[t] + p.column);
    add_outer<KEY>(S, x, u);
}

/* Keeps S in the order of threads; each thread reads back what it wrote. */
template <int KEY> static __device__ __forceinline__ void keep(float *to, const part<KEY> &S)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::PIECES; i++) {
        float y[4];
#pragma unroll
        for (int j = 0; j < 4; j++)
            y[j] = S.x[(4 * i + j) / tile<KEY>::COLUMNS][(4 * i + j) % tile<KEY>::COLUMNS];
        put(to + 4 * (size_t)(i * blockDim.x + threadIdx.x), y);
    }
}
template <int KEY> static __device__ __forceinline__ void recall(part<KEY> &S, const float *from)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::PIECES; i++) {
        float y[4];
        take(y, from + 4 * (size_t)(i * blockDim.x + threadIdx.x));
#pragma unroll
        for (int j = 0; j < 4; j++)
            S.x[(4 * i + j) / tile<KEY>::COLUMNS][(4 * i + j) % tile<KEY>::COLUMNS] = y[j];
    }
}

/* Returns the numbers of a kept S. */
template <int KEY> static __device__ __forceinline__ size_t kept_numbers(void)
{
    return (size_t)4 * tile<KEY>::PIECES * blockDim.x;
}

/* Reads or writes S [key][value]. */
template <int KEY>
static __device__ __forceinline__ void move_state(float *state, part<KEY> &S, bool read,
                                                  const place<KEY> &p, const f2l_cuda_dplr_shape &s)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (int c = 0; c < tile<KEY>::COLUMNS; c++) {
            const unsigned row = row_of<KEY>(p, i), column = p.column + c;
            if (row >= s.key || column >= s.value) continue;
            float *at = state + row * s.value + column;
            if (read)
                S.x[i][c] = *at;
            else
                *at = S.x[i][c];
        }
}

/* Writes the lane's columns up to the end of a row. */
template <typename T, int KEY>
static __device__ __forceinline__ void put_columns(T *row, const float (&x)[tile<KEY>::COLUMNS],
                                                   const place<KEY> &p, size_t value)
{
    if (p.row_group != 0) return;
#pragma unroll
    for (int c = 0; c < tile<KEY>::COLUMNS; c++)
        if (p.column + c < value) put_one(row + p.column + c, x[c]);
}

template <typename T, int KEY, bool RANKED>
static __global__ void __launch_bounds__(tile<KEY>::THREADS)
    forward(T *out, float *state, float *kept, f2l_cuda_dplr_in in, f2l_cuda_dplr_shape s)
{
    constexpr unsigned CHUNK = tile<KEY>::CHUNK;
    __shared__ staged<KEY> m;
    const place<KEY> p = place_of<KEY>();
    const size_t pair = blockIdx.x, head = pair % s.heads;
    const word_rows word =
        rows_of_any_word(s.first, (unsigned)(pair / s.heads), (unsigned)s.tokens);
    const size_t first = word.first;
    const unsigned tokens = word.count;
    float *mine = state ? state + pair * s.key * s.value : nullptr;
    part<KEY> S = {};
    if (mine) move_state<KEY>(mine, S, true, p, s);
    for (unsigned start = 0; start < tokens; start += CHUNK) {
        const unsigned count = tokens - start < CHUNK ? tokens - start : CHUNK;
        const size_t row = (first + start) * s.heads + head;
        __syncthreads();
        stage<T, KEY, RANKED>(m, true, in, s, row, count);
        __syncthreads();
        if (kept && start % F2L_CUDA_DPLR_SEGMENT == 0)
            keep<KEY>(kept + (start / F2L_CUDA_DPLR_SEGMENT * s.batch * s.heads + pair) *
                                 kept_numbers<KEY>(),
                      S);
#pragma unroll 1
        for (unsigned t = 0; t < count; t++) {
            float q[tile<KEY>::ROWS], o[tile<KEY>::COLUMNS];
            advance<KEY, RANKED>(S, m, t, p);
            take_row<KEY>(q, m.q[t], p);
            columns_of<KEY>(o, S, q);
            put_columns<T, KEY>(out + (row + t * s.heads) * s.value, o, p, s.value);
        }
    }
    if (mine) move_state<KEY>(mine, S, false, p, s);
}

#endif
