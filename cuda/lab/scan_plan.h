/* The division of words into chunks by the kernels of cuda/lab/cuda_scan.h and their replay.
 *
 * A word of one chunk is a plain recurrence h <- fma(a, h, b). With more chunks every chunk but the
 * last is first run from 0, which gives its product P of all a and its last h, L; the chunks' first
 * values follow by h <- fma(P, h, L); then every chunk is run from its first value. Backward is the
 * same in reverse with g <- a (g + dh). */
#ifndef F2L_SCAN_PLAN_H
#define F2L_SCAN_PLAN_H

#include "models/learn/op/op_scan.h"

/* Words of more than F2L_SCAN_CHUNK tokens are halved repeatedly while channels (of all sequences)
 * times chunks are fewer than F2L_SCAN_CHANNELS, about the number that keeps the memory of a device
 * busy. */
enum { F2L_SCAN_CHANNELS = 1 << 17, F2L_SCAN_CHUNK = 64, F2L_SCAN_GROUP = 32 };

/* Returns the tokens of a chunk, at least 1, which depend on the shape alone. */
static inline size_t f2l_scan_chunk(const f2l_scan_shape *s)
{
    size_t chunk = s->tokens ? s->tokens : 1, channels = s->batch * s->width;
    while (channels && channels < F2L_SCAN_CHANNELS && chunk > F2L_SCAN_CHUNK) {
        chunk = (chunk + 1) / 2;
        channels *= 2;
    }
    return chunk;
}

static inline size_t f2l_scan_chunks(const f2l_scan_shape *s)
{
    const size_t chunk = f2l_scan_chunk(s);
    return s->tokens ? (s->tokens - 1) / chunk + 1 : 1;
}

#endif
