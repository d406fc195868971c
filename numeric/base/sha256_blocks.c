#include "numeric/base/sha256_blocks.h"
#include <string.h>
#if defined __x86_64__ && defined __GNUC__
#include <cpuid.h>
#include <immintrin.h>
#include <stdatomic.h>
#endif

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load_word(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void compress(uint32_t h[8], const unsigned char *block)
{
    uint32_t w[64], v[8];
    for (int t = 0; t < 16; t++) w[t] = load_word(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    memcpy(v, h, sizeof v); /* a .. h of the standard */
    for (int t = 0; t < 64; t++) {
        uint32_t s1 = rotate_right(v[4], 6) ^ rotate_right(v[4], 11) ^ rotate_right(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + round_constant[t] + w[t];
        uint32_t s0 = rotate_right(v[0], 2) ^ rotate_right(v[0], 13) ^ rotate_right(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
        v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

void f2l_sha256_blocks_plain(uint32_t h[8], const unsigned char *bytes, size_t blocks)
{
    for (size_t i = 0; i < blocks; i++) compress(h, bytes + 64 * i);
}

#if defined __x86_64__ && defined __GNUC__

/* Returns whether the processor has the instructions. It is asked once: in a virtual machine the
 * question takes as long as a thousand blocks. */
static int has_instructions(void)
{
    static _Atomic int known; /* 0: not asked, 1: no, 2: yes */
    unsigned a, b, c, d;
    int found = atomic_load_explicit(&known, memory_order_relaxed);
    if (found == 0) {
        const int sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);
        const int sse = __get_cpuid(1, &a, &b, &c, &d) && (c >> 9 & 1) && (c >> 19 & 1);
        found = sha && sse ? 2 : 1;
        atomic_store_explicit(&known, found, memory_order_relaxed);
    }
    return found == 2;
}

/* The four rounds from 4 `group`, with the words of the message from there in w[group % 4]. */
#define FOUR_ROUNDS(group) \
    do { \
        __m128i *const now = &w[(group) % 4], *const last = &w[((group) + 3) % 4]; \
        if ((group) >= 4) { \
            const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(*now, w[((group) + 1) % 4]), \
                                              _mm_alignr_epi8(*last, w[((group) + 2) % 4], 4)); \
            *now = _mm_sha256msg2_epu32(sum, *last); \
        } \
        const __m128i two = \
            _mm_add_epi32(*now, _mm_loadu_si128((const __m128i *)round_constant + (group))); \
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, two); \
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(two, 0x0e)); \
    } while (0)

/* The instructions hold the state a .. h in the order f e b a and h g d c. */
__attribute__((target("sha,sse4.1,ssse3"))) static void
take_by_instructions(uint32_t h[8], const unsigned char *bytes, size_t blocks)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)h), 0xb1);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)h + 1), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0), w[4];
    for (; blocks > 0; blocks--, bytes += 64) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)bytes + i), swap);
        for (int i = 0; i < 16; i += 4) {
            FOUR_ROUNDS(i);
            FOUR_ROUNDS(i + 1);
            FOUR_ROUNDS(i + 2);
            FOUR_ROUNDS(i + 3);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)h + 1, _mm_alignr_epi8(dchg, feba, 8));
}

void f2l_sha256_blocks(uint32_t h[8], const unsigned char *bytes, size_t blocks)
{
    if (has_instructions())
        take_by_instructions(h, bytes, blocks);
    else
        f2l_sha256_blocks_plain(h, bytes, blocks);
}

#else

void f2l_sha256_blocks(uint32_t h[8], const unsigned char *bytes, size_t blocks)
{
    f2l_sha256_blocks_plain(h, bytes, blocks);
}

#endif
