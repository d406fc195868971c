/* The one hash of the library, for tables in memory: its values depend on the byte order and are
 * written to no file, and no result depends on them. */
#ifndef F2L_HASH_H
#define F2L_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The golden ratio: multiples of it lie far apart. */
#define F2L_HASH_STRIDE UINT64_C(0x9e3779b97f4a7c15)
#define F2L_HASH UINT64_C(0x6a09e667f3bcc909) /* what a hash begins with: the digits of sqrt(2) */

/* The hash followed by one more word. For a given word this permutes all hashes, and for a given
 * hash all words: so what differs in one word only never collides. */
static inline uint64_t f2l_hash(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

/* The hash followed by `size` bytes, and not by their number. */
static inline uint64_t f2l_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t word;
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = f2l_hash(hash, word);
    }
    if (size == 0) return hash;
    word = 0;
    for (size_t i = 0; i < size; i++) word = word << 8 | at[i];
    return f2l_hash(hash, word);
}

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014): each bit of x changes about half of the
 * bits. For keys that are added up and stand for a set, whose values do order results. */
static inline uint64_t f2l_hash_spread(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
