/* Kernels of cuda/op/cuda_adamw.h. CPU reference: f2l_adamw_update in
 * models/learn/train/adamw.inc. */
#include "cuda/device/cuda_common.cuh"
extern "C" {
#include "cuda/op/cuda_adamw.h"
}

constexpr unsigned THREADS = 256,
                   SUMS = 264 /* blocks of the norm: 2 on each of 132 multiprocessors */;

static __device__ double sum_block(double x)
{
    __shared__ double warp[THREADS / 32];
    x = sum_lanes<32>(x);
    if (threadIdx.x % 32 == 0) warp[threadIdx.x / 32] = x;
    __syncthreads();
    double total = 0;
    for (int i = 0; i < THREADS / 32; i++) total += warp[i];
    return total;
}

static __global__ void __launch_bounds__(THREADS)
    squares(double *partial, const float *gradient, uint32_t count)
{
    double sum = 0;
#pragma unroll 4
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += SUMS * THREADS) {
        const double g = (double)gradient[i];
        sum += g * g;
    }
    sum = sum_block(sum);
    if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(THREADS)
    find_scale(f2l_cuda_adamw_report *report, const double *partial,
               const f2l_cuda_adamw_step *step)
{
    double sum = 0;
    for (unsigned i = threadIdx.x; i < SUMS; i += THREADS) sum += partial[i];
    sum = sum_block(sum);
    if (threadIdx.x != 0) return;
    report->norm = sqrt(sum);
    report->moved = isfinite(report->norm);
    report->scale =
        (float)(step->clip > 0 && report->norm > step->clip ? step->clip / report->norm : 1);
}

/* Every operation rounds separately, in the order of models/learn/train/adamw.inc: contraction
 * would change last bits. */
static __global__ void __launch_bounds__(THREADS)
    update(float *parameter, float *mean, float *square, bf16 *shadow, const float *gradient,
           uint32_t count, const f2l_cuda_adamw_report *report, const f2l_cuda_adamw_step *step,
           const f2l_cuda_adamw_group *group, uint32_t groups)
{
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count || !report->moved) return;
    uint32_t low = 0, high = groups; /* the last group that begins at i or before */
    while (high - low > 1) {
        const uint32_t middle = (low + high) / 2;
        if (group[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    const float g = __fmul_rn(report->scale, gradient[i]);
    const float m = __fadd_rn(__fmul_rn(step->beta1, mean[i]), __fmul_rn(step->mean_step, g));
    const float v =
        __fadd_rn(__fmul_rn(step->beta2, square[i]), __fmul_rn(__fmul_rn(step->square_step, g), g));
    const float root = __fadd_rn(__fdiv_rn(__fsqrt_rn(v), step->root), step->epsilon);
    const float p = __fsub_rn(__fmul_rn(group[low].keep, parameter[i]),
                              __fdiv_rn(__fmul_rn(group[low].size, m), root));
    mean[i] = m;
    square[i] = v;
    parameter[i] = p;
    if (shadow) shadow[i] = __float2bfloat16_rn(p);
}

size_t f2l_cuda_adamw_work(size_t count)
{
    (void)count;
    return SUMS * sizeof(double);
}

f2l_status f2l_cuda_adamw(float *parameter, float *mean, float *square, uint16_t *shadow,
                          f2l_cuda_adamw_report *report, const float *gradient, size_t count,
                          const f2l_cuda_adamw_step *step, const f2l_cuda_adamw_group *group,
                          size_t groups, void *work, void *stream, f2l_error *err)
{
    if (count > UINT32_MAX - THREADS || groups == 0 || groups > UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%zu parameters in %zu groups are not "
                        "possible",
                        count, groups);
    squares<<<SUMS, THREADS, 0, on(stream)>>>((double *)work, gradient, (uint32_t)count);
    find_scale<<<1, THREADS, 0, on(stream)>>>(report, (const double *)work, step);
    if (count)
        update<<<(unsigned)((count + THREADS - 1) / THREADS), THREADS, 0, on(stream)>>>(
            parameter, mean, square, (bf16 *)shadow, gradient, (uint32_t)count, report, step, group,
            (uint32_t)groups);
    return launched("AdamW", err);
}
