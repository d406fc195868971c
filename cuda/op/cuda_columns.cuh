/* The second stage of sums over rows: partial sums of blocks, added in a fixed order.
 * CPU reference: none, these are sums that several operators share. */
#ifndef F2L_CUDA_COLUMNS_CUH
#define F2L_CUDA_COLUMNS_CUH

#include "cuda/device/cuda_common.cuh"

constexpr unsigned COLUMN_LANES = 32, COLUMN_PARTS = 8,
                   MOST_PARTS = 1056 /* 8 blocks on each of 132 multiprocessors */;

/* Sums column c of partial [parts][columns] over the parts, for blocks of
 * COLUMN_LANES x COLUMN_PARTS threads; returns true in the threads that hold the sum. */
static __device__ bool column_total(float *total, const float *partial, unsigned parts,
                                    unsigned columns, unsigned c)
{
    __shared__ float lane[COLUMN_PARTS][COLUMN_LANES];
    float sum = 0;
    if (c < columns) {
#pragma unroll 4
        for (unsigned p = threadIdx.y; p < parts; p += COLUMN_PARTS)
            sum += partial[(size_t)p * columns + c];
    }
    lane[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || c >= columns) return false;
    for (unsigned p = 1; p < COLUMN_PARTS; p++) sum += lane[p][threadIdx.x];
    *total = sum;
    return true;
}

/* Computes sum [columns] += sum over the parts of partial [parts][columns]. */
static __global__ void finish_columns(float *sum, const float *partial, unsigned parts,
                                      unsigned columns)
{
    const unsigned c = blockIdx.x * COLUMN_LANES + threadIdx.x;
    float total;
    if (column_total(&total, partial, parts, columns, c)) sum[c] += total;
}

static inline f2l_status add_columns(float *sum, const float *partial, size_t parts, size_t columns,
                                     void *stream, f2l_error *err)
{
    if (columns == 0) return F2L_OK;
    finish_columns<<<(unsigned)((columns + COLUMN_LANES - 1) / COLUMN_LANES),
                     dim3(COLUMN_LANES, COLUMN_PARTS), 0, on(stream)>>>(
        sum, partial, (unsigned)parts, (unsigned)columns);
    return launched("a sum of columns", err);
}

#endif
