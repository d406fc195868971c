/* The instructions of cuda/delta/cuda_mma.cuh on a CPU, so that the source of a kernel itself runs
 * where there is no GPU: every lane is a coroutine, and the lanes of a warp meet at each
 * instruction that works on a whole warp. Included before the kernel's headers, this header
 * replaces cuda/delta/cuda_mma.cuh and the parts of CUDA that the kernel's headers use.
 *
 * It is meant to find errors: shared memory starts as NaN; copies to shared memory arrive at once
 * or, as late as allowed, when they are waited for; the order of lanes between two meetings is
 * random; lanes of a warp that meet at different instructions, misaligned addresses and rows of a
 * matrix in one bank are detected. A product is summed in double and rounded once, as in the
 * replays. */
#ifndef F2L_EMULATED_WARP_H
#define F2L_EMULATED_WARP_H
#define F2L_CUDA_MMA_CUH

#include "cuda/check/emulated_lanes.h"

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__

struct float2 {
    float x, y;
};
struct float4 {
    float x, y, z, w;
};
struct uint4 {
    uint32_t x, y, z, w;
};

namespace emulated {

/* Multiplies the fragments of a warp: element (i, j) from the lane that holds its word. */
inline void multiply(warp &w, int inner)
{
    static float a[16][16], b[16][8];
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < inner / 4; i++)
            for (int h = 0; h < 2; h++) {
                a[l / 4 + i % 2 * 8][2 * (l % 4) + i / 2 * 8 + h] = half(w.in[l][4 + i], h);
                if (i < inner / 8) b[2 * (l % 4) + 8 * i + h][l / 4] = half(w.in[l][8 + i], h);
            }
    for (int l = 0; l < 32; l++)
        for (int i = 0; i < 4; i++) {
            double sum = 0;
            for (int x = 0; x < inner; x++)
                sum += static_cast<double>(a[l / 4 + i / 2 * 8][x]) *
                       static_cast<double>(b[x][2 * (l % 4) + i % 2]);
            w.out[l][i] = bits(static_cast<float>(static_cast<double>(real(w.in[l][i])) + sum));
        }
}
inline void multiply_add(float (&c)[4], const uint32_t *a, const uint32_t *b, int inner)
{
    uint32_t in[10] = {};
    for (int i = 0; i < 4; i++) in[i] = bits(c[i]);
    for (int i = 0; i < inner / 4; i++) in[4 + i] = a[i];
    for (int i = 0; i < inner / 8; i++) in[8 + i] = b[i];
    together(inner, in, 10, [inner](warp &w) { multiply(w, inner); });
    for (int i = 0; i < 4; i++) c[i] = real(result()[i]);
}

/* Moves the rows of matrix m between shared memory and x. */
template <typename Move> void rows_of(warp &w, int m, Move move)
{
    int banks = 0;
    for (int i = 0; i < 8; i++) {
        const uint32_t address = w.in[8 * m + i][0];
        conflicts += banks >> (address >> 4) % 8 & 1;
        banks |= 1 << (address >> 4) % 8;
        move(i, at(address, 16));
    }
}
inline void load_matrices(uint32_t *r, uint32_t address, int n, bool transposed)
{
    together(200 + 2 * n + transposed, &address, 1, [=](warp &w) {
        for (int m = 0; m < n; m++) {
            uint16_t x[8][8];
            rows_of(w, m, [&](int i, unsigned char *row) { memcpy(x[i], row, 16); });
            for (uint32_t l = 0, i, j; l < 32; l++) {
                i = l / 4, j = 2 * (l % 4);
                const uint16_t low = transposed ? x[j][i] : x[i][j],
                               high = transposed ? x[j + 1][i] : x[i][j + 1];
                w.out[l][m] = low | static_cast<uint32_t>(high) << 16;
            }
        }
    });
    for (int i = 0; i < n; i++) r[i] = result()[i];
}
inline void store_matrices(uint32_t address, const uint32_t *r, int n, bool transposed)
{
    uint32_t in[5] = {address};
    for (int i = 0; i < n; i++) in[1 + i] = r[i];
    together(300 + 2 * n + transposed, in, 1 + n, [=](warp &w) {
        for (int m = 0; m < n; m++) {
            uint16_t x[8][8];
            for (uint32_t l = 0; l < 32; l++)
                for (uint32_t h = 0; h < 2; h++) {
                    const uint32_t i = l / 4, j = 2 * (l % 4) + h;
                    (transposed ? x[j][i] : x[i][j]) =
                        static_cast<uint16_t>(w.in[l][1 + m] >> 16 * h);
                }
            rows_of(w, m, [&](int i, unsigned char *row) { memcpy(row, x[i], 16); });
        }
    });
}

inline void copy(uint32_t to, const void *from, uint32_t bytes, bool real)
{
    unsigned char *there = at(to, bytes);
    if (real && reinterpret_cast<uintptr_t>(from) % bytes) wrong("address in global memory");
    const auto now = [=] {
        if (real)
            memcpy(there, from, bytes);
        else
            memset(there, 0, bytes);
    };
    if (late_copies)
        lanes[current].copies.push_back(now);
    else
        now();
}

} // namespace emulated

static inline void __syncwarp(void)
{
    emulated::together(1, nullptr, 0, [](emulated::warp &) {});
}
static inline void __syncthreads(void)
{
    emulated::wait_for(emulated::block, emulated::lanes.size());
}
static inline float __shfl_xor_sync(unsigned, float x, int step)
{
    const uint32_t in = emulated::bits(x);
    emulated::together(100 + step, &in, 1, [step](emulated::warp &w) {
        for (int l = 0; l < 32; l++) w.out[l][0] = w.in[l ^ step][0];
    });
    return emulated::real(*emulated::result());
}
static inline float __fdividef(float a, float b)
{
    return a / b;
}

static inline void mma16(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    const uint32_t b[2] = {b0, b1};
    emulated::multiply_add(c, a, b, 16);
}
static inline void mma8(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t b0)
{
    const uint32_t a[2] = {a0, a1};
    emulated::multiply_add(c, a, &b0, 8);
}
static inline void ldsm4(uint32_t (&r)[4], uint32_t address)
{
    emulated::load_matrices(r, address, 4, false);
}
static inline void ldsm4_t(uint32_t (&r)[4], uint32_t address)
{
    emulated::load_matrices(r, address, 4, true);
}
static inline void ldsm2(uint32_t &r0, uint32_t &r1, uint32_t address)
{
    uint32_t r[2];
    emulated::load_matrices(r, address, 2, false);
    r0 = r[0], r1 = r[1];
}
static inline void ldsm2_t(uint32_t &r0, uint32_t &r1, uint32_t address)
{
    uint32_t r[2];
    emulated::load_matrices(r, address, 2, true);
    r0 = r[0], r1 = r[1];
}
static inline void stsm4(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3)
{
    const uint32_t r[4] = {r0, r1, r2, r3};
    emulated::store_matrices(address, r, 4, false);
}
static inline void stsm4_t(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3)
{
    const uint32_t r[4] = {r0, r1, r2, r3};
    emulated::store_matrices(address, r, 4, true);
}
static inline void stsm2_t(uint32_t address, uint32_t r0, uint32_t r1)
{
    const uint32_t r[2] = {r0, r1};
    emulated::store_matrices(address, r, 2, true);
}
static inline uint32_t movm(uint32_t x)
{
    emulated::together(400, &x, 1, [](emulated::warp &w) {
        uint16_t y[8][8];
        for (int l = 0; l < 32; l++)
            for (int h = 0; h < 2; h++)
                y[l / 4][2 * (l % 4) + h] = static_cast<uint16_t>(w.in[l][0] >> 16 * h);
        for (int l = 0; l < 32; l++)
            w.out[l][0] = y[2 * (l % 4)][l / 4] | static_cast<uint32_t>(y[2 * (l % 4) + 1][l / 4])
                                                      << 16;
    });
    return *emulated::result();
}

static inline uint32_t fresh(uint32_t x)
{
    return x;
}
static inline float power_of_2(float x)
{
    return x < -126 ? 0 : exp2f(x);
}
static inline uint32_t shared_base(void)
{
    return 1024;
}
static inline float lds32(uint32_t address)
{
    return emulated::load<float>(address);
}
static inline float2 lds64(uint32_t address)
{
    return emulated::load<float2>(address);
}
static inline float4 lds128(uint32_t address)
{
    return emulated::load<float4>(address);
}
static inline uint4 lds128u(uint32_t address)
{
    return emulated::load<uint4>(address);
}
static inline void sts32(uint32_t address, float x)
{
    emulated::store(address, x);
}
static inline void sts64(uint32_t address, float x, float y)
{
    emulated::store(address, float2{x, y});
}
static inline void sts128u(uint32_t address, uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    emulated::store(address, uint4{x, y, z, w});
}
static inline void copy16(uint32_t to, const void *from, bool real)
{
    emulated::copy(to, from, 16, real);
}
static inline void copy4(uint32_t to, const void *from, bool real)
{
    emulated::copy(to, from, 4, real);
}
static inline void copies_done(void)
{
    for (const auto &copy : emulated::lanes[emulated::current].copies) copy();
    emulated::lanes[emulated::current].copies.clear();
}
static inline void store16(void *to, uint4 x, bool real)
{
    if (real && reinterpret_cast<uintptr_t>(to) % 16) emulated::wrong("address in global memory");
    if (real) memcpy(to, &x, 16);
}
static inline float from_bf16(uint16_t x)
{
    return f2l_replay_widen(x);
}
static inline uint16_t to_bf16(float x)
{
    return f2l_replay_round(x);
}
static inline float from_f16(uint16_t x)
{
    _Float16 y;
    memcpy(&y, &x, sizeof y);
    return static_cast<float>(y);
}
static inline uint16_t to_f16(float x)
{
    const _Float16 y = static_cast<_Float16>(x);
    uint16_t bits;
    memcpy(&bits, &y, sizeof bits);
    return bits;
}
static inline uint32_t pack(float low, float high)
{
    if (emulated::f16) return to_f16(low) | static_cast<uint32_t>(to_f16(high)) << 16;
    return f2l_replay_round(low) | static_cast<uint32_t>(f2l_replay_round(high)) << 16;
}
static inline float low_of(uint32_t x)
{
    return emulated::half(x, 0);
}
static inline float high_of(uint32_t x)
{
    return emulated::half(x, 1);
}

#endif
