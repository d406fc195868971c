/* Kernels of the norms of cuda/op/cuda_norm.h. CPU reference: f2l_rmsnorm_forward,
 * f2l_rmsnorm_backward in models/learn/op/op_norm.c. */
#include "cuda/op/cuda_columns.cuh"
#include "cuda/op/cuda_rows.cuh"
extern "C" {
#include "cuda/op/cuda_norm.h"
}

/* Returns 1 / sqrt(mean(x^2) + epsilon), x already scaled. */
static __device__ __forceinline__ float root_of(float squares, const f2l_cuda_norm &n)
{
    return 1 / sqrtf(squares / (float)n.width + n.epsilon);
}

template <typename T, int VEC, int LANES, int PIECES>
static __global__ void __launch_bounds__(THREADS)
    rms_forward(T *y, T *sum, const T *x, const T *residual, const uint32_t *letter,
                const float *weight, f2l_cuda_norm n)
{
    const unsigned lane = threadIdx.x % LANES, width = (unsigned)n.width;
    const size_t row = (size_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const bool here = row < n.rows; /* lanes without a row still take part in shuffles */
    float a[PIECES][VEC], b[PIECES][VEC];
    take_row(a, x + row * width, lane, LANES, here ? width : 0);
    if (sum) {
        const size_t from = here && letter ? letter[row] : row;
        take_row(b, residual + from * width, lane, LANES, here ? width : 0);
#pragma unroll
        for (int p = 0; p < PIECES; p++)
#pragma unroll
            for (int i = 0; i < VEC; i++) a[p][i] = stored(a[p][i] + b[p][i], x);
        put_row(sum + row * width, a, lane, LANES, here ? width : 0);
    }
#pragma unroll
    for (int p = 0; p < PIECES; p++)
#pragma unroll
        for (int i = 0; i < VEC; i++) a[p][i] *= n.scale;
    const float root = root_of(sum_lanes<LANES>(products(a, a)), n);
    if (weight) {
        take_row(b, weight, lane, LANES, width);
    }
#pragma unroll
    for (int p = 0; p < PIECES; p++)
#pragma unroll
        for (int i = 0; i < VEC; i++) a[p][i] = a[p][i] * root * (weight ? b[p][i] : 1);
    put_row(y + row * width, a, lane, LANES, here ? width : 0);
}

/* Adds up the sums of the THREADS / LANES rows that a block has at a time, into one row of
 * `partial`. */
template <int VEC, int LANES, int PIECES>
static __device__ __forceinline__ void
put_partial(float *partial, const float (&to_weight)[PIECES][VEC], unsigned width)
{
    extern __shared__ float lane_sum[]; /* [THREADS / LANES][width] */
    const unsigned lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
#pragma unroll
    for (int p = 0; p < PIECES; p++)
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            const unsigned column = (lane + p * LANES) * VEC + i;
            if (column < width) lane_sum[group * width + column] = to_weight[p][i];
        }
    __syncthreads();
    for (unsigned c = threadIdx.x; c < width; c += THREADS) {
        float total = 0;
        for (unsigned g = 0; g < THREADS / LANES; g++) total += lane_sum[g * width + c];
        partial[(size_t)blockIdx.x * width + c] = total;
    }
}

/* With z = scale x, s = (mean(z^2) + eps)^(-1/2) and g = weight dy: dx = scale (s g - z s^3 mean(g
 * z)). */
template <typename T, int VEC, int LANES, int PIECES>
static __global__ void __launch_bounds__(THREADS)
    rms_backward(T *dx, float *partial, const T *dy, const T *x, const T *residual,
                 const float *weight, f2l_cuda_norm n)
{
    const unsigned lane = threadIdx.x % LANES, width = (unsigned)n.width;
    float w[PIECES][VEC], to_weight[PIECES][VEC];
    if (weight) take_row(w, weight, lane, LANES, width);
#pragma unroll
    for (int p = 0; p < PIECES; p++)
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            to_weight[p][i] = 0;
            if (!weight) w[p][i] = 1;
        }
    const size_t stride = (size_t)gridDim.x * (THREADS / LANES),
                 first = (size_t)blockIdx.x * (THREADS / LANES);
    for (size_t from = first; from < n.rows; from += stride) {
        const size_t row = from + threadIdx.x / LANES;
        const unsigned here = row < n.rows ? width : 0;
        float z[PIECES][VEC], g[PIECES][VEC], r[PIECES][VEC];
        take_row(z, x + row * width, lane, LANES, here);
        take_row(g, dy + row * width, lane, LANES, here);
        if (residual) take_row(r, residual + row * width, lane, LANES, here);
        float squares = 0, along = 0;
#pragma unroll
        for (int p = 0; p < PIECES; p++)
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                z[p][i] *= n.scale;
                squares += z[p][i] * z[p][i];
                along += g[p][i] * w[p][i] * z[p][i];
            }
        const float root = root_of(sum_lanes<LANES>(squares), n);
        along = sum_lanes<LANES>(along) / (float)width * root * root;
#pragma unroll
        for (int p = 0; p < PIECES; p++)
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                to_weight[p][i] += g[p][i] * z[p][i] * root;
                g[p][i] = n.scale * root * (g[p][i] * w[p][i] - z[p][i] * along) +
                          (residual ? r[p][i] : 0);
            }
        put_row(dx + row * width, g, lane, LANES, here);
    }
    if (partial) put_partial<VEC, LANES, PIECES>(partial, to_weight, width);
}

/* For any width: a block owns a row at a time and reads it twice (the second time from the
 * cache). */
static __device__ __forceinline__ float sum_block(float x)
{
    __shared__ float warp[THREADS / 32];
    x = sum_lanes<32>(x);
    __syncthreads(); /* the array may still be read from the last time */
    if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = x;
    __syncthreads();
    float total = 0;
    for (int i = 0; i < THREADS / 32; i++) total += warp[i];
    return total;
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    rms_forward_any(T *y, T *sum, const T *x, const T *residual, const uint32_t *letter,
                    const float *weight, f2l_cuda_norm n)
{
    const size_t row = blockIdx.x, from = letter ? letter[row] : row;
    const T *z = x + row * n.width;
    float squares = 0;
    for (size_t c = threadIdx.x; c < n.width; c += THREADS) {
        float a[1], b[1];
        take(a, z + c);
        if (sum) {
            take(b, residual + from * n.width + c);
            a[0] = stored(a[0] + b[0], x);
            put(sum + row * n.width + c, a); /* the same thread reads it again below */
        }
        squares += n.scale * a[0] * (n.scale * a[0]);
    }
    const float root = root_of(sum_block(squares), n);
    if (sum) z = sum + row * n.width;
    for (size_t c = threadIdx.x; c < n.width; c += THREADS) {
        float a[1];
        take(a, z + c);
        a[0] = n.scale * a[0] * root * (weight ? weight[c] : 1);
        put(y + row * n.width + c, a);
    }
}

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    rms_backward_any(T *dx, float *partial, const T *dy, const T *x, const T *residual,
                     const float *weight, f2l_cuda_norm n)
{
    float *to_weight = partial ? partial + blockIdx.x * n.width : NULL; /* a column belongs to one
                                                                           thread */
    for (size_t c = threadIdx.x; partial && c < n.width; c += THREADS) to_weight[c] = 0;
    for (size_t row = blockIdx.x; row < n.rows; row += gridDim.x) {
        const size_t at = row * n.width;
        float squares = 0, along = 0, z[1], g[1], r[1] = {0};
        for (size_t c = threadIdx.x; c < n.width; c += THREADS) {
            take(z, x + at + c);
            take(g, dy + at + c);
            z[0] *= n.scale;
            squares += z[0] * z[0];
            along += g[0] * (weight ? weight[c] : 1) * z[0];
        }
        const float root = root_of(sum_block(squares), n);
        along = sum_block(along) / (float)n.width * root * root;
        for (size_t c = threadIdx.x; c < n.width; c += THREADS) {
            take(z, x + at + c);
            take(g, dy + at + c);
            if (residual) take(r, residual + at + c);
            z[0] *= n.scale;
            if (partial) to_weight[c] += g[0] * z[0] * root;
            g[0] = n.scale * root * (g[0] * (weight ? weight[c] : 1) - z[0] * along) + r[0];
            put(dx + at + c, g);
        }
    }
}

/* Lanes and pieces for a width; lanes 0: use the kernels for any width. */
typedef struct split {
    unsigned lanes, pieces;
} split;

static split split_of(size_t width, bool wide)
{
    const size_t pieces = width / 8;
    if (!wide || width % 8 != 0 || width > 1024) return split{0, 0};
    if (pieces <= 4) return split{4, 1};
    if (pieces <= 8) return split{8, 1};
    if (pieces <= 16) return split{16, 1};
    if (pieces > 32 && pieces <= 48) return split{16, 3}; /* 384 without idle lanes */
    return split{32, (unsigned)((pieces + 31) / 32)};
}

/* Returns the blocks of backward; the workspace has a row for each block. */
static unsigned backward_blocks(const f2l_cuda_norm *n, unsigned rows_per_block)
{
    const size_t blocks = (n->rows + rows_per_block - 1) / rows_per_block;
    return (unsigned)(blocks < MOST_PARTS ? blocks : MOST_PARTS);
}

size_t f2l_cuda_rmsnorm_work(const f2l_cuda_norm *norm)
{
    return (size_t)backward_blocks(norm, 1) * norm->width * sizeof(float);
}

#define SPLITS(LAUNCH) \
    if (s.lanes == 4) \
        LAUNCH(4, 1); \
    else if (s.lanes == 8) \
        LAUNCH(8, 1); \
    else if (s.lanes == 16 && s.pieces == 1) \
        LAUNCH(16, 1); \
    else if (s.lanes == 16) \
        LAUNCH(16, 3); \
    else if (s.pieces == 1) \
        LAUNCH(32, 1); \
    else if (s.pieces == 2) \
        LAUNCH(32, 2); \
    else if (s.pieces == 3) \
        LAUNCH(32, 3); \
    else \
        LAUNCH(32, 4)

template <typename T>
static f2l_status launch_norm_forward(T *y, T *sum, const T *x, const T *residual,
                                      const uint32_t *letter, const float *weight,
                                      const f2l_cuda_norm *n, void *stream, f2l_error *err)
{
    const bool wide =
        aligned(y) && aligned(sum) && aligned(x) && aligned(residual) && aligned(weight);
    const split s = split_of(n->width, wide);
    if (s.lanes == 0) {
        rms_forward_any<<<(unsigned)n->rows, THREADS, 0, on(stream)>>>(y, sum, x, residual, letter,
                                                                       weight, *n);
        return launched("rmsnorm", err);
    }
    const unsigned blocks = (unsigned)((n->rows * s.lanes + THREADS - 1) / THREADS);
#define LAUNCH(LANES, PIECES) \
    rms_forward<T, 8, LANES, PIECES> \
        <<<blocks, THREADS, 0, on(stream)>>>(y, sum, x, residual, letter, weight, *n)
    SPLITS(LAUNCH);
#undef LAUNCH
    return launched("rmsnorm", err);
}

static f2l_status check_norm_shape(const f2l_cuda_norm *n, f2l_error *err)
{
    if (n->rows <= INT32_MAX && n->width <= INT32_MAX) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "a norm of %zu rows of %zu numbers is too large", n->rows,
                    n->width);
}

f2l_status f2l_cuda_rmsnorm_forward(void *y, void *sum, const void *x, const void *residual,
                                    const uint32_t *letter, const float *weight,
                                    const f2l_cuda_norm *norm, void *stream, f2l_error *err)
{
    const f2l_status status = check_norm_shape(norm, err);
    if (status != F2L_OK || norm->rows == 0 || norm->width == 0) return status;
    if (norm->type == F2L_CUDA_F32)
        return launch_norm_forward((float *)y, (float *)sum, (const float *)x,
                                   (const float *)residual, letter, weight, norm, stream, err);
    return launch_norm_forward((bf16 *)y, (bf16 *)sum, (const bf16 *)x, (const bf16 *)residual,
                               letter, weight, norm, stream, err);
}

template <typename T>
static f2l_status launch_norm_backward(T *dx, float *dweight, const T *dy, const T *x,
                                       const T *residual, const float *weight, float *work,
                                       const f2l_cuda_norm *n, void *stream, f2l_error *err)
{
    const bool wide =
        aligned(dx) && aligned(dy) && aligned(x) && aligned(residual) && aligned(weight);
    const split s = split_of(n->width, wide);
    const unsigned rows = s.lanes ? THREADS / s.lanes : 1, blocks = backward_blocks(n, rows);
    const size_t shared = dweight ? rows * n->width * sizeof(float) : 0;
    float *partial = dweight ? work : NULL;
    if (s.lanes == 0)
        rms_backward_any<<<blocks, THREADS, 0, on(stream)>>>(dx, partial, dy, x, residual, weight,
                                                             *n);
    else {
#define LAUNCH(LANES, PIECES) \
    rms_backward<T, 8, LANES, PIECES> \
        <<<blocks, THREADS, shared, on(stream)>>>(dx, partial, dy, x, residual, weight, *n)
        SPLITS(LAUNCH);
#undef LAUNCH
    }
    const f2l_status status = launched("rmsnorm's gradient", err);
    if (status != F2L_OK || !dweight) return status;
    return add_columns(dweight, partial, blocks, n->width, stream, err);
}

f2l_status f2l_cuda_rmsnorm_backward(void *dx, float *dweight, const void *dy, const void *x,
                                     const void *residual, const float *weight, void *work,
                                     const f2l_cuda_norm *norm, void *stream, f2l_error *err)
{
    const f2l_status status = check_norm_shape(norm, err);
    if (status != F2L_OK || norm->rows == 0 || norm->width == 0) return status;
    if (norm->type == F2L_CUDA_F32)
        return launch_norm_backward((float *)dx, dweight, (const float *)dy, (const float *)x,
                                    (const float *)residual, weight, (float *)work, norm, stream,
                                    err);
    return launch_norm_backward((bf16 *)dx, dweight, (const bf16 *)dy, (const bf16 *)x,
                                (const bf16 *)residual, weight, (float *)work, norm, stream, err);
}
