#include "models/network/engines/engine.h"
#include "models/network/schedule/store.h"
#include <stdio.h>
#include <string.h>

static const char *const names[F2L_ENGINE_FIELDS] = {
    [F2L_ENGINE_NAME] = "name",      [F2L_ENGINE_SOURCE] = "source",
    [F2L_ENGINE_COMMIT] = "commit",  [F2L_ENGINE_REPOSITORY] = "repository",
    [F2L_ENGINE_PATH] = "path",      [F2L_ENGINE_FUNCTION] = "function",
    [F2L_ENGINE_READ] = "read-on",   [F2L_ENGINE_NOTE] = "note",
    [F2L_ENGINE_BETA] = "beta-most", [F2L_ENGINE_ROW] = "row",
    [F2L_ENGINE_STATE] = "state"};

#define MOST_SETTINGS 64

/* Returns the name of setting i of a row, which is a field (models/network/schedule/fields.c); NULL
 * for `state`, one of the fields above. */
static const char *setting_name(size_t i)
{
    const char *const name = f2l_schedule_setting(i);
    return name && strcmp(name, names[F2L_ENGINE_STATE]) != 0 ? name : NULL;
}

/* A file while it is read. */
typedef struct reader {
    f2l_engine *out;
    size_t line, field_line[F2L_ENGINE_FIELDS], setting_line[MOST_SETTINGS];
    char setting[MOST_SETTINGS][F2L_ENGINE_VALUE];
} reader;

static size_t word_size(const char *text, size_t size)
{
    size_t n = 0;
    while (n < size && text[n] != ' ' && text[n] != '\t') n++;
    return n;
}

static bool word_is(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

/* Returns the place for the value of a field, and sets *line to where its line is kept; NULL: there
 * is no such field. */
static char *place_of_field(reader *r, size_t **line, const char *name, size_t size)
{
    for (size_t i = 0; i < F2L_ENGINE_FIELDS; i++)
        if (word_is(name, size, names[i])) {
            *line = &r->field_line[i];
            return r->out->value[i];
        }
    for (size_t i = 0; f2l_schedule_setting(i); i++)
        if (setting_name(i) && word_is(name, size, setting_name(i))) {
            *line = &r->setting_line[i];
            return r->setting[i];
        }
    return NULL;
}

static f2l_status read_engine_field(reader *r, const char *text, size_t size, f2l_error *err)
{
    size_t *line = NULL;
    const size_t name = word_size(text, size);
    char *const value = place_of_field(r, &line, text, name);
    const int shown = name < 40 ? (int)name : 40;
    if (!value) return f2l_fail_at(err, r->line, 1, "there is no field `%.*s`", shown, text);
    if (*line)
        return f2l_fail_at(err, r->line, 1, "the field `%.*s` is given twice, first in line %zu",
                           shown, text, *line);
    size_t at = name;
    while (at < size && (text[at] == ' ' || text[at] == '\t')) at++;
    if (at == size)
        return f2l_fail_at(err, r->line, at + 1, "`%.*s`: its value is missing", shown, text);
    if (size - at >= F2L_ENGINE_VALUE)
        return f2l_fail_at(err, r->line, at + 1, "`%.*s`: expected a value of at most %d bytes",
                           shown, text, F2L_ENGINE_VALUE - 1);
    memcpy(value, text + at, size - at);
    value[size - at] = '\0';
    *line = r->line;
    return F2L_OK;
}

/* Reads one line, without its end; comments and empty lines say nothing. */
static f2l_status read_engine_line(reader *r, const char *text, size_t size, f2l_error *err)
{
    if (size > 0 && text[size - 1] == '\r') size--;
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t')) size--;
    for (size_t i = 0; i < size; i++)
        if (((unsigned char)text[i] < ' ' && text[i] != '\t') || (unsigned char)text[i] >= 127)
            return f2l_fail_at(err, r->line, i + 1, "expected printable ASCII");
    if (r->line == 1)
        return word_is(text, size, "engine 1")
                   ? F2L_OK
                   : f2l_fail_at(err, 1, 1, "expected `engine 1` in the first line");
    return size == 0 || text[0] == '#' ? F2L_OK : read_engine_field(r, text, size, err);
}

static bool made_of(const char *text, const char *allowed, size_t least, size_t most)
{
    const size_t size = strlen(text);
    return size >= least && size <= most && strspn(text, allowed) == size;
}

static bool is_date(const char *text)
{
    return made_of(text, "0123456789-", 10, 10) && text[4] == '-' && text[7] == '-' &&
           strspn(text, "0123456789") == 4 && strspn(text + 5, "0123456789") == 2 &&
           strspn(text + 8, "0123456789") == 2;
}

/* Returns what a field of the citation must be, or NULL where it is that. */
static const char *fault_of_field(const f2l_engine *e, size_t field)
{
    const char *const value = e->value[field];
    const bool local = strcmp(e->value[F2L_ENGINE_SOURCE], "local") == 0 ||
                       strcmp(e->value[F2L_ENGINE_SOURCE], "paper") == 0;
    const bool proposed = strcmp(e->value[F2L_ENGINE_SOURCE], "pull-request") == 0;
    switch (field) {
    case F2L_ENGINE_NAME:
        return made_of(value, "abcdefghijklmnopqrstuvwxyz0123456789-", 1, 40)
                   ? NULL
                   : "expected at most 40 small letters, digits and hyphens";
    case F2L_ENGINE_SOURCE:
        return local || proposed || strcmp(value, "release") == 0
                   ? NULL
                   : "expected release, pull-request, paper or local";
    case F2L_ENGINE_COMMIT:
        return (!value[0] && (local || proposed)) || made_of(value, "0123456789abcdef", 7, 40)
                   ? NULL
                   : "expected 7 to 40 hexadecimal digits";
    case F2L_ENGINE_READ:
        return (local && !value[0]) || is_date(value) ? NULL : "expected a date, YYYY-MM-DD";
    case F2L_ENGINE_ROW:
        return made_of(value, "abcdefghijklmnopqrstuvwxyz0123456789", 1, 20)
                   ? NULL
                   : "expected the name of a schedule";
    case F2L_ENGINE_STATE:
        return value[0] ? NULL : "expected a value";
    case F2L_ENGINE_NOTE:
        return NULL;
    case F2L_ENGINE_BETA:
        return !value[0] || made_of(value, "012", 1, 1) ? NULL : "expected 0, 1 or 2";
    default:
        return local || value[0] ? NULL
                                 : "expected a value; only the sources local and paper may lack it";
    }
}

static f2l_status check_citation(const reader *r, f2l_error *err)
{
    for (size_t i = 0; i < F2L_ENGINE_FIELDS; i++) {
        const char *const fault = fault_of_field(r->out, i);
        const size_t line = r->field_line[i] ? r->field_line[i] : r->line;
        if (fault)
            return f2l_fail_at(err, line, 1, "`%s`%s: %s", names[i],
                               r->field_line[i] ? "" : " is missing", fault);
    }
    return F2L_OK;
}

static f2l_status split_states(const reader *r, f2l_error *err)
{
    f2l_engine *e = r->out;
    const char *at = e->value[F2L_ENGINE_STATE];
    const size_t line = r->field_line[F2L_ENGINE_STATE];
    while (*at) {
        const size_t size = word_size(at, strlen(at));
        if (e->states == F2L_ENGINE_STATES || size >= sizeof e->state[0] || memchr(at, ',', size) ||
            memchr(at, '/', size))
            return f2l_fail_at(err, line, 1, "`state`: expected at most %d formats of states",
                               F2L_ENGINE_STATES);
        char *const state = e->state[e->states];
        memcpy(state, at, size);
        state[size] = '\0';
        for (size_t i = 0; i < e->states; i++)
            if (strcmp(e->state[i], state) == 0)
                return f2l_fail_at(err, line, 1, "`state`: %s is given twice", state);
        e->states++;
        at += size;
        at += strspn(at, " \t");
    }
    return F2L_OK;
}

static f2l_status join_settings(const reader *r, f2l_error *err)
{
    char *const out = r->out->settings;
    for (size_t i = 0; f2l_schedule_setting(i); i++) {
        const size_t used = strlen(out);
        if (!r->setting_line[i]) continue;
        if (strchr(r->setting[i], ',') || used + strlen(r->setting[i]) + 48 > F2L_SCHEDULE_NAME)
            return f2l_fail_at(err, r->setting_line[i], 1, "`%s`: expected one short value",
                               setting_name(i));
        snprintf(out + used, F2L_SCHEDULE_NAME - used, "%s%s=%s", used ? "," : "", setting_name(i),
                 r->setting[i]);
    }
    return F2L_OK;
}

/* Returns whether the file has a setting whose NAME=VALUE begins so: `raw=` is not in `draw=..`. */
static bool has_setting(const f2l_engine *e, const char *begin)
{
    const size_t size = strlen(begin);
    for (const char *at = e->settings; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, begin, size) == 0) return true;
    }
    return false;
}

/* Returns the setting of the raw keys where the file has none: the least power of two with which
 * the norm gives exact keys back (theory/pages/engines.md, EN.8), or "". */
static const char *raw_of_norm(const f2l_engine *e)
{
    static const struct {
        const char *norm, *raw;
    } least[] = {{"norm=outside", ",raw=32"},
                 {"norm=rsqrt", ",raw=8"},
                 {"norm=max", ",raw=1"},
                 {"norm=rms", ",raw=128"}};
    if (!has_setting(e, "eps=") || has_setting(e, "raw=")) return "";
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        if (has_setting(e, least[i].norm)) return least[i].raw;
    return ",raw=4";
}

/* Writes the text that f2l_schedule_parse reads. The chunked form keeps fp32 between chunks, and
 * has no setting for that. */
static void write_engine_row(char out[2 * F2L_SCHEDULE_NAME], const f2l_engine *e,
                             const char *state)
{
    const char *const name = e->value[F2L_ENGINE_ROW];
    const bool chunk = strcmp(name, "chunk64") == 0 && strcmp(state, "fp32") == 0;
    snprintf(out, 2 * F2L_SCHEDULE_NAME, "%s%s%s%s%s%s", name,
             chunk ? "" : ",state=", chunk ? "" : state, e->settings[0] ? "," : "", e->settings,
             raw_of_norm(e));
}

/* Returns the line of the field whose setting is at this column of the row's text. */
static size_t line_of_column(const reader *r, const char *row, size_t column, const char **field)
{
    size_t from = column > 0 && column <= strlen(row) ? column - 1 : 0;
    while (from > 0 && row[from - 1] != ',') from--;
    for (size_t i = 0; f2l_schedule_setting(i) && from > 0; i++) {
        const char *const setting = setting_name(i);
        const size_t size = setting ? strlen(setting) : 0;
        if (!setting || strncmp(row + from, setting, size) != 0 || row[from + size] != '=')
            continue;
        *field = setting;
        return r->setting_line[i];
    }
    *field = from > 0 ? "state" : "row";
    return r->field_line[from > 0 ? F2L_ENGINE_STATE : F2L_ENGINE_ROW];
}

static size_t line_of_setting(const reader *r, const char *name)
{
    for (size_t i = 0; f2l_schedule_setting(i); i++)
        if (strcmp(f2l_schedule_setting(i), name) == 0) return r->setting_line[i];
    return 0;
}

/* Refuses what no kernel does: rows that `--schedule` takes, but with fields that say nothing. */
static f2l_status check_row_store(const reader *r, const f2l_schedule *s, f2l_error *err)
{
    const f2l_schedule_store *store = &s->store;
    const char *const format = store->format ? store->format : "";
    const f2l_format *const of = store->format ? f2l_store_format(format) : NULL;
    const bool narrow = of && (f2l_store_is_integer(format) || of->precision <= 4);
    if (store->scale && !narrow)
        return f2l_fail_at(
            err, line_of_setting(r, "scale"), 1,
            "`scale`: a scale is for a state in an integer or in e4m3, e5m2 or e2m1");
    if (store->residual && !store->scale)
        return f2l_fail_at(err, line_of_setting(r, "residual"), 1,
                           "`residual`: a residual is for a state with a scale");
    if (f2l_store_is_integer(format) && !store->scale)
        return f2l_fail_at(err, r->field_line[F2L_ENGINE_STATE], 1,
                           "`state`: integers have a scale, which is missing");
    return F2L_OK;
}

static f2l_status check_rows(const reader *r, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < r->out->states && status == F2L_OK; i++) {
        char row[2 * F2L_SCHEDULE_NAME], name[F2L_SCHEDULE_NAME];
        f2l_schedule schedule;
        f2l_error why = {0};
        write_engine_row(row, r->out, r->out->state[i]);
        if (f2l_schedule_parse(&schedule, name, row, &why) != F2L_OK) {
            const char *field;
            const size_t line = line_of_column(r, row, why.column, &field);
            return f2l_fail_at(err, line, 1, "`%s`: %s", field, why.text);
        }
        status = check_row_store(r, &schedule, err);
    }
    return status;
}

f2l_status f2l_engine_read(f2l_engine *out, const char *bytes, size_t size, f2l_error *err)
{
    reader r = {.out = out};
    *out = (f2l_engine){0};
    if (size > F2L_ENGINE_BYTES)
        return f2l_fail(err, F2L_EFORMAT, "more than %zu bytes", F2L_ENGINE_BYTES);
    f2l_status status = F2L_OK;
    for (size_t at = 0; (at < size || at == 0) && status == F2L_OK;) {
        const char *const end = size > at ? memchr(bytes + at, '\n', size - at) : NULL;
        const size_t length = end ? (size_t)(end - (bytes + at)) : size - at;
        r.line++;
        status = read_engine_line(&r, bytes + at, length, err);
        at += length + 1;
    }
    if (status == F2L_OK) status = check_citation(&r, err);
    if (status == F2L_OK) status = split_states(&r, err);
    if (status == F2L_OK) status = join_settings(&r, err);
    return status == F2L_OK ? check_rows(&r, err) : status;
}

f2l_status f2l_engine_schedule(f2l_schedule *out, char name[F2L_SCHEDULE_NAME],
                               const f2l_engine *engine, const char *state, f2l_error *err)
{
    char row[2 * F2L_SCHEDULE_NAME];
    if (!state[0] && engine->states == 1) state = engine->state[0];
    for (size_t i = 0; i < engine->states; i++) {
        if (strcmp(engine->state[i], state) != 0) continue;
        write_engine_row(row, engine, state);
        return f2l_schedule_parse(out, name, row, err);
    }
    return f2l_fail(err, F2L_EFORMAT, "%s%s has the states %s; name one, as in %s/%s",
                    engine->value[F2L_ENGINE_NAME], state[0] ? " has no such state; it" : "",
                    engine->value[F2L_ENGINE_STATE], engine->value[F2L_ENGINE_NAME],
                    engine->state[0]);
}
