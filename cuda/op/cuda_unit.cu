/* Kernels of the unit operator of cuda/op/cuda_norm.h. CPU reference: f2l_silu_forward,
 * f2l_silu_backward in models/learn/op/op_point.c; f2l_l2norm_forward, f2l_l2norm_backward in
 * models/learn/op/op_norm.c. */
#include "cuda/op/cuda_rows.cuh"
extern "C" {
#include "cuda/op/cuda_norm.h"
}

/* Computes group g of all rows: LANES lanes with PIECES pieces each. Backward recomputes silu. */
template <typename X, typename Y, int VEC, int LANES, int PIECES, bool BACK>
static __global__ void __launch_bounds__(THREADS)
    unit(Y *y, const Y *dy, const X *x, f2l_cuda_unit u)
{
    const unsigned lane = threadIdx.x % LANES, width = (unsigned)u.width;
    const unsigned groups = (unsigned)u.groups,
                   number = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const unsigned row = number / groups, here = row < u.rows ? width : 0;
    const size_t at = number, place = row * u.stride + (number - row * groups) * width;
    float a[PIECES][VEC], slope[PIECES][VEC], s;
    take_row(a, x + place, lane, LANES, here);
    if (u.silu) {
#pragma unroll
        for (int p = 0; p < PIECES; p++)
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                const float z = a[p][i];
                sigmoid<X>(s, slope[p][i], z);
                slope[p][i] = s + z * slope[p][i];
                a[p][i] = z * s;
            }
    }
    float root = 1;
    if (u.unit) root = 1 / sqrtf(sum_lanes<LANES>(products(a, a)) + u.epsilon);
    if constexpr (!BACK) {
#pragma unroll
        for (int p = 0; p < PIECES; p++)
#pragma unroll
            for (int i = 0; i < VEC; i++) a[p][i] *= root;
        put_row(y + at * width, a, lane, LANES, here);
    } else {
        float g[PIECES][VEC], along = 0;
        take_row(g, dy + at * width, lane, LANES, here);
        if (u.unit) along = sum_lanes<LANES>(products(g, a)) * root * root;
#pragma unroll
        for (int p = 0; p < PIECES; p++)
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                g[p][i] = root * (g[p][i] - a[p][i] * along);
                if (u.silu) g[p][i] *= slope[p][i];
            }
        put_row(y + place, g, lane, LANES, here);
    }
}

template <typename X, typename Y, bool BACK>
static f2l_status units(Y *y, const Y *dy, const X *x, const f2l_cuda_unit *u, void *stream,
                        f2l_error *err)
{
    if (u->rows == 0 || u->groups == 0 || u->width == 0) return F2L_OK;
    if (u->width > 256 || u->groups > INT32_MAX / u->rows)
        return f2l_fail(err, F2L_EDOMAIN, "units of %zu numbers in %zu rows of %zu are too large",
                        u->width, u->rows, u->groups);
    const bool wide =
        aligned(y) && aligned(dy) && aligned(x) && u->stride % 8 == 0 && u->width % 8 == 0;
    const size_t pieces = u->width / 8, groups = u->rows * u->groups;
    const unsigned lanes = !wide || pieces > 16 ? 32 : pieces > 8 ? 16 : pieces > 4 ? 8 : 4;
    const unsigned blocks = (unsigned)((groups * lanes + THREADS - 1) / THREADS);
    if (!wide)
        unit<X, Y, 1, 32, 8, BACK><<<blocks, THREADS, 0, on(stream)>>>(y, dy, x, *u);
    else if (lanes == 4)
        unit<X, Y, 8, 4, 1, BACK><<<blocks, THREADS, 0, on(stream)>>>(y, dy, x, *u);
    else if (lanes == 8)
        unit<X, Y, 8, 8, 1, BACK><<<blocks, THREADS, 0, on(stream)>>>(y, dy, x, *u);
    else if (lanes == 16)
        unit<X, Y, 8, 16, 1, BACK><<<blocks, THREADS, 0, on(stream)>>>(y, dy, x, *u);
    else
        unit<X, Y, 8, 32, 1, BACK><<<blocks, THREADS, 0, on(stream)>>>(y, dy, x, *u);
    return launched("units", err);
}

f2l_status f2l_cuda_unit_forward(void *y, const void *x, const f2l_cuda_unit *shape, void *stream,
                                 f2l_error *err)
{
    if (shape->x_type == F2L_CUDA_BF16 && shape->y_type == F2L_CUDA_BF16)
        return units<bf16, bf16, false>((bf16 *)y, NULL, (const bf16 *)x, shape, stream, err);
    if (shape->x_type == F2L_CUDA_BF16) return f2l_fail(err, F2L_EDOMAIN, "units of bf16 are bf16");
    if (shape->y_type == F2L_CUDA_BF16)
        return units<float, bf16, false>((bf16 *)y, NULL, (const float *)x, shape, stream, err);
    return units<float, float, false>((float *)y, NULL, (const float *)x, shape, stream, err);
}

f2l_status f2l_cuda_unit_backward(void *dx, const void *dy, const void *x,
                                  const f2l_cuda_unit *shape, void *stream, f2l_error *err)
{
    if (shape->x_type == F2L_CUDA_BF16)
        return units<bf16, bf16, true>((bf16 *)dx, (const bf16 *)dy, (const bf16 *)x, shape, stream,
                                       err);
    return units<float, float, true>((float *)dx, (const float *)dy, (const float *)x, shape,
                                     stream, err);
}
