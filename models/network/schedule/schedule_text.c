/* Schedules as text: the name of a row and the settings in which a schedule differs from it. */
#include "models/network/schedule/fields.h"
#include <stdio.h>
#include <string.h>

#define MOST_SETTINGS 64

void f2l_schedule_write(char out[F2L_SCHEDULE_NAME], const f2l_schedule *schedule)
{
    char chunk[32];
    snprintf(out, F2L_SCHEDULE_NAME, "%s", schedule->exact_matrices ? "exact" : "rounded");
    snprintf(chunk, sizeof chunk, ",chunk=%u", schedule->chunk);
    f2l_schedule_append(out, chunk);
    for (size_t i = 0; i < f2l_settings_count; i++) {
        f2l_schedule_append(out, ",");
        f2l_setting_write(out, &f2l_settings[i], schedule);
    }
}

/* Returns the row whose name is the first `size` bytes. */
static const f2l_schedule *find_row(const char *text, size_t size)
{
    for (const f2l_schedule *row = f2l_schedules; row->name; row++)
        if (f2l_setting_value_is((f2l_setting_value){text, size}, row->name)) return row;
    return NULL;
}

static f2l_status fail_on_setting(const f2l_schedule *s, size_t column, f2l_error *err)
{
    char names[F2L_SCHEDULE_NAME] = "";
    for (size_t i = 0; i < f2l_settings_count; i++) {
        if (s->chunk && !f2l_settings[i].chunked) continue;
        if (names[0]) f2l_schedule_append(names, i + 1 < f2l_settings_count ? ", " : " or ");
        f2l_schedule_append(names, f2l_settings[i].name);
    }
    return f2l_fail_at(err, 1, column, "expected a setting: %s, and =", names);
}

/* Reads one setting, from..end - 1, whose first byte is at column `column`, which given[] keeps. */
static f2l_status read_setting(f2l_schedule *out, size_t given[MOST_SETTINGS], const char *from,
                               const char *end, size_t column, f2l_error *err)
{
    for (size_t i = 0; i < f2l_settings_count; i++) {
        const f2l_setting *s = &f2l_settings[i];
        const size_t name = strlen(s->name);
        if (out->chunk && !s->chunked) continue;
        if (strncmp(from, s->name, name) != 0 || from[name] != '=') continue;
        if (given[i]) return f2l_fail_at(err, 1, column, "%s is given twice", s->name);
        given[i] = column;
        const char *at = from + name + 1;
        if (f2l_setting_read(out, s, (f2l_setting_value){at, (size_t)(end - at)})) return F2L_OK;
        return f2l_fail_at(err, 1, column + name + 1, "expected %s", s->expected);
    }
    return fail_on_setting(out, column, err);
}

/* Returns whether the setting is in a canonical spelling: where it differs from the row, and raw
 * wherever there is an eps. */
static bool is_spelled(const f2l_setting *setting, const f2l_schedule *made,
                       const f2l_schedule *row)
{
    return f2l_setting_differs(setting, made, row) ||
           (made->eps >= 0 && strcmp(setting->name, "raw") == 0);
}

/* Returns whether a setting of the row that was not given lost what it is for, by those that were:
 * letters of store64 with state=fp32. */
static bool is_left_over(const f2l_setting *setting, const f2l_schedule *made,
                         const f2l_schedule *row)
{
    return !setting->refuse(row) && f2l_setting_differs(setting, made, &f2l_schedules[0]);
}

/* Refuses a setting that is not for the schedule or changes no step, at its column, or at the row's
 * name where it is the row's; one that repeats the row is kept where the row alone has it, but not
 * raw without eps. */
static f2l_status refuse_settings(const f2l_schedule *made, const f2l_schedule *row,
                                  const size_t given[MOST_SETTINGS], f2l_error *err)
{
    for (size_t i = 0; i < f2l_settings_count; i++) {
        const f2l_setting *s = &f2l_settings[i];
        if (!s->refuse) continue;
        const bool asked =
            given[i] && (f2l_setting_differs(s, made, row) || strcmp(s->name, "raw") == 0);
        if (!asked && !is_left_over(s, made, row)) continue;
        const char *const why = s->refuse(made);
        if (why) return f2l_fail_at(err, 1, given[i] ? given[i] : 1, "%s", why);
    }
    return F2L_OK;
}

static void write_name(char name[F2L_SCHEDULE_NAME], const f2l_schedule *made,
                       const f2l_schedule *row)
{
    snprintf(name, F2L_SCHEDULE_NAME, "%s", row->name);
    for (size_t i = 0; i < f2l_settings_count; i++) {
        if (!is_spelled(&f2l_settings[i], made, row)) continue;
        f2l_schedule_append(name, ",");
        f2l_setting_write(name, &f2l_settings[i], made);
    }
}

f2l_status f2l_schedule_parse(f2l_schedule *out, char name[F2L_SCHEDULE_NAME], const char *text,
                              f2l_error *err)
{
    const char *at = text + strcspn(text, ",");
    const f2l_schedule *row = find_row(text, (size_t)(at - text));
    if (!row) return f2l_fail_at(err, 1, 1, "there is no schedule of this name");
    f2l_schedule made = *row;
    size_t given[MOST_SETTINGS] = {0};
    if (*at == ',' && made.exact_matrices)
        return f2l_fail_at(err, 1, (size_t)(at - text) + 1, "cast has no settings");
    while (*at == ',') {
        const char *from = at + 1;
        at = from + strcspn(from, ",");
        f2l_status status = read_setting(&made, given, from, at, (size_t)(from - text) + 1, err);
        if (status != F2L_OK) return status;
    }
    f2l_status status = refuse_settings(&made, row, given, err);
    if (status != F2L_OK) return status;
    write_name(name, &made, row);
    made.name = name;
    *out = made;
    return F2L_OK;
}
