/* Warp instructions for products of small bf16 matrices, or of fp16 matrices where F2L_DELTA_F16 is
 * defined before this header, in the notation of the PTX manual. A
 * fragment of an 8 x 8 matrix is one register: lane l holds elements (l / 4, 2 (l % 4)) and (l / 4,
 * 2 (l % 4) + 1), the first in the low half. With a = {rows 0-7 inner 0-7, rows 8-15 inner 0-7,
 * rows 0-7 inner 8-15, rows 8-15 inner 8-15} an accumulator tile packs into a without any exchange,
 * and so do b0, b1 (columns x inner 0-7, 8-15) from the transposed product: in cuda_delta_*.cuh
 * numbers move between lanes only by movm and by matrices in shared memory. Addresses in shared
 * memory are 32-bit, in bytes.
 * CPU reference: none, these are instructions of the device. */
#ifndef F2L_CUDA_MMA_CUH
#define F2L_CUDA_MMA_CUH

#include <stdint.h>

#ifdef F2L_DELTA_F16
#define F2L_MMA_TYPES "f32.f16.f16.f32"
#else
#define F2L_MMA_TYPES "f32.bf16.bf16.f32"
#endif

/* Computes c [16][8] += a [16][16] b [16][8]. */
static __device__ __forceinline__ void mma16(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                             uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col." F2L_MMA_TYPES " {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* Computes the same with inner dimension 8. */
static __device__ __forceinline__ void mma8(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t b0)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col." F2L_MMA_TYPES " {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a0), "r"(a1), "r"(b0));
}

/* Loads matrices: row j of matrix i of r is at the address of lane 8 i + j; _t transposes them. */
static __device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}
static __device__ __forceinline__ void ldsm4_t(uint32_t (&r)[4], uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}
static __device__ __forceinline__ void ldsm2(uint32_t &r0, uint32_t &r1, uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r0), "=r"(r1)
                 : "r"(address)
                 : "memory");
}
static __device__ __forceinline__ void ldsm2_t(uint32_t &r0, uint32_t &r1, uint32_t address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r0), "=r"(r1)
                 : "r"(address)
                 : "memory");
}
static __device__ __forceinline__ void stsm4(uint32_t address, uint32_t r0, uint32_t r1,
                                             uint32_t r2, uint32_t r3)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};"
                 :
                 : "r"(address), "r"(r0), "r"(r1), "r"(r2), "r"(r3)
                 : "memory");
}
static __device__ __forceinline__ void stsm4_t(uint32_t address, uint32_t r0, uint32_t r1,
                                               uint32_t r2, uint32_t r3)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};"
                 :
                 : "r"(address), "r"(r0), "r"(r1), "r"(r2), "r"(r3)
                 : "memory");
}
static __device__ __forceinline__ void stsm2_t(uint32_t address, uint32_t r0, uint32_t r1)
{
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};"
                 :
                 : "r"(address), "r"(r0), "r"(r1)
                 : "memory");
}
/* Returns the transposed fragment. */
static __device__ __forceinline__ uint32_t movm(uint32_t x)
{
    uint32_t y;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
    return y;
}

/* Returns x; what is computed from it is computed again at each call. */
static __device__ __forceinline__ uint32_t fresh(uint32_t x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* Returns 2^x, 0 where that is no normal number, and exactly 1 for 0. */
static __device__ __forceinline__ float power_of_2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ __forceinline__ uint32_t shared_base(void)
{
    extern __shared__ __align__(1024) unsigned char f2l_shared[];
    return static_cast<uint32_t>(__cvta_generic_to_shared(f2l_shared));
}
static __device__ __forceinline__ float lds32(uint32_t address)
{
    float x;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(address) : "memory");
    return x;
}
static __device__ __forceinline__ float2 lds64(uint32_t address)
{
    float2 x;
    asm volatile("ld.shared.v2.f32 {%0,%1}, [%2];"
                 : "=f"(x.x), "=f"(x.y)
                 : "r"(address)
                 : "memory");
    return x;
}
static __device__ __forceinline__ float4 lds128(uint32_t address)
{
    float4 x;
    asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
                 : "r"(address)
                 : "memory");
    return x;
}
static __device__ __forceinline__ uint4 lds128u(uint32_t address)
{
    uint4 x;
    asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "r"(address)
                 : "memory");
    return x;
}
static __device__ __forceinline__ void sts32(uint32_t address, float x)
{
    asm volatile("st.shared.f32 [%0], %1;" : : "r"(address), "f"(x) : "memory");
}
static __device__ __forceinline__ void sts64(uint32_t address, float x, float y)
{
    asm volatile("st.shared.v2.f32 [%0], {%1,%2};" : : "r"(address), "f"(x), "f"(y) : "memory");
}
static __device__ __forceinline__ void sts128u(uint32_t address, uint32_t x, uint32_t y, uint32_t z,
                                               uint32_t w)
{
    asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};"
                 :
                 : "r"(address), "r"(x), "r"(y), "r"(z), "r"(w)
                 : "memory");
}

/* Copies 16 or 4 bytes from global to shared memory in the background; zeros where !real (nothing
 * is read then). */
static __device__ __forceinline__ void copy16(uint32_t to, const void *from, bool real)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(to), "l"(__cvta_generic_to_global(from)), "r"(real ? 16 : 0)
                 : "memory");
}
static __device__ __forceinline__ void copy4(uint32_t to, const void *from, bool real)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                 :
                 : "r"(to), "l"(__cvta_generic_to_global(from)), "r"(real ? 4 : 0)
                 : "memory");
}
/* Stores 16 bytes to global memory, in one predicated instruction. */
static __device__ __forceinline__ void store16(void *to, uint4 x, bool real)
{
    asm volatile("{.reg .pred p; setp.ne.u32 p, %5, 0; @p st.global.v4.u32 [%0], {%1,%2,%3,%4};}"
                 :
                 : "l"(__cvta_generic_to_global(to)), "r"(x.x), "r"(x.y), "r"(x.z), "r"(x.w),
                   "r"((uint32_t)real)
                 : "memory");
}
static __device__ __forceinline__ void copies_done(void)
{
    asm volatile("cp.async.wait_all;" : : : "memory");
}

/* Numbers of 16 bits, of either type. */
static __device__ __forceinline__ float from_bf16(uint16_t x)
{
    return __uint_as_float(static_cast<uint32_t>(x) << 16);
}
static __device__ __forceinline__ uint16_t to_bf16(float x)
{
    uint16_t y;
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ float from_f16(uint16_t x)
{
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
    return y;
}
static __device__ __forceinline__ uint16_t to_f16(float x)
{
    uint16_t y;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
    return y;
}

#ifdef F2L_DELTA_F16
static __device__ __forceinline__ uint32_t pack(float low, float high)
{
    uint32_t x;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
    return x;
}
static __device__ __forceinline__ float low_of(uint32_t x)
{
    return from_f16(static_cast<uint16_t>(x));
}
static __device__ __forceinline__ float high_of(uint32_t x)
{
    return from_f16(static_cast<uint16_t>(x >> 16));
}
#else
static __device__ __forceinline__ uint32_t pack(float low, float high)
{
    uint32_t x;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(x) : "f"(high), "f"(low));
    return x;
}
static __device__ __forceinline__ float low_of(uint32_t x)
{
    return __uint_as_float(x << 16);
}
static __device__ __forceinline__ float high_of(uint32_t x)
{
    return __uint_as_float(x & 0xffff0000u);
}

#endif

#endif
