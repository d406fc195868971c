/* bf16 on the CPU: the high half of a float, rounded to nearest even. */
#ifndef TESTS_REPLAY_BF16_H
#define TESTS_REPLAY_BF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float f2l_replay_widen(uint16_t x)
{
    const uint32_t bits = (uint32_t)x << 16;
    float out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

/* Rounds to bf16; NaN becomes the device's NaN, 0x7fff. */
static inline uint16_t f2l_replay_round(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffffU) > 0x7f800000U) return 0x7fff;
    return (uint16_t)((bits + 0x7fffU + (bits >> 16 & 1)) >> 16);
}

/* Returns the i-th number of an array of bf16 or float. */
static inline float f2l_replay_get(const void *from, size_t i, bool bf16)
{
    return bf16 ? f2l_replay_widen(((const uint16_t *)from)[i]) : ((const float *)from)[i];
}
static inline void f2l_replay_put(void *to, size_t i, float x, bool bf16)
{
    if (bf16)
        ((uint16_t *)to)[i] = f2l_replay_round(x);
    else
        ((float *)to)[i] = x;
}

#endif
