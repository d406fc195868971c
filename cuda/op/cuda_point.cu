/* Kernels of cuda/op/cuda_point.h. CPU reference: f2l_swiglu_forward, f2l_swiglu_backward,
 * f2l_sigmoid_forward, f2l_sigmoid_backward, f2l_decay_forward, f2l_decay_backward in
 * models/learn/op/op_point.c. */
#include "cuda/op/cuda_columns.cuh"
extern "C" {
#include "cuda/op/cuda_point.h"
}

constexpr unsigned THREADS = 256, WIDE = 8;

/* Runs one thread per piece of VEC numbers of a row; `work` is called with (row, column). */
template <int VEC, typename Work>
static __global__ void __launch_bounds__(THREADS) each(Work work, unsigned pieces, unsigned per_row)
{
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= pieces) return;
    const unsigned row = i / per_row;
    work.template at<VEC>(row, (i - row * per_row) * VEC);
}

template <typename Work>
static f2l_status launch_point(const char *what, Work work, size_t rows, size_t width, bool wide,
                               void *stream, f2l_error *err)
{
    if (rows == 0 || width == 0) return F2L_OK;
    if (width > UINT32_MAX / rows)
        return f2l_fail(err, F2L_EDOMAIN, "%s: %zu rows of %zu numbers are too many", what, rows,
                        width);
    wide = wide && width % WIDE == 0;
    const unsigned per_row = (unsigned)(wide ? width / WIDE : width),
                   pieces = (unsigned)rows * per_row;
    const unsigned blocks = (pieces - 1) / THREADS + 1;
    if (wide)
        each<WIDE><<<blocks, THREADS, 0, on(stream)>>>(work, pieces, per_row);
    else
        each<1><<<blocks, THREADS, 0, on(stream)>>>(work, pieces, per_row);
    return launched(what, err);
}

/* Launches n numbers as rows, so that 16-byte pieces are possible for every n: only the last,
 * shorter piece would not fit. */
template <typename Work>
static f2l_status launch_flat(const char *what, Work work, size_t n, bool wide, void *stream,
                              f2l_error *err)
{
    return launch_point(what, work, 1, n, wide && n % WIDE == 0, stream, err);
}

template <typename To, typename From> struct cast_work {
    To *to;
    const From *from;
    template <int VEC> __device__ void at(unsigned, unsigned column) const
    {
        float a[VEC];
        take(a, from + column);
        put(to + column, a);
    }
};

f2l_status f2l_cuda_cast(void *to, f2l_cuda_type to_type, const void *from, f2l_cuda_type from_type,
                         size_t n, void *stream, f2l_error *err)
{
    const bool wide = aligned(to) && aligned(from);
    if (to_type == F2L_CUDA_F32 && from_type == F2L_CUDA_F32)
        return launch_flat("cast", cast_work<float, float>{(float *)to, (const float *)from}, n,
                           wide, stream, err);
    if (to_type == F2L_CUDA_F32)
        return launch_flat("cast", cast_work<float, bf16>{(float *)to, (const bf16 *)from}, n, wide,
                           stream, err);
    if (from_type == F2L_CUDA_F32)
        return launch_flat("cast", cast_work<bf16, float>{(bf16 *)to, (const float *)from}, n, wide,
                           stream, err);
    return launch_flat("cast", cast_work<bf16, bf16>{(bf16 *)to, (const bf16 *)from}, n, wide,
                       stream, err);
}

template <typename T> struct swiglu_forward_work {
    T *y;
    const T *gate_up;
    unsigned width;
    template <int VEC> __device__ void at(unsigned row, unsigned column) const
    {
        const T *from = gate_up + 2 * (size_t)row * width + column;
        float a[VEC], b[VEC], s, slope;
        take(a, from);
        take(b, from + width);
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            sigmoid<T>(s, slope, a[i]);
            a[i] = a[i] * s * b[i];
        }
        put(y + (size_t)row * width + column, a);
    }
};

template <typename T> struct swiglu_backward_work {
    T *dgate_up;
    const T *dy, *gate_up;
    unsigned width;
    template <int VEC> __device__ void at(unsigned row, unsigned column) const
    {
        const size_t place = 2 * (size_t)row * width + column;
        float a[VEC], b[VEC], g[VEC], s, slope;
        take(g, dy + (size_t)row * width + column);
        take(a, gate_up + place);
        take(b, gate_up + place + width);
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            sigmoid<T>(s, slope, a[i]);
            const float to_gate = g[i] * b[i] * (s + a[i] * slope);
            b[i] = g[i] * a[i] * s;
            a[i] = to_gate;
        }
        put(dgate_up + place, a);
        put(dgate_up + place + width, b);
    }
};

f2l_status f2l_cuda_swiglu_forward(void *y, const void *gate_up, size_t rows, size_t width,
                                   f2l_cuda_type type, void *stream, f2l_error *err)
{
    const bool wide = aligned(y) && aligned(gate_up);
    const unsigned w = (unsigned)width;
    if (type == F2L_CUDA_F32)
        return launch_point("swiglu",
                            swiglu_forward_work<float>{(float *)y, (const float *)gate_up, w}, rows,
                            width, wide, stream, err);
    return launch_point("swiglu", swiglu_forward_work<bf16>{(bf16 *)y, (const bf16 *)gate_up, w},
                        rows, width, wide, stream, err);
}

f2l_status f2l_cuda_swiglu_backward(void *dgate_up, const void *dy, const void *gate_up,
                                    size_t rows, size_t width, f2l_cuda_type type, void *stream,
                                    f2l_error *err)
{
    const bool wide = aligned(dgate_up) && aligned(dy) && aligned(gate_up);
    const unsigned w = (unsigned)width;
    if (type == F2L_CUDA_F32)
        return launch_point("swiglu's gradient",
                            swiglu_backward_work<float>{(float *)dgate_up, (const float *)dy,
                                                        (const float *)gate_up, w},
                            rows, width, wide, stream, err);
    return launch_point(
        "swiglu's gradient",
        swiglu_backward_work<bf16>{(bf16 *)dgate_up, (const bf16 *)dy, (const bf16 *)gate_up, w},
        rows, width, wide, stream, err);
}

/* The value is computed from the nearer end, so that low and high are reached exactly, and in full
 * precision for every type: training moves the distance of beta from its ends 0 and 2. */
template <typename T> struct range_forward_work {
    float *y;
    const T *x;
    f2l_cuda_range r;
    template <int VEC> __device__ void at(unsigned row, unsigned column) const
    {
        float a[VEC], s, slope;
        take(a, x + row * r.stride + column);
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            const float z = r.slope * a[i];
            sigmoid<float>(s, slope, -fabsf(z));
            const float far = (r.high - r.low) * s;
            a[i] = z >= 0 ? r.high - far : r.low + far;
        }
        put(y + (size_t)row * r.width + column, a);
    }
};

template <typename T> struct range_backward_work {
    T *dx;
    const float *dy;
    const T *x;
    f2l_cuda_range r;
    template <int VEC> __device__ void at(unsigned row, unsigned column) const
    {
        float a[VEC], g[VEC], s, slope;
        take(a, x + row * r.stride + column);
        take(g, dy + (size_t)row * r.width + column);
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            sigmoid<float>(s, slope, r.slope * a[i]);
            g[i] = g[i] * (r.high - r.low) * r.slope * slope;
        }
        put(dx + row * r.stride + column, g);
    }
};

f2l_status f2l_cuda_sigmoid_forward(float *y, const void *x, const f2l_cuda_range *range,
                                    void *stream, f2l_error *err)
{
    const bool wide = aligned(y) && aligned(x) && range->stride % WIDE == 0;
    if (range->type == F2L_CUDA_F32)
        return launch_point("sigmoid", range_forward_work<float>{y, (const float *)x, *range},
                            range->rows, range->width, wide, stream, err);
    return launch_point("sigmoid", range_forward_work<bf16>{y, (const bf16 *)x, *range},
                        range->rows, range->width, wide, stream, err);
}

f2l_status f2l_cuda_sigmoid_backward(void *dx, const float *dy, const void *x,
                                     const f2l_cuda_range *range, void *stream, f2l_error *err)
{
    const bool wide = aligned(dx) && aligned(dy) && aligned(x) && range->stride % WIDE == 0;
    if (range->type == F2L_CUDA_F32)
        return launch_point("sigmoid's gradient",
                            range_backward_work<float>{(float *)dx, dy, (const float *)x, *range},
                            range->rows, range->width, wide, stream, err);
    return launch_point("sigmoid's gradient",
                        range_backward_work<bf16>{(bf16 *)dx, dy, (const bf16 *)x, *range},
                        range->rows, range->width, wide, stream, err);
}

static __device__ __forceinline__ float softplus(float x)
{
    return fmaxf(x, 0) + log1pf(expf(-fabsf(x)));
}

template <typename T> struct decay_work {
    float *y;
    const T *x;
    const float *rate, *bias;
    f2l_cuda_range r;
    template <int VEC> __device__ void at(unsigned row, unsigned column) const
    {
        float a[VEC];
        take(a, x + row * r.stride + column);
#pragma unroll
        for (int i = 0; i < VEC; i++)
            a[i] = r.low + (r.high - r.low) *
                               expf(-expf(rate[column + i]) * softplus(a[i] + bias[column + i]));
        put(y + (size_t)row * r.width + column, a);
    }
};

f2l_status f2l_cuda_decay_forward(float *y, const void *x, const float *rate, const float *bias,
                                  const f2l_cuda_range *range, void *stream, f2l_error *err)
{
    const bool wide = aligned(y) && aligned(x) && range->stride % WIDE == 0;
    if (range->type == F2L_CUDA_F32)
        return launch_point("decay", decay_work<float>{y, (const float *)x, rate, bias, *range},
                            range->rows, range->width, wide, stream, err);
    return launch_point("decay", decay_work<bf16>{y, (const bf16 *)x, rate, bias, *range},
                        range->rows, range->width, wide, stream, err);
}

/* Computes partial [parts][2][width]: of rate and of bias. */
template <typename T>
static __global__ void decay_backward(T *dx, float *partial, const float *dy, const T *x,
                                      const float *rate, const float *bias, f2l_cuda_range r)
{
    __shared__ float lane[2][COLUMN_PARTS][COLUMN_LANES];
    const unsigned c = blockIdx.x * COLUMN_LANES + threadIdx.x;
    float to_rate = 0, to_bias = 0;
    if (c < r.width) {
        const float speed = expf(rate[c]), shift = bias[c];
        for (size_t row = blockIdx.y * COLUMN_PARTS + threadIdx.y; row < r.rows;
             row += gridDim.y * COLUMN_PARTS) {
            float z[1], out[1], s, slope;
            take(z, x + row * r.stride + c);
            z[0] += shift;
            sigmoid<float>(s, slope, z[0]);
            const float amount = speed * softplus(z[0]);
            const float to_amount = -dy[row * r.width + c] * (r.high - r.low) * expf(-amount);
            out[0] = to_amount * speed * s;
            to_rate += to_amount * amount;
            to_bias += out[0];
            put(dx + row * r.stride + c, out);
        }
    }
    lane[0][threadIdx.y][threadIdx.x] = to_rate;
    lane[1][threadIdx.y][threadIdx.x] = to_bias;
    __syncthreads();
    if (threadIdx.y > 1 || c >= r.width) return;
    float total = 0;
    for (int p = 0; p < COLUMN_PARTS; p++) total += lane[threadIdx.y][p][threadIdx.x];
    partial[(2 * (size_t)blockIdx.y + threadIdx.y) * r.width + c] = total;
}

static unsigned decay_parts(const f2l_cuda_range *range)
{
    const size_t parts = (range->rows + 63) / 64;
    return (unsigned)(parts < MOST_PARTS ? parts : MOST_PARTS);
}

size_t f2l_cuda_decay_work(const f2l_cuda_range *range)
{
    return ((size_t)decay_parts(range) + 1) * 2 * range->width * sizeof(float);
}

static __global__ void add_pair(float *a, float *b, const float *pair, unsigned width)
{
    const unsigned c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= width) return;
    if (a) a[c] += pair[c];
    if (b) b[c] += pair[width + c];
}

f2l_status f2l_cuda_decay_backward(void *dx, float *drate, float *dbias, const float *dy,
                                   const void *x, const float *rate, const float *bias, void *work,
                                   const f2l_cuda_range *range, void *stream, f2l_error *err)
{
    if (range->rows == 0 || range->width == 0) return F2L_OK;
    const unsigned parts = decay_parts(range), width = (unsigned)range->width;
    float *sum = (float *)work, *partial = sum + 2 * range->width;
    const dim3 grid((width + COLUMN_LANES - 1) / COLUMN_LANES, parts),
        block(COLUMN_LANES, COLUMN_PARTS);
    if (cudaMemsetAsync(sum, 0, 2 * range->width * sizeof(float), on(stream)) != cudaSuccess)
        return launched("decay's gradient", err);
    if (range->type == F2L_CUDA_F32)
        decay_backward<<<grid, block, 0, on(stream)>>>((float *)dx, partial, dy, (const float *)x,
                                                       rate, bias, *range);
    else
        decay_backward<<<grid, block, 0, on(stream)>>>((bf16 *)dx, partial, dy, (const bf16 *)x,
                                                       rate, bias, *range);
    f2l_status status = launched("decay's gradient", err);
    if (status == F2L_OK) status = add_columns(sum, partial, parts, 2 * range->width, stream, err);
    if (status != F2L_OK) return status;
    add_pair<<<(width + THREADS - 1) / THREADS, THREADS, 0, on(stream)>>>(drate, dbias, sum, width);
    return launched("decay's gradient", err);
}
