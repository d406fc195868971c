#include "cli/table/table_operand.h"
#include "cli/work/record.h"
#include "cli/work/request.h"
#include "cli/work/unit.h"
#include "numeric/base/folder.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include "numeric/json/json.h"
#include <string.h>

#define LARGEST_FILE ((size_t)256 << 20) /* of a plan, a table or a result, in bytes */
#define DEEPEST 16                       /* folders in folders that are looked through */

static const char no_record[] =
    "work.json is half written or changed, or no record of this version";

/* What is said about a unit of work: its line of a plan, or, without a plan, its work.json. */
typedef struct claim {
    f2l_table *table;
    const json_t *unit;
    const char *folder; /* as the unit names it */
    const char *path;   /* where it is */
} claim;

static f2l_status leave_unit(const claim *c, bool begun, const char *reason, f2l_error *err)
{
    f2l_table_add_left(c->table, c->unit, c->folder, begun, reason);
    return f2l_table_status(c->table, err);
}

/* --- results --- */

/* Returns why the file with the result is not believed, or NULL; *result is owned by the caller.
 * `bytes` are the file's. */
static const char *parse_result(json_t **result, const f2l_buf *bytes, const json_t *record)
{
    f2l_status status;
    f2l_error err;
    char hex[65];
    const char *hash = f2l_work_record_text(record, "result_sha256");
    f2l_sha256_hex(bytes->data, bytes->size, hex);
    if (!hash) return "work.json has no SHA-256 of the result";
    if (strcmp(hash, hex) != 0)
        return "the result is half written, or was changed: work.json has another SHA-256";
    f2l_buf taken;
    f2l_buf_init(&taken);
    f2l_table_skim(&taken, bytes->data, bytes->size);
    *result = f2l_json_load(&status, taken.data, taken.size, "the result", &err);
    f2l_buf_clear(&taken);
    return json_is_object(*result) ? NULL : "the result is no JSON object";
}

/* Reads the result that the record names; NULL without a reason: it has none. */
static const char *read_result(json_t **result, const json_t *record, const char *folder)
{
    f2l_buf path, bytes;
    f2l_error err;
    const char *name = f2l_work_record_text(record, "result"), *reason = NULL;
    *result = NULL;
    if (!name) return NULL;
    if (!name[0] || strchr(name, '/') || name[0] == '.')
        return "work.json names a result elsewhere";
    f2l_buf_init(&path);
    f2l_buf_init(&bytes);
    f2l_buf_printf(&path, "%s/%s", folder, name);
    if (path.failed || f2l_read_file(&bytes, path.data, LARGEST_FILE, &err) != F2L_OK)
        reason = "the result is missing or cannot be read";
    else
        reason = parse_result(result, &bytes, record);
    f2l_buf_clear(&path);
    f2l_buf_clear(&bytes);
    return reason;
}

/* --- one unit --- */

/* Returns whether the two lists of inputs name the same bytes. */
static bool have_same_inputs(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "inputs"), *y = json_object_get(b, "inputs");
    if (json_array_size(x) != json_array_size(y)) return false;
    for (size_t i = 0; i < json_array_size(x); i++)
        if (!json_equal(json_object_get(json_array_get(x, i), "sha256"),
                        json_object_get(json_array_get(y, i), "sha256")))
            return false;
    return true;
}

/* Returns whether the words of the unit's command have the setting: "--NAME=VALUE" in one word or
 * in two, a flag, or an operand, "operand-N=WORD". */
static bool has_setting(const json_t *argv, const char *setting)
{
    const size_t name = strcspn(setting, "=");
    const char *value = setting[name] ? setting + name + 1 : NULL;
    const bool operand = strncmp(setting, "operand-", 8) == 0;
    for (size_t i = 1; i < json_array_size(argv); i++) {
        const char *word = json_string_value(json_array_get(argv, i));
        const char *next = json_string_value(json_array_get(argv, i + 1));
        if (!word) continue;
        if (strcmp(word, operand && value ? value : setting) == 0) return true;
        if (value && next && strlen(word) == name && strncmp(word, setting, name) == 0 &&
            strcmp(next, value) == 0)
            return true;
    }
    return false;
}

/* Returns whether unit and record have the same settings. A run of `reproduce`, whose line has no
 * options, must only have none that its command lacks: it refuses other work itself. */
static bool have_same_settings(const json_t *unit, const json_t *record)
{
    const json_t *settings = json_object_get(record, "settings");
    const json_t *planned = json_object_get(unit, "options");
    const json_t *argv = json_object_get(unit, "argv");
    if (planned)
        return !f2l_work_missing(planned, settings) && !f2l_work_missing(settings, planned);
    if (!json_is_string(json_object_get(unit, "preset"))) return false;
    for (size_t i = 0; i < json_array_size(settings); i++) {
        const char *setting = json_string_value(json_array_get(settings, i));
        if (!setting || !has_setting(argv, setting)) return false;
    }
    return true;
}

/* Returns how the record differs from the unit, or NULL. */
static const char *find_difference(const json_t *unit, const json_t *record)
{
    if (unit == record) return NULL;
    if (!json_equal(json_object_get(unit, "job"), json_object_get(record, "job")))
        return "work.json is about another command";
    if (!have_same_inputs(unit, record)) return "work.json is about another input";
    if (!have_same_settings(unit, record)) return "work.json has other options";
    return NULL;
}

static bool is_of_version(const json_t *unit, const json_t *record)
{
    return json_equal(json_object_get(unit, "version"), json_object_get(record, "version")) &&
           json_equal(json_object_get(unit, "commit"), json_object_get(record, "commit"));
}

static f2l_status leave_other_version(const claim *c, const json_t *record, f2l_error *err)
{
    f2l_buf reason;
    f2l_buf_init(&reason);
    f2l_buf_printf(&reason, "the work there is of version %s, commit %s",
                   f2l_work_record_text(record, "version"), f2l_work_record_text(record, "commit"));
    f2l_status status = f2l_buf_status(&reason, err);
    if (status == F2L_OK) status = leave_unit(c, true, reason.data, err);
    f2l_buf_clear(&reason);
    return status;
}

/* Adds work that is done, if its result is believed. */
static f2l_status add_done(const claim *c, const json_t *record, f2l_error *err)
{
    json_t *result;
    const char *wrong = read_result(&result, record, c->path);
    f2l_status status = F2L_OK;
    if (!wrong && !f2l_work_record_holds(record, c->path))
        wrong = "the network was changed: work.json has another SHA-256";
    if (!wrong && f2l_table_add_work(c->table, c->unit, record, result, c->folder, err) != F2L_OK) {
        status = err->status == F2L_EDOMAIN ? F2L_OK : err->status;
        wrong = err->text;
    }
    json_decref(result);
    if (status == F2L_OK && wrong) return leave_unit(c, true, wrong, err);
    if (status == F2L_OK && !is_of_version(c->unit, record))
        return leave_other_version(c, record, err);
    return status;
}

/* Adds what the record says about the unit. */
static f2l_status add_record(const claim *c, const json_t *record, f2l_error *err)
{
    const char *state = f2l_work_record_text(record, "state");
    const char *reason = f2l_work_record_text(record, "reason");
    const char *wrong = find_difference(c->unit, record);
    if (wrong) return leave_unit(c, true, wrong, err);
    if (strcmp(state, F2L_WORK_DONE) == 0) return add_done(c, record, err);
    if (strcmp(state, F2L_WORK_FAILED) == 0)
        return leave_unit(c, true, reason ? reason : "failed", err);
    return leave_unit(c, true, "begun, and not ended", err);
}

static f2l_status add_unit(f2l_table *table, const json_t *unit, f2l_error *err)
{
    const claim c = {table, unit, f2l_unit_folder(unit), f2l_unit_folder(unit)};
    json_t *record;
    f2l_status status = f2l_work_record_read(&record, c.path, err);
    if (status != F2L_OK && status != F2L_ENOMEM)
        return leave_unit(&c, true, "work.json cannot be read", err);
    if (status != F2L_OK) return status;
    if (record)
        status = add_record(&c, record, err);
    else if (f2l_path_has(c.path, F2L_WORK_FILE))
        status = leave_unit(&c, true, no_record, err);
    else
        status = leave_unit(&c, false, "not begun", err);
    json_decref(record);
    return status;
}

/* --- plans --- */

/* Adds what could not be read, with a warning; line 0: the whole. */
static void leave_out(f2l_table *table, f2l_cli *cli, const char *path, size_t line,
                      const char *reason)
{
    if (line > 0)
        f2l_cli_warn(cli, path, "line %zu is left out: %s", line, reason);
    else
        f2l_cli_warn(cli, path, "left out: %s", reason);
    f2l_table_add_unread(table, path, line, reason);
}

/* Adds the units of a line: the line itself, or the units of a chunk. */
static f2l_status add_line(f2l_table *table, const char *line, size_t size, f2l_error *err)
{
    json_t *unit;
    f2l_status status = f2l_unit_read(&unit, line, size, err);
    if (status != F2L_OK) return status;
    const json_t *units = json_object_get(unit, "units");
    if (!units) status = add_unit(table, unit, err);
    for (size_t i = 0; i < json_array_size(units) && status == F2L_OK; i++)
        status = add_unit(table, json_array_get(units, i), err);
    json_decref(unit);
    return status;
}

/* Adds all lines of a plan; a line that is none is added as not read. */
static f2l_status add_plan(f2l_table *table, f2l_cli *cli, const char *path, const f2l_buf *text,
                           f2l_error *err)
{
    size_t number = 1;
    for (size_t at = 0; at < text->size; number++) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->size - at);
        const size_t size = end ? (size_t)(end - line) : text->size - at;
        const f2l_status status = size > 0 ? add_line(table, line, size, err) : F2L_OK;
        at += size + 1;
        if (status == F2L_ENOMEM) return status;
        if (status == F2L_OK) continue;
        leave_out(table, cli, path, number, err->text);
    }
    return f2l_table_status(table, err);
}

/* --- files and folders --- */

/* Returns whether the text is one JSON object with the name of a report; *report is the object. */
static bool parse_report(json_t **report, const f2l_buf *text)
{
    *report = text->size ? json_loadb(text->data, text->size, JSON_REJECT_DUPLICATES, NULL) : NULL;
    return json_is_string(json_object_get(*report, "report"));
}

static f2l_status add_file(f2l_table *table, f2l_cli *cli, const char *path, f2l_error *err)
{
    f2l_buf text;
    json_t *report;
    f2l_buf_init(&text);
    f2l_status status = f2l_read_file(&text, path, LARGEST_FILE, err);
    if (status == F2L_OK && text.size == 0)
        status = f2l_fail(err, F2L_EFORMAT, "the plan is empty");
    if (status == F2L_OK) {
        status = parse_report(&report, &text) ? f2l_table_merge(table, report, err)
                                              : add_plan(table, cli, path, &text, err);
        json_decref(report);
    }
    f2l_buf_clear(&text);
    return status;
}

/* Returns the folder as the record's command names it, so that a plan and the folder tell of one
 * thing; `path` where the command does not. */
static const char *planned_folder(const json_t *record, const char *path)
{
    const json_t *argv = json_object_get(record, "argv");
    for (size_t i = 1; i + 1 < json_array_size(argv); i++) {
        const char *word = json_string_value(json_array_get(argv, i));
        const char *next = json_string_value(json_array_get(argv, i + 1));
        if (word && next && (strcmp(word, "--out") == 0 || strcmp(word, "-o") == 0)) return next;
    }
    return path;
}

/* Adds the work of one folder, whose work.json says what was asked for. */
static f2l_status add_work_folder(f2l_table *table, f2l_cli *cli, const char *path, f2l_error *err)
{
    json_t *record;
    f2l_status status = f2l_work_record_read(&record, path, err);
    const claim c = {table, record, planned_folder(record, path), path};
    if (status == F2L_ENOMEM) return status;
    if (status == F2L_OK && record)
        status = add_record(&c, record, err);
    else
        leave_out(table, cli, path, 0, no_record);
    json_decref(record);
    return status == F2L_OK ? f2l_table_status(table, err) : status;
}

/* A search for folders with a work.json. */
typedef struct search {
    f2l_table *table;
    f2l_cli *cli;
    size_t found, links; /* links to folders, which are not followed */
} search;

static f2l_status visit_work(void *context, f2l_folder_found *found, f2l_error *err)
{
    search *s = context;
    switch (found->kind) {
    case F2L_FOLDER_ITSELF:
        found->enter = !f2l_path_has(found->path, F2L_WORK_FILE);
        s->found += !found->enter;
        return found->enter ? F2L_OK : add_work_folder(s->table, s->cli, found->path, err);
    case F2L_FOLDER_DEEP:
        leave_out(s->table, s->cli, found->path, 0, "a folder too deep in folders");
        return F2L_OK;
    case F2L_FOLDER_CLOSED:
        leave_out(s->table, s->cli, found->path, 0, err->text);
        return F2L_OK;
    default:
        s->links += found->kind == F2L_FOLDER_LINK;
        return F2L_OK;
    }
}

/* Adds all folders with a work.json in a folder. */
static f2l_status add_folder(f2l_table *table, f2l_cli *cli, const char *path, f2l_error *err)
{
    search s = {table, cli, 0, 0};
    const f2l_status status = f2l_folder_walk(path, DEEPEST, visit_work, &s, err);
    if (s.links > 0)
        f2l_cli_warn(cli, path, "links to folders that were not followed: %zu", s.links);
    if (status == F2L_OK && s.found == 0)
        return f2l_fail(err, F2L_EDOMAIN, "no folder in it has a work.json");
    return status;
}

int f2l_table_operand_add(f2l_table *table, f2l_cli *cli, const char *path)
{
    f2l_error err;
    const f2l_status status = f2l_path_is_folder(path) ? add_folder(table, cli, path, &err)
                                                       : add_file(table, cli, path, &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(cli, path, &err);
}
