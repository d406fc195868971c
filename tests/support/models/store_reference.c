/* The stores of models/network/schedule/store.h a second time: random bits are all tried. */
#include "tests/support/models/schedule_reference.h"

static double quotient(reference *r, double a, double b)
{
    mpq_t x, y;
    mpq_inits(x, y, (mpq_ptr)NULL);
    mpq_set_d(x, a);
    mpq_set_d(y, b);
    mpq_div(x, x, y);
    const double out = reference_round(r, &r->fp32, x);
    mpq_clears(x, y, (mpq_ptr)NULL);
    return out;
}

/* The numbers by which a block's numbers are multiplied, or divided, before and after. */
typedef struct factors {
    double encode, decode;
    bool divides, zero, lost;
} factors;

static factors by_power(double amax, double most)
{
    int k = 126;
    while (k > -126 && ldexp(amax, k) > most) k--;
    return (factors){.encode = ldexp(1, k), .decode = ldexp(1, -k)};
}

static factors by_leading_bit(double amax, const f2l_format *format)
{
    int k = 126;
    while (k > -126 && ldexp(amax, k) >= ldexp(2, format->emax)) k--;
    return (factors){.encode = ldexp(1, k), .decode = ldexp(1, -k)};
}

/* Returns the factor of stored numbers. */
static double decode_of(reference *r, double amax, double most)
{
    const f2l_schedule_store *how = &r->schedule.store;
    if (how->scale == F2L_SCALE_STATIC) return how->static_scale;
    const double c = quotient(r, amax, most);
    if (!how->scale_format) return c;
    if (strcmp(how->scale_format, "ue8m0") == 0) {
        int k = -127;
        while (ldexp(1, k) < c) k++;
        return k > 127 ? NAN : ldexp(1, k);
    }
    return reference_fma(r, f2l_store_format(how->scale_format), c, 1, 0);
}

/* As nvfp4 has it: the block's scale is kept as a number of a narrow format, times 1 / second. */
static factors by_second(reference *r, double amax, double most)
{
    f2l_format kept = *f2l_store_format(r->schedule.store.scale_format);
    kept.overflow = F2L_OVERFLOW_SATURATE;
    const double sixth = reference_fma(r, &r->fp32, r->second, quotient(r, 1, most), 0);
    const double number = reference_fma(r, &kept, reference_fma(r, &r->fp32, amax, sixth, 0), 1, 0);
    factors f = {.encode = 1};
    f.decode = reference_fma(r, &r->fp32, number, quotient(r, 1, r->second), 0);
    f.zero = f.decode == 0;
    if (!f.zero) f.encode = fmin(quotient(r, 1, f.decode), r->fp32.largest);
    return f;
}

static factors factors_of(reference *r, double amax)
{
    const f2l_schedule_store *how = &r->schedule.store;
    const double most = how->most > 0 ? how->most : r->state.largest;
    factors f = {.encode = 1, .decode = 1};
    if (!how->scale || amax == 0) return f;
    if (!isfinite(amax)) return (factors){.lost = true};
    if (how->scale == F2L_SCALE_POW2) return by_power(amax, most);
    if (how->scale == F2L_SCALE_MX) return by_leading_bit(amax, &r->state);
    if (how->second) return by_second(r, amax, most);
    const bool inverse = how->quotient == F2L_QUOTIENT_INVERSE;
    if (inverse && how->scale == F2L_SCALE_AMAX && !how->scale_format) {
        f.encode = quotient(r, most, amax);
        f.zero = !isfinite(f.encode);
        if (!f.zero) f.decode = quotient(r, 1, f.encode);
        return f;
    }
    f.decode = decode_of(r, amax, most);
    f.lost = !isfinite(f.decode);
    f.zero = f.decode == 0;
    f.divides = how->quotient == F2L_QUOTIENT_DIVIDE;
    if (f.lost || f.zero || f.divides) return f;
    f.encode = inverse ? quotient(r, 1, f.decode) : quotient(r, most, amax);
    f.zero = !isfinite(f.encode);
    return f;
}

static double cut_off(const reference *r, double x)
{
    const bool full = r->schedule.store.clamp == F2L_CLAMP_FULL;
    const double low = -r->state.largest - full;
    return x < low ? low : x > r->state.largest ? r->state.largest : x;
}

static f2l_format directed(const reference *r, f2l_rounding rounding)
{
    f2l_format f = r->state;
    f.rounding = rounding;
    return f;
}

static double toward_zero(reference *r, double x)
{
    const f2l_format f = directed(r, F2L_ROUND_TOWARD_ZERO);
    return f2l_store_is_integer(r->state.name) ? cut_off(r, trunc(x))
                                               : reference_fma(r, &f, x, 1, 0);
}

static double away_from_zero(reference *r, double x)
{
    const f2l_format f = directed(r, x < 0 ? F2L_ROUND_DOWN : F2L_ROUND_UP);
    return f2l_store_is_integer(r->state.name) ? cut_off(r, x < 0 ? floor(x) : ceil(x))
                                               : reference_fma(r, &f, x, 1, 0);
}

/* Returns what x becomes with the random bits `bits`. */
static double with_bits(reference *r, double x, uint32_t random)
{
    const f2l_schedule_store *how = &r->schedule.store;
    const unsigned b = how->draw_bits;
    if (how->draw == F2L_DRAW_FLOOR)
        return cut_off(r, floor(reference_fma(r, &r->fp32, 1, x, ldexp(random, -(int)b))));
    const double low = toward_zero(r, x), high = away_from_zero(r, x);
    if (low == high) return low;
    const double gap =
        isfinite(high) ? fabs(high - low) : ldexp(1, r->state.emax - r->state.precision + 1);
    int exponent;
    frexp(x, &exponent);
    const double place = ldexp(1, exponent < -125 ? -149 : exponent - 24);
    const double add = how->draw == F2L_DRAW_TOP ? ldexp(random, -(int)b) * gap : random * place;
    mpq_t sum, t;
    mpq_inits(sum, t, (mpq_ptr)NULL);
    mpq_set_d(sum, fabs(x) - fabs(low));
    mpq_set_d(t, add);
    mpq_add(sum, sum, t);
    mpq_set_d(t, gap);
    const bool up = mpq_cmp(sum, t) >= 0;
    mpq_clears(sum, t, (mpq_ptr)NULL);
    return up ? high : low;
}

static uint32_t reversed(uint32_t random, unsigned bits)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < bits; i++) out |= (random >> i & 1) << (bits - 1 - i);
    return out;
}

/* Draws x; `first`: the number that shares its bits, and what it became. */
static double drawn(reference *r, double x, const double *first, double became)
{
    const unsigned b = r->schedule.store.draw_bits;
    double low = 0, high = 0;
    size_t seen = 0; /* different outcomes */
    for (uint32_t random = 0; random < UINT32_C(1) << b; random++) {
        if (first && !reference_same(with_bits(r, *first, random) + 0.0, became)) continue;
        const double y = with_bits(r, x, first ? reversed(random, b) : random) + 0.0;
        const bool floors = r->schedule.store.draw == F2L_DRAW_FLOOR;
        if (seen == 0) low = high = y;
        if (!reference_same(y, low) && !reference_same(y, high)) {
            const bool nearer = !isnan(y) && (floors ? y < low : fabs(y) < fabs(low));
            if (nearer) low = y;
            if (!nearer) high = y;
            seen++;
        }
        seen += seen == 0;
    }
    return seen < 2 || !r->bit[r->bits++] ? low : high;
}

static double into_state(reference *r, double x, const double *first, double became)
{
    const f2l_schedule_store *how = &r->schedule.store;
    if (how->stochastic && how->draw != F2L_DRAW_ANY && isfinite(x))
        return drawn(r, x, first, became);
    if (!f2l_store_is_integer(r->state.name)) return reference_fma(r, &r->state, x, 1, 0);
    if (how->stochastic) {
        const double low = toward_zero(r, x), high = away_from_zero(r, x);
        return low == high || !r->bit[r->bits++] ? low : high;
    }
    return cut_off(r, rint(x));
}

/* Keeps the errors of the numbers that belong to a block. */
static void keep_errors(reference *r, double *error, const bool *belongs, size_t numbers)
{
    const f2l_scale how = r->schedule.store.residual_scale;
    double amax = 0;
    factors by = {.encode = 1, .decode = 1};
    for (size_t i = 0; i < numbers; i++)
        if (belongs[i] && !(fabs(error[i]) <= amax))
            amax = isfinite(error[i]) ? fabs(error[i]) : INFINITY;
    if (how == F2L_SCALE_POW2 && amax > 0 && isfinite(amax))
        by = by_power(amax, r->residual.largest);
    if (how == F2L_SCALE_AMAX && amax > 0 && isfinite(amax)) {
        by.encode = quotient(r, r->residual.largest, amax);
        by.zero = !isfinite(by.encode);
        if (!by.zero) by.decode = quotient(r, 1, by.encode);
    }
    for (size_t i = 0; i < numbers; i++) {
        if (!belongs[i]) continue;
        const double x = how ? reference_fma(r, &r->fp32, error[i], by.encode, 0) : error[i];
        const double kept = reference_fma(r, &r->residual, x, 1, 0);
        error[i] = by.zero ? 0 : how ? reference_fma(r, &r->fp32, kept, by.decode, 0) : kept;
    }
}

/* Stores the numbers for which `belongs` is true, which share a scale. */
static void store_one_block(reference *r, double *S, double *residual, const bool *belongs,
                            size_t numbers)
{
    const f2l_schedule_store *how = &r->schedule.store;
    const f2l_format *g = &r->fp32;
    double amax = 0, first = 0, became = 0, *error = calloc(numbers, sizeof *error);
    size_t seen = 0;
    for (size_t i = 0; i < numbers; i++)
        if (belongs[i] && !(fabs(S[i]) <= amax)) amax = isfinite(S[i]) ? fabs(S[i]) : INFINITY;
    const factors f = factors_of(r, amax);
    for (size_t i = 0; i < numbers; i++) {
        if (!belongs[i]) continue;
        const double x = S[i];
        double q = x;
        if (how->scale && !f.lost && !f.zero)
            q = f.divides ? quotient(r, x, f.decode) : reference_fma(r, g, x, f.encode, 0);
        const bool shares = how->paired && seen++ % 2 == 1;
        double y = f.lost || (how->scale && !isfinite(q)) ? NAN
                   : f.zero                               ? 0
                            : into_state(r, q, shares ? &first : NULL, became);
        first = q;
        became = y + 0.0;
        if (how->scale) y = reference_fma(r, g, y, f.decode, 0);
        S[i] = f.zero ? 0 : y;
        error[i] = reference_fma(r, g, 1, x, -S[i]);
    }
    keep_errors(r, error, belongs, numbers);
    for (size_t i = 0; i < numbers; i++) {
        if (!belongs[i]) continue;
        if (how->residual == F2L_RESIDUAL_LOAD) S[i] = reference_fma(r, g, 1, S[i], error[i]);
        if (how->residual == F2L_RESIDUAL_FEEDBACK) residual[i] = error[i];
    }
    free(error);
}

/* Returns the block of number (i, j). */
static size_t block_of(const reference *r, size_t n, size_t i, size_t j)
{
    const f2l_schedule_store *how = &r->schedule.store;
    if (!how->scale && !how->paired && !how->residual_scale) return 0;
    switch (how->block) {
    case F2L_BLOCK_ROW:
        return j;
    case F2L_BLOCK_GROUP:
        return j * n + i / how->block_size;
    case F2L_BLOCK_TILE:
        return j / how->block_size;
    case F2L_BLOCK_HEAD:
    case F2L_BLOCK_TENSOR:
        break;
    }
    return 0;
}

void reference_store(reference *r, size_t n, size_t d, double *S, double *residual)
{
    if (!f2l_schedule_stores(&r->schedule)) return;
    bool *belongs = calloc(n * d, sizeof *belongs);
    const f2l_schedule_store *how = &r->schedule.store;
    double amax = 0;
    for (size_t i = 0; how->residual == F2L_RESIDUAL_FEEDBACK && i < n * d; i++)
        S[i] = reference_fma(r, &r->fp32, 1, S[i], residual[i]);
    for (size_t i = 0; i < n * d; i++) amax = fabs(S[i]) <= amax ? amax : fabs(S[i]);
    r->second = 1;
    if (how->second && amax > 0 && isfinite(amax)) {
        const double most = how->most > 0 ? how->most : r->state.largest;
        const double top = f2l_store_format(how->scale_format)->largest;
        const double second = quotient(r, reference_fma(r, &r->fp32, top, most, 0), amax);
        if (second > 0) r->second = fmin(second, r->fp32.largest);
    }
    for (size_t b = 0; b < n * d; b++) {
        bool any = false;
        for (size_t i = 0; i < n * d; i++) {
            belongs[i] = block_of(r, n, i / d, i % d) == b;
            any = any || belongs[i];
        }
        if (any) store_one_block(r, S, residual, belongs, n * d);
    }
    free(belongs);
}
