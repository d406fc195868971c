#include "models/network/schedule/schedule.h"
#include "models/network/schedule/store.h"
#include <string.h>

/* clang-format off */
#define IN_FORMAT  F2L_WIDTH_FORMAT, F2L_WIDTH_FORMAT
#define STORED     F2L_WIDTH_FP32, F2L_WIDTH_FORMAT
#define IN_FP32    F2L_WIDTH_FP32, F2L_WIDTH_FP32
#define PLAIN_KEYS false, false, F2L_DECODE_NEAREST, F2L_NORM_RECIPROCAL, false, -1, 1
#define ROUNDED    {NULL, false, F2L_SCALE_NONE, F2L_BLOCK_ROW, F2L_RESIDUAL_NONE, NULL, 1, NULL}
#define FP16       {"fp16", false, F2L_SCALE_NONE, F2L_BLOCK_ROW, F2L_RESIDUAL_NONE, NULL, 1, NULL}
#define EVERY_64   {NULL, false, F2L_SCALE_NONE, F2L_BLOCK_ROW, F2L_RESIDUAL_NONE, NULL, 64, NULL}
#define INT8       {"int8", false, F2L_SCALE_POW2, F2L_BLOCK_ROW, F2L_RESIDUAL_NONE, NULL, 1, NULL}

/*   name, row       what
 *   sum, its products fused, updates fused; operands; work and state; store; read unstored;
 *   exact matrices; chunk; normalised keys in fp32; beta and gate in fp32; decoder; norm, its sum
 *   by halves, eps, raw */
const f2l_schedule f2l_schedules[] = {
    {"every", "every", "each operation rounds into the format",
     {F2L_SUM_LEFT, false, false}, NULL, IN_FORMAT, ROUNDED, false, false, 0, false, PLAIN_KEYS},
    {"fma", "fma", "as every, with products fused into sums",
     {F2L_SUM_LEFT, true, true}, NULL, IN_FORMAT, ROUNDED, false, false, 0, false, PLAIN_KEYS},
    {"acc32", "acc32", "inputs and stored state in the format, operations in fp32",
     {F2L_SUM_LEFT, false, false}, NULL, STORED, ROUNDED, false, false, 0, false, PLAIN_KEYS},
    {"recurrent", "recurrent", "weights in the format, state and operations in fp32, fused updates",
     {F2L_SUM_HALVES, false, true}, NULL, IN_FP32, ROUNDED, false, false, 0, true, PLAIN_KEYS},
    {"cast", "cast", "exact matrices and exact sums, each entry rounded once",
     {F2L_SUM_LEFT, false, false}, NULL, IN_FORMAT, ROUNDED, false, true, 0, false, PLAIN_KEYS},
    {"chunk64", "chunk64", "64 letters at a time, in the chunked WY form",
     {F2L_SUM_LEFT, true, true}, NULL, IN_FP32, ROUNDED, false, false, 64, false, PLAIN_KEYS},
    {"serving", "serving", "as recurrent, with the state stored in the format, outputs before that",
     {F2L_SUM_HALVES, false, true}, NULL, STORED, ROUNDED, true, false, 0, true, PLAIN_KEYS},
    {"state16", "state16", "as recurrent, with the state stored in fp16",
     {F2L_SUM_HALVES, false, true}, NULL, IN_FP32, FP16, false, false, 0, true, PLAIN_KEYS},
    {"store64", "store64", "as recurrent, with the state stored in the format each 64 letters",
     {F2L_SUM_HALVES, false, true}, NULL, STORED, EVERY_64, false, false, 0, true, PLAIN_KEYS},
    {"tf32", "tf32", "as recurrent, with products of numbers rounded to tf32",
     {F2L_SUM_HALVES, false, true}, "tf32", IN_FP32, ROUNDED, false, false, 0, true, PLAIN_KEYS},
    {"state8", "state8", "as recurrent, with the state stored in int8, a power of two for each row",
     {F2L_SUM_HALVES, false, true}, NULL, IN_FP32, INT8, false, false, 0, true, PLAIN_KEYS},
    {NULL, NULL, NULL,
     {F2L_SUM_LEFT, false, false}, NULL, IN_FORMAT, ROUNDED, false, false, 0, false, PLAIN_KEYS}};
/* clang-format on */

bool f2l_schedule_steps(const f2l_schedule *schedule)
{
    return schedule->chunk == 0;
}

bool f2l_schedule_stores(const f2l_schedule *schedule)
{
    const f2l_schedule_store *store = &schedule->store;
    return schedule->work != schedule->state || store->format || store->stochastic || store->scale;
}

const f2l_schedule *f2l_schedule_find(const char *name)
{
    for (const f2l_schedule *schedule = f2l_schedules; schedule->name != NULL; schedule++)
        if (strcmp(schedule->name, name) == 0) return schedule;
    return NULL;
}

bool f2l_schedule_is_usual(const f2l_schedule *schedule)
{
    char one[F2L_SCHEDULE_NAME], other[F2L_SCHEDULE_NAME];
    const f2l_schedule *row = f2l_schedule_find(schedule->row);
    if (row >= f2l_schedules + F2L_USUAL_SCHEDULES) return false;
    f2l_schedule as_row = *row;
    as_row.eps = schedule->eps;
    as_row.raw = schedule->raw;
    f2l_schedule_write(one, schedule);
    f2l_schedule_write(other, &as_row);
    return strcmp(one, other) == 0;
}

bool f2l_schedule_is_plain(const f2l_schedule *schedule)
{
    const f2l_schedule_store *store = &schedule->store;
    return !schedule->operands && !store->format && !store->stochastic && !store->scale &&
           !store->residual && store->letters == 1 && !schedule->read_unstored &&
           !schedule->wide_beta && !schedule->wide_gate && schedule->decode == F2L_DECODE_NEAREST;
}

bool f2l_schedule_draws(const f2l_schedule *schedule, const f2l_format *format)
{
    return format->rounding == F2L_ROUND_STOCHASTIC || schedule->store.stochastic;
}

static const f2l_format *fp32(void)
{
    return f2l_format_find("fp32");
}

static const f2l_format *of_width(f2l_schedule_width width, const f2l_format *format)
{
    return width == F2L_WIDTH_FP32 ? fp32() : format;
}

const f2l_format *f2l_schedule_work_format(const f2l_schedule *schedule, const f2l_format *format)
{
    return of_width(schedule->work, format);
}

const f2l_format *f2l_schedule_beta_format(const f2l_schedule *schedule, const f2l_format *format)
{
    return schedule->wide_beta ? fp32() : format;
}

const f2l_format *f2l_schedule_gate_format(const f2l_schedule *schedule, const f2l_format *format)
{
    return schedule->wide_gate ? fp32() : format;
}

const f2l_format *f2l_schedule_state_format(const f2l_schedule *schedule, const f2l_format *format)
{
    return schedule->store.format ? f2l_store_format(schedule->store.format)
                                  : of_width(schedule->state, format);
}

const f2l_format *f2l_schedule_kept_format(const f2l_schedule *schedule, const f2l_format *format)
{
    const f2l_schedule_store *store = &schedule->store;
    const bool as_stored = store->scale == F2L_SCALE_NONE && store->letters == 1 &&
                           store->residual == F2L_RESIDUAL_NONE;
    return as_stored ? f2l_schedule_state_format(schedule, format)
                     : f2l_schedule_work_format(schedule, format);
}

/* Checks the fields that only a step letter by letter has. */
static f2l_status check_store(const f2l_schedule *schedule, const f2l_format *format,
                              f2l_error *err)
{
    const f2l_schedule_store *store = &schedule->store;
    const bool in_fp32 = schedule->work == F2L_WIDTH_FP32;
    if (!in_fp32 && (schedule->operands || store->scale || store->residual || schedule->wide_beta ||
                     schedule->wide_gate))
        return f2l_fail(err, F2L_EDOMAIN,
                        "%s: operands, scales, residuals, and beta and decay in fp32 are for "
                        "operations in fp32",
                        schedule->name);
    if (!f2l_format_contains(f2l_schedule_work_format(schedule, format),
                             f2l_schedule_state_format(schedule, format)))
        return f2l_fail(err, F2L_EDOMAIN, "%s: the state's format has values that %s has not",
                        schedule->name, f2l_schedule_work_format(schedule, format)->name);
    if (store->residual && !f2l_schedule_stores(schedule))
        return f2l_fail(err, F2L_EDOMAIN, "%s: the state is stored without an error",
                        schedule->name);
    return F2L_OK;
}

f2l_status f2l_schedule_check(const f2l_schedule *schedule, const f2l_format *format,
                              f2l_error *err)
{
    const bool within = f2l_format_contains(fp32(), format);
    if (schedule->work == F2L_WIDTH_FP32 && !within)
        return f2l_fail(err, F2L_EDOMAIN, "%s works in fp32, which has not every value of %s",
                        schedule->name, format->name);
    if (schedule->eps >= 0 && schedule->exact_matrices)
        return f2l_fail(err, F2L_EDOMAIN, "cast has exact matrices and no key normalisation");
    if (schedule->eps >= 0 && !within)
        return f2l_fail(err, F2L_EDOMAIN,
                        "keys are normalised in fp32, which has not every value of %s",
                        format->name);
    if (schedule->exact_matrices && format->precision > 51 &&
        format->rounding != F2L_ROUND_NEAREST_EVEN)
        return f2l_fail(err, F2L_EDOMAIN, "cast with %d bits rounds to nearest only",
                        format->precision);
    return schedule->exact_matrices || schedule->chunk ? F2L_OK
                                                       : check_store(schedule, format, err);
}
