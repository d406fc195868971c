#include "numeric/base/rng.h"
#include <string.h>

void f2l_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0],
             k1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xd2511f53 * c0, p1 = (uint64_t)0xcd9e8d57 * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9e3779b9; /* the golden ratio, and sqrt(3) - 1 below: Weyl sequences of the round
                             keys */
        k1 += 0xbb67ae85;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void f2l_rng_init(f2l_rng *r, uint64_t seed, uint64_t stream)
{
    *r = (f2l_rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                   .counter = {0, 0, (uint32_t)stream, (uint32_t)(stream >> 32)},
                   .used = 4};
}

uint32_t f2l_rng_u32(f2l_rng *r)
{
    if (r->used == 4) {
        f2l_philox(r->block, r->counter, r->key);
        if (++r->counter[0] == 0) r->counter[1]++;
        r->used = 0;
    }
    return r->block[r->used++];
}

uint64_t f2l_rng_u64(f2l_rng *r)
{
    uint64_t low = f2l_rng_u32(r);
    return (uint64_t)f2l_rng_u32(r) << 32 | low;
}

uint64_t f2l_rng_below(f2l_rng *r, uint64_t n)
{
    if ((n & (n - 1)) == 0) return f2l_rng_u64(r) & (n - 1); /* none is rejected */
    /* The draws from 2^64 mod n on are a whole number of runs of n values. */
    uint64_t reject = (0 - n) % n, x;
    do x = f2l_rng_u64(r);
    while (x < reject);
    return x % n;
}
