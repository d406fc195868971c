#include "models/schedule/schedule.h"
#include "models/schedule/float_net.h"
#include <stdio.h>
#include <stdlib.h>

const f2l_schedule f2l_schedules[] = {
    {"every", F2L_SCHEDULE_EVERY, "each operation rounds into the format", f2l_step_every, -1, 1,
     NULL},
    {"fma", F2L_SCHEDULE_FMA, "as every, with products fused into sums", f2l_step_fma, -1, 1, NULL},
    {"acc32", F2L_SCHEDULE_ACC32, "inputs and stored state in the format, operations in fp32",
     f2l_step_acc32, -1, 1, f2l_end_acc32},
    {"recurrent", F2L_SCHEDULE_RECURRENT,
     "weights in the format, state and operations in fp32, fused "
     "updates",
     f2l_step_recurrent, -1, 1, NULL},
    {"cast", F2L_SCHEDULE_CAST, "exact matrices and exact sums, each entry rounded once",
     f2l_step_cast, -1, 1, NULL},
    {"chunk64", F2L_SCHEDULE_CHUNK64, "64 letters at a time, in the chunked WY form", NULL, -1, 1,
     NULL},
    {NULL, F2L_SCHEDULE_EVERY, NULL, NULL, -1, 1, NULL}};

static const f2l_schedule *find(const char *name, size_t size)
{
    for (const f2l_schedule *schedule = f2l_schedules; schedule->name != NULL; schedule++)
        if (strlen(schedule->name) == size && memcmp(schedule->name, name, size) == 0)
            return schedule;
    return NULL;
}

const f2l_schedule *f2l_schedule_find(const char *name)
{
    return find(name, strlen(name));
}

static const f2l_format *fp32(void)
{
    return f2l_format_find("fp32");
}

const f2l_format *f2l_schedule_state_format(const f2l_schedule *schedule, const f2l_format *format)
{
    const bool wide =
        schedule->kind == F2L_SCHEDULE_RECURRENT || schedule->kind == F2L_SCHEDULE_CHUNK64;
    return wide ? fp32() : format;
}

static bool works_in_fp32(const f2l_schedule *schedule)
{
    return schedule->kind == F2L_SCHEDULE_ACC32 || schedule->kind == F2L_SCHEDULE_RECURRENT ||
           schedule->kind == F2L_SCHEDULE_CHUNK64;
}

f2l_status f2l_schedule_check(const f2l_schedule *schedule, const f2l_format *format,
                              f2l_error *err)
{
    const bool within = f2l_format_contains(fp32(), format);
    if (works_in_fp32(schedule) && !within)
        return f2l_fail(err, F2L_EDOMAIN, "%s works in fp32, which has not every value of %s",
                        schedule->name, format->name);
    if (schedule->eps >= 0 && schedule->kind == F2L_SCHEDULE_CAST)
        return f2l_fail(err, F2L_EDOMAIN, "cast has exact matrices and no key normalisation");
    if (schedule->eps >= 0 && !within)
        return f2l_fail(err, F2L_EDOMAIN,
                        "keys are normalised in fp32, which has not every value of %s",
                        format->name);
    if (schedule->kind == F2L_SCHEDULE_CAST && format->precision > 51 &&
        format->rounding != F2L_ROUND_NEAREST_EVEN)
        return f2l_fail(err, F2L_EDOMAIN, "cast with %d bits rounds to nearest only",
                        format->precision);
    return F2L_OK;
}

/* Reads a number from 0 to the largest of fp32 in decimal digits: only an exponent may have a
 * sign. */
static bool read_number(double *out, const char *text, size_t size)
{
    char copy[32], *end;
    if (size == 0 || size >= sizeof copy || !strchr("0123456789", text[0])) return false;
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\0' || !strchr("0123456789.e+-", text[i])) return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    *out = strtod(copy, &end);
    return *end == '\0' && isfinite((float)*out);
}

/* Writes the fewest digits that read back as the same number. */
static void write_number(char out[32], double x)
{
    int digits = 1;
    do snprintf(out, 32, "%.*g", digits, x);
    while (strtod(out, NULL) != x && ++digits <= 17);
}

/* Reads one setting, from..end - 1, whose first byte is at column `column`. */
static f2l_status read_setting(f2l_schedule *out, bool *has_raw, const char *from, const char *end,
                               size_t column, f2l_error *err)
{
    const bool is_eps = strncmp(from, "eps=", 4) == 0, is_raw = strncmp(from, "raw=", 4) == 0;
    double value;
    if (!is_eps && !is_raw) return f2l_fail_at(err, 1, column, "expected eps=E or raw=R");
    if (is_eps ? out->eps >= 0 : *has_raw)
        return f2l_fail_at(err, 1, column, "%.3s is given twice", from);
    if (!read_number(&value, from + 4, (size_t)(end - from) - 4) || (is_raw && (float)value <= 0))
        return f2l_fail_at(err, 1, column + 4, "expected a %s number of fp32, in decimal digits",
                           is_raw ? "positive" : "non-negative");
    *(is_eps ? &out->eps : &out->raw) = value;
    *has_raw = *has_raw || is_raw;
    return F2L_OK;
}

f2l_status f2l_schedule_parse(f2l_schedule *out, char name[F2L_SCHEDULE_NAME], const char *text,
                              f2l_error *err)
{
    const char *at = text + strcspn(text, ",");
    const f2l_schedule *found = find(text, (size_t)(at - text));
    if (!found) return f2l_fail_at(err, 1, 1, "there is no schedule of this name");
    f2l_schedule made = *found;
    bool has_raw = false;
    if (*at == ',' && made.kind == F2L_SCHEDULE_CAST)
        return f2l_fail_at(err, 1, (size_t)(at - text) + 1, "cast has no settings");
    while (*at == ',') {
        const char *from = at + 1;
        at = from + strcspn(from, ",");
        f2l_status status = read_setting(&made, &has_raw, from, at, (size_t)(from - text) + 1, err);
        if (status != F2L_OK) return status;
    }
    if (has_raw && made.eps < 0)
        return f2l_fail_at(err, 1, (size_t)(at - text) + 1,
                           "raw is for keys that are normalised: eps is missing");
    char eps[32], raw[32];
    write_number(eps, made.eps);
    write_number(raw, made.raw);
    if (made.eps >= 0)
        snprintf(name, F2L_SCHEDULE_NAME, "%s,eps=%s,raw=%s", found->name, eps, raw);
    else
        snprintf(name, F2L_SCHEDULE_NAME, "%s", found->name);
    made.name = name;
    *out = made;
    return F2L_OK;
}
