#include "models/network/schedule/schedule.h"
#include "models/network/schedule/store.h"
#include <string.h>

/* What is the same in all rows: keys are not normalised, and the state is stored after each
 * letter. */
#define ROW(of) .name = (of), .row = (of), .eps = -1, .raw = 1
#define IN_FP32 .work = F2L_WIDTH_FP32, .state = F2L_WIDTH_FP32
#define STORED .work = F2L_WIDTH_FP32
#define HALVES .order = {.sum = F2L_SUM_HALVES, .fused_update = true}, .wide_keys = true

const f2l_schedule f2l_schedules[] = {
    {ROW("every"), .what = "each operation rounds into the format", .store = {.letters = 1}},
    {ROW("fma"), .what = "as every, with products fused into sums",
     .order = {.fused_sum = true, .fused_update = true}, .store = {.letters = 1}},
    {ROW("acc32"), .what = "inputs and stored state in the format, operations in fp32", STORED,
     .store = {.letters = 1}},
    {ROW("recurrent"), .what = "weights in the format, state and operations in fp32, fused updates",
     HALVES, IN_FP32, .store = {.letters = 1}},
    {ROW("cast"), .what = "exact matrices and exact sums, each entry rounded once",
     .exact_matrices = true, .store = {.letters = 1}},
    {ROW("chunk64"), .what = "64 letters at a time, in the chunked WY form",
     .order = {.fused_sum = true, .fused_update = true}, IN_FP32, .chunk = 64,
     .store = {.letters = 1}},
    {ROW("serving"),
     .what = "as recurrent, with the state stored in the format, outputs before that", HALVES,
     STORED, .read_unstored = true, .store = {.letters = 1}},
    {ROW("state16"), .what = "as recurrent, with the state stored in fp16", HALVES, IN_FP32,
     .store = {.format = "fp16", .letters = 1}},
    {ROW("store64"), .what = "as recurrent, with the state stored in the format each 64 letters",
     HALVES, STORED, .store = {.letters = 64}},
    {ROW("tf32"), .what = "as recurrent, with products of numbers rounded to tf32", HALVES, IN_FP32,
     .operands = "tf32", .store = {.letters = 1}},
    {ROW("state8"),
     .what = "as recurrent, with the state stored in int8, a power of two for each row", HALVES,
     IN_FP32, .store = {.format = "int8", .scale = F2L_SCALE_POW2, .letters = 1}},
    {.name = NULL}};

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
    const bool usual_sum =
        schedule->order.sum == F2L_SUM_LEFT || schedule->order.sum == F2L_SUM_HALVES;
    return !f2l_schedule_unknown(schedule, F2L_KNOWS_PLAIN) && usual_sum && !store->format &&
           !store->stochastic;
}

bool f2l_schedule_draws(const f2l_schedule *schedule, const f2l_format *format)
{
    return format->rounding == F2L_ROUND_STOCHASTIC || schedule->store.stochastic ||
           schedule->prefill;
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

const f2l_format *f2l_schedule_ring_format(const f2l_schedule *schedule, const f2l_format *format)
{
    return schedule->store.ring_format ? f2l_store_format(schedule->store.ring_format) : format;
}

const f2l_format *f2l_schedule_handover_format(const f2l_schedule *schedule)
{
    return schedule->handover ? f2l_store_format(schedule->handover) : fp32();
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

f2l_format f2l_schedule_output_format(const f2l_schedule *schedule, const f2l_format *format)
{
    f2l_format out = schedule->output ? *f2l_store_format(schedule->output) : *format;
    if (schedule->output_saturates) out.overflow = F2L_OVERFLOW_SATURATE;
    return out;
}

const f2l_format *f2l_schedule_kept_format(const f2l_schedule *schedule, const f2l_format *format)
{
    const f2l_schedule_store *store = &schedule->store;
    const bool as_stored = store->scale == F2L_SCALE_NONE && store->letters == 1 &&
                           store->residual == F2L_RESIDUAL_NONE && !schedule->prefill;
    return as_stored ? f2l_schedule_state_format(schedule, format)
                     : f2l_schedule_work_format(schedule, format);
}

/* Checks the fields that only a step letter by letter has. */
static f2l_status check_store(const f2l_schedule *schedule, const f2l_format *format,
                              f2l_error *err)
{
    const f2l_schedule_store *store = &schedule->store;
    const bool in_fp32 = schedule->work == F2L_WIDTH_FP32;
    if (!in_fp32 && (schedule->operands || store->scale || store->residual || schedule->beta ||
                     schedule->wide_gate || schedule->output))
        return f2l_fail(err, F2L_EDOMAIN,
                        "%s: operands, scales, residuals, outputs, and beta and decay in fp32 are "
                        "for operations in fp32",
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
