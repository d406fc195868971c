/* Rows in the registers of neighbouring lanes.
 * CPU reference: none, these are loads, stores and sums that several operators share. */
#ifndef F2L_CUDA_ROWS_CUH
#define F2L_CUDA_ROWS_CUH

#include "cuda/device/cuda_common.cuh"

/* LANES neighbouring lanes own a row: each holds PIECES pieces of VEC numbers, LANES pieces apart,
 * in registers, so that memory is read once. */
constexpr unsigned THREADS = 256;

template <int VEC, int PIECES, typename T>
static __device__ __forceinline__ void take_row(float (&x)[PIECES][VEC], const T *row,
                                                unsigned lane, unsigned lanes, unsigned width)
{
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        const unsigned column = (lane + p * lanes) * VEC;
        if (column < width) {
            take(x[p], row + column);
        } else {
#pragma unroll
            for (int i = 0; i < VEC; i++) x[p][i] = 0;
        }
    }
}

template <int VEC, int PIECES, typename T>
static __device__ __forceinline__ void put_row(T *row, const float (&x)[PIECES][VEC], unsigned lane,
                                               unsigned lanes, unsigned width)
{
#pragma unroll
    for (int p = 0; p < PIECES; p++) {
        const unsigned column = (lane + p * lanes) * VEC;
        if (column < width) put(row + column, x[p]);
    }
}

template <int VEC, int PIECES>
static __device__ __forceinline__ float products(const float (&a)[PIECES][VEC],
                                                 const float (&b)[PIECES][VEC])
{
    float sum = 0;
#pragma unroll
    for (int p = 0; p < PIECES; p++)
#pragma unroll
        for (int i = 0; i < VEC; i++) sum += a[p][i] * b[p][i];
    return sum;
}

#endif
