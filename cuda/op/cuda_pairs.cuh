/* Code shared by both directions of the operators that weigh pairs of letters, and forward. A block
 * has one head of one sequence and a tile of N letters; four neighbouring lanes share a letter, and
 * every lane has N / 4 pairs of a tile of pairs and a quarter of the columns of a sum.
 * CPU reference: f2l_attention_forward, f2l_attention_backward in models/learn/op/op_attention.c;
 * f2l_mlstm_forward, f2l_mlstm_backward in models/learn/op/op_mlstm.c. */
#ifndef F2L_CUDA_PAIRS_CUH
#define F2L_CUDA_PAIRS_CUH

#include "cuda/device/cuda_words.cuh"
#include "cuda/op/cuda_one.cuh"
extern "C" {
#include "cuda/op/cuda_pairs.h"
}

/* Heads of at most D numbers; N letters in a tile, so that four tiles fit shared memory. */
template <int D_, bool MLSTM_> struct pairs {
    static constexpr int D = D_, N = D_ > 64 ? 16 : 32, LANES = 4, THREADS = N * LANES,
                         PER = N / LANES, COLUMNS = D / LANES;
    static constexpr bool MLSTM = MLSTM_, TURNS = !MLSTM_;
};
template <class L> struct tile {
    float x[L::N][L::D + 1];
};
template <class L> struct square {
    float x[L::N][L::N + 1];
};

/* What forward keeps, by [batch][heads][tokens] unless noted. */
struct kept_numbers {
    double *row, *column; /* mLSTM: log e_ts = row_t + column_s */
    float *bound;         /* attention: log of the sum of exp; mLSTM: m */
    float *size;          /* mLSTM: n^T q */
    float *cosine, *sine; /* attention: [tokens][key / 2] */
};
/* The workspace of backward, by [batch][heads][tokens]. */
struct work_numbers {
    float *toward; /* of a letter: dout^T out; mLSTM: the gradient at n^T q, times the divisor */
    float *rows, *columns; /* mLSTM: sums of the gradients at log e */
    float *part[2];        /* mLSTM: [batch][heads] sums of the gates' gradients */
};

/* The place of a thread: its tile's first letter, its letter in the tile, its lane. */
struct place {
    unsigned batch, head, first, letter, lane, tokens;
    unsigned row;   /* of the word's first letter */
    size_t numbers; /* first of the head in arrays by [batch][heads][tokens] */
};
template <class L>
static __device__ __forceinline__ place place_of(const f2l_cuda_pairs_shape &s, unsigned tiles)
{
    place p;
    const unsigned which = blockIdx.x / tiles;
    p.batch = which / (unsigned)s.heads;
    p.head = which % (unsigned)s.heads;
    p.first = blockIdx.x % tiles * L::N;
    p.letter = threadIdx.x / L::LANES;
    p.lane = threadIdx.x % L::LANES;
    const word_rows word = rows_of_any_word(s.first, p.batch, (unsigned)s.tokens);
    p.row = word.first;
    p.tokens = word.count;
    p.numbers = (size_t)which * s.tokens;
    return p;
}

/* Returns a column of an array with heads of `width` columns, of the sequence and head. */
template <typename T>
static __device__ __forceinline__ T *head_of(T *from, const place &p, size_t stride, size_t width)
{
    return from + (size_t)p.row * stride + p.head * width;
}

/* Returns number c of a letter, turned by the letter's position, or back. */
static __device__ __forceinline__ float turned(float x, float other, unsigned c, unsigned half,
                                               unsigned t, const kept_numbers &kept, bool back)
{
    const bool low = c < half;
    const size_t at = (size_t)t * half + (low ? c : c - half);
    const float sine = low == back ? kept.sine[at] : -kept.sine[at];
    return x * kept.cosine[at] + other * sine;
}

/* Loads a tile from letter `first` on; letters and columns behind the last are 0. */
template <class L, bool TURN, typename T>
static __device__ __forceinline__ void load(tile<L> &to, const T *from, size_t stride,
                                            unsigned first, unsigned width, const place &p,
                                            const kept_numbers &kept)
{
    const unsigned half = width / 2;
    for (unsigned i = threadIdx.x; i < L::N * L::D; i += L::THREADS) {
        const unsigned r = i / L::D, c = i % L::D, t = first + r;
        float x = 0;
        if (t < p.tokens && c < width) {
            const T *row = from + (size_t)t * stride;
            x = one(row + c);
            if constexpr (TURN)
                x = turned(x, one(row + (c < half ? c + half : c - half)), c, half, t, kept, false);
        }
        to.x[r][c] = x;
    }
}

/* Stores the sums of the block's tile through `room`, which no thread reads any more. */
template <class L, bool TURN, typename T>
static __device__ __forceinline__ void store(T *to, size_t stride, unsigned width, tile<L> &room,
                                             const float (&sum)[L::COLUMNS], const place &p,
                                             const kept_numbers &kept)
{
    const unsigned half = width / 2;
#pragma unroll
    for (int j = 0; j < L::COLUMNS; j++) room.x[p.letter][p.lane + L::LANES * j] = sum[j];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < L::N * L::D; i += L::THREADS) {
        const unsigned r = i / L::D, c = i % L::D, t = p.first + r;
        if (t >= p.tokens || c >= width) continue;
        float x = room.x[r][c];
        if constexpr (TURN)
            x = turned(x, room.x[r][c < half ? c + half : c - half], c, half, t, kept, true);
        put_one(to + (size_t)t * stride + c, x);
    }
    __syncthreads();
}

/* Computes the products of the letter's row of a with the lane's rows of b. */
template <class L>
static __device__ __forceinline__ void products(float (&x)[L::PER], const tile<L> &a,
                                                const tile<L> &b, const place &p)
{
#pragma unroll
    for (int j = 0; j < L::PER; j++) x[j] = 0;
#pragma unroll 8
    for (int i = 0; i < L::D; i++) {
        const float mine = a.x[p.letter][i];
#pragma unroll
        for (int j = 0; j < L::PER; j++) x[j] += mine * b.x[p.lane + L::LANES * j][i];
    }
}

/* Adds the rows of b with the letter's weights. */
template <class L>
static __device__ __forceinline__ void add_rows(float (&sum)[L::COLUMNS], const square<L> &weight,
                                                const tile<L> &b, const place &p)
{
#pragma unroll 4
    for (int r = 0; r < L::N; r++) {
        const float w = weight.x[p.letter][r];
#pragma unroll
        for (int j = 0; j < L::COLUMNS; j++) sum[j] += w * b.x[r][p.lane + L::LANES * j];
    }
}

/* Returns whether letter t of a word of `tokens` sees letter s. */
static __device__ __forceinline__ bool sees(unsigned t, unsigned s, unsigned tokens,
                                            const f2l_cuda_pairs_shape &shape)
{
    return s <= t && t < tokens && t - s < shape.window;
}

/* Returns the divisor of a letter of the mLSTM. */
static __device__ __forceinline__ float divisor_of(float size, float m)
{
    return fmaxf(fabsf(size), expf(-fminf(m, 80.0f)));
}

template <typename T, class L>
static __global__ void __launch_bounds__(L::THREADS)
    forward(T *out, kept_numbers kept, f2l_cuda_pairs_in in, f2l_cuda_pairs_shape s, unsigned tiles)
{
    __shared__ tile<L> q, k, v;
    __shared__ square<L> weight;
    const place p = place_of<L>(s, tiles);
    if (p.first >= p.tokens) return; /* the word ends before this tile */
    const unsigned t = p.first + p.letter, key = (unsigned)s.key, value = (unsigned)s.value;
    const unsigned window = (unsigned)s.window,
                   from = p.first + 1 > window ? (p.first + 1 - window) / L::N * L::N : 0;
    const float scale = 1 / sqrtf((float)s.key);
    const double row = L::MLSTM && t < p.tokens ? kept.row[p.numbers + t] : 0;
    float sum[L::COLUMNS] = {}, most = -INFINITY, total = 0;
    load<L, L::TURNS>(q, head_of((const T *)in.q, p, s.key_stride, key), s.key_stride, p.first, key,
                      p, kept);
    for (unsigned start = from; start <= p.first; start += L::N) {
        float x[L::PER];
        __syncthreads();
        load<L, L::TURNS>(k, head_of((const T *)in.k, p, s.key_stride, key), s.key_stride, start,
                          key, p, kept);
        load<L, false>(v, head_of((const T *)in.v, p, s.value_stride, value), s.value_stride, start,
                       value, p, kept);
        __syncthreads();
        products<L>(x, q, k, p);
        if constexpr (L::MLSTM) {
#pragma unroll
            for (int j = 0; j < L::PER; j++) {
                const unsigned other = start + p.lane + L::LANES * j;
                const float w =
                    sees(t, other, p.tokens, s)
                        ? scale * x[j] *
                              exp_down<T>(fminf((float)(row + kept.column[p.numbers + other]), 0))
                        : 0;
                total += w;
                weight.x[p.letter][p.lane + L::LANES * j] = w;
            }
        } else {
            float now = most;
#pragma unroll
            for (int j = 0; j < L::PER; j++)
                if (sees(t, start + p.lane + L::LANES * j, p.tokens, s))
                    now = fmaxf(now, scale * x[j]);
            now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 1));
            now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 2));
            const float fall = most == now ? 1 : exp_down<T>(most - now);
            total *= fall;
#pragma unroll
            for (int j = 0; j < L::COLUMNS; j++) sum[j] *= fall;
#pragma unroll
            for (int j = 0; j < L::PER; j++) {
                const float w = sees(t, start + p.lane + L::LANES * j, p.tokens, s)
                                    ? exp_down<T>(scale * x[j] - now)
                                    : 0;
                total += w;
                weight.x[p.letter][p.lane + L::LANES * j] = w;
            }
            most = now;
        }
        __syncwarp();
        add_rows<L>(sum, weight, v, p);
    }
    total = sum_lanes<L::LANES>(total);
    float divisor = total;
    if (t < p.tokens) {
        if constexpr (L::MLSTM) {
            divisor = divisor_of(total, kept.bound[p.numbers + t]);
            if (p.lane == 0) kept.size[p.numbers + t] = total;
        } else if (p.lane == 0) {
            kept.bound[p.numbers + t] = most + logf(total);
        }
    }
#pragma unroll
    for (int j = 0; j < L::COLUMNS; j++) sum[j] /= divisor;
    __syncthreads();
    store<L, false>(head_of(out, p, s.heads * s.value, value), s.heads * s.value, value, q, sum, p,
                    kept);
}

/* Computes the angles of attention, [tokens][key / 2]. */
static __global__ void __launch_bounds__(256)
    turns(float *cosine, float *sine, unsigned half, size_t count)
{
    const size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    if (i >= count) return;
    const double angle = (double)(i / half) * pow(10000.0, -(double)(i % half) / (double)half);
    cosine[i] = (float)cos(angle);
    sine[i] = (float)sin(angle);
}

/* Returns the logarithm of sigmoid(x). */
static __device__ __forceinline__ float log_sigmoid(float x)
{
    return fminf(x, 0) - log1pf(expf(-fabsf(x)));
}

/* Computes row, column and m of the mLSTM; a thread has one head of one sequence. */
template <typename T>
static __global__ void __launch_bounds__(128)
    gates(kept_numbers kept, f2l_cuda_pairs_in in, f2l_cuda_pairs_shape s)
{
    const size_t which = (size_t)blockIdx.x * 128 + threadIdx.x;
    if (which >= s.batch * s.heads) return;
    const size_t b = which / s.heads, h = which % s.heads;
    const float in_bias = in.in_bias[h], forget_bias = in.forget_bias[h];
    float m = 0;
    double since = 0;
    const word_rows word = rows_of_any_word(s.first, (unsigned)b, (unsigned)s.tokens);
    for (size_t t = 0; t < word.count; t++) {
        const size_t at = (word.first + t) * s.gate_stride + h, to = which * s.tokens + t;
        const float now = one((const T *)in.in + at) + in_bias,
                    past = log_sigmoid(one((const T *)in.forget + at) + forget_bias);
        since += (double)past;
        m = fmaxf(past + m, now);
        kept.bound[to] = m;
        kept.row[to] = since - (double)m;
        kept.column[to] = (double)now - since;
    }
}

#endif
