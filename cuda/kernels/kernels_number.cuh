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

/* An array of the interface; `type` is the type of its numbers. */
struct any_array {
    void *data;
    size_t stride[3];
    int type;
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
