/* Code shared by forward and backward of the recurrent delta product: a tile of S in the registers
 * of a warp, the letters that are copied to shared memory ahead of their use, and the sums between
 * lanes. The order of every sum is part of the contract (cuda/delta/recurrent_plan.h), so
 * all arithmetic uses the _rn functions, which are never contracted.
 * CPU reference: f2l_delta_forward in models/learn/op/op_delta.c; f2l_delta_backward in
 * models/learn/op/op_delta_back.c. */
#ifndef F2L_CUDA_RECURRENT_CUH
#define F2L_CUDA_RECURRENT_CUH

#include "cuda/device/cuda_common.cuh"
extern "C" {
#include "cuda/delta/cuda_recurrent.h"
}

/* The members of f2l_recurrent_plan as compile-time constants. */
template <int KEY> struct tile {
    static constexpr int ROW_LANES = KEY <= 32 ? 4 : KEY / 8;
    static constexpr int ROWS = KEY / ROW_LANES;
    static constexpr int COLUMN_LANES = 32 / ROW_LANES;
    static constexpr int WIDTH = 4 * COLUMN_LANES;
    static constexpr int WARPS = (F2L_RECURRENT_DIM + WIDTH - 1) / WIDTH; /* at most */
    static constexpr int THREADS = 32 * WARPS;
    /* Row sums that a lane ends with, and the column lanes that hold different ones. */
    static constexpr int LEFT = ROWS > COLUMN_LANES ? ROWS / COLUMN_LANES : 1;
    static constexpr int HOLDERS = ROWS < COLUMN_LANES ? ROWS : COLUMN_LANES;
};

/* The place of the calling thread in its (sequence, head). */
template <int KEY> struct place {
    unsigned row_group, column_group, warp, column; /* column: the first of four */

    __device__ place()
    {
        const unsigned lane = threadIdx.x % 32;
        row_group = lane / tile<KEY>::COLUMN_LANES, column_group = lane % tile<KEY>::COLUMN_LANES;
        warp = threadIdx.x / 32, column = warp * tile<KEY>::WIDTH + 4 * column_group;
    }

    __device__ unsigned row(unsigned i) const
    {
        return (i / 4 * tile<KEY>::ROW_LANES + row_group) * 4 + i % 4;
    }
};

/* A slot of the ring has the data of one token: N rows k and q, each filled up to KEY; then N rows
 * v, or dout, filled up to `columns`; then N betas and the gate. */
template <typename T> struct letters {
    const T *q, *k, *v, *dout;
    const float *beta, *gate;
    const uint32_t *letter, *first; /* first: NULL, or [sequences + 1] */
    size_t tokens, pairs;           /* pairs = sequences * heads */
    unsigned heads, factors, key, value, columns;
    unsigned values_at, rates_at, slot; /* bytes */
    bool whole_keys, whole_values;      /* rows are made of aligned 16-byte pieces */

    /* Return the position of a sequence's first token, and its number of tokens. */
    template <bool PACKED> __device__ size_t begin(size_t sequence) const
    {
        return PACKED ? first[sequence] : sequence * tokens;
    }
    template <bool PACKED> __device__ size_t count(size_t sequence) const
    {
        return PACKED ? first[sequence + 1] - first[sequence] : tokens;
    }
    __device__ size_t row(size_t position) const
    {
        return letter ? letter[position] : position;
    }
    __device__ const float *rates(const unsigned char *at) const
    {
        return reinterpret_cast<const float *>(at + rates_at);
    }
    __device__ const T *values(const unsigned char *at) const
    {
        return reinterpret_cast<const T *>(at + values_at);
    }
};

static __device__ __forceinline__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], "
                 "16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}
static __device__ __forceinline__ void copy4(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], "
                 "4;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}
static __device__ __forceinline__ void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int LATER> static __device__ __forceinline__ void wait_for_all_but()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LATER) : "memory");
}

/* The piece of a row of values that a thread copies: with pieces of 16 bytes and with single
 * numbers, a block copies a whole number of rows at once. It is computed once, because it takes
 * divisions. */
struct piece {
    unsigned row, number, rows_at_once;
};
template <int KEY, typename T> static __device__ __forceinline__ piece piece_of(const letters<T> &a)
{
    const unsigned unit = a.whole_values ? 16 / sizeof(T) : 1, per_row = a.columns / unit;
    return {threadIdx.x / per_row, threadIdx.x % per_row * unit, 32 * unit / tile<KEY>::WIDTH};
}

/* Copies rows of values that are `step` apart in memory. */
template <typename T>
static __device__ __forceinline__ void copy_values(T *to, const T *from, size_t step, unsigned rows,
                                                   const piece &mine, const letters<T> &a)
{
    if (mine.number >= a.value) return;
    for (unsigned n = mine.row; n < rows; n += mine.rows_at_once) {
        T *there = to + n * a.columns + mine.number;
        const T *here = from + n * step + mine.number;
        if (a.whole_values)
            copy16(there, here);
        else
            *there = *here;
    }
}

enum reading { FORWARD, REPLAY, REVERSE };

/* Starts the copies for the token at `position` whose letter has row `row`. */
template <reading WHAT, int KEY, typename T>
static __device__ void stage(unsigned char *slot, const letters<T> &a, size_t row, size_t position,
                             unsigned head, const piece &mine)
{
    constexpr unsigned PIECE = 16 / sizeof(T), PER_ROW = KEY / PIECE;
    const unsigned N = a.factors, rows = WHAT == REPLAY ? N : N + 1;
    T *keys = reinterpret_cast<T *>(slot), *values = reinterpret_cast<T *>(slot + a.values_at);
    const size_t step = (size_t)a.heads * a.key;
    const T *k = a.k + (row * N * a.heads + head) * a.key,
            *q = a.q + (row * a.heads + head) * a.key;
    if (a.whole_keys) {
        for (unsigned i = threadIdx.x; i < rows * PER_ROW; i += blockDim.x) {
            const unsigned n = i / PER_ROW, j = i % PER_ROW * PIECE;
            if (j < a.key) copy16(keys + n * KEY + j, n < N ? k + n * step + j : q + j);
        }
    } else {
        for (unsigned i = threadIdx.x; i < rows * KEY; i += blockDim.x) {
            const unsigned n = i / KEY, j = i % KEY;
            if (j < a.key) keys[n * KEY + j] = n < N ? k[n * step + j] : q[j];
        }
    }
    if (WHAT == REVERSE)
        copy_values(values, a.dout + (position * a.heads + head) * a.value, 0, 1, mine, a);
    else if (a.v)
        copy_values(values, a.v + (row * N * a.heads + head) * a.value, (size_t)a.heads * a.value,
                    N, mine, a);
    float *rates = reinterpret_cast<float *>(slot + a.rates_at);
    if (threadIdx.x < N)
        copy4(rates + threadIdx.x, a.beta + (row * N + threadIdx.x) * a.heads + head);
    if (threadIdx.x == N && a.gate) copy4(rates + N, a.gate + row * a.heads + head);
}

/* Clears the ring. Zeros behind the ends of rows stay, since copies stop at the ends. */
static __device__ void clear_ring(unsigned char *ring, unsigned bytes)
{
    for (unsigned i = 16 * threadIdx.x; i < bytes; i += 16 * blockDim.x)
        *reinterpret_cast<uint4 *>(ring + i) = make_uint4(0, 0, 0, 0);
    __syncthreads();
}

static __device__ __forceinline__ void take4(float *x, const float *from)
{
    const float4 v = *reinterpret_cast<const float4 *>(from);
    x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
}
static __device__ __forceinline__ void take4(float *x, const bf16 *from)
{
    const uint2 v = *reinterpret_cast<const uint2 *>(from);
    x[0] = __uint_as_float(v.x << 16), x[1] = __uint_as_float(v.x & 0xffff0000u);
    x[2] = __uint_as_float(v.y << 16), x[3] = __uint_as_float(v.y & 0xffff0000u);
}

static __device__ __forceinline__ void give(float *to, float x)
{
    *to = x;
}
static __device__ __forceinline__ void give(bf16 *to, float x)
{
    *to = __float2bfloat16_rn(x);
}
static __device__ __forceinline__ void give4(float *to, const float (&x)[4])
{
    *reinterpret_cast<float4 *>(to) = make_float4(x[0], x[1], x[2], x[3]);
}
static __device__ __forceinline__ void give4(bf16 *to, const float (&x)[4])
{
    *reinterpret_cast<uint2 *>(to) = make_uint2(two_bf16(x[0], x[1]), two_bf16(x[2], x[3]));
}
/* Writes columns from `column` on to a row of `length`, up to its end. */
template <typename T>
static __device__ __forceinline__ void give_columns(T *row, const float (&x)[4], unsigned column,
                                                    unsigned length, bool whole)
{
    if (whole) {
        if (column < length) give4(row + column, x);
    } else {
#pragma unroll
        for (unsigned c = 0; c < 4; c++)
            if (column + c < length) give(row + column + c, x[c]);
    }
}

/* A lane's part of S or of its gradient. */
template <int KEY> struct part {
    float x[tile<KEY>::ROWS][4];
};

template <int KEY, typename T>
static __device__ __forceinline__ void take_rows(float (&k)[tile<KEY>::ROWS], const T *row,
                                                 const place<KEY> &me)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i += 4) take4(k + i, row + me.row(i));
}

/* Computes w = S^T k, in all lanes of the columns. */
template <int KEY>
static __device__ __forceinline__ void columns_of(float (&w)[4], const part<KEY> &S,
                                                  const float (&k)[tile<KEY>::ROWS])
{
#pragma unroll
    for (int c = 0; c < 4; c++) w[c] = __fmul_rn(S.x[0][c], k[0]);
#pragma unroll
    for (int i = 1; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (int c = 0; c < 4; c++) w[c] = __fmaf_rn(S.x[i][c], k[i], w[c]);
#pragma unroll
    for (int step = tile<KEY>::COLUMN_LANES; step < 32; step *= 2)
#pragma unroll
        for (int c = 0; c < 4; c++)
            w[c] = __fadd_rn(w[c], __shfl_xor_sync(0xffffffffu, w[c], step));
}

/* Computes S += sign k u^T. */
template <int KEY, int SIGN>
static __device__ __forceinline__ void add_outer(part<KEY> &S, const float (&k)[tile<KEY>::ROWS],
                                                 const float (&u)[4])
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (int c = 0; c < 4; c++) S.x[i][c] = __fmaf_rn(SIGN > 0 ? k[i] : -k[i], u[c], S.x[i][c]);
}

template <int KEY> static __device__ __forceinline__ void scale(part<KEY> &S, float by)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (int c = 0; c < 4; c++) S.x[i][c] = __fmul_rn(by, S.x[i][c]);
}

/* Reads S [key][value] from memory; NULL: 0. */
template <int KEY>
static __device__ void read_matrix(part<KEY> &S, const float *from, unsigned key, unsigned value,
                                   const place<KEY> &me)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (unsigned c = 0; c < 4; c++)
            S.x[i][c] = from && me.row(i) < key && me.column + c < value
                            ? from[me.row(i) * value + me.column + c]
                            : 0.0f;
}
template <int KEY>
static __device__ void write_matrix(float *to, const part<KEY> &S, unsigned key, unsigned value,
                                    const place<KEY> &me)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++)
#pragma unroll
        for (unsigned c = 0; c < 4; c++)
            if (me.row(i) < key && me.column + c < value)
                to[me.row(i) * value + me.column + c] = S.x[i][c];
}

/* Keeps S in the order of threads; each thread reads back the numbers that it wrote. */
template <int KEY> static __device__ __forceinline__ void keep(float4 *to, const part<KEY> &S)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++)
        to[i * blockDim.x + threadIdx.x] = make_float4(S.x[i][0], S.x[i][1], S.x[i][2], S.x[i][3]);
}
template <int KEY> static __device__ __forceinline__ void recall(part<KEY> &S, const float4 *from)
{
#pragma unroll
    for (int i = 0; i < tile<KEY>::ROWS; i++) {
        const float4 v = from[i * blockDim.x + threadIdx.x];
        S.x[i][0] = v.x, S.x[i][1] = v.y, S.x[i][2] = v.z, S.x[i][3] = v.w;
    }
}

/* Fills, on the host, the members that both launchers fill in the same way. */
template <typename T>
static letters<T> letters_of(const f2l_recurrent_in *in, const void *dout, const f2l_delta_shape *s,
                             const f2l_recurrent_plan *plan)
{
    letters<T> a = {};
    a.q = static_cast<const T *>(in->q), a.k = static_cast<const T *>(in->k);
    a.v = static_cast<const T *>(in->v), a.dout = static_cast<const T *>(dout);
    a.beta = in->beta, a.gate = in->gate, a.letter = in->letter;
    a.first = in->first;
    a.tokens = s->tokens, a.pairs = s->batch * s->heads;
    a.heads = (unsigned)s->heads, a.factors = (unsigned)s->householders;
    a.key = (unsigned)s->key, a.value = (unsigned)s->value, a.columns = (unsigned)plan->value;
    a.values_at = (unsigned)((s->householders + 1) * plan->key * sizeof(T));
    a.rates_at = a.values_at + (unsigned)(s->householders * plan->value * sizeof(T));
    a.slot = a.rates_at + (unsigned)(((s->householders + 1) * sizeof(float) + 15) / 16 * 16);
    a.whole_keys = s->key * sizeof(T) % 16 == 0 && aligned(in->q) && aligned(in->k);
    a.whole_values = s->value * sizeof(T) % 16 == 0 && aligned(in->v) && aligned(dout);
    return a;
}

#endif
