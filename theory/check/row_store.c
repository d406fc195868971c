/* The store of a state in a row of a serving engine (real.h; models/network/schedule/store.h). */
#include "theory/check/real.h"
#include <string.h>

/* Returns whether a > b, both not negative. */
static bool is_larger(real a, real b)
{
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    set_real(x, a);
    set_real(y, b);
    const bool larger = mpq_cmp(x, y) > 0;
    mpq_clears(x, y, NULL);
    return larger;
}

static real power(int k)
{
    return (real){1, k};
}

/* The scaling of a block's numbers before and after, or the divisor; or the block becomes zeros, or
 * is lost. */
typedef struct scaling {
    real encode, decode;
    bool divides, zeros, lost;
} scaling;

static scaling of_power(int k)
{
    k = k > 126 ? 126 : k < -126 ? -126 : k;
    return (scaling){.encode = power(k), .decode = power(-k)};
}

/* Returns the scaling by the largest power of two that takes amax to at most `most`. */
static scaling power_below(real amax, real most)
{
    const int k = leading_bit(most) - leading_bit(amax);
    return of_power(k - is_larger((real){amax.m, amax.e + k}, most));
}

/* Returns the scaling by most/amax, and by the inverse of that. */
static scaling by_inverse(real amax, real most)
{
    scaling c = {.encode = ratio_of(most, amax)};
    c.zeros = c.encode.e == NOT_FINITE;
    c.decode = c.zeros ? one : ratio_of(one, c.encode);
    return c;
}

/* Returns the factor of all scales of a state: g(Q G / A), G the largest number of the scales. */
static real second_of(const engine_row *r, const real *S, size_t count)
{
    real amax = {0, 0};
    for (size_t i = 0; i < count; i++) {
        const real size = S[i].m < 0 ? minus(S[i]) : S[i];
        if (S[i].e == NOT_FINITE) return one;
        if (is_larger(size, amax)) amax = size;
    }
    if (amax.m == 0) return one;
    const real t = ratio_of(times(&fp32, r->scale_format.largest, r->most), amax);
    return t.e == NOT_FINITE ? fp32.largest : t.m == 0 ? one : t;
}

/* Returns the scaling of a block by a scale that is kept as a multiple of 1 / second. */
static scaling scale_by_second(const engine_row *r, real amax, real second)
{
    scaling c = {.zeros = false};
    format kept = r->scale_format;
    kept.saturate = true;
    const real sixth = times(&fp32, second, ratio_of(one, r->most));
    const real number = times(&kept, times(&fp32, amax, sixth), one);
    c.decode = times(&fp32, number, ratio_of(one, second));
    c.zeros = c.decode.m == 0;
    if (!c.zeros) c.encode = ratio_of(one, c.decode);
    if (c.encode.e == NOT_FINITE) c.encode = fp32.largest;
    return c;
}

/* Returns the scaling for a block whose largest number is amax > 0. */
static scaling scale_of(const engine_row *r, real amax, real second)
{
    if (r->second) return scale_by_second(r, amax, second);
    scaling c = {.divides = r->quotient == BY_DIVISION};
    if (r->scale == POW2) return power_below(amax, r->most);
    if (r->scale == MX) return of_power(r->store.emax - leading_bit(amax));
    if (r->scale == AMAX && r->quotient == BY_INVERSE && !r->own_format && !r->powers)
        return by_inverse(amax, r->most);
    c.decode = r->scale == FIXED ? r->fixed : ratio_of(amax, r->most);
    if (r->powers && c.decode.e != NOT_FINITE) {
        const int k = c.decode.m == 0 ? -127 : leading_bit(c.decode) + (c.decode.m != 1);
        c.decode = k > 127 ? not_finite : power(k < -127 ? -127 : k);
    }
    if (r->own_format) c.decode = times(&r->scale_format, c.decode, one);
    c.lost = c.decode.e == NOT_FINITE;
    c.zeros = c.decode.m == 0;
    if (c.lost || c.zeros || c.divides) return c;
    c.encode = r->quotient == BY_BOTH ? ratio_of(r->most, amax) : ratio_of(one, c.decode);
    c.zeros = c.encode.e == NOT_FINITE;
    return c;
}

/* Returns x in the format of the store; what is not finite stays so, whatever the clamp. */
static real stored(const engine_row *r, const format *f, real x)
{
    if (!r->full || x.e == NOT_FINITE) return times(f, x, one);
    format larger = *f; /* one more binade, for -Q - 1 */
    larger.p++, larger.emax++, larger.emin++;
    larger.largest = (real){1, larger.emax};
    const real y = times(&larger, x, one);
    return y.m > 0 && is_larger(y, f->largest) ? f->largest : y;
}

/* Returns whether a store that draws has one outcome for x: a number of the format is fixed by
 * random bits below its last place, and what is cut off becomes one number; a floor of a sum in
 * fp32 may move it, but not beyond the largest number, which it is cut off at in every range
 * (theory/pages/engines.md, EN.1, EN.2). */
static bool is_drawn_alike(const engine_row *r, const format *f, real x)
{
    const bool before = lost;
    const real size = x.m < 0 ? minus(x) : x;
    bool alike = x.e != NOT_FINITE;
    const bool cut = f->saturate && (r->draw == DRAW_FLOOR ? x.m > 0 : !r->full);
    if (alike && cut && !is_larger(f->largest, size)) return true;
    alike = alike && is_in(f, x);
    if (alike && r->draw == DRAW_FLOOR) {
        const real u = {((int64_t)1 << r->bits) - 1, -(int)r->bits};
        mpq_t most, next;
        mpq_inits(most, next, NULL);
        set_real(most, plus(&fp32, x, u));
        set_real(next, x);
        mpq_sub(most, most, next);
        alike = mpq_cmp_ui(most, 1, 1) < 0;
        mpq_clears(most, next, NULL);
    }
    lost = before;
    return alike;
}

bool next_choices(choices *c)
{
    while (c->count > 0 && c->higher[c->count - 1]) c->count--;
    if (c->count > 0) c->higher[c->count - 1] = true;
    c->at = 0;
    return c->count > 0;
}

static bool takes_higher(choices *c)
{
    if (c->at == MOST_CHOICES) give_up("a step draws too many numbers");
    if (c->at == c->count) c->higher[c->count++] = false;
    return c->higher[c->at++];
}

/* Returns what x becomes, or, where a store with draw=any has two outcomes, the chosen one: its
 * neighbour nearer to zero, or the other one. */
static real stored_or_drawn(const engine_row *r, const format *f, real x)
{
    if (!r->draws || !r->drawn) return stored(r, f, x);
    format side = *f;
    side.round = TOWARD_ZERO;
    const real low = stored(r, &side, x);
    side.round = x.m < 0 ? DOWN : UP;
    const real high = stored(r, &side, x);
    return !same_real(low, high) && takes_higher(r->drawn) ? high : low;
}

/* Stores the numbers S[(k / width) stride + k mod width], k < count, which share a scale. Returns
 * whether all draws would have one outcome. */
static bool store_block(const engine_row *r, const format *f, real second, real *S, size_t count,
                        size_t width, size_t stride)
{
    real amax = {0, 0};
    bool finite = true, alike = true;
    spend(1 + count / 2);
    for (size_t k = 0; k < count; k++) {
        const real x = S[k / width * stride + k % width], size = x.m < 0 ? minus(x) : x;
        finite = finite && x.e != NOT_FINITE;
        if (finite && is_larger(size, amax)) amax = size;
    }
    if (finite && amax.m == 0) return true;
    const scaling c = finite ? scale_of(r, amax, second) : (scaling){.lost = true};
    for (size_t k = 0; k < count; k++) {
        real *x = &S[k / width * stride + k % width];
        if (c.lost || c.zeros) {
            *x = c.lost ? not_finite : (real){0, 0};
            continue;
        }
        const real y = c.divides ? ratio_of(*x, c.decode) : times(&fp32, *x, c.encode);
        alike = alike && is_drawn_alike(r, f, y);
        *x = times(&fp32, stored_or_drawn(r, f, y), c.decode);
    }
    return alike;
}

/* Replaces the errors of a block by what is kept of them. */
static void keep_errors(const engine_row *r, real *E, size_t count, size_t width, size_t stride)
{
    real amax = {0, 0};
    const real most = r->residual_format.largest;
    for (size_t k = 0; k < count; k++) {
        const real x = E[k / width * stride + k % width], size = x.m < 0 ? minus(x) : x;
        if (size.e != NOT_FINITE && is_larger(size, amax)) amax = size;
    }
    scaling c = {.encode = one, .decode = one};
    if (r->residual_scale == POW2 && amax.m != 0) c = power_below(amax, most);
    if (r->residual_scale == AMAX && amax.m != 0) c = by_inverse(amax, most);
    for (size_t k = 0; k < count; k++) {
        real *x = &E[k / width * stride + k % width];
        *x = c.zeros ? (real){0, 0}
                     : times(&fp32, times(&r->residual_format, times(&fp32, *x, c.encode), one),
                             c.decode);
    }
}

typedef struct blocks_of_row {
    size_t width, rows;
} blocks_of_row;

static blocks_of_row blocks_of(const engine_row *r, size_t n, size_t d)
{
    return (blocks_of_row){r->block == TILE   ? r->size
                           : r->block == HEAD ? d
                                              : 1,
                           r->block == GROUP ? r->size : n};
}

/* Makes of the numbers before a store what is kept of their differences from those after it, S. */
static void make_errors(const engine_row *r, const real *S, size_t n, size_t d, real *old)
{
    const blocks_of_row b = blocks_of(r, n, d);
    for (size_t i = 0; i < n * d; i++) old[i] = plus(&fp32, old[i], minus(S[i]));
    for (size_t j = 0; j < d; j += b.width)
        for (size_t i = 0; i < n; i += b.rows) {
            const size_t columns = d - j < b.width ? d - j : b.width;
            keep_errors(r, old + i * d + j, (n - i < b.rows ? n - i : b.rows) * columns, columns,
                        d);
        }
}

static void add_errors(real *S, size_t count, const real *error)
{
    for (size_t i = 0; i < count; i++) S[i] = plus(&fp32, S[i], error[i]);
}

static void store_numbers(const engine_row *r, real *S, size_t n, size_t d, bool start, real *old)
{
    format f = r->store;
    if (start) f.round = NEAREST;
    memcpy(old, S, n * d * sizeof *old);
    if (r->scale == NO_SCALE) {
        for (size_t i = 0; i < n * d; i++) {
            lost = lost || (r->draws && !start && !is_drawn_alike(r, &f, S[i]));
            S[i] = stored_or_drawn(r, &f, S[i]);
        }
        return;
    }
    const bool before = lost;
    bool same = true, alike = true;
    const real second = r->second ? second_of(r, S, n * d) : one;
    const blocks_of_row b = blocks_of(r, n, d);
    for (size_t j = 0; j < d; j += b.width)
        for (size_t i = 0; i < n; i += b.rows) {
            const size_t columns = d - j < b.width ? d - j : b.width;
            alike &= store_block(r, &f, second, S + i * d + j,
                                 (n - i < b.rows ? n - i : b.rows) * columns, columns, d);
        }
    for (size_t i = 0; i < n * d; i++) same = same && same_real(S[i], old[i]);
    lost = before || !same || (r->draws && !start && !alike);
}

/* Stores a state. Where nothing is lost the numbers stay. */
void store_row(const engine_row *r, real *S, size_t n, size_t d, bool start, real *old,
               real *errors)
{
    const bool feeds = r->residual == FEEDBACK && errors && !start;
    if (feeds) add_errors(S, n * d, errors);
    store_numbers(r, S, n, d, start, old);
    if ((r->residual == LOAD && !start) || feeds) make_errors(r, S, n, d, old);
    if (r->residual == LOAD && !start) add_errors(S, n * d, old);
    if (feeds) memcpy(errors, old, n * d * sizeof *errors);
}
