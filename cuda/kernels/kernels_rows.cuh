/* Kernels before and after the delta product: norms of queries and keys, betas, and sums of the
 * gradients of parts in a fixed order.
 * CPU reference: kernels/delta_row.c. */
#ifndef F2L_KERNELS_ROWS_CUH
#define F2L_KERNELS_ROWS_CUH

#include "cuda/kernels/kernels_number.cuh"

namespace {

enum { ROW_THREADS = 256, ROW_NUMBERS = 8 }; /* a warp has a row, of at most 32 ROW_NUMBERS */

/* Rows of heads: `raw` of the interface, `to` as well or in the workspace; parts [part][row][head
 * of the state][stride] in the workspace, whose sums over parts and over a group of heads are dy.
 */
struct rows_args {
    any_array raw, to;
    const void *parts;
    int part_type;
    uint32_t part, group, part_width; /* numbers of parts, heads of a group, numbers of a row */
    size_t part_stride;               /* from part to part */
    uint32_t rows, batch_rows, heads, width, blocks;
    int norm;
    float eps;
};

static __device__ __forceinline__ void read_row(float (&x)[ROW_NUMBERS], const any_array &a,
                                                size_t at, uint32_t width, uint32_t lane)
{
#pragma unroll
    for (uint32_t i = 0; i < ROW_NUMBERS; i++)
        x[i] = lane + 32 * i < width ? load_number(a.data, at + lane + 32 * i, a.type) : 0;
}
static __device__ __forceinline__ float product_of(const float (&x)[ROW_NUMBERS],
                                                   const float (&y)[ROW_NUMBERS])
{
    float sum = 0;
#pragma unroll
    for (uint32_t i = 0; i < ROW_NUMBERS; i++) sum = fmaf(x[i], y[i], sum);
    return add_lanes<1, 32>(sum);
}

/* Writes rows under their norm to the workspace, filled up with zeros. */
__global__ void __launch_bounds__(ROW_THREADS) prepare_rows(const __grid_constant__ rows_args a)
{
    const uint32_t lane = threadIdx.x % 32, warps = ROW_THREADS / 32;
    for (size_t i = blockIdx.x * static_cast<size_t>(warps) + threadIdx.x / 32;
         i < static_cast<size_t>(a.rows) * a.heads; i += static_cast<size_t>(a.blocks) * warps) {
        const size_t row = i / a.heads, head = i % a.heads;
        float x[ROW_NUMBERS];
        read_row(x, a.raw, place_in(a.raw, row / a.batch_rows, row % a.batch_rows, head), a.width,
                 lane);
        const row_factor f = factor_of(product_of(x, x), a.norm, a.eps);
        const size_t to = place_in(a.to, row / a.batch_rows, row % a.batch_rows, head);
#pragma unroll
        for (uint32_t n = 0; n < ROW_NUMBERS; n++)
            if (lane + 32 * n < a.part_width)
                store_number(a.to.data, to + lane + 32 * n, f.by * x[n], a.to.type);
    }
}

/* Writes the gradients of rows: the sums of their parts, through the norm. */
__global__ void __launch_bounds__(ROW_THREADS) finish_rows(const __grid_constant__ rows_args a)
{
    const uint32_t lane = threadIdx.x % 32, warps = ROW_THREADS / 32;
    for (size_t i = blockIdx.x * static_cast<size_t>(warps) + threadIdx.x / 32;
         i < static_cast<size_t>(a.rows) * a.heads; i += static_cast<size_t>(a.blocks) * warps) {
        const size_t row = i / a.heads, head = i % a.heads;
        float d[ROW_NUMBERS] = {0, 0, 0, 0, 0, 0, 0, 0}, x[ROW_NUMBERS];
        for (uint32_t part = 0; part < a.part; part++)
            for (uint32_t member = 0; member < a.group; member++) {
                const size_t at = part * a.part_stride +
                                  ((row * a.heads + head) * a.group + member) * a.part_width;
#pragma unroll
                for (uint32_t n = 0; n < ROW_NUMBERS; n++)
                    if (lane + 32 * n < a.width)
                        d[n] += load_number(a.parts, at + lane + 32 * n, a.part_type);
            }
        if (a.norm) {
            read_row(x, a.raw, place_in(a.raw, row / a.batch_rows, row % a.batch_rows, head),
                     a.width, lane);
            const row_factor f = factor_of(product_of(x, x), a.norm, a.eps);
#pragma unroll
            for (uint32_t n = 0; n < ROW_NUMBERS; n++) x[n] *= f.by;
            const float along = f.fixed ? 0 : product_of(x, d);
#pragma unroll
            for (uint32_t n = 0; n < ROW_NUMBERS; n++) d[n] = f.by * fmaf(-along, x[n], d[n]);
        }
        const size_t to = place_in(a.to, row / a.batch_rows, row % a.batch_rows, head);
#pragma unroll
        for (uint32_t n = 0; n < ROW_NUMBERS; n++)
            if (lane + 32 * n < a.width)
                store_number(a.to.data, to + lane + 32 * n, d[n], a.to.type);
    }
}

/* Writes beta, or, given parts, what is beta's gradient, times the slope. */
struct betas_args {
    any_array raw, to;
    const float *parts;
    uint32_t part;
    size_t part_stride;
    uint32_t rows, batch_rows, heads, blocks;
    int form;
};

__global__ void __launch_bounds__(ROW_THREADS) finish_betas(const __grid_constant__ betas_args a)
{
    for (size_t i = blockIdx.x * static_cast<size_t>(ROW_THREADS) + threadIdx.x;
         i < static_cast<size_t>(a.rows) * a.heads;
         i += static_cast<size_t>(a.blocks) * ROW_THREADS) {
        const size_t row = i / a.heads, head = i % a.heads, b = row / a.batch_rows,
                     r = row % a.batch_rows;
        beta_value x = {1, 1};
        if (a.raw.data)
            x = beta_of(load_number(a.raw.data, place_in(a.raw, b, r, head), a.raw.type), a.form);
        float y = 0;
        for (uint32_t part = 0; part < a.part; part++) y += a.parts[part * a.part_stride + i];
        store_number(a.to.data, place_in(a.to, b, r, head), a.parts ? x.slope * y : x.beta,
                     a.to.type);
    }
}

} // namespace

#endif
