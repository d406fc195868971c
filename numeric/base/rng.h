/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): a counter-based generator, so that every
 * stream is a pure function of (seed, stream, counter) and equal on every backend. */
#ifndef F2L_RNG_H
#define F2L_RNG_H

#include <stddef.h>
#include <stdint.h>

/* Sets out to Philox4x32-10(counter, key); matches the published known-answer vectors. */
void f2l_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/* A sequential view of one stream. */
typedef struct f2l_rng {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    unsigned used; /* words of `block` already handed out */
} f2l_rng;

/* Starts the stream: key = seed; counter = (0, 0, stream low, stream high). */
void f2l_rng_init(f2l_rng *r, uint64_t seed, uint64_t stream);

/* Return the next 32 or 64 bits of the stream. */
uint32_t f2l_rng_u32(f2l_rng *r);
uint64_t f2l_rng_u64(f2l_rng *r);
/* Returns a uniform number of 0 .. n-1 without bias (rejection); n >= 1. */
uint64_t f2l_rng_below(f2l_rng *r, uint64_t n);

#endif
