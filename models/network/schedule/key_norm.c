/* float is fp32, and its operations and roots are correctly rounded. */
#include "models/network/schedule/key_norm.h"
#include "models/network/schedule/sum_plan.h"
#include "numeric/base/mem.h"
#include <math.h>

/* What the norm is computed in: fp32, and then `into` where it is not NULL. */
typedef struct norm_room {
    const f2l_format *into;
} norm_room;

/* Returns the result of an operation in fp32 as the norm has it. */
static float settle(const norm_room *room, float x)
{
    return room->into ? (float)f2l_format_round_nearest(room->into, (double)x) : x;
}

static float square_number(const norm_room *room, double x)
{
    const float a = (float)x;
    return settle(room, a * a);
}

/* Sets *out to the sum of the squares in the order of the plan; the sum itself is in fp32. */
static f2l_status sum_squares(float *out, const norm_room *room, const double *key,
                              const uint32_t *index, size_t count, size_t n,
                              const f2l_schedule_order *how, f2l_error *err)
{
    float reg[F2L_STEP_REGISTERS] = {0};
    uint64_t *const scratch = f2l_calloc(count, sizeof *scratch);
    uint32_t *const order = f2l_calloc(count, sizeof *order);
    unsigned char *const sums = f2l_calloc(count, sizeof *sums);
    const bool made = scratch && order && sums;
    if (made) f2l_sum_plan(order, sums, index, count, n, how, scratch);
    size_t top = 0;
    for (size_t i = 0; made && i < count; i++) {
        reg[top++] = square_number(room, key[order[i]]);
        for (unsigned k = sums[i] & F2L_SUM_COUNT; k > 0; k--, top--)
            reg[top - 2] = reg[top - 2] + reg[top - 1];
    }
    *out = settle(room, reg[0]);
    f2l_free(scratch);
    f2l_free(order);
    f2l_free(sums);
    return made ? F2L_OK : f2l_fail_memory(err);
}

/* Returns s + eps, rounded once. */
static float add_eps(const norm_room *room, float s, double eps)
{
    return settle(room, (float)((double)s + eps));
}

static float root(const norm_room *room, float x)
{
    return settle(room, sqrtf(x));
}

/* Returns 1 / sqrt(x), rounded once. */
static float reciprocal_root(const norm_room *room, float x)
{
    mpq_t one, square;
    if (!(x > 0) || !isfinite(x)) return NAN;
    mpq_inits(one, square, (mpq_ptr)NULL);
    mpq_set_ui(one, 1, 1);
    mpq_set_d(square, (double)x);
    const double out = f2l_format_round_over_sqrt(f2l_format_find("fp32"), one, square);
    mpq_clears(one, square, (mpq_ptr)NULL);
    return settle(room, (float)out);
}

/* A key is x * factor, or x / divisor where `divides`, and then times `scale`. */
typedef struct key_factor {
    bool divides;
    float factor, scale;
} key_factor;

static key_factor factor_of_length(const norm_room *room, const f2l_schedule *schedule, float s,
                                   size_t n, double eps)
{
    const float square = settle(room, (float)(eps * eps));
    switch (schedule->norm) {
    case F2L_NORM_QUOTIENT:
        return (key_factor){true, root(room, add_eps(room, s, eps)), 1};
    case F2L_NORM_RSQRT:
        return (key_factor){false, reciprocal_root(room, add_eps(room, s, eps)), 1};
    case F2L_NORM_OUTSIDE:
        return (key_factor){true, add_eps(room, root(room, s), eps), 1};
    case F2L_NORM_MAX:
        return (key_factor){false, reciprocal_root(room, s > square ? s : square), 1};
    case F2L_NORM_RMS:
        return (key_factor){false,
                            reciprocal_root(room, add_eps(room, settle(room, s / (float)n), eps)),
                            reciprocal_root(room, (float)n)};
    case F2L_NORM_RECIPROCAL:
        break;
    }
    return (key_factor){false, settle(room, 1 / root(room, add_eps(room, s, eps))), 1};
}

f2l_status f2l_normalise_key(double *key, const uint32_t *index, size_t count, size_t n,
                             const f2l_schedule *schedule, const f2l_format *format, double eps,
                             f2l_error *err)
{
    float s = 0;
    const norm_room room = {schedule->norm_in_format ? format : NULL};
    f2l_status status = sum_squares(&s, &room, key, index, count, n, &schedule->squares, err);
    if (status != F2L_OK) return status;
    bool good = s > 0 && isfinite(s);
    const key_factor f = factor_of_length(&room, schedule, s, n, eps);
    for (size_t i = 0; i < count && good; i++) {
        const float x = (float)key[i], k = settle(&room, f.divides ? x / f.factor : x * f.factor);
        key[i] = (double)settle(&room, k * f.scale);
        good = isfinite(key[i]);
    }
    return good ? F2L_OK
                : f2l_fail(err, F2L_EDOMAIN, "%s cannot normalise a key: it becomes too large",
                           schedule->name);
}
