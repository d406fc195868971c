#include "cuda/device/cuda_common.cuh"

extern "C" {
#include "cuda/lab/cuda_scan.h"
#include "cuda/lab/scan_plan.h"
#include "numeric/base/mem.h"
}

enum {
    THREADS = 128,
    STEPS = 8 /* tokens that are loaded before the first of them is used */
};

/* The arguments of a kernel: each thread has WIDE neighbouring channels of one sequence; blockIdx.y
 * is the chunk. */
template <typename T> struct scan_call {
    T *h, *da, *db;
    const T *a, *b, *dh;
    const T *before;         /* h for backward */
    float *state, *starts;   /* starts [chunks][channels] */
    float *products, *lasts; /* of chunks, likewise */
    float *g0;               /* [channels], the gradient at the start, or NULL */
    const float *h0;
    size_t channels, width, tokens, chunk, chunks;
};

template <int WIDE> static __device__ __forceinline__ void pull(float (&x)[WIDE], const float *from)
{
    take<WIDE>(x, from);
}
template <int WIDE> static __device__ __forceinline__ void pull(float (&x)[WIDE], const bf16 *from)
{
    if constexpr (WIDE == 4) {
        const uint2 v = *reinterpret_cast<const uint2 *>(from);
        x[0] = __uint_as_float(v.x << 16), x[1] = __uint_as_float(v.x & 0xffff0000u);
        x[2] = __uint_as_float(v.y << 16), x[3] = __uint_as_float(v.y & 0xffff0000u);
    } else {
        take<WIDE>(x, from);
    }
}
template <int WIDE> static __device__ __forceinline__ void push(float *to, const float (&x)[WIDE])
{
    put<WIDE>(to, x);
}
template <int WIDE> static __device__ __forceinline__ void push(bf16 *to, const float (&x)[WIDE])
{
    if constexpr (WIDE == 4)
        *reinterpret_cast<uint2 *>(to) = make_uint2(two_bf16(x[0], x[1]), two_bf16(x[2], x[3]));
    else
        put<WIDE>(to, x);
}

/* The channels of a thread in its chunk: the number of token t is first + t * width. */
template <int WIDE> struct span {
    size_t channel, first, width, from, end;
    bool exists;

    template <typename T> __device__ span(const scan_call<T> &c)
    {
        channel = ((size_t)blockIdx.x * THREADS + threadIdx.x) * WIDE;
        exists = channel < c.channels;
        width = c.width, first = channel / width * c.tokens * width + channel % width;
        from = blockIdx.y * c.chunk, end = from + c.chunk < c.tokens ? from + c.chunk : c.tokens;
    }
    __device__ size_t at(size_t t) const
    {
        return first + t * width;
    }
};

/* Loads STEPS tokens of two arrays, as far as there are any; STRIDE -1: backwards from t. */
template <int WIDE, int STRIDE, typename T>
static __device__ __forceinline__ void pull_steps(float (&x)[STEPS][WIDE], float (&y)[STEPS][WIDE],
                                                  const T *from, const T *other,
                                                  const span<WIDE> &me, size_t t, size_t left)
{
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        if ((size_t)i < left) {
            const size_t at = STRIDE > 0 ? me.at(t + i) : me.at(t - i);
            pull<WIDE>(x[i], from + at);
            pull<WIDE>(y[i], other + at);
        }
}

/* Computes the product of a and the last h of a chunk that starts from 0. */
template <typename T, int WIDE>
static __global__ void __launch_bounds__(THREADS) sum_up(const scan_call<T> c)
{
    const span<WIDE> me(c);
    if (!me.exists) return;
    float product[WIDE], last[WIDE], a[STEPS][WIDE], b[STEPS][WIDE];
#pragma unroll
    for (int d = 0; d < WIDE; d++) product[d] = 1, last[d] = 0;
    for (size_t t = me.from; t < me.end; t += STEPS) {
        pull_steps<WIDE, 1>(a, b, c.a, c.b, me, t, me.end - t);
#pragma unroll
        for (int i = 0; i < STEPS; i++)
#pragma unroll
            for (int d = 0; d < WIDE; d++)
                if (t + i < me.end) {
                    product[d] = __fmul_rn(product[d], a[i][d]);
                    last[d] = __fmaf_rn(a[i][d], last[d], b[i][d]);
                }
    }
    push<WIDE>(c.products + blockIdx.y * c.channels + me.channel, product);
    push<WIDE>(c.lasts + blockIdx.y * c.channels + me.channel, last);
}

static __device__ __forceinline__ float begin_of(const float *state, const float *h0,
                                                 size_t channel, size_t width)
{
    return state ? state[channel] : h0 ? h0[channel % width] : 0.0f;
}

template <typename T> static __global__ void __launch_bounds__(THREADS) join(const scan_call<T> c)
{
    const size_t channel = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (channel >= c.channels) return;
    float h = begin_of(c.state, c.h0, channel, c.width);
    c.starts[channel] = h;
    for (size_t j = 0; j + 1 < c.chunks; j++) {
        h = __fmaf_rn(c.products[j * c.channels + channel], h, c.lasts[j * c.channels + channel]);
        c.starts[(j + 1) * c.channels + channel] = h;
    }
}

template <typename T, int WIDE>
static __global__ void __launch_bounds__(THREADS) advance(const scan_call<T> c)
{
    const span<WIDE> me(c);
    if (!me.exists) return;
    float h[WIDE], a[STEPS][WIDE], b[STEPS][WIDE];
#pragma unroll
    for (int d = 0; d < WIDE; d++)
        h[d] = c.chunks > 1 ? c.starts[blockIdx.y * c.channels + me.channel + d]
                            : begin_of(c.state, c.h0, me.channel + d, c.width);
    for (size_t t = me.from; t < me.end; t += STEPS) {
        pull_steps<WIDE, 1>(a, b, c.a, c.b, me, t, me.end - t);
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            if (t + i < me.end) {
#pragma unroll
                for (int d = 0; d < WIDE; d++) h[d] = __fmaf_rn(a[i][d], h[d], b[i][d]);
                push<WIDE>(c.h + me.at(t + i), h);
            }
    }
    if (c.state && blockIdx.y + 1 == c.chunks) push<WIDE>(c.state + me.channel, h);
}

/* Computes the same from the end: the product of a, and the gradient before a chunk when there is
 * none behind it. Chunk 0 is not needed. */
template <typename T, int WIDE>
static __global__ void __launch_bounds__(THREADS) sum_up_back(const scan_call<T> c)
{
    const span<WIDE> me(c);
    if (!me.exists || blockIdx.y == 0) return;
    float product[WIDE], g[WIDE], a[STEPS][WIDE], dh[STEPS][WIDE];
#pragma unroll
    for (int d = 0; d < WIDE; d++) product[d] = 1, g[d] = 0;
    for (size_t left = me.end - me.from; left; left -= left < STEPS ? left : STEPS) {
        pull_steps<WIDE, -1>(a, dh, c.a, c.dh, me, me.from + left - 1, left);
#pragma unroll
        for (int i = 0; i < STEPS; i++)
#pragma unroll
            for (int d = 0; d < WIDE; d++)
                if ((size_t)i < left) {
                    product[d] = __fmul_rn(product[d], a[i][d]);
                    g[d] = __fmul_rn(a[i][d], __fadd_rn(g[d], dh[i][d]));
                }
    }
    push<WIDE>(c.products + blockIdx.y * c.channels + me.channel, product);
    push<WIDE>(c.lasts + blockIdx.y * c.channels + me.channel, g);
}

/* Sets starts to the gradient behind every chunk. */
template <typename T>
static __global__ void __launch_bounds__(THREADS) join_back(const scan_call<T> c)
{
    const size_t channel = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (channel >= c.channels) return;
    float g = 0;
    c.starts[(c.chunks - 1) * c.channels + channel] = g;
    for (size_t j = c.chunks; j-- > 1;) {
        g = __fmaf_rn(c.products[j * c.channels + channel], g, c.lasts[j * c.channels + channel]);
        c.starts[(j - 1) * c.channels + channel] = g;
    }
}

/* Loads h before STEPS tokens, backwards from t, as pull_steps does; before the first token h0 or
 * 0. */
template <typename T, int WIDE>
static __device__ __forceinline__ void pull_before(float (&h)[STEPS][WIDE], const scan_call<T> &c,
                                                   const span<WIDE> &me, size_t t, size_t left)
{
#pragma unroll
    for (int i = 0; i < STEPS; i++)
        if ((size_t)i < left) {
            if (t - i) {
                pull<WIDE>(h[i], c.before + me.at(t - i - 1));
            } else {
#pragma unroll
                for (int d = 0; d < WIDE; d++)
                    h[i][d] = c.h0 ? c.h0[(me.channel + d) % c.width] : 0.0f;
            }
        }
}

template <typename T, int WIDE>
static __global__ void __launch_bounds__(THREADS) advance_back(const scan_call<T> c)
{
    const span<WIDE> me(c);
    if (!me.exists) return;
    float g[WIDE], a[STEPS][WIDE], dh[STEPS][WIDE], h[STEPS][WIDE];
#pragma unroll
    for (int d = 0; d < WIDE; d++)
        g[d] = c.chunks > 1 ? c.starts[blockIdx.y * c.channels + me.channel + d] : 0.0f;
    for (size_t left = me.end - me.from; left; left -= left < STEPS ? left : STEPS) {
        const size_t t = me.from + left - 1;
        pull_steps<WIDE, -1>(a, dh, c.a, c.dh, me, t, left);
        if (c.da) pull_before<T, WIDE>(h, c, me, t, left);
#pragma unroll
        for (int i = 0; i < STEPS; i++)
            if ((size_t)i < left) {
#pragma unroll
                for (int d = 0; d < WIDE; d++) {
                    dh[i][d] = __fadd_rn(g[d], dh[i][d]);
                    h[i][d] = __fmul_rn(dh[i][d], h[i][d]);
                    g[d] = __fmul_rn(dh[i][d], a[i][d]);
                }
                if (c.db) push<WIDE>(c.db + me.at(t - i), dh[i]);
                if (c.da) push<WIDE>(c.da + me.at(t - i), h[i]);
            }
    }
    if (c.g0 && blockIdx.y == 0) push<WIDE>(c.g0 + me.channel, g);
}

/* Adds the sum over sequences to dh0, in groups; a batch is small compared with its words. */
static __global__ void __launch_bounds__(THREADS)
    sum_starts(float *dh0, const float *g0, size_t width, size_t batch)
{
    const size_t d = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (d >= width) return;
    float sum = 0;
    for (size_t from = 0; from < batch; from += F2L_SCAN_GROUP) {
        float group = 0;
#pragma unroll 8
        for (size_t i = from; i < batch && i < from + F2L_SCAN_GROUP; i++)
            group = __fadd_rn(group, g0[i * width + d]);
        sum = __fadd_rn(sum, group);
    }
    dh0[d] = __fadd_rn(dh0[d], sum);
}

/* Computes the numbers of [chunks][channels], and of [channels] alone. */
static bool work_numbers(size_t *table, size_t *channels, const f2l_scan_shape *s)
{
    return f2l_mul_size(channels, s->batch, s->width) &&
           f2l_mul_size(table, *channels, f2l_scan_chunks(s));
}

/* Returns the numbers rounded up, so that tables start at multiples of 16 bytes. */
static size_t padded(size_t numbers)
{
    return (numbers + 3) / 4 * 4;
}

size_t f2l_cuda_scan_work(const f2l_scan_shape *s)
{
    size_t table, channels, bytes;
    if (!work_numbers(&table, &channels, s) || table > SIZE_MAX / 64 || channels > SIZE_MAX / 64)
        return SIZE_MAX;
    return f2l_mul_size(&bytes, 3 * padded(table) + padded(channels), sizeof(float)) ? bytes
                                                                                     : SIZE_MAX;
}

template <typename T>
static scan_call<T> call_of(const void *a, const float *h0, void *work, const f2l_scan_shape *s)
{
    scan_call<T> c = {};
    size_t table;
    work_numbers(&table, &c.channels, s);
    c.a = static_cast<const T *>(a), c.h0 = h0;
    c.width = s->width, c.tokens = s->tokens, c.chunk = f2l_scan_chunk(s),
    c.chunks = f2l_scan_chunks(s);
    c.starts = static_cast<float *>(work), c.products = c.starts + padded(table);
    c.lasts = c.products + padded(table);
    return c;
}

static dim3 grid_of(size_t channels, int wide, size_t chunks)
{
    return dim3((unsigned)((channels / wide + THREADS - 1) / THREADS), (unsigned)chunks);
}

template <typename T, int WIDE> static void forward(const scan_call<T> &c, cudaStream_t stream)
{
    if (c.chunks > 1) {
        sum_up<T, WIDE><<<grid_of(c.channels, WIDE, c.chunks - 1), THREADS, 0, stream>>>(c);
        join<T><<<grid_of(c.channels, 1, 1), THREADS, 0, stream>>>(c);
    }
    advance<T, WIDE><<<grid_of(c.channels, WIDE, c.chunks), THREADS, 0, stream>>>(c);
}

template <typename T, int WIDE>
static void backward(const scan_call<T> &c, float *dh0, cudaStream_t stream)
{
    if (c.chunks > 1) {
        sum_up_back<T, WIDE><<<grid_of(c.channels, WIDE, c.chunks), THREADS, 0, stream>>>(c);
        join_back<T><<<grid_of(c.channels, 1, 1), THREADS, 0, stream>>>(c);
    }
    advance_back<T, WIDE><<<grid_of(c.channels, WIDE, c.chunks), THREADS, 0, stream>>>(c);
    if (dh0)
        sum_starts<<<grid_of(c.width, 1, 1), THREADS, 0, stream>>>(dh0, c.g0, c.width,
                                                                   c.channels / c.width);
}

static f2l_status check(const f2l_scan_shape *s, f2l_error *err)
{
    if (f2l_cuda_scan_work(s) == SIZE_MAX || s->batch * s->width / THREADS >= INT32_MAX ||
        f2l_scan_chunks(s) > 65535)
        return f2l_fail(err, F2L_EDOMAIN,
                        "a scan of %zu sequences, %zu tokens and %zu channels is "
                        "too large",
                        s->batch, s->tokens, s->width);
    return F2L_OK;
}

template <typename T>
static void forward_of(void *h, float *state, const void *a, const void *b, const float *h0,
                       void *work, const f2l_scan_shape *s, cudaStream_t stream)
{
    scan_call<T> c = call_of<T>(a, h0, work, s);
    c.h = static_cast<T *>(h), c.state = state, c.b = static_cast<const T *>(b);
    if (s->width % 4 == 0 && aligned(h) && aligned(a) && aligned(b) && aligned(state))
        forward<T, 4>(c, stream);
    else
        forward<T, 1>(c, stream);
}

f2l_status f2l_cuda_scan_forward(void *h, float *state, const void *a, const void *b,
                                 const float *h0, void *work, f2l_cuda_type type,
                                 const f2l_scan_shape *s, void *stream, f2l_error *err)
{
    const f2l_status status = check(s, err);
    if (status != F2L_OK || !s->batch || !s->width || !s->tokens) return status;
    if (type == F2L_CUDA_BF16)
        forward_of<bf16>(h, state, a, b, h0, work, s, on(stream));
    else
        forward_of<float>(h, state, a, b, h0, work, s, on(stream));
    return launched("the diagonal scan", err);
}

template <typename T>
static void backward_of(void *da, void *db, float *dh0, const void *dh, const void *h,
                        const void *a, const float *h0, void *work, const f2l_scan_shape *s,
                        cudaStream_t stream)
{
    scan_call<T> c = call_of<T>(a, h0, work, s);
    c.da = static_cast<T *>(da), c.db = static_cast<T *>(db), c.dh = static_cast<const T *>(dh);
    c.before = static_cast<const T *>(h);
    c.g0 = dh0 ? c.lasts + padded(c.channels * c.chunks) : nullptr;
    if (s->width % 4 == 0 && aligned(da) && aligned(db) && aligned(dh) && aligned(h) && aligned(a))
        backward<T, 4>(c, dh0, stream);
    else
        backward<T, 1>(c, dh0, stream);
}

f2l_status f2l_cuda_scan_backward(void *da, void *db, float *dh0, const void *dh, const void *h,
                                  const void *a, const float *h0, void *work, f2l_cuda_type type,
                                  const f2l_scan_shape *s, void *stream, f2l_error *err)
{
    const f2l_status status = check(s, err);
    if (status != F2L_OK || !s->batch || !s->width || !s->tokens) return status;
    if (type == F2L_CUDA_BF16)
        backward_of<bf16>(da, db, dh0, dh, h, a, h0, work, s, on(stream));
    else
        backward_of<float>(da, db, dh0, dh, h, a, h0, work, s, on(stream));
    return launched("the gradient of the diagonal scan", err);
}
