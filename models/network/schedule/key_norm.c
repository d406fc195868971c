/* float is fp32, and its operations and roots are correctly rounded. */
#include "models/network/schedule/key_norm.h"
#include "models/network/schedule/halves.h"
#include "numeric/base/mem.h"
#include <math.h>

static float square_number(double x)
{
    const float a = (float)x;
    return a * a;
}

static float sum_squares_left(const double *key, size_t count)
{
    float s = 0;
    for (size_t i = 0; i < count; i++) {
        const float square = square_number(key[i]);
        s = s + square;
    }
    return s;
}

/* Sums by halves, as products of key and state are (models/network/schedule/schedule.h). */
static f2l_status sum_squares_halves(float *out, const double *key, const uint32_t *index,
                                     size_t count, size_t n, f2l_error *err)
{
    float reg[F2L_STEP_REGISTERS] = {0};
    uint64_t *const scratch = f2l_calloc(count, sizeof *scratch);
    uint32_t *const order = f2l_calloc(count, sizeof *order);
    unsigned char *const sums = f2l_calloc(count, sizeof *sums);
    const bool made = scratch && order && sums;
    if (made) f2l_halves_order(order, sums, index, count, n, scratch);
    size_t top = 0;
    for (size_t i = 0; made && i < count; i++) {
        reg[top++] = square_number(key[order[i]]);
        for (unsigned k = sums[i]; k > 0; k--, top--) reg[top - 2] = reg[top - 2] + reg[top - 1];
    }
    *out = reg[0];
    f2l_free(scratch);
    f2l_free(order);
    f2l_free(sums);
    return made ? F2L_OK : f2l_fail_memory(err);
}

/* Returns s + eps, rounded once. */
static float add_eps(float s, double eps)
{
    return (float)((double)s + eps);
}

/* Returns 1 / sqrt(x), rounded once. */
static float reciprocal_root(float x)
{
    mpq_t one, square;
    if (!(x > 0) || !isfinite(x)) return NAN;
    mpq_inits(one, square, (mpq_ptr)NULL);
    mpq_set_ui(one, 1, 1);
    mpq_set_d(square, (double)x);
    const double out = f2l_format_round_over_sqrt(f2l_format_find("fp32"), one, square);
    mpq_clears(one, square, (mpq_ptr)NULL);
    return (float)out;
}

/* A key is x * factor, or x / divisor where `divides`, and then times `scale`. */
typedef struct key_factor {
    bool divides;
    float factor, scale;
} key_factor;

static key_factor factor_of_length(const f2l_schedule *schedule, float s, size_t n, double eps)
{
    const float square = (float)(eps * eps);
    switch (schedule->norm) {
    case F2L_NORM_QUOTIENT:
        return (key_factor){true, sqrtf(add_eps(s, eps)), 1};
    case F2L_NORM_RSQRT:
        return (key_factor){false, reciprocal_root(add_eps(s, eps)), 1};
    case F2L_NORM_OUTSIDE:
        return (key_factor){true, add_eps(sqrtf(s), eps), 1};
    case F2L_NORM_MAX:
        return (key_factor){false, reciprocal_root(s > square ? s : square), 1};
    case F2L_NORM_RMS:
        return (key_factor){false, reciprocal_root(add_eps(s / (float)n, eps)),
                            reciprocal_root((float)n)};
    case F2L_NORM_RECIPROCAL:
        break;
    }
    return (key_factor){false, 1 / sqrtf(add_eps(s, eps)), 1};
}

f2l_status f2l_normalise_key(double *key, const uint32_t *index, size_t count, size_t n,
                             const f2l_schedule *schedule, double eps, f2l_error *err)
{
    float s = 0;
    f2l_status status = F2L_OK;
    if (schedule->halved_squares)
        status = sum_squares_halves(&s, key, index, count, n, err);
    else
        s = sum_squares_left(key, count);
    if (status != F2L_OK) return status;
    bool good = s > 0 && isfinite(s);
    const key_factor f = factor_of_length(schedule, s, n, eps);
    for (size_t i = 0; i < count && good; i++) {
        const float x = (float)key[i], k = f.divides ? x / f.factor : x * f.factor;
        key[i] = (double)(k * f.scale);
        good = isfinite(key[i]);
    }
    return good ? F2L_OK
                : f2l_fail(err, F2L_EDOMAIN, "%s cannot normalise a key: it becomes too large",
                           schedule->name);
}
