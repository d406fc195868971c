/* The clock of a given number of layers with the shortest period (theory/pages/d1.md, D1.5). */
#include "numeric/base/mem.h"
#include "theory/construct/d1/impl.h"

#define SHORTEST_LIMIT 64 /* periods up to this are always tried */

/* The way to a period with the fewest points: the period of the layer below, and the points of the
 * heads. cost: all points; 0 where no clock has the period. */
typedef struct way {
    size_t cost, before, points[2];
} way;

/* way[layer][period], `layers` + 1 times limit + 1 */
typedef struct choosing {
    way *way;
    size_t limit, householders;
} choosing;

static way *way_to(const choosing *x, size_t layer, size_t period)
{
    return &x->way[layer * (x->limit + 1) + period];
}

/* Tries heads of `first` and `second` points (0: no second head) above the period. */
static void try_heads(choosing *x, size_t layer, size_t period, size_t first, size_t second)
{
    const size_t steps =
        second ? first / (size_t)f2l_keys_gcd((long)first, (long)second) * second : first;
    if (steps > x->limit / period) return;
    way *to = way_to(x, layer + 1, period * steps);
    const size_t cost = way_to(x, layer, period)->cost + first + second;
    if (to->cost == 0 || cost < to->cost) *to = (way){cost, period, {first, second}};
}

/* A head of r points fits above a period if r - 1 <= n_h times that period. */
static void extend_clock(choosing *x, size_t layer, size_t period)
{
    const size_t room = x->limit / period;
    const size_t most = room / x->householders < period ? room : x->householders * period + 1;
    for (size_t first = 2; first <= most && first <= room; first++) {
        try_heads(x, layer, period, first, 0);
        for (size_t second = first + 1; second <= most && second <= room; second++)
            try_heads(x, layer, period, first, second);
    }
}

static void trace(f2l_d1_clock *clock, const choosing *x, size_t layers, size_t period)
{
    *clock = (f2l_d1_clock){.layers = layers};
    for (size_t layer = layers; layer > 0; layer--) {
        const way *w = way_to(x, layer, period);
        clock->points[layer - 1][0] = w->points[0];
        clock->points[layer - 1][1] = w->points[1];
        period = w->before;
    }
}

f2l_status f2l_d1_choose_clock(f2l_d1_clock *clock, size_t layers, size_t householders,
                               size_t least, size_t longest, f2l_error *err)
{
    choosing x = {.limit = 4 * longest, .householders = householders};
    if (x.limit < SHORTEST_LIMIT) x.limit = SHORTEST_LIMIT;
    x.way = f2l_calloc(layers + 1, (x.limit + 1) * sizeof *x.way);
    if (!x.way) return f2l_fail_memory(err);
    way_to(&x, 0, 1)->cost = 1;
    for (size_t layer = 0; layer < layers; layer++)
        for (size_t period = 1; period <= x.limit; period++)
            if (way_to(&x, layer, period)->cost > 0) extend_clock(&x, layer, period);
    size_t period = least + least % 2;
    while (period <= x.limit && way_to(&x, layers, period)->cost == 0) period += 2;
    const bool found = period <= x.limit;
    if (found) trace(clock, &x, layers, period);
    f2l_free(x.way);
    return found ? F2L_OK : F2L_EDOMAIN;
}
