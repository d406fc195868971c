#include "models/network/schedule/store.h"
#include "numeric/format/choices.h"
#include <float.h>
#include <math.h>

const char f2l_store_ue8m0[] = "ue8m0";

/* The numbers below the only binade of an integer are the multiples of its last bit, 1. */
static const f2l_format narrow[] = {
    {"int4", 3, 2, 2, 7, true, F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN, NULL},
    {"int8", 7, 6, 6, 127, true, F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN, NULL},
    {"int16", 15, 14, 14, 32767, true, F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN, NULL},
    {"e2m1", 2, 0, 2, 6, true, F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN, NULL}};
enum { NARROW = sizeof narrow / sizeof narrow[0], INTEGERS = NARROW - 1 };

const f2l_format *f2l_store_format(const char *name)
{
    for (size_t i = 0; i < NARROW; i++)
        if (strcmp(narrow[i].name, name) == 0) return &narrow[i];
    return strcmp(name, "fp64") == 0 ? NULL : f2l_format_find(name);
}

bool f2l_store_is_integer(const char *name)
{
    for (size_t i = 0; i < INTEGERS; i++)
        if (strcmp(narrow[i].name, name) == 0) return true;
    return false;
}

static bool scales_with_powers(const f2l_schedule_store *how)
{
    return how->scale_format && strcmp(how->scale_format, f2l_store_ue8m0) == 0;
}

void f2l_store_init(f2l_store *out, const f2l_schedule *schedule, const f2l_format *format)
{
    out->how = &schedule->store;
    out->format = *f2l_schedule_state_format(schedule, format);
    out->integer = out->how->format && f2l_store_is_integer(out->how->format);
    out->residual =
        *f2l_store_format(out->how->residual_format ? out->how->residual_format : "fp32");
    const bool own = out->how->scale_format && !scales_with_powers(out->how);
    out->scale = *f2l_store_format(own ? out->how->scale_format : "fp32");
    if (out->how->scale != F2L_SCALE_NONE && out->how->clamp != F2L_CLAMP_NONE)
        out->format.overflow = F2L_OVERFLOW_SATURATE;
    if (!out->how->stochastic) return;
    out->format.rounding = F2L_ROUND_STOCHASTIC;
    out->format.choices = format->choices;
}

size_t f2l_store_memory(const f2l_schedule_store *how, size_t size)
{
    return how->residual || how->ring ? size : 0;
}

/* Numbers of a state that share a scale: number k is in column k mod width of row k / width, and
 * rows are `stride` apart. */
typedef struct block {
    double *number, *residual;
    size_t count, width, stride;
} block;

static size_t place_in_block(const block *b, size_t k)
{
    return k / b->width * b->stride + k % b->width;
}

/* What numbers become in one store: what the store does, or in each case the nearest number, or the
 * one or the other of those that it may draw. */
typedef enum store_outcome { STORE_OWN, STORE_NEAREST, STORE_LOW, STORE_HIGH } store_outcome;

/* One store of a state. */
typedef struct storing {
    const f2l_store *store;
    store_outcome outcome;
    f2l_drawn first; /* the number with which the next one shares its bits, if `shares` */
    bool first_high, shares;
    float second; /* the factor of all scales, g(Q G / A) */
} storing;

/* --- scales --- */

/* The factor of a block before its numbers are rounded, or their divisor, and the factor after. */
typedef struct scale {
    bool divides;
    float encode, decode;
} scale;

static const scale lost_scale = {false, NAN, NAN}, zero_scale = {false, INFINITY, 0};

/* Returns the least power of two that is at least x, as ue8m0 has it. */
static float power_above(float x)
{
    int exponent;
    const float fraction = frexpf(x, &exponent);
    if (fraction == 0.5F) exponent--;
    return exponent > 127 ? NAN : ldexpf(1, exponent < -127 ? -127 : exponent);
}

/* Returns the scale for 2^k. */
static scale scale_of_power(int k)
{
    if (k > 126) k = 126;
    if (k < -126) k = -126;
    return (scale){false, ldexpf(1, k), ldexpf(1, -k)};
}

static scale scale_to_power(float amax, float most)
{
    int exponent, of_most;
    const float fraction = frexpf(amax, &exponent), fraction_of_most = frexpf(most, &of_most);
    return scale_of_power(of_most - exponent - (fraction > fraction_of_most));
}

static scale scale_to_leading_bit(float amax, const f2l_format *format)
{
    int exponent;
    frexpf(amax, &exponent);
    return scale_of_power(format->emax - (exponent - 1));
}

/* Returns the factor of stored numbers, h(g(a / Q)) or the static one. */
static float decode_of_block(const f2l_store *store, float amax, float most)
{
    if (store->how->scale == F2L_SCALE_STATIC) return (float)store->how->static_scale;
    const float c = amax / most;
    return scales_with_powers(store->how) ? power_above(c)
                                          : (float)f2l_format_round(&store->scale, (double)c);
}

static scale scale_by_quotient(const f2l_store *store, float amax, float most)
{
    const f2l_quotient quotient = store->how->quotient;
    const bool inverse = quotient == F2L_QUOTIENT_INVERSE;
    if (inverse && store->how->scale == F2L_SCALE_AMAX && !store->how->scale_format) {
        const float encode = most / amax;
        return (scale){false, encode, 1 / encode};
    }
    const float c = decode_of_block(store, amax, most);
    if (!isfinite(c)) return lost_scale;
    if (c == 0) return zero_scale;
    if (quotient == F2L_QUOTIENT_DIVIDE) return (scale){true, 1, c};
    return (scale){false, inverse ? 1 / c : most / amax, c};
}

/* Returns the largest number of a block after the store. */
static float most_of(const f2l_store *store)
{
    return (float)(store->how->most > 0 ? store->how->most : store->format.largest);
}

/* Returns the scale of a block whose scale is stored as a multiple of 1 / second. */
static scale scale_by_second(const storing *s, float amax)
{
    const float wanted = amax * (s->second * (1 / most_of(s->store)));
    f2l_format format = s->store->scale;
    format.overflow = F2L_OVERFLOW_SATURATE;
    const float kept = (float)f2l_format_round_nearest(&format, (double)wanted);
    const float c = kept * (1 / s->second);
    if (c == 0) return zero_scale;
    return (scale){false, fminf(1 / c, FLT_MAX), c};
}

/* Returns the largest size of a block's numbers; NaN where one is not finite. */
static float largest_of_block(const block *b, const double *number)
{
    float amax = 0;
    for (size_t k = 0; k < b->count; k++) {
        const float size = fabsf((float)number[place_in_block(b, k)]);
        if (!isfinite(size)) return NAN;
        if (size > amax) amax = size;
    }
    return amax;
}

/* Returns the factors; encode is NaN where the block becomes NaN, and infinite where it becomes
 * zeros. */
static scale scale_of_block(const storing *s, const block *b)
{
    const f2l_store *store = s->store;
    const float amax = largest_of_block(b, b->number);
    const float most = most_of(store);
    if (isnan(amax)) return lost_scale;
    if (amax == 0 || store->how->scale == F2L_SCALE_NONE) return (scale){false, 1, 1};
    if (store->how->scale == F2L_SCALE_POW2) return scale_to_power(amax, most);
    if (store->how->scale == F2L_SCALE_MX) return scale_to_leading_bit(amax, &store->format);
    return store->how->second ? scale_by_second(s, amax) : scale_by_quotient(store, amax, most);
}

/* --- one number --- */

static double round_to_nearest(const f2l_store *store, double x)
{
    const double bound = f2l_store_bound(store, x < 0);
    if (bound > store->format.largest && x < -store->format.largest)
        return x <= -bound ? -bound : nearbyint(x);
    return f2l_format_round_nearest(&store->format, x);
}

/* Returns one of the numbers that x may become. */
static double draw_outcome(storing *s, double x)
{
    const f2l_drawn d = f2l_draw_number(s->store, x);
    bool low = d.least > 0, high = d.least < UINT32_C(1) << d.bits;
    if (s->shares) {
        low = f2l_pair_may_be_low(&s->first, s->first_high, &d);
        high = f2l_pair_may_be_high(&s->first, s->first_high, &d);
    }
    bool is_high = high;
    if (s->outcome != STORE_OWN)
        is_high = high && (s->outcome == STORE_HIGH || !low);
    else if (low && high && d.low != d.high)
        is_high = f2l_choices_take(s->store->format.choices);
    s->first = d;
    s->first_high = is_high;
    return is_high ? d.high : d.low;
}

static double round_stored(storing *s, double x)
{
    const f2l_store *store = s->store;
    const bool drawn = f2l_store_draws(store) && isfinite(x);
    if (drawn &&
        (s->outcome == STORE_OWN ? store->format.choices != NULL : s->outcome != STORE_NEAREST))
        return draw_outcome(s, x) + 0.0;
    if (s->outcome == STORE_NEAREST || store->format.rounding == F2L_ROUND_STOCHASTIC ||
        store->integer)
        return round_to_nearest(store, x) + 0.0;
    return f2l_format_round(&store->format, x);
}

/* Returns what x becomes, residuals aside. */
static double store_number(storing *s, double x, scale by)
{
    if (s->store->how->scale == F2L_SCALE_NONE) return round_stored(s, x);
    if (isnan(by.encode)) return NAN;
    if (isinf(by.encode)) return 0;
    const float scaled = by.divides ? (float)x / by.decode : (float)x * by.encode;
    if (isinf(scaled)) return NAN;
    return (double)((float)round_stored(s, (double)scaled) * by.decode) + 0.0;
}

/* --- residuals --- */

/* Returns the sum in fp32. */
static double sum_of(double a, double b)
{
    return (double)((float)a + (float)b) + 0.0;
}

/* Replaces the errors of a block by what the residual's format keeps of them. */
static void store_errors(const f2l_store *store, const block *b, double *error)
{
    const f2l_scale how = store->how->residual_scale;
    const float amax = how ? largest_of_block(b, error) : 0;
    const float most = (float)store->residual.largest;
    scale by = {false, 1, 1};
    if (how && amax != 0)
        by = how == F2L_SCALE_POW2 ? scale_to_power(amax, most)
                                   : (scale){false, most / amax, 1 / (most / amax)};
    for (size_t k = 0; k < b->count; k++) {
        double *x = &error[place_in_block(b, k)];
        if (!how)
            *x = f2l_format_round(&store->residual, *x);
        else if (isnan(amax))
            *x = NAN;
        else if (isinf(by.encode))
            *x = 0;
        else
            *x = (double)((float)f2l_format_round(&store->residual,
                                                  (double)((float)*x * by.encode)) *
                          by.decode) +
                 0.0;
    }
}

/* Stores a block that keeps errors beside itself, to which the last ones were added. */
static void store_with_errors(storing *s, const block *b)
{
    const bool feedback = s->store->how->residual == F2L_RESIDUAL_FEEDBACK;
    const scale by = scale_of_block(s, b);
    for (size_t k = 0; k < b->count; k++) {
        const size_t at = place_in_block(b, k);
        const double x = b->number[at];
        b->number[at] = store_number(s, x, by);
        b->residual[at] = (double)((float)x - (float)b->number[at]);
    }
    store_errors(s->store, b, b->residual);
    for (size_t k = 0; !feedback && k < b->count; k++) {
        const size_t at = place_in_block(b, k);
        b->number[at] = sum_of(b->number[at], b->residual[at]);
        b->residual[at] = 0;
    }
}

static void store_block(storing *s, const block *b)
{
    if (s->store->how->residual && b->residual) {
        store_with_errors(s, b);
        return;
    }
    const scale by =
        s->store->how->scale == F2L_SCALE_NONE ? (scale){false, 1, 1} : scale_of_block(s, b);
    for (size_t k = 0; k < b->count; k++) {
        double *x = &b->number[place_in_block(b, k)];
        /* with pairs a block is in one column from an even row on, so that k is even as i is */
        s->shares = s->store->how->paired && k % 2 == 1;
        *x = store_number(s, *x, by);
    }
}

/* --- all blocks --- */

/* Returns g(Q G / A) for the largest number A of a state; G is the largest number of the scales. */
static float second_scale(const f2l_store *store, const double *state, size_t size)
{
    if (!store->how->second) return 1;
    const float amax = largest_of_block(&(block){NULL, NULL, size, size, size}, state);
    const float second = (float)store->scale.largest * most_of(store) / amax;
    return amax == 0 || second == 0 || isnan(amax) ? 1 : fminf(second, FLT_MAX);
}

static void store_blocks(storing *s, double *state, double *residual, size_t n, size_t d)
{
    const f2l_schedule_store *how = s->store->how;
    const bool whole = how->block == F2L_BLOCK_HEAD || how->block == F2L_BLOCK_TENSOR ||
                       (how->scale == F2L_SCALE_NONE && !how->paired && !how->residual_scale);
    if (whole) {
        store_block(s, &(block){state, residual, n * d, n * d, n * d});
        return;
    }
    const size_t width = how->block == F2L_BLOCK_TILE ? how->block_size : 1;
    const size_t rows = how->block == F2L_BLOCK_GROUP ? how->block_size : n;
    for (size_t j = 0; j < d; j += width)
        for (size_t i = 0; i < n; i += rows) {
            const size_t columns = d - j < width ? d - j : width,
                         count = n - i < rows ? n - i : rows;
            const size_t at = i * d + j;
            store_block(s, &(block){state + at, residual ? residual + at : NULL, count * columns,
                                    columns, d});
        }
}

void f2l_store_state(const f2l_store *store, double *state, double *residual, size_t n, size_t d)
{
    const bool feedback = residual && store->how->residual == F2L_RESIDUAL_FEEDBACK;
    for (size_t i = 0; feedback && i < n * d; i++) state[i] = sum_of(state[i], residual[i]);
    storing s = {.store = store, .second = second_scale(store, state, n * d)};
    if (n * d > 0) store_blocks(&s, state, residual, n, d);
}

/* Stores a state, without residuals, with one outcome. */
static void store_with_outcome(const f2l_store *store, store_outcome of, double *state, size_t n,
                               size_t d)
{
    f2l_schedule_store plain = *store->how;
    plain.residual = F2L_RESIDUAL_NONE;
    plain.paired = false;
    f2l_store one = *store;
    one.how = &plain;
    one.format.choices = NULL;
    storing s = {.store = &one, .outcome = of, .second = second_scale(&one, state, n * d)};
    if (n * d > 0) store_blocks(&s, state, NULL, n, d);
}

bool f2l_store_keeps(const f2l_store *store, const double *state, double *scratch, size_t n,
                     size_t d)
{
    static const store_outcome outcomes[] = {STORE_NEAREST, STORE_OWN, STORE_LOW, STORE_HIGH};
    const size_t count = f2l_store_draws(store) ? 4 : 2;
    bool same = true;
    for (size_t r = 0; same && r < count; r++) {
        memcpy(scratch, state, n * d * sizeof *scratch);
        store_with_outcome(store, outcomes[r], scratch, n, d);
        for (size_t i = 0; same && i < n * d; i++) same = scratch[i] == state[i];
    }
    return same;
}

void f2l_store_start(const f2l_store *store, double *state, size_t n, size_t d)
{
    store_with_outcome(store, STORE_NEAREST, state, n, d);
}
