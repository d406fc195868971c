/* The general convolution, a thread per number: any number of taps and any rows. Training steps
 * nearly always have few taps and wide rows, and use cuda/op/cuda_conv_walk.cuh.
 * CPU reference: f2l_conv_forward, f2l_conv_backward in models/learn/op/op_conv.c. */
#include "cuda/op/cuda_columns.cuh"
#include "cuda/op/cuda_conv_walk.cuh"

constexpr unsigned THREADS = 256;

template <typename T> static __device__ __forceinline__ float one(const T *p)
{
    float x[1];
    take(x, p);
    return x[0];
}

/* Computes forward with a thread per number; neighbours have neighbouring channels, and the
 * taps - 1 earlier tokens come from the cache. */
template <typename T>
static __global__ void __launch_bounds__(THREADS)
    convolve(T *y, const T *past, const T *x, const float *w, const float *bias,
             f2l_cuda_conv_shape s, unsigned count)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned D = (unsigned)s.width, T_ = (unsigned)s.tokens, kept = (unsigned)s.taps - 1;
    const unsigned row = i / D, d = i - row * D, b = row / T_, t = row - b * T_;
    const word_rows word = rows_of_any_word(s.first, b, T_);
    if (t >= word.count) return;
    float sum = bias ? bias[d] : 0;
    for (unsigned j = 0; j <= kept; j++) {
        if (t + j < kept && !past) continue;
        const float u = t + j < kept ? one(past + ((size_t)b * kept + t + j) * D + d)
                                     : one(x + ((size_t)word.first + t + j - kept) * x_row(s) + d);
        sum += w[(size_t)d * s.taps + j] * u;
    }
    const float out[1] = {sum};
    put(y + (word.first + t) * y_row(s) + d, out);
}

/* Copies the last taps - 1 tokens of past and x together. */
template <typename T>
static __global__ void __launch_bounds__(THREADS)
    keep_past(T *to, const T *past, const T *x, f2l_cuda_conv_shape s, unsigned count)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const size_t D = s.width, kept = s.taps - 1, row = i / D, d = i % D, b = row / kept,
                 at = s.tokens + row % kept;
    to[i] =
        at < kept ? past[(b * kept + at) * D + d] : x[(b * s.tokens + at - kept) * x_row(s) + d];
}

template <typename T> static dim3 walk_grid(const f2l_cuda_conv_shape *s)
{
    const unsigned pieces = (unsigned)(s->width / PIECE<T>);
    return dim3((pieces + 31) / 32, walk_parts(s));
}

template <typename T, int TAPS>
static void launch_taps(T *y, const T *past, const T *x, const float *w, const float *bias,
                        const f2l_cuda_conv_shape *s, void *stream)
{
    const dim3 grid = walk_grid<T>(s), block(32, WALKERS);
    if (s->first)
        walk_forward<T, TAPS, true><<<grid, block, 0, on(stream)>>>(y, past, x, w, bias, *s);
    else
        walk_forward<T, TAPS, false><<<grid, block, 0, on(stream)>>>(y, past, x, w, bias, *s);
}

template <typename T>
static void launch_walk(T *y, const T *past, const T *x, const float *w, const float *bias,
                        const f2l_cuda_conv_shape *s, void *stream)
{
    if (s->taps == 2)
        launch_taps<T, 2>(y, past, x, w, bias, s, stream);
    else if (s->taps == 3)
        launch_taps<T, 3>(y, past, x, w, bias, s, stream);
    else
        launch_taps<T, 4>(y, past, x, w, bias, s, stream);
}

/* Packed words have no bias. */
template <typename T, bool BIAS, bool PACKED>
static void launch_walk_back(T *dx, float *partial, const T *dy, const T *x, const float *w,
                             const f2l_cuda_conv_shape *s, void *stream)
{
    const dim3 grid = walk_grid<T>(s), block(32, WALKERS);
    if (s->taps == 2)
        walk_back<T, 2, BIAS, PACKED><<<grid, block, 0, on(stream)>>>(dx, partial, dy, x, w, *s);
    else if (s->taps == 3)
        walk_back<T, 3, BIAS, PACKED><<<grid, block, 0, on(stream)>>>(dx, partial, dy, x, w, *s);
    else
        walk_back<T, 4, BIAS, PACKED><<<grid, block, 0, on(stream)>>>(dx, partial, dy, x, w, *s);
}

template <typename T>
static void launch_conv_forward(T *y, T *new_past, const T *past, const T *x, const float *w,
                                const float *bias, const f2l_cuda_conv_shape *s, void *stream)
{
    const unsigned count = (unsigned)(s->batch * s->tokens * s->width),
                   kept = (unsigned)(s->batch * (s->taps - 1) * s->width);
    if (count && can_walk(s) && aligned(y) && aligned(x) && aligned(past))
        launch_walk(y, past, x, w, bias, s, stream);
    else if (count)
        convolve<<<(count - 1) / THREADS + 1, THREADS, 0, on(stream)>>>(y, past, x, w, bias, *s,
                                                                        count);
    if (new_past && kept)
        keep_past<<<(kept - 1) / THREADS + 1, THREADS, 0, on(stream)>>>(new_past, past, x, *s,
                                                                        kept);
}

/* Checks a shape; more: a past or a bias's gradient is wanted. */
static f2l_status check_conv_shape(const f2l_cuda_conv_shape *s, bool more, f2l_error *err)
{
    if (s->first && more)
        return f2l_fail(err, F2L_EDOMAIN, "a convolution of packed words has no past and no bias");
    if (s->taps >= 1 && s->taps <= F2L_CUDA_CONV_TAPS && s->batch <= INT32_MAX &&
        s->tokens <= INT32_MAX &&
        (s->width == 0 || s->batch * (s->tokens + s->taps) <= UINT32_MAX / s->width))
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN,
                    "a convolution of %zu taps over %zu x %zu x %zu numbers is not "
                    "possible",
                    s->taps, s->batch, s->tokens, s->width);
}

f2l_status f2l_cuda_conv_forward(void *y, void *new_past, const void *past, const void *x,
                                 const float *w, const float *bias,
                                 const f2l_cuda_conv_shape *shape, void *stream, f2l_error *err)
{
    const f2l_status status = check_conv_shape(shape, past || new_past, err);
    if (status != F2L_OK) return status;
    if (shape->type == F2L_CUDA_F32)
        launch_conv_forward((float *)y, (float *)new_past, (const float *)past, (const float *)x, w,
                            bias, shape, stream);
    else
        launch_conv_forward((bf16 *)y, (bf16 *)new_past, (const bf16 *)past, (const bf16 *)x, w,
                            bias, shape, stream);
    return launched("a convolution", err);
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    convolve_back(T *dx, const T *dy, const float *w, f2l_cuda_conv_shape s, unsigned count)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned D = (unsigned)s.width, T_ = (unsigned)s.tokens, kept = (unsigned)s.taps - 1;
    const unsigned row = i / D, d = i - row * D, b = row / T_, t = row - b * T_;
    const word_rows word = rows_of_any_word(s.first, b, T_);
    if (t >= word.count) return;
    float sum = 0;
    for (unsigned j = 0; j <= kept; j++) { /* y at t + kept - j read x at t through tap j */
        const unsigned later = kept - j;
        if (t + later < word.count)
            sum += w[(size_t)d * s.taps + j] *
                   one(dy + ((size_t)word.first + t + later) * y_row(s) + d);
    }
    const float out[1] = {sum};
    put(dx + (word.first + t) * x_row(s) + d, out);
}

/* Computes partial [parts][gridDim.z][width]: gradients of the taps, and of the bias. A part has
 * the rows of every parts-th 64-row piece. */
template <typename T>
static __global__ void taps_back(float *partial, const T *dy, const T *x, f2l_cuda_conv_shape s,
                                 unsigned rows)
{
    const unsigned D = (unsigned)s.width, d = blockIdx.x * THREADS + threadIdx.x,
                   kept = (unsigned)s.taps - 1;
    const unsigned j = blockIdx.z; /* a tap, or the bias */
    if (d >= D) return;
    float sum = 0;
    for (unsigned from = blockIdx.y * 64; from < rows; from += gridDim.y * 64)
        for (unsigned row = from; row < from + 64 && row < rows; row++) {
            const unsigned b = row / (unsigned)s.tokens, t = row - b * (unsigned)s.tokens;
            const word_rows word = rows_of_any_word(s.first, b, (unsigned)s.tokens);
            if (t >= word.count || (j <= kept && t + j < kept)) continue;
            const size_t at = (size_t)word.first + t;
            const float g = one(dy + at * y_row(s) + d);
            sum += j <= kept ? g * one(x + (at + j - kept) * x_row(s) + d) : g;
        }
    partial[((size_t)blockIdx.y * gridDim.z + j) * D + d] = sum;
}

/* Adds to dw and dbias the sums over the parts of partial [parts][columns], in a fixed order:
 * columns [taps][width], then the columns of the bias if there is one. */
static __global__ void finish_taps(float *dw, float *dbias, const float *partial, unsigned parts,
                                   unsigned columns, unsigned width, unsigned taps)
{
    const unsigned c = blockIdx.x * COLUMN_LANES + threadIdx.x, tap = c / width,
                   d = c - tap * width;
    float total;
    if (!column_total(&total, partial, parts, columns, c)) return;
    if (tap < taps && dw) dw[(size_t)d * taps + tap] += total;
    if (tap == taps) dbias[d] += total;
}

size_t f2l_cuda_conv_work(const f2l_cuda_conv_shape *shape)
{
    return (size_t)walk_parts(shape) * (shape->taps + 1) * shape->width * sizeof(float);
}

/* Computes backward with a thread per number: the taps first, since dx may be x. partial NULL: no
 * gradients of taps. */
template <typename T>
static void backward_any(T *dx, float *partial, const T *dy, const T *x, const float *w,
                         unsigned rows, const f2l_cuda_conv_shape *s, void *stream)
{
    const unsigned width = (unsigned)s->width, count = (unsigned)(s->batch * s->tokens * s->width);
    if (partial)
        taps_back<<<dim3((width - 1) / THREADS + 1, walk_parts(s), rows), THREADS, 0, on(stream)>>>(
            partial, dy, x, *s, (unsigned)(s->batch * s->tokens));
    if (dx)
        convolve_back<<<(count - 1) / THREADS + 1, THREADS, 0, on(stream)>>>(dx, dy, w, *s, count);
}

template <typename T>
static f2l_status launch_conv_backward(T *dx, float *dw, float *dbias, const T *dy, const T *x,
                                       const float *w, float *work, const f2l_cuda_conv_shape *s,
                                       void *stream, f2l_error *err)
{
    const bool sums = dw || dbias;
    const unsigned width = (unsigned)s->width, rows = (unsigned)s->taps + (dbias ? 1 : 0);
    if (s->batch == 0 || s->tokens == 0 || width == 0 || (!sums && !dx)) return F2L_OK;
    float *partial = sums ? work : NULL;
    if (!can_walk(s) || !aligned(dx) || !aligned(dy) || !aligned(x) || !aligned(work))
        backward_any(dx, partial, dy, x, w, rows, s, stream);
    else if (dbias)
        launch_walk_back<T, true, false>(dx, partial, dy, x, w, s, stream);
    else if (s->first)
        launch_walk_back<T, false, true>(dx, partial, dy, x, w, s, stream);
    else
        launch_walk_back<T, false, false>(dx, partial, dy, x, w, s, stream);
    if (sums)
        finish_taps<<<(rows * width - 1) / COLUMN_LANES + 1, dim3(COLUMN_LANES, COLUMN_PARTS), 0,
                      on(stream)>>>(dw, dbias, work, walk_parts(s), rows * width, width,
                                    (unsigned)s->taps);
    return launched("a convolution's gradient", err);
}

f2l_status f2l_cuda_conv_backward(void *dx, float *dw, float *dbias, const void *dy, const void *x,
                                  const float *w, void *work, const f2l_cuda_conv_shape *shape,
                                  void *stream, f2l_error *err)
{
    const f2l_status status = check_conv_shape(shape, dbias, err);
    if (status != F2L_OK) return status;
    if (shape->type == F2L_CUDA_F32)
        return launch_conv_backward((float *)dx, dw, dbias, (const float *)dy, (const float *)x, w,
                                    (float *)work, shape, stream, err);
    return launch_conv_backward((bf16 *)dx, dw, dbias, (const bf16 *)dy, (const bf16 *)x, w,
                                (float *)work, shape, stream, err);
}
