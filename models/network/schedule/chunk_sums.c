#include "models/network/schedule/impl.h"

/* The three functions of a set, with `FUSE` for a b + c rounded once. Compilers vectorise loops of
 * a fixed number of rounds: hence eight at a time. */
/* NOLINTBEGIN(bugprone-macro-parentheses): no attribute is put in parentheses */
#define SUMS(PREFIX, TARGET, FUSE) \
    TARGET static void PREFIX##_add(float *restrict out, float a, const float *restrict b, \
                                    size_t count) \
    { \
        size_t i = 0; \
        for (; i + 8 <= count; i += 8) \
            for (size_t c = i; c < i + 8; c++) out[c] = FUSE(a, b[c], out[c]); \
        for (; i < count; i++) out[i] = FUSE(a, b[i], out[i]); \
    } \
    TARGET static void PREFIX##_spread(float *out, float a, float b, size_t count) \
    { \
        size_t i = 0; \
        for (; i + 8 <= count; i += 8) \
            for (size_t c = i; c < i + 8; c++) out[c] = FUSE(a, b, out[c]); \
        for (; i < count; i++) out[i] = FUSE(a, b, out[i]); \
    } \
    TARGET static void PREFIX##_multiply(float *restrict out, const float *left, \
                                         const float *right) \
    { \
        for (size_t i = 0; i < F2L_CHUNK_BLOCK; i++) { \
            float sum[F2L_CHUNK_BLOCK]; \
            memcpy(sum, out + i * F2L_CHUNK, sizeof sum); \
            for (size_t l = 0; l < F2L_CHUNK_BLOCK; l++) { \
                const float a = left[i * F2L_CHUNK + l], *b = right + l * F2L_CHUNK; \
                if (a == 0) continue; \
                for (size_t c = 0; c < F2L_CHUNK_BLOCK; c++) sum[c] = FUSE(a, b[c], sum[c]); \
            } \
            memcpy(out + i * F2L_CHUNK, sum, sizeof sum); \
        } \
    } \
    static const f2l_chunk_sums PREFIX##_sums = {PREFIX##_add, PREFIX##_spread, PREFIX##_multiply};
/* NOLINTEND(bugprone-macro-parentheses) */

SUMS(portable, , f2l_chunk_fma)

/* fmaf is an instruction in this set. */
#if defined(__x86_64__) && defined(__GNUC__)
SUMS(vector, __attribute__((target("avx2,fma"))), __builtin_fmaf)
#endif

const f2l_chunk_sums *f2l_chunk_sums_of(bool fast)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (fast && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &vector_sums;
#endif
    (void)fast;
    return &portable_sums;
}
