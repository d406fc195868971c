/* Kernels of cuda/op/cuda_rates.h. A warp has one head in a stripe of rows; a lane has the
 * coordinates lane, lane + 32, .., and their sums over the stripe.
 * CPU reference: f2l_rates_forward, f2l_rates_backward in models/learn/op/op_rates.c. */
#ifndef F2L_CUDA_RATES_CUH
#define F2L_CUDA_RATES_CUH

#include "cuda/op/cuda_one.cuh"
extern "C" {
#include "cuda/op/cuda_rates.h"
}

constexpr unsigned RATES_WARPS = 4;
constexpr float MOST_DECAY = 0.60653065971263342360f; /* exp(-1/2) */

/* Stripes of `rows_each` rows. */
struct stripes {
    unsigned count, rows_each;
};

enum { GATE_BIAS, RATE_BIAS, REMOVAL, REPLACEMENT, PARAMETERS };

/* The numbers of one coordinate. */
struct rate {
    float x_slope, y_slope; /* derivatives of sigmoid(x), sigmoid(y) */
    float w, share, most, eta, k, removal, replacement;
};

template <typename T, bool WITH_REMOVAL>
static __device__ __forceinline__ rate rate_at(const f2l_cuda_rates_in &in, size_t at, size_t c,
                                               bool negative)
{
    rate r = {};
    float value;
    const float x = one((const T *)in.x + at) + in.gate_bias[c];
    if (!WITH_REMOVAL) {
        const float root = expf((fminf(x, 0) - log1pf(expf(-fabsf(x)))) * (1.0f / 16)),
                    low = negative ? -1.0f : 0.0f;
        sigmoid<float>(value, r.x_slope, -x);
        r.w = low + (1 - low) * root;
        r.x_slope = (1 - low) * root * value * (1.0f / 16); /* of w */
        return r;
    }
    sigmoid<float>(value, r.x_slope, x);
    r.w = expf(-MOST_DECAY * value);
    r.x_slope *= -MOST_DECAY * r.w;
    sigmoid<float>(r.share, r.y_slope, one((const T *)in.y + at) + in.rate_bias[c]);
    r.most = negative ? 1 + r.w : 1.0f;
    r.eta = r.most * r.share;
    r.k = one((const T *)in.k + at);
    r.removal = in.removal[c];
    r.replacement = in.replacement[c];
    return r;
}

template <typename T, int PER, bool WITH_REMOVAL>
static __global__ void __launch_bounds__(32 * RATES_WARPS)
    rates_forward(f2l_cuda_rates_out out, f2l_cuda_rates_in in, f2l_cuda_rates_shape s,
                  stripes parts)
{
    const unsigned warp = blockIdx.x * RATES_WARPS + threadIdx.x / 32, lane = threadIdx.x % 32,
                   head = warp % (unsigned)s.heads, stripe = warp / (unsigned)s.heads;
    if (stripe >= parts.count) return;
    const size_t first = (size_t)stripe * parts.rows_each,
                 end = first + parts.rows_each < s.rows ? first + parts.rows_each : s.rows;
    for (size_t row = first; row < end; row++) {
        const size_t at = (row * s.heads + head) * s.key;
        rate r[PER] = {};
        float square = 0;
#pragma unroll
        for (int j = 0; j < PER; j++) {
            const unsigned i = lane + 32 * j;
            if (i < s.key)
                r[j] = rate_at<T, WITH_REMOVAL>(in, at + i, head * s.key + i, s.negative);
            const float z = r[j].k * r[j].removal;
            square += z * z;
        }
        const float scale = WITH_REMOVAL ? 1 / sqrtf(sum_lanes<32>(square) + s.epsilon) : 0;
#pragma unroll
        for (int j = 0; j < PER; j++) {
            const unsigned i = lane + 32 * j;
            if (i >= s.key) continue;
            out.w[at + i] = r[j].w;
            if (!WITH_REMOVAL) continue;
            const float b = r[j].k * r[j].removal * scale;
            out.b[at + i] = b;
            out.a[at + i] = -r[j].eta * b;
            put_one((T *)out.key + at + i, r[j].k * (1 + (r[j].eta - 1) * r[j].replacement));
        }
    }
}

/* Sums over the stripe go to partial [PARAMETERS][stripes][heads * key]. */
template <typename T, int PER, bool WITH_REMOVAL>
static __global__ void __launch_bounds__(32 * RATES_WARPS)
    rates_backward(f2l_cuda_rates_grad g, float *partial, f2l_cuda_rates_in in,
                   f2l_cuda_rates_shape s, stripes parts)
{
    const unsigned warp = blockIdx.x * RATES_WARPS + threadIdx.x / 32, lane = threadIdx.x % 32,
                   head = warp % (unsigned)s.heads, stripe = warp / (unsigned)s.heads;
    if (stripe >= parts.count) return;
    const size_t first = (size_t)stripe * parts.rows_each,
                 end = first + parts.rows_each < s.rows ? first + parts.rows_each : s.rows;
    float sum[PER][PARAMETERS] = {};
    for (size_t row = first; row < end; row++) {
        const size_t at = (row * s.heads + head) * s.key;
        rate r[PER] = {};
        float b[PER] = {}, db[PER] = {}, da[PER] = {}, square = 0, along = 0;
#pragma unroll
        for (int j = 0; j < PER; j++) {
            const unsigned i = lane + 32 * j;
            if (i < s.key) {
                r[j] = rate_at<T, WITH_REMOVAL>(in, at + i, head * s.key + i, s.negative);
                if (WITH_REMOVAL) {
                    da[j] = g.da[at + i];
                    db[j] = g.db[at + i] - r[j].eta * da[j];
                }
            }
            b[j] = r[j].k * r[j].removal;
            square += b[j] * b[j];
            along += b[j] * db[j];
        }
        const float scale = WITH_REMOVAL ? 1 / sqrtf(sum_lanes<32>(square) + s.epsilon) : 0;
        if (WITH_REMOVAL) along = sum_lanes<32>(along) * scale;
#pragma unroll
        for (int j = 0; j < PER; j++) {
            const unsigned i = lane + 32 * j;
            if (i >= s.key) continue;
            float dw = g.dw[at + i];
            if (WITH_REMOVAL) {
                b[j] *= scale;
                const float dkey = one((const T *)g.dkey + at + i),
                            dz = (db[j] - b[j] * along) * scale,
                            deta = dkey * r[j].k * r[j].replacement - da[j] * b[j],
                            dy = deta * r[j].most * r[j].y_slope;
                if (s.negative) dw += deta * r[j].share;
                put_one((T *)g.dk + at + i,
                        dkey * (1 + (r[j].eta - 1) * r[j].replacement) + dz * r[j].removal);
                put_one((T *)g.dy + at + i, dy);
                sum[j][RATE_BIAS] += dy;
                sum[j][REMOVAL] += dz * r[j].k;
                sum[j][REPLACEMENT] += dkey * r[j].k * (r[j].eta - 1);
            }
            const float dx = dw * r[j].x_slope;
            put_one((T *)g.dx + at + i, dx);
            sum[j][GATE_BIAS] += dx;
        }
    }
    const size_t keys = s.heads * s.key;
#pragma unroll
    for (int j = 0; j < PER; j++)
#pragma unroll
        for (int n = 0; n < (WITH_REMOVAL ? PARAMETERS : 1); n++) {
            const unsigned i = lane + 32 * j;
            if (i < s.key)
                partial[((size_t)n * parts.count + stripe) * keys + head * s.key + i] = sum[j][n];
        }
}

#endif
