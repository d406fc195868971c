/* bench_delta: times of the tensor-core delta product. Prints one JSON line per shape and pass:
 * median of 25 launches in milliseconds, compulsory traffic (every input read once, every output
 * written once, with G and the states) and products of the recurrence over that time, and the
 * fraction of the copy bandwidth of this device, which is measured first. */
#include <algorithm>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>
extern "C" {
#include "cuda/delta/cuda_delta.h"
#include "numeric/base/rng.h"
}

static void need(cudaError_t code)
{
    if (code == cudaSuccess) return;
    fprintf(stderr, "bench_delta: %s\n", cudaGetErrorString(code));
    exit(1);
}
static void need(f2l_status status, const f2l_error &error)
{
    if (status == F2L_OK) return;
    fprintf(stderr, "bench_delta: %s\n", error.text);
    exit(1);
}

static std::vector<void *> held; /* device memory of the present shape */

template <typename T> static T *room(size_t count)
{
    T *to;
    need(cudaMalloc(&to, count * sizeof(T) + 16));
    need(cudaMemset(to, 0, count * sizeof(T)));
    held.push_back(to);
    return to;
}

/* Returns random rows, unit vectors if wanted; a block of rows is repeated. */
static uint16_t *rows(size_t count, size_t row, bool unit, f2l_rng *rng)
{
    const size_t block = std::min<size_t>(count, 65536);
    std::vector<uint16_t> x(block * row);
    std::vector<float> one(row);
    for (size_t i = 0; i < block; i++) {
        float size = 0;
        for (float &y : one)
            y = static_cast<float>(f2l_rng_u32(rng)) / 2147483648.0f - 1, size += y * y;
        for (size_t j = 0; j < row; j++) {
            const float y = unit ? one[j] / sqrtf(size) : one[j];
            uint32_t bits;
            memcpy(&bits, &y, 4);
            x[i * row + j] = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
        }
    }
    uint16_t *to = room<uint16_t>(count * row);
    for (size_t i = 0; i < count; i += block)
        need(cudaMemcpy(to + i * row, x.data(), std::min(block, count - i) * row * 2,
                        cudaMemcpyHostToDevice));
    return to;
}

static float *betas(size_t count, f2l_rng *rng)
{
    std::vector<float> x(count);
    for (float &y : x) y = static_cast<float>(f2l_rng_u32(rng)) / 2147483648.0f;
    float *to = room<float>(count);
    need(cudaMemcpy(to, x.data(), count * 4, cudaMemcpyHostToDevice));
    return to;
}

template <typename Call> static double median(Call call, cudaStream_t stream)
{
    cudaEvent_t from, to;
    need(cudaEventCreate(&from));
    need(cudaEventCreate(&to));
    std::vector<float> times;
    for (int i = 0; i < 28; i++) {
        need(cudaEventRecord(from, stream));
        call();
        need(cudaEventRecord(to, stream));
        need(cudaEventSynchronize(to));
        float ms;
        need(cudaEventElapsedTime(&ms, from, to));
        if (i >= 3) times.push_back(ms);
    }
    need(cudaEventDestroy(from));
    need(cudaEventDestroy(to));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

static double copy_bandwidth(cudaStream_t stream)
{
    const size_t bytes = size_t(1) << 30;
    uint8_t *a = room<uint8_t>(bytes), *b = room<uint8_t>(bytes);
    const double ms = median(
        [&] { need(cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice, stream)); }, stream);
    for (void *array : held) need(cudaFree(array));
    held.clear();
    return 2.0 * static_cast<double>(bytes) / ms * 1e-6;
}

static void line(const f2l_delta_shape &s, const char *path, const char *pass, double ms,
                 double bytes, double flops, double bandwidth)
{
    const double gbs = bytes / ms * 1e-6;
    printf("{\"op\": \"delta\", \"shape\": [%zu, %zu, %zu, %zu], \"n\": %zu, \"path\": \"%s\", "
           "\"pass\": \"%s\", \"ms\": %.4f, \"GB_per_s\": %.0f, \"of_copy\": %.3f, "
           "\"TFLOP_per_s\": %.2f}\n",
           s.batch, s.tokens, s.heads, s.key, s.householders, path, pass, ms, gbs, gbs / bandwidth,
           flops / ms * 1e-9);
    fflush(stdout);
}

static void bench(f2l_delta_shape s, bool additive, bool letters, double bandwidth, f2l_rng *rng,
                  cudaStream_t stream)
{
    const size_t D = s.key, words = s.batch * s.heads, tokens = words * s.tokens,
                 factors = tokens * s.householders;
    const size_t nq = letters ? 120 * s.heads : tokens, nk = nq * s.householders;
    uint16_t *q = rows(nq, D, false, rng), *k = rows(nk, D, true, rng),
             *v = additive ? rows(nk, D, false, rng) : nullptr;
    uint16_t *dout = rows(tokens, D, false, rng), *out = room<uint16_t>(tokens * D),
             *kept = room<uint16_t>(factors * D);
    uint16_t *dq = room<uint16_t>(tokens * D), *dk = room<uint16_t>(factors * D);
    uint16_t *dv = additive ? room<uint16_t>(factors * D) : nullptr;
    float *beta = betas(nk, rng), *state = room<float>(words * D * D);
    float *dbeta = room<float>(factors), *h0 = additive ? nullptr : betas(s.heads * D * D, rng);
    float *dh0 = additive ? nullptr : room<float>(s.heads * D * D);
    float *work = room<float>(f2l_cuda_delta_work(&s, true) / 4);
    std::vector<uint32_t> drawn(s.batch * s.tokens);
    for (uint32_t &x : drawn) x = static_cast<uint32_t>(f2l_rng_below(rng, 120));
    uint32_t *letter = letters ? room<uint32_t>(drawn.size()) : nullptr;
    if (letters) need(cudaMemcpy(letter, drawn.data(), drawn.size() * 4, cudaMemcpyHostToDevice));
    const f2l_delta_mma_in in = {q, k, v, beta, h0, letter};
    const f2l_delta_mma_grad grad = {dq, dk, dv, dbeta, dh0};
    f2l_error error = {};
    const auto forward = [&] {
        need(f2l_cuda_delta_forward(out, state, kept, false, &in, &s, stream, &error), error);
    };
    const auto backward = [&] {
        need(f2l_cuda_delta_backward(&grad, dout, kept, state, work, &in, &s, stream, &error),
             error);
    };
    const double row = 2.0 * static_cast<double>(D), t = static_cast<double>(tokens),
                 f = static_cast<double>(factors);
    const double states = 4.0 * static_cast<double>(words * D * D),
                 square = static_cast<double>(D * D);
    const double inputs =
        letters ? 4.0 * static_cast<double>(drawn.size()) : t * row + f * (row + 4);
    const double ahead = inputs + (additive && !letters ? f * row : 0) + t * row + f * row + states;
    const double back = inputs + f * row + t * row + t * row + f * (row + 4) +
                        (additive ? f * row : 0) + 2 * states;
    const char *path = letters    ? (additive ? "letters" : "letters, B = 0")
                       : additive ? "positions"
                                  : "B = 0";
    line(s, path, "forward", median(forward, stream), ahead, square * (4 * f + 2 * t), bandwidth);
    /* every launch takes the result of the launch before as its state: any numbers will do */
    line(s, path, "backward", median(backward, stream), back, square * (10 * f + 4 * t), bandwidth);
    line(s, path, "both",
         median(
             [&] {
                 forward();
                 backward();
             },
             stream),
         ahead + back, square * (14 * f + 6 * t), bandwidth);
    need(cudaDeviceSynchronize());
    for (void *array : held) need(cudaFree(array));
    held.clear();
}

int main(void)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 1, 0);
    cudaDeviceProp device;
    need(cudaGetDeviceProperties(&device, 0));
    const double bandwidth = copy_bandwidth(nullptr);
    printf("{\"device\": \"%s\", \"multiprocessors\": %d, \"copy_GB_per_s\": %.0f}\n", device.name,
           device.multiProcessorCount, bandwidth);
    const f2l_delta_shape shapes[] = {
        {2048, 128, 12, 4, 32, 32}, {2048, 128, 12, 2, 32, 32}, {2048, 128, 12, 1, 32, 32},
        {256, 256, 4, 4, 64, 64},   {256, 256, 4, 2, 64, 64},   {256, 256, 4, 1, 64, 64},
        {32, 512, 12, 4, 32, 32},   {32, 512, 12, 2, 32, 32},   {32, 512, 12, 1, 32, 32},
        {8, 4096, 16, 4, 128, 128}, {8, 4096, 16, 2, 128, 128}, {8, 4096, 16, 1, 128, 128}};
    for (const f2l_delta_shape &s : shapes) bench(s, true, false, bandwidth, &rng, nullptr);
    bench(shapes[0], false, false, bandwidth, &rng, nullptr);
    bench(shapes[0], false, true, bandwidth, &rng, nullptr);
    bench(shapes[0], true, true, bandwidth, &rng, nullptr);
    return 0;
}
