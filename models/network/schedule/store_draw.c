/* The numbers that a store may draw, by the random bits that it has (theory/pages/engines.md, EN.1,
 * EN.2). */
#include "models/network/schedule/store.h"
#include <math.h>

double f2l_store_bound(const f2l_store *store, bool negative)
{
    const bool full = store->integer && store->how->clamp == F2L_CLAMP_FULL && negative;
    return full ? store->format.largest + 1 : store->format.largest;
}

static double clamp_integer(const f2l_store *store, double x)
{
    const double low = -f2l_store_bound(store, true), high = f2l_store_bound(store, false);
    return x < low ? low : x > high ? high : x;
}

/* Returns floor(g(x + u)). */
static double floor_with(double x, double u)
{
    return floor((double)(float)(x + u));
}

/* Returns the outcomes; where they are one number, no bits say anything. */
static f2l_drawn drawn_from(double low, double high, uint32_t least, unsigned bits)
{
    return (f2l_drawn){low, high, low == high ? UINT32_C(1) << bits : least, bits};
}

/* Outcomes of draw=floor: x and r 2^-bits are multiples of 2^-149 below 2^24 or so, and their sum
 * in double is rounded again only where it has more than 53 bits, which is where r matters no more:
 * then x is so small that g(x + r 2^-bits) is the second number, or so large that it is x. */
static f2l_drawn draw_floor(const f2l_store *store, double x)
{
    const unsigned bits = store->how->draw_bits;
    const double low = floor(x), unit = ldexp(1, -(int)bits);
    uint32_t least = UINT32_C(1) << bits, step = least;
    /* least: the first r that leads beyond low; 2^bits: none, as of every 0 of a state */
    if (!(floor_with(x, (double)(least - 1) * unit) > low)) step = 0;
    for (; step > 0; step /= 2)
        if (least >= step && floor_with(x, (double)(least - step) * unit) > low) least -= step;
    return drawn_from(clamp_integer(store, low), clamp_integer(store, low + 1), least, bits);
}

/* Returns x rounded into the format toward zero or away from it; a number that an integer's bound
 * cuts off becomes the bound. */
static double round_side(const f2l_store *store, double x, bool away)
{
    f2l_format format = store->format;
    const double bound = f2l_store_bound(store, x < 0);
    if (store->integer) {
        const double whole = away ? ceil(fabs(x)) : floor(fabs(x));
        const double size = whole < bound ? whole : bound;
        return size == 0 ? 0 : copysign(size, x);
    }
    format.choices = NULL;
    format.rounding = !away ? F2L_ROUND_TOWARD_ZERO : x < 0 ? F2L_ROUND_DOWN : F2L_ROUND_UP;
    return f2l_format_round(&format, x);
}

/* Returns the distance of neighbours at `low`, where `high` may be an overflow. */
static double gap_of(const f2l_store *store, double low, double high)
{
    return isfinite(high) ? fabs(high - low)
                          : ldexp(1, store->format.emax - store->format.precision + 1);
}

/* Returns the last place of x in fp32. */
static double last_place_of(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
}

f2l_drawn f2l_draw_number(const f2l_store *store, double x)
{
    const unsigned bits = store->how->draw_bits;
    if (!isfinite(x) || store->how->draw == F2L_DRAW_ANY)
        return drawn_from(round_side(store, x, false), round_side(store, x, true), 1, 1);
    if (store->how->draw == F2L_DRAW_FLOOR) return draw_floor(store, x);
    const double low = round_side(store, x, false), high = round_side(store, x, true);
    const double all = ldexp(1, (int)bits), gap = gap_of(store, low, high);
    const double beyond = fabs(x) - fabs(low);
    if (low == high) return drawn_from(low, high, 0, bits);
    if (beyond >= gap) /* an overflow, whatever is drawn */
        return (f2l_drawn){high, high, UINT32_C(1) << bits, bits};
    /* All quotients by powers of two are exact. */
    double least = all - floor(beyond / gap * all);
    if (store->how->draw == F2L_DRAW_BOTTOM) least = (gap - beyond) / last_place_of(x);
    return drawn_from(low, high, least >= all ? UINT32_C(1) << bits : (uint32_t)ceil(least), bits);
}

static uint32_t reverse_bits(uint32_t r, unsigned bits)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < bits; i++) out = out << 1 | (r >> i & 1);
    return out;
}

/* Returns the least reversed number among from .. 2^bits - 1: of from itself, or of a number that
 * first exceeds it at one bit and then has zeros. */
static uint32_t least_reversed(uint32_t from, unsigned bits)
{
    uint32_t least = reverse_bits(from, bits);
    for (unsigned i = 0; i < bits; i++) {
        if (from >> i & 1) continue;
        const uint32_t above = (from >> i | 1) << i, r = reverse_bits(above, bits);
        if (r < least) least = r;
    }
    return least;
}

bool f2l_pair_may_be_low(const f2l_drawn *first, bool first_high, const f2l_drawn *second)
{
    if (!first_high) return second->least > 0; /* r = 0 */
    return least_reversed(first->least, first->bits) < second->least;
}

bool f2l_pair_may_be_high(const f2l_drawn *first, bool first_high, const f2l_drawn *second)
{
    const uint32_t all = (UINT32_C(1) << first->bits) - 1;
    if (first_high) return second->least <= all; /* r = all ones */
    /* The largest reversed number among 0 .. least - 1, by complements. */
    return all - least_reversed(all - (first->least - 1), first->bits) >= second->least;
}
