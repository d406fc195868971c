#include "tests/support/train/data_cases.h"

void numbers(uint64_t xy[2], uint32_t seed, uint32_t stream, uint64_t step, uint32_t sequence,
             uint32_t position)
{
    const uint32_t key[2] = {seed, stream},
                   counter[4] = {position, sequence, (uint32_t)(step % 4294967296u),
                                 (uint32_t)(step / 4294967296u)};
    uint32_t b[4];
    f2l_philox(b, counter, key);
    xy[0] = b[0] + 4294967296u * (uint64_t)b[1];
    xy[1] = b[2] + 4294967296u * (uint64_t)b[3];
}
