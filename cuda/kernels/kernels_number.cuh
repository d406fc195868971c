/* Numbers of any type of the C interface, and functions of rows, on the device.
 * CPU reference: kernels/base/kernels_number.c and kernels/delta_row.c. */
#ifndef F2L_KERNELS_NUMBER_CUH
#define F2L_KERNELS_NUMBER_CUH

extern "C" {
#include "cuda/kernels/kernels_choice.h"
}
#include "cuda/delta/cuda_delta_args.cuh"
#include "cuda/delta/cuda_mma.cuh"

namespace {

/* An array of the interface; `type` is the type of its numbers. whole: rows are made of aligned
 * pieces of eight numbers. */
struct any_array {
    void *data;
    size_t stride[3];
    int type;
    bool whole;
};

static __device__ __forceinline__ float load_number(const void *from, size_t at, int type)
{
    if (type == FSA2LRNN_KERNELS_F32) return static_cast<const float *>(from)[at];
    const uint16_t x = static_cast<const uint16_t *>(from)[at];
    return type == FSA2LRNN_KERNELS_BF16 ? from_bf16(x) : from_f16(x);
}
static __device__ __forceinline__ void store_number(void *to, size_t at, float x, int type)
{
    if (type == FSA2LRNN_KERNELS_F32)
        static_cast<float *>(to)[at] = x;
    else
        static_cast<uint16_t *>(to)[at] = type == FSA2LRNN_KERNELS_BF16 ? to_bf16(x) : to_f16(x);
}

/* Reads `count` of eight numbers from `at` on, and zeros for the others; of a whole array, all or
 * none. */
static __device__ __forceinline__ void load_numbers(float (&x)[8], const any_array &a, size_t at,
                                                    uint32_t count)
{
    if (!a.whole || !count) {
#pragma unroll
        for (uint32_t i = 0; i < 8; i++) x[i] = i < count ? load_number(a.data, at + i, a.type) : 0;
    } else if (a.type == FSA2LRNN_KERNELS_F32) {
        const float4 *from = reinterpret_cast<const float4 *>(static_cast<float *>(a.data) + at);
        const float4 low = from[0], high = from[1];
        x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
        x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
    } else {
        const uint4 bits =
            *reinterpret_cast<const uint4 *>(static_cast<const uint16_t *>(a.data) + at);
        const uint32_t word[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
        for (uint32_t i = 0; i < 8; i++) {
            const uint16_t half = static_cast<uint16_t>(word[i / 2] >> i % 2 * 16);
            x[i] = a.type == FSA2LRNN_KERNELS_BF16 ? from_bf16(half) : from_f16(half);
        }
    }
}
static __device__ __forceinline__ void store_numbers(const float (&x)[8], const any_array &a,
                                                     size_t at, uint32_t count)
{
    if (!a.whole) {
#pragma unroll
        for (uint32_t i = 0; i < 8; i++)
            if (i < count) store_number(a.data, at + i, x[i], a.type);
    } else if (!count) {
        return;
    } else if (a.type == FSA2LRNN_KERNELS_F32) {
        float4 *to = reinterpret_cast<float4 *>(static_cast<float *>(a.data) + at);
        to[0] = {x[0], x[1], x[2], x[3]}, to[1] = {x[4], x[5], x[6], x[7]};
    } else {
        uint32_t word[4] = {0, 0, 0, 0};
#pragma unroll
        for (uint32_t i = 0; i < 8; i++)
            word[i / 2] |= static_cast<uint32_t>(a.type == FSA2LRNN_KERNELS_BF16 ? to_bf16(x[i])
                                                                                 : to_f16(x[i]))
                           << i % 2 * 16;
        *reinterpret_cast<uint4 *>(static_cast<uint16_t *>(a.data) + at) = {word[0], word[1],
                                                                            word[2], word[3]};
    }
}

/* Returns the place of a row. */
static __device__ __forceinline__ size_t place_in(const any_array &a, size_t batch, size_t row,
                                                  size_t head)
{
    return batch * a.stride[0] + row * a.stride[1] + head * a.stride[2];
}

/* Returns the sum over the lanes whose numbers differ in the bits from FROM on, in all of them. */
template <int FROM, int TO> static __device__ __forceinline__ float add_lanes(float x)
{
#pragma unroll
    for (int step = FROM; step < TO; step *= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* What a row is multiplied by under the norm; fixed: it does not depend on the row. */
struct row_factor {
    float by;
    bool fixed;
};
static __device__ __forceinline__ row_factor factor_of(float squares, int norm, float eps)
{
    if (norm == FSA2LRNN_KERNELS_NO_NORM) return {1, true};
    if (norm == FSA2LRNN_KERNELS_NORM_ADD) return {1 / sqrtf(squares + eps), false};
    const float length = sqrtf(squares);
    return {1 / (length < eps ? eps : length), length < eps};
}

/* Returns beta and its derivative; exp is only taken of numbers that are not positive. */
struct beta_value {
    float beta, slope;
};
static __device__ __forceinline__ beta_value beta_of(float x, int form)
{
    if (form == FSA2LRNN_KERNELS_BETA) return {x, 1};
    const float most = form == FSA2LRNN_KERNELS_BETA_SIGMOID ? 1 : 2, e = expf(-fabsf(x)),
                part = 1 / (1 + e);
    return {most * (x >= 0 ? part : e * part), most * (e * part * part)};
}

} // namespace

#endif
