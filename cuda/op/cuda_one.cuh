/* Single numbers of an array, for kernels whose rows have no pieces of 16 bytes.
 * CPU reference: none, these are loads and stores that several operators share. */
#ifndef F2L_CUDA_ONE_CUH
#define F2L_CUDA_ONE_CUH

#include "cuda/device/cuda_common.cuh"

template <typename T> static __device__ __forceinline__ float one(const T *p)
{
    float x[1];
    take(x, p);
    return x[0];
}
template <typename T> static __device__ __forceinline__ void put_one(T *p, float x)
{
    const float out[1] = {x};
    put(p, out);
}

#endif
