/* Kernels before and after the delta product: norms of queries and keys, betas, and sums of the
 * gradients of parts in a fixed order.
 * CPU reference: kernels/delta_row.c. */
#ifndef F2L_KERNELS_ROWS_CUH
#define F2L_KERNELS_ROWS_CUH

#include "cuda/kernels/kernels_number.cuh"

namespace {

enum { ROW_THREADS = 256, ROW_NUMBERS = 8 }; /* numbers of a row that a thread has */

/* Rows of heads: `raw` of the interface, `to` as well or in the workspace; parts [part][row][head
 * of the state][stride] in the workspace, whose sums over parts and over a group of heads are dy. A
 * row belongs to 2^lanes neighbouring threads. */
struct rows_args {
    any_array raw, to, parts;         /* of parts only data, type and whole are read */
    uint32_t part, group, part_width; /* numbers of parts, heads of a group, numbers of a row */
    size_t part_stride;               /* from part to part */
    uint32_t rows, batch_rows, heads, width, blocks, lanes;
    int norm;
    float eps;
};

/* The row of a thread, and its first number. */
struct row_place {
    size_t item; /* counts rows of heads */
    uint32_t batch, row, head, first;
};
static __device__ __forceinline__ row_place row_of(const rows_args &a, size_t thread)
{
    row_place at = {thread >> a.lanes, 0, 0, 0, 0};
    uint32_t row;
    if (at.item <= 0xffffffffu) { /* division is dear, and in 64 bits twice as dear */
        row = static_cast<uint32_t>(at.item) / a.heads;
        at.head = static_cast<uint32_t>(at.item) - row * a.heads;
    } else {
        row = static_cast<uint32_t>(at.item / a.heads);
        at.head = static_cast<uint32_t>(at.item % a.heads);
    }
    at.batch = row / a.batch_rows, at.row = row - at.batch * a.batch_rows;
    at.first = (static_cast<uint32_t>(thread) & ((1u << a.lanes) - 1)) * ROW_NUMBERS;
    return at;
}

/* Returns the product of two rows, in all threads of a row. */
static __device__ __forceinline__ float product_of(const float (&x)[ROW_NUMBERS],
                                                   const float (&y)[ROW_NUMBERS], uint32_t lanes)
{
    float sum = 0;
#pragma unroll
    for (uint32_t i = 0; i < ROW_NUMBERS; i++) sum = fmaf(x[i], y[i], sum);
    for (uint32_t step = 1; step < 1u << lanes; step *= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    return sum;
}

/* Writes rows under their norm to the workspace, filled up with zeros. */
__global__ void __launch_bounds__(ROW_THREADS) prepare_rows(const __grid_constant__ rows_args a)
{
    const size_t all = (static_cast<size_t>(a.rows) * a.heads) << a.lanes,
                 step = static_cast<size_t>(a.blocks) * ROW_THREADS;
    /* all threads of a warp go on together: they add up */
    for (size_t i = blockIdx.x * static_cast<size_t>(ROW_THREADS) + threadIdx.x;
         i - threadIdx.x % 32 < all; i += step) {
        const bool real = i < all;
        const row_place at = row_of(a, real ? i : 0);
        float x[ROW_NUMBERS];
        load_numbers(x, a.raw, place_in(a.raw, at.batch, at.row, at.head) + at.first,
                     real && at.first < a.width ? a.width - at.first : 0);
        const row_factor f = factor_of(product_of(x, x, a.lanes), a.norm, a.eps);
#pragma unroll
        for (uint32_t n = 0; n < ROW_NUMBERS; n++) x[n] *= f.by;
        store_numbers(x, a.to, place_in(a.to, at.batch, at.row, at.head) + at.first,
                      real && at.first < a.part_width ? a.part_width - at.first : 0);
    }
}

/* Adds the parts of a row. */
static __device__ __forceinline__ void add_parts(float (&d)[ROW_NUMBERS], const rows_args &a,
                                                 const row_place &at, uint32_t count)
{
#pragma unroll
    for (uint32_t n = 0; n < ROW_NUMBERS; n++) d[n] = 0;
    for (uint32_t part = 0; part < a.part; part++)
        for (uint32_t member = 0; member < a.group; member++) {
            float x[ROW_NUMBERS];
            load_numbers(x, a.parts,
                         part * a.part_stride + (at.item * a.group + member) * a.part_width +
                             at.first,
                         count);
#pragma unroll
            for (uint32_t n = 0; n < ROW_NUMBERS; n++) d[n] += x[n];
        }
}

/* Writes the gradients of rows: the sums of their parts, through the norm. */
__global__ void __launch_bounds__(ROW_THREADS) finish_rows(const __grid_constant__ rows_args a)
{
    const size_t all = (static_cast<size_t>(a.rows) * a.heads) << a.lanes,
                 step = static_cast<size_t>(a.blocks) * ROW_THREADS;
    for (size_t i = blockIdx.x * static_cast<size_t>(ROW_THREADS) + threadIdx.x;
         i - threadIdx.x % 32 < all; i += step) {
        const bool real = i < all;
        const row_place at = row_of(a, real ? i : 0);
        const uint32_t count = real && at.first < a.width ? a.width - at.first : 0;
        float d[ROW_NUMBERS], x[ROW_NUMBERS];
        if (a.norm)
            load_numbers(x, a.raw, place_in(a.raw, at.batch, at.row, at.head) + at.first, count);
        add_parts(d, a, at, count);
        if (a.norm) {
            const row_factor f = factor_of(product_of(x, x, a.lanes), a.norm, a.eps);
#pragma unroll
            for (uint32_t n = 0; n < ROW_NUMBERS; n++) x[n] *= f.by;
            const float along = product_of(x, d, a.lanes);
#pragma unroll
            for (uint32_t n = 0; n < ROW_NUMBERS; n++)
                d[n] = f.by * fmaf(f.fixed ? 0 : -along, x[n], d[n]);
        }
        store_numbers(d, a.to, place_in(a.to, at.batch, at.row, at.head) + at.first, count);
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
    bool flat; /* `raw` and `to` have no gaps: four divisions in 64 bits cost more than all else */
};

__global__ void __launch_bounds__(ROW_THREADS) finish_betas(const __grid_constant__ betas_args a)
{
    for (size_t i = blockIdx.x * static_cast<size_t>(ROW_THREADS) + threadIdx.x;
         i < static_cast<size_t>(a.rows) * a.heads;
         i += static_cast<size_t>(a.blocks) * ROW_THREADS) {
        size_t from = i, to = i;
        if (!a.flat) {
            const size_t row = i / a.heads, head = i % a.heads, b = row / a.batch_rows,
                         r = row % a.batch_rows;
            from = place_in(a.raw, b, r, head), to = place_in(a.to, b, r, head);
        }
        beta_value x = {1, 1};
        if (a.raw.data) x = beta_of(load_number(a.raw.data, from, a.raw.type), a.form);
        float y = 0;
        for (uint32_t part = 0; part < a.part; part++) y += a.parts[part * a.part_stride + i];
        store_number(a.to.data, to, a.parts ? x.slope * y : x.beta, a.to.type);
    }
}

} // namespace

#endif
