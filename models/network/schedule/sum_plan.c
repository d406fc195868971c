#include "models/network/schedule/sum_plan.h"
#include "numeric/base/order.h"
#include <stdlib.h>

static uint32_t reverse_index_bits(size_t index, size_t n)
{
    uint32_t out = 0;
    for (size_t h = 1; h < n; h *= 2) out = out << 1 | ((index & h) != 0);
    return out;
}

/* The terms of a sum, sorted: in the upper half the lane, as the tree of lanes has it, then four
 * bits of the chain, and then the place in `index`. */
typedef struct terms {
    uint64_t *term;
    unsigned char *sums;
} terms;

#define CHAIN_BITS 28

static uint32_t lane_of(uint64_t term)
{
    return (uint32_t)(term >> 32);
}

static bool same_chain(uint64_t a, uint64_t b)
{
    return a >> CHAIN_BITS == b >> CHAIN_BITS;
}

/* Plans the terms lo .. hi - 1 of one lane. */
static void plan_lane(const terms *t, size_t lo, size_t hi)
{
    size_t chains = 0;
    for (size_t i = lo; i < hi; i++) {
        const bool begins = i == lo || !same_chain(t->term[i - 1], t->term[i]);
        const bool ends = i + 1 == hi || !same_chain(t->term[i], t->term[i + 1]);
        chains += begins;
        if (!begins) t->sums[i] = (unsigned char)(1 | F2L_SUM_JOINS);
        if (ends && chains > 1) t->sums[i]++;
    }
}

/* Plans the terms lo .. hi - 1, whose lanes agree in the bits above `bit`, a power of two, or 0. */
static void plan_lanes(const terms *t, size_t lo, size_t hi, uint32_t bit)
{
    if (bit == 0 || hi - lo < 2) {
        plan_lane(t, lo, hi);
        return;
    }
    size_t middle = lo;
    while (middle < hi && (lane_of(t->term[middle]) & bit) == 0) middle++;
    plan_lanes(t, lo, middle, bit / 2);
    plan_lanes(t, middle, hi, bit / 2);
    if (lo < middle && middle < hi) t->sums[hi - 1]++;
}

/* Returns the number of lanes of a sum of n terms. */
static size_t count_lanes(const f2l_schedule_order *how, size_t n)
{
    if (how->sum == F2L_SUM_LANES) return how->lanes;
    return how->sum == F2L_SUM_BLOCKS ? (n + how->lanes - 1) / how->lanes
           : how->sum == F2L_SUM_LEFT ? 1
                                      : n;
}

static uint64_t term_of(const f2l_schedule_order *how, size_t index, size_t lanes)
{
    size_t lane = how->sum == F2L_SUM_LEFT ? 0 : index, place = index;
    if (how->sum == F2L_SUM_LANES) lane = index % how->lanes, place = index / how->lanes;
    if (how->sum == F2L_SUM_BLOCKS) lane = index / how->lanes, place = index % how->lanes;
    const size_t chain = how->chains > 1 ? place % how->chains : 0;
    const uint32_t of_tree =
        how->sum == F2L_SUM_BUTTERFLY ? (uint32_t)lane : reverse_index_bits(lane, lanes);
    return (uint64_t)of_tree << 32 | (uint64_t)chain << CHAIN_BITS;
}

void f2l_sum_plan(uint32_t *order, unsigned char *sums, const uint32_t *index, size_t count,
                  size_t n, const f2l_schedule_order *how, uint64_t *scratch)
{
    const terms t = {scratch, sums};
    const size_t lanes = count_lanes(how, n);
    uint32_t bit = 1;
    while (bit < lanes) bit *= 2;
    for (size_t i = 0; i < count; i++) {
        scratch[i] = term_of(how, index[i], lanes) | i;
        sums[i] = 0;
    }
    if (count > 1) qsort(scratch, count, sizeof *scratch, f2l_order_u64);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)(scratch[i] & ((UINT64_C(1) << CHAIN_BITS) - 1));
    plan_lanes(&t, 0, count, bit / 2);
}
