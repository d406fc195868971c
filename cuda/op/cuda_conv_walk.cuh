/* The short convolution where memory is the only limit: 2 to 4 taps, rows in pieces of 16 bytes. A
 * thread owns a piece of neighbouring channels and walks through WALK tokens of a sequence; the
 * taps, the tokens that its window still needs and the sums of its taps' gradients stay in
 * registers, so that every array is read or written once.
 * CPU reference: f2l_conv_forward, f2l_conv_backward in models/learn/op/op_conv.c. */
#ifndef F2L_CUDA_CONV_WALK_CUH
#define F2L_CUDA_CONV_WALK_CUH

#include "cuda/device/cuda_common.cuh"
extern "C" {
#include "cuda/op/cuda_conv.h"
}
#include "cuda/device/cuda_words.cuh"

/* A warp has 32 pieces of a row, a block one walk per warp; STRIDE tokens are being loaded at a
 * time. */
constexpr unsigned WALK = 64, WALKERS = 4, WALK_PARTS = 256;
constexpr int STRIDE = 4;
template <typename T> constexpr int PIECE = 16 / sizeof(T);

static __host__ __device__ __forceinline__ size_t x_row(const f2l_cuda_conv_shape &s)
{
    return s.x_stride ? s.x_stride : s.width;
}
static __host__ __device__ __forceinline__ size_t y_row(const f2l_cuda_conv_shape &s)
{
    return s.y_stride ? s.y_stride : s.width;
}

struct walk_place {
    unsigned channel, walks, of_sequence; /* walks: of all sequences */
    bool here;
};

template <typename T>
static __device__ __forceinline__ walk_place place_of(const f2l_cuda_conv_shape &s)
{
    walk_place p;
    p.channel = (blockIdx.x * 32 + threadIdx.x) * PIECE<T>;
    p.here = p.channel < s.width;
    p.of_sequence = ((unsigned)s.tokens + WALK - 1) / WALK;
    p.walks = (unsigned)s.batch * p.of_sequence;
    return p;
}

/* Loads taps[j][i] of channel + i. */
template <int TAPS, int V>
static __device__ __forceinline__ void take_taps(float (&taps)[TAPS][V], const float *w,
                                                 unsigned channel)
{
#pragma unroll
    for (int i = 0; i < V; i++)
#pragma unroll
        for (int j = 0; j < TAPS; j++) taps[j][i] = w[(size_t)(channel + i) * TAPS + j];
}

template <int V> static __device__ __forceinline__ void nothing(float (&x)[V])
{
#pragma unroll
    for (int i = 0; i < V; i++) x[i] = 0;
}

/* Computes N tokens at t of a sequence whose x begins at `x`; window[TAPS - 1] holds the tokens
 * before t. */
template <int N, typename T, int TAPS, int V>
static __device__ __forceinline__ void
go_forward(T *y, const T *x, float (&window)[TAPS - 1][V], const float (&taps)[TAPS][V],
           const float (&bias)[V], const f2l_cuda_conv_shape &s, unsigned t)
{
    constexpr int KEPT = TAPS - 1;
    float seen[KEPT + N][V];
#pragma unroll
    for (int k = 0; k < N; k++) take(seen[KEPT + k], x + (t + k) * x_row(s));
#pragma unroll
    for (int k = 0; k < KEPT; k++)
#pragma unroll
        for (int i = 0; i < V; i++) seen[k][i] = window[k][i];
#pragma unroll
    for (int k = 0; k < N; k++) {
        float sum[V];
#pragma unroll
        for (int i = 0; i < V; i++) {
            sum[i] = bias[i];
#pragma unroll
            for (int j = 0; j < TAPS; j++) sum[i] += taps[j][i] * seen[k + j][i];
        }
        put(y + (t + k) * y_row(s), sum);
    }
#pragma unroll
    for (int k = 0; k < KEPT; k++)
#pragma unroll
        for (int i = 0; i < V; i++) window[k][i] = seen[N + k][i];
}

template <typename T, int TAPS, bool PACKED>
static __global__ void __launch_bounds__(32 * WALKERS)
    walk_forward(T *y, const T *past, const T *x, const float *w, const float *bias,
                 f2l_cuda_conv_shape s)
{
    constexpr int V = PIECE<T>, KEPT = TAPS - 1;
    const walk_place p = place_of<T>(s);
    if (!p.here) return;
    float taps[TAPS][V], start[V];
    take_taps(taps, w, p.channel);
#pragma unroll
    for (int i = 0; i < V; i++) start[i] = bias ? bias[p.channel + i] : 0;
    for (unsigned walk = blockIdx.y * WALKERS + threadIdx.y; walk < p.walks;
         walk += gridDim.y * WALKERS) {
        const unsigned b = walk / p.of_sequence, from = (walk - b * p.of_sequence) * WALK;
        const word_rows word = rows_of_word<PACKED>(s.first, b, (unsigned)s.tokens);
        if (PACKED && from >= word.count) continue;
        const unsigned end = from + WALK < word.count ? from + WALK : word.count;
        const T *of_x = x + (size_t)word.first * x_row(s) + p.channel;
        T *of_y = y + (size_t)word.first * y_row(s) + p.channel;
        float window[KEPT][V];
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            if (from > 0) /* a whole walk lies before it */
                take(window[k], of_x + (from + k - KEPT) * x_row(s));
            else if (past)
                take(window[k], past + ((size_t)b * KEPT + k) * s.width + p.channel);
            else
                nothing(window[k]);
        }
        unsigned t = from;
        for (; t + STRIDE <= end; t += STRIDE)
            go_forward<STRIDE>(of_y, of_x, window, taps, start, s, t);
        for (; t < end; t++) go_forward<1>(of_y, of_x, window, taps, start, s, t);
    }
}

/* Gradients: of[j] of tap j, of[TAPS] of the bias where there is one. */
template <int TAPS, int V, bool BIAS> struct walk_sums {
    float of[TAPS + BIAS][V];
};

/* Computes backward of N tokens at t of a word of `tokens`; later[TAPS - 1] are dy at t and after
 * it. x at t is only multiplied by dy at t and after it, so dx may be x. */
template <int N, typename T, int TAPS, int V, bool BIAS>
static __device__ __forceinline__ void
go_back(T *dx, const T *dy, const T *x, float (&later)[TAPS - 1][V], walk_sums<TAPS, V, BIAS> &sums,
        const float (&taps)[TAPS][V], const f2l_cuda_conv_shape &s, unsigned tokens, unsigned t)
{
    constexpr int KEPT = TAPS - 1;
    float seen[N][V], g[KEPT + N][V];
#pragma unroll
    for (int k = 0; k < N; k++) {
        take(seen[k], x + (t + k) * x_row(s));
        if (t + k + KEPT < tokens)
            take(g[KEPT + k], dy + (t + k + KEPT) * y_row(s));
        else
            nothing(g[KEPT + k]);
    }
#pragma unroll
    for (int k = 0; k < KEPT; k++)
#pragma unroll
        for (int i = 0; i < V; i++) g[k][i] = later[k][i];
#pragma unroll
    for (int k = 0; k < N; k++) {
        float sum[V];
#pragma unroll
        for (int i = 0; i < V; i++) {
            sum[i] = 0;
#pragma unroll
            for (int j = 0; j < TAPS; j++) { /* y at t + KEPT - j read x at t through tap j */
                sum[i] += taps[j][i] * g[k + KEPT - j][i];
                sums.of[j][i] += g[k + KEPT - j][i] * seen[k][i];
            }
            if constexpr (BIAS) sums.of[TAPS][i] += g[k][i];
        }
        if (dx) put(dx + (t + k) * x_row(s), sum);
    }
#pragma unroll
    for (int k = 0; k < KEPT; k++)
#pragma unroll
        for (int i = 0; i < V; i++) later[k][i] = g[N + k][i];
}

/* Adds the sums of a block's warps, in order, and writes them to partial
 * [gridDim.y][TAPS + BIAS][width]. All threads must call it. */
template <int TAPS, int V, bool BIAS>
static __device__ __forceinline__ void keep_sums(float *partial, walk_sums<TAPS, V, BIAS> &sums,
                                                 const walk_place &p, size_t width)
{
    __shared__ float of[WALKERS - 1][TAPS + BIAS][V][32];
    if (threadIdx.y > 0)
#pragma unroll
        for (int j = 0; j < TAPS + BIAS; j++)
#pragma unroll
            for (int i = 0; i < V; i++) of[threadIdx.y - 1][j][i][threadIdx.x] = sums.of[j][i];
    __syncthreads();
    if (threadIdx.y > 0 || !p.here) return;
#pragma unroll
    for (int j = 0; j < TAPS + BIAS; j++) {
#pragma unroll
        for (int i = 0; i < V; i++)
#pragma unroll
            for (int k = 0; k < (int)WALKERS - 1; k++) sums.of[j][i] += of[k][j][i][threadIdx.x];
        put(partial + ((size_t)blockIdx.y * (TAPS + BIAS) + j) * width + p.channel, sums.of[j]);
    }
}

template <typename T, int TAPS, bool BIAS, bool PACKED>
static __global__ void __launch_bounds__(32 * WALKERS, 3)
    walk_back(T *dx, float *partial, const T *dy, const T *x, const float *w, f2l_cuda_conv_shape s)
{
    constexpr int V = PIECE<T>, KEPT = TAPS - 1;
    const walk_place p = place_of<T>(s);
    float taps[TAPS][V];
    walk_sums<TAPS, V, BIAS> sums = {};
    if (p.here) take_taps(taps, w, p.channel);
    for (unsigned walk = blockIdx.y * WALKERS + threadIdx.y; p.here && walk < p.walks;
         walk += gridDim.y * WALKERS) {
        const unsigned b = walk / p.of_sequence, from = (walk - b * p.of_sequence) * WALK;
        const word_rows word = rows_of_word<PACKED>(s.first, b, (unsigned)s.tokens);
        if (PACKED && from >= word.count) continue;
        const unsigned end = from + WALK < word.count ? from + WALK : word.count;
        const T *of_x = x + (size_t)word.first * x_row(s) + p.channel;
        const T *of_dy = dy + (size_t)word.first * y_row(s) + p.channel;
        T *of_dx = dx ? dx + (size_t)word.first * x_row(s) + p.channel : dx;
        float later[KEPT][V];
#pragma unroll
        for (int k = 0; k < KEPT; k++) {
            if (from + k < word.count)
                take(later[k], of_dy + (from + k) * y_row(s));
            else
                nothing(later[k]);
        }
        unsigned t = from;
        for (; t + STRIDE <= end; t += STRIDE)
            go_back<STRIDE>(of_dx, of_dy, of_x, later, sums, taps, s, word.count, t);
        for (; t < end; t++) go_back<1>(of_dx, of_dy, of_x, later, sums, taps, s, word.count, t);
    }
    if (partial) keep_sums(partial, sums, p, s.width);
}

/* Returns the blocks of the second dimension, which is the number of partial sums. */
static inline unsigned walk_parts(const f2l_cuda_conv_shape *s)
{
    const size_t walks = s->batch * ((s->tokens + WALK - 1) / WALK),
                 parts = (walks + WALKERS - 1) / WALKERS;
    return (unsigned)(parts < WALK_PARTS ? parts : WALK_PARTS);
}

static inline bool can_walk(const f2l_cuda_conv_shape *s)
{
    const size_t piece = 16 / f2l_cuda_bytes(s->type);
    return s->taps >= 2 && s->taps <= 4 && s->width % piece == 0 && x_row(*s) % piece == 0 &&
           y_row(*s) % piece == 0;
}

#endif
