/* The functions of cuda/device/cuda_common.cuh for kernels of float, for the emulated warps of
 * cuda/check/emulated_warp.h; included before the kernels' headers, this header replaces that one.
 * Shared memory that a kernel declares is static here: it is not poisoned. */
#ifndef F2L_EMULATED_COMMON_H
#define F2L_EMULATED_COMMON_H
#define F2L_CUDA_COMMON_CUH

#include "cuda/check/emulated_warp.h"

#define __shared__ static
#define __host__

static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}

/* Checks, as on a device, that pieces of 16 bytes are aligned to 16 bytes. */
template <int N, typename Number> static inline void aligned_piece(Number *p)
{
    if (N % 4 == 0 && reinterpret_cast<uintptr_t>(p) % 16) emulated::wrong("address of 16 bytes");
}
template <int N> static inline void take(float (&x)[N], const float *from)
{
    aligned_piece<N>(from);
    for (int i = 0; i < N; i++) x[i] = from[i];
}
template <int N> static inline void put(float *to, const float (&x)[N])
{
    aligned_piece<N>(to);
    for (int i = 0; i < N; i++) to[i] = x[i];
}

template <int LANES, typename Number> static inline Number sum_lanes(Number x)
{
    for (int step = LANES / 2; step; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

template <typename T> static inline float exp_down(float x)
{
    return expf(x);
}
template <typename T> static inline float ratio(float a, float b)
{
    return a / b;
}
template <typename T> static inline void sigmoid(float &value, float &slope, float x)
{
    const float e = expf(-fabsf(x)), part = 1 / (1 + e);
    value = x >= 0 ? part : e * part;
    slope = e * part * part;
}

#endif
