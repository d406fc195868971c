#include "models/network/schedule/store.h"
#include <math.h>

/* The numbers below the only binade are the multiples of its last bit, 1. */
static const f2l_format integers[] = {
    {"int4", 3, 2, 2, 7, true, F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN, NULL},
    {"int8", 7, 6, 6, 127, true, F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN, NULL},
    {"int16", 15, 14, 14, 32767, true, F2L_OVERFLOW_SATURATE, F2L_ROUND_NEAREST_EVEN, NULL}};

const f2l_format *f2l_store_format(const char *name)
{
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        if (strcmp(integers[i].name, name) == 0) return &integers[i];
    return strcmp(name, "fp64") == 0 ? NULL : f2l_format_find(name);
}

bool f2l_store_is_integer(const char *name)
{
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
        if (strcmp(integers[i].name, name) == 0) return true;
    return false;
}

void f2l_store_init(f2l_store *out, const f2l_schedule *schedule, const f2l_format *format)
{
    out->how = &schedule->store;
    out->format = *f2l_schedule_state_format(schedule, format);
    out->residual =
        *f2l_store_format(out->how->residual_format ? out->how->residual_format : "fp32");
    out->scale = *f2l_store_format(out->how->scale_format ? out->how->scale_format : "fp32");
    if (out->how->scale != F2L_SCALE_NONE) out->format.overflow = F2L_OVERFLOW_SATURATE;
    if (!out->how->stochastic) return;
    out->format.rounding = F2L_ROUND_STOCHASTIC;
    out->format.choices = format->choices;
}

size_t f2l_store_memory(const f2l_schedule_store *how, size_t size)
{
    return how->residual == F2L_RESIDUAL_FEEDBACK ? size : 0;
}

/* The numbers first, first + stride, .. of a state that share a scale. */
typedef struct block {
    double *number, *residual;
    size_t count, stride;
} block;

/* The factor of a block before its numbers are rounded, and after. */
typedef struct scale {
    float encode, decode;
} scale;

/* Returns the factors; encode is NaN where the block becomes NaN, and infinite where it becomes
 * zeros. */
static scale scale_of_block(const f2l_store *store, const block *b)
{
    float amax = 0;
    const float most = (float)store->format.largest;
    for (size_t k = 0; k < b->count; k++) {
        const float size = fabsf((float)b->number[k * b->stride]);
        if (!isfinite(size)) return (scale){NAN, NAN};
        if (size > amax) amax = size;
    }
    if (amax == 0) return (scale){1, 1};
    if (store->how->scale_format) {
        const float c = (float)f2l_format_round(&store->scale, (double)(amax / most));
        return isfinite(c) ? (scale){1 / c, c} : (scale){NAN, NAN};
    }
    if (store->how->scale == F2L_SCALE_AMAX) {
        const float encode = most / amax;
        return (scale){encode, 1 / encode};
    }
    int exponent, of_most;
    const float fraction = frexpf(amax, &exponent);
    const float fraction_of_most = frexpf(most, &of_most);
    int k = of_most - exponent - (fraction > fraction_of_most);
    if (k > 126) k = 126;
    if (k < -126) k = -126;
    return (scale){ldexpf(1, k), ldexpf(1, -k)};
}

/* Returns what x becomes, residuals aside. */
static double store_number(const f2l_store *store, double x, scale s)
{
    if (store->how->scale == F2L_SCALE_NONE) return f2l_format_round(&store->format, x);
    if (isnan(s.encode)) return NAN;
    if (isinf(s.encode)) return 0;
    const float scaled = (float)x * s.encode;
    const float stored = (float)f2l_format_round(&store->format, (double)scaled);
    return (double)(stored * s.decode) + 0.0;
}

static void store_block(const f2l_store *store, const block *b)
{
    const f2l_residual residual = store->how->residual;
    double *const kept = residual == F2L_RESIDUAL_FEEDBACK ? b->residual : NULL;
    for (size_t k = 0; kept && k < b->count; k++) {
        double *x = &b->number[k * b->stride];
        *x = (double)((float)*x + (float)kept[k * b->stride]);
    }
    const scale s = store->how->scale == F2L_SCALE_NONE ? (scale){1, 1} : scale_of_block(store, b);
    for (size_t k = 0; k < b->count; k++) {
        double *x = &b->number[k * b->stride];
        const double y = store_number(store, *x, s);
        double error = 0;
        if (residual != F2L_RESIDUAL_NONE)
            error = f2l_format_round(&store->residual, (double)((float)*x - (float)y));
        *x = y;
        if (residual == F2L_RESIDUAL_LOAD) *x = (double)((float)y + (float)error) + 0.0;
        if (kept) kept[k * b->stride] = error;
    }
}

void f2l_store_state(const f2l_store *store, double *state, double *residual, size_t n, size_t d)
{
    if (store->how->scale == F2L_SCALE_NONE || store->how->block == F2L_BLOCK_HEAD) {
        store_block(store, &(block){state, residual, n * d, 1});
        return;
    }
    for (size_t j = 0; j < d; j++)
        store_block(store, &(block){state + j, residual ? residual + j : NULL, n, d});
}

void f2l_store_rounding(const f2l_store *store, f2l_rounding rounding, double *state, size_t n,
                        size_t d)
{
    f2l_schedule_store plain = *store->how;
    plain.residual = F2L_RESIDUAL_NONE;
    f2l_store one = *store;
    one.how = &plain;
    one.format.rounding = rounding;
    one.format.choices = NULL;
    f2l_store_state(&one, state, NULL, n, d);
}

void f2l_store_start(const f2l_store *store, double *state, size_t n, size_t d)
{
    f2l_store_rounding(store, F2L_ROUND_NEAREST_EVEN, state, n, d);
}
