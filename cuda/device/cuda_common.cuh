/* Device side helpers shared by the operators: rows in 16-byte pieces, sums in a fixed order,
 * launch errors. */
#ifndef F2L_CUDA_COMMON_CUH
#define F2L_CUDA_COMMON_CUH

extern "C" {
#include "cuda/device/cuda_type.h"
}
#include <cuda_bf16.h>
#include <cuda_runtime.h>

typedef __nv_bfloat16 bf16;

/* Loads N numbers from memory that is aligned to N of them, or to 16 bytes if N numbers are
 * larger. */
template <int N> static __device__ __forceinline__ void take(float (&x)[N], const float *from)
{
    if constexpr (N % 4 == 0) {
#pragma unroll
        for (int i = 0; i < N; i += 4) {
            const float4 v = *reinterpret_cast<const float4 *>(from + i);
            x[i] = v.x, x[i + 1] = v.y, x[i + 2] = v.z, x[i + 3] = v.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) x[i] = from[i];
    }
}

/* Loads bf16 numbers; a bf16 is the high half of a float. */
template <int N> static __device__ __forceinline__ void take(float (&x)[N], const bf16 *from)
{
    if constexpr (N % 8 == 0) {
#pragma unroll
        for (int i = 0; i < N; i += 8) {
            const uint4 v = *reinterpret_cast<const uint4 *>(from + i);
            const unsigned word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                x[i + 2 * j] = __uint_as_float(word[j] << 16);
                x[i + 2 * j + 1] = __uint_as_float(word[j] & 0xffff0000u);
            }
        }
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) x[i] = __bfloat162float(from[i]);
    }
}

template <int N> static __device__ __forceinline__ void put(float *to, const float (&x)[N])
{
    if constexpr (N % 4 == 0) {
#pragma unroll
        for (int i = 0; i < N; i += 4)
            *reinterpret_cast<float4 *>(to + i) = make_float4(x[i], x[i + 1], x[i + 2], x[i + 3]);
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) to[i] = x[i];
    }
}

static __device__ __forceinline__ unsigned two_bf16(float low, float high)
{
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const unsigned *>(&both);
}

template <int N> static __device__ __forceinline__ void put(bf16 *to, const float (&x)[N])
{
    if constexpr (N % 8 == 0) {
#pragma unroll
        for (int i = 0; i < N; i += 8)
            *reinterpret_cast<uint4 *>(to + i) =
                make_uint4(two_bf16(x[i], x[i + 1]), two_bf16(x[i + 2], x[i + 3]),
                           two_bf16(x[i + 4], x[i + 5]), two_bf16(x[i + 6], x[i + 7]));
    } else {
#pragma unroll
        for (int i = 0; i < N; i++) to[i] = __float2bfloat16_rn(x[i]);
    }
}

/* Returns a number as it is after being stored: norms are taken of stored numbers, which backward
 * reads. */
static __device__ __forceinline__ float stored(float x, const float *)
{
    return x;
}
static __device__ __forceinline__ float stored(float x, const bf16 *)
{
    return __bfloat162float(__float2bfloat16_rn(x));
}

/* Returns the sum over LANES neighbouring lanes, with the same bits in all of them (additions
 * commute). All lanes of the warp must call it. */
template <int LANES, typename Number> static __device__ __forceinline__ Number sum_lanes(Number x)
{
#pragma unroll
    for (int step = LANES / 2; step; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* Functions of one activation. Half the digits of a float are enough for a result that is rounded
 * to bf16. */
template <typename T> static __device__ __forceinline__ float exp_down(float x)
{
    return sizeof(T) == 2 ? __expf(x) : expf(x);
}
template <typename T> static __device__ __forceinline__ float ratio(float a, float b)
{
    return sizeof(T) == 2 ? __fdividef(a, b) : a / b;
}
/* Computes the sigmoid as models/learn/op/op_point.c does: exp is only taken of numbers that are
 * not positive, so nothing overflows; `slope` is the derivative without the loss of digits of s (1
 * - s) near 1. */
template <typename T>
static __device__ __forceinline__ void sigmoid(float &value, float &slope, float x)
{
    const float e = exp_down<T>(-fabsf(x)), part = ratio<T>(1.0f, 1.0f + e);
    value = x >= 0 ? part : e * part;
    slope = e * part * part;
}

static inline bool aligned(const void *p)
{
    return (reinterpret_cast<uintptr_t>(p) & 15) == 0;
}

static inline f2l_status launched(const char *what, f2l_error *err)
{
    const cudaError_t code = cudaGetLastError();
    if (code == cudaSuccess) return F2L_OK;
    return f2l_fail(err, F2L_EIO, "CUDA refused %s: %s", what, cudaGetErrorString(code));
}

static inline cudaStream_t on(void *stream)
{
    return static_cast<cudaStream_t>(stream);
}

#endif
