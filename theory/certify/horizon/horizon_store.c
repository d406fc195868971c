/* Stores with scales: how far a block's numbers are off after the store, from bounds of their sizes
 * alone (H10). */
#include "theory/certify/horizon/impl.h"

#define LARGEST_NUMBER 0x1p60 /* of a block */
#define LARGEST_FORMAT 65536.0
#define QUOTIENTS 0x1p-21 /* more than what the quotients and products of a scale round off */
#define REST 0x1p-57      /* more than what blocks of numbers below 2^-60 are off */
#define UP (1 + 0x1p-40)  /* more than what the doubles below round off */

static bool is_power(const f2l_schedule_store *how)
{
    return how->scale_format && strcmp(how->scale_format, f2l_store_ue8m0) == 0;
}

const char *f2l_horizon_lacks_store(const f2l_schedule *schedule)
{
    const f2l_schedule_store *how = &schedule->store;
    const f2l_format *state = how->format ? f2l_store_format(how->format) : NULL;
    if (how->stochastic && how->draw == F2L_DRAW_FLOOR && how->scale == F2L_SCALE_NONE)
        return "no statement bounds errors of `draw=floor` without a scale";
    if (how->scale == F2L_SCALE_NONE) return NULL;
    if (how->clamp == F2L_CLAMP_NONE) return "no statement bounds errors of `clamp=none`";
    if (how->block == F2L_BLOCK_TENSOR) return "no statement bounds errors of `block=tensor`";
    if (how->scale == F2L_SCALE_STATIC &&
        !(how->static_scale >= 0x1p-60 && how->static_scale <= 0x1p60))
        return "no statement bounds errors of a static scale of this size";
    if (!state || state->largest > LARGEST_FORMAT)
        return "no statement bounds errors of a scale for a state whose format is so wide";
    const f2l_format *scale =
        how->scale_format && !is_power(how) ? f2l_store_format(how->scale_format) : NULL;
    return scale && scale->emax != 127 ? "no statement bounds errors of scales in so narrow a range"
                                       : NULL;
}

/* Returns the relative error of the stored factor, as a number of its format. */
static double scale_rounding(const f2l_store *store)
{
    const f2l_schedule_store *how = store->how;
    if (how->scale != F2L_SCALE_AMAX || !how->scale_format) return 0;
    return is_power(how) ? 1 : ldexp(1, -store->scale.precision);
}

/* Returns what the largest number becomes, Q. */
static double most_of_scale(const f2l_store *store)
{
    return store->how->most > 0 ? store->how->most : store->format.largest;
}

/* Returns an upper bound of the factor of stored numbers, for a block of numbers up to `most`. */
static double factor_above(const f2l_store *store, double most)
{
    switch (store->how->scale) {
    case F2L_SCALE_STATIC:
        return store->how->static_scale;
    case F2L_SCALE_MX:
        return ldexp(most, -store->format.emax);
    case F2L_SCALE_POW2:
        return 2 * most / most_of_scale(store);
    case F2L_SCALE_NONE:
    case F2L_SCALE_AMAX:
        break;
    }
    return most / most_of_scale(store) * (1 + scale_rounding(store)) * (1 + QUOTIENTS);
}

/* Returns an upper bound of what scaled numbers are beyond the largest of the format, where they
 * are cut off. */
static double excess(const f2l_store *store, double most)
{
    double largest = most_of_scale(store);
    if (store->how->scale == F2L_SCALE_MX) largest = ldexp(1, store->format.emax + 1);
    if (store->how->scale == F2L_SCALE_STATIC)
        largest = most / store->how->static_scale * (1 + QUOTIENTS);
    if (store->how->scale == F2L_SCALE_AMAX) /* a power of two is at least the quotient */
        largest *= (1 + 2 * QUOTIENTS) /
                   (1 - QUOTIENTS - (is_power(store->how) ? 0 : scale_rounding(store)));
    return largest > store->format.largest ? (largest - store->format.largest) * UP : 0;
}

/* Returns what the factors before and after the store differ from being inverse, relatively. */
static double mismatch(const f2l_store *store)
{
    if (store->how->scale == F2L_SCALE_POW2 || store->how->scale == F2L_SCALE_MX) return 0;
    return QUOTIENTS + (store->how->quotient == F2L_QUOTIENT_TWO ? 2 * scale_rounding(store) : 0);
}

/* Returns an upper bound of what a number of at most `size` is off in a block of numbers up to
 * `most`. */
static double scaled_error(const f2l_store *store, double size, double most)
{
    const f2l_format *f = &store->format;
    const double factor = factor_above(store, most), apart = mismatch(store);
    const double least = factor * ldexp(1, f->subnormals ? f->emin - f->precision : f->emin);
    const double top = factor * ldexp(1, f->emax - f->precision);
    /* A store that draws takes neighbours; `floor` adds in fp32 first, which may round up. */
    const double spacings = store->how->stochastic ? 2 + 0x1p-8 : 1;
    const double within =
        fmin(fmax(size * (1 + apart) * ldexp(1, -f->precision), least), fmax(top, least));
    return (spacings * within + excess(store, most) * factor + size * apart +
            (f->largest + 1) * factor * 0x1p-24 + REST) *
           UP;
}

/* Bounds the errors of a block: rows of `columns` numbers, `stride` apart. */
static void bound_block(const f2l_store *store, double *size, size_t rows, size_t columns,
                        size_t stride)
{
    double most = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            if (!(size[i * stride + j] <= most)) most = size[i * stride + j];
    for (size_t i = 0; i < rows && most != 0; i++)
        for (size_t j = 0; j < columns; j++) {
            double *x = &size[i * stride + j];
            *x = most <= LARGEST_NUMBER ? scaled_error(store, *x, most) : INFINITY;
        }
}

void f2l_scaled_errors(const f2l_store *store, double *size, size_t n, size_t d)
{
    const f2l_schedule_store *how = store->how;
    const bool head = how->block == F2L_BLOCK_HEAD;
    const size_t width = head ? d : how->block == F2L_BLOCK_TILE ? how->block_size : 1;
    const size_t height = how->block == F2L_BLOCK_GROUP ? how->block_size : n;
    for (size_t j = 0; j < d; j += width)
        for (size_t i = 0; i < n; i += height)
            bound_block(store, size + i * d + j, n - i < height ? n - i : height,
                        d - j < width ? d - j : width, d);
}
