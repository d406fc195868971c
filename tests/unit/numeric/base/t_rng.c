#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <string.h>

/* The known-answer vectors that the authors of Philox published with their library. */
Test(rng, philox_matches_the_published_vectors)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        uint32_t out[4];
        f2l_philox(out, known[i].counter, known[i].key);
        for (int w = 0; w < 4; w++)
            cr_assert_eq(out[w], known[i].out[w], "vector %zu word %d", i, w);
    }
}

Test(rng, a_stream_is_the_blocks_in_counter_order)
{
    const uint64_t seed = UINT64_C(0x0123456789abcdef), stream = UINT64_C(0xfedcba9876543210);
    f2l_rng words, pairs;
    f2l_rng_init(&words, seed, stream);
    f2l_rng_init(&pairs, seed, stream);
    for (uint32_t block = 0; block < 100; block++) {
        const uint32_t counter[4] = {block, 0, (uint32_t)stream, (uint32_t)(stream >> 32)};
        const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
        uint32_t out[4];
        f2l_philox(out, counter, key);
        for (int w = 0; w < 4; w++) cr_assert_eq(f2l_rng_u32(&words), out[w]);
        cr_assert_eq(f2l_rng_u64(&pairs), (uint64_t)out[1] << 32 | out[0]);
        cr_assert_eq(f2l_rng_u64(&pairs), (uint64_t)out[3] << 32 | out[2]);
    }
}

Test(rng, the_counter_carries)
{
    f2l_rng r;
    f2l_rng_init(&r, 5, 6);
    r.counter[0] = 0xffffffff;
    for (int i = 0; i < 4; i++) f2l_rng_u32(&r);
    const uint32_t counter[4] = {0, 1, 6, 0}, key[2] = {5, 0};
    uint32_t out[4];
    f2l_philox(out, counter, key);
    cr_assert_eq(f2l_rng_u32(&r), out[0]);
}

Test(rng, seeds_and_streams_differ)
{
    static const uint64_t pair[][2] = {
        {0, 0}, {1, 0}, {0, 1}, {UINT64_C(1) << 32, 0}, {0, UINT64_C(1) << 32}};
    uint64_t first[5];
    for (int i = 0; i < 5; i++) {
        f2l_rng r;
        f2l_rng_init(&r, pair[i][0], pair[i][1]);
        first[i] = f2l_rng_u64(&r);
        for (int j = 0; j < i; j++) cr_assert_neq(first[i], first[j]);
    }
}

Test(rng, below_stays_below_and_hits_everything)
{
    f2l_rng r;
    f2l_rng_init(&r, 7, 0); /* the seed */
    for (int i = 0; i < 100; i++) cr_assert_eq(f2l_rng_below(&r, 1), 0);
    size_t hits[10] = {0};
    for (int i = 0; i < 100000; i++) hits[f2l_rng_below(&r, 10)]++;
    double chi2 = 0;
    for (int i = 0; i < 10; i++) chi2 += ((double)hits[i] - 1e4) * ((double)hits[i] - 1e4) / 1e4;
    cr_assert_lt(chi2, 27.9); /* 9 degrees of freedom, 0.001; the seed is fixed */
}

/* For n = 3 * 2^62, plain reduction mod n would land below 2^62 twice as often as it should. */
Test(rng, below_has_no_bias_for_large_n)
{
    f2l_rng r;
    f2l_rng_init(&r, 8, 0); /* the seed */
    const uint64_t third = UINT64_C(1) << 62;
    size_t low = 0;
    for (int i = 0; i < 30000; i++) {
        uint64_t x = f2l_rng_below(&r, 3 * third);
        cr_assert_lt(x, 3 * third);
        low += x < third;
    }
    cr_assert_gt(low, 9600);
    cr_assert_lt(low, 10400);
}
