#include "models/network/schedule/halves.h"
#include "numeric/base/order.h"
#include <stdlib.h>

static uint32_t reverse_index_bits(size_t index, size_t n)
{
    uint32_t out = 0;
    for (size_t h = 1; h < n; h *= 2) out = out << 1 | ((index & h) != 0);
    return out;
}

/* Sets sums[] for the terms lo .. hi - 1, whose reversed indices agree in the bits above `bit`, a
 * power of two, or 0. */
static void plan_halves(unsigned char *sums, const uint64_t *term, size_t lo, size_t hi,
                        uint32_t bit)
{
    if (hi - lo < 2) return;
    size_t middle = lo;
    while (middle < hi && ((uint32_t)(term[middle] >> 32) & bit) == 0) middle++;
    plan_halves(sums, term, lo, middle, bit / 2);
    plan_halves(sums, term, middle, hi, bit / 2);
    if (lo < middle && middle < hi) sums[hi - 1]++;
}

void f2l_halves_order(uint32_t *order, unsigned char *sums, const uint32_t *index, size_t count,
                      size_t n, uint64_t *scratch)
{
    uint32_t bit = 1;
    while (bit < n) bit *= 2;
    for (size_t i = 0; i < count; i++) {
        scratch[i] = (uint64_t)reverse_index_bits(index[i], n) << 32 | i;
        sums[i] = 0;
    }
    if (count > 1) qsort(scratch, count, sizeof *scratch, f2l_order_u64);
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)scratch[i];
    plan_halves(sums, scratch, 0, count, bit / 2);
}
