#include "cli/work/unit.h"
#include "numeric/json/json.h"
#include <string.h>

#define PROGRAM "fsa2lrnn"

static const char *text_of(const json_t *unit, const char *name)
{
    return json_string_value(json_object_get(unit, name));
}

static const char *job_of(const json_t *unit)
{
    return text_of(unit, "job");
}

const char *f2l_unit_folder(const json_t *unit)
{
    return text_of(unit, "folder");
}

double f2l_unit_cost(const json_t *unit)
{
    return json_number_value(json_object_get(unit, "cost_seconds"));
}

/* --- checking --- */

bool f2l_unit_leaves_folder(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return true;
    }
    return false;
}

static f2l_status check_argv(const json_t *argv, f2l_error *err)
{
    size_t i;
    const json_t *word;
    const char *program = json_string_value(json_array_get(argv, 0));
    if (!json_is_array(argv))
        return f2l_fail(err, F2L_EFORMAT, "this is no line of a plan: it has no list argv");
    json_array_foreach((json_t *)argv, i, word) if (!json_is_string(word)) return f2l_fail(
        err, F2L_EFORMAT, "argv of this line has a value that is no word");
    if (json_array_size(argv) < 2 || strcmp(program, PROGRAM) != 0)
        return f2l_fail(err, F2L_EFORMAT, "argv of this line is no command of " PROGRAM);
    return F2L_OK;
}

static f2l_status check_schema(const json_t *unit, f2l_error *err)
{
    const char *schema = text_of(unit, "schema");
    if (!schema)
        return f2l_fail(err, F2L_EFORMAT,
                        "this is no line of a plan: it has no schema \"" F2L_UNIT_SCHEMA "\"");
    if (strcmp(schema, F2L_UNIT_SCHEMA) == 0) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT, "the plan is of another version: its schema is %.60s, not %s",
                    schema, F2L_UNIT_SCHEMA);
}

static f2l_status check_members(const json_t *unit, f2l_error *err)
{
    static const char *const texts[] = {"job", "command", "version", "commit"};
    const json_t *folder = json_object_get(unit, "folder");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!text_of(unit, texts[i]))
            return f2l_fail(err, F2L_EFORMAT, "this is no line of a plan: it has no text %s",
                            texts[i]);
    const bool chunk = strcmp(job_of(unit), F2L_UNIT_CHUNK) == 0;
    if (chunk && !json_is_null(folder))
        return f2l_fail(err, F2L_EFORMAT, "this line is a chunk, and has a folder");
    if (chunk ? !json_is_array(json_object_get(unit, "units")) : !json_is_string(folder))
        return f2l_fail(err, F2L_EFORMAT, "this is no line of a plan: it has no %s",
                        chunk ? "list units" : "folder");
    if (!chunk && f2l_unit_leaves_folder(json_string_value(folder)))
        return f2l_fail(err, F2L_EFORMAT, "the folder of this line, %.200s, has a part \"..\"",
                        json_string_value(folder));
    return F2L_OK;
}

/* Refuses a command that does not end with its folder: it could work anywhere. */
static f2l_status check_folder(const json_t *unit, f2l_error *err)
{
    const json_t *argv = json_object_get(unit, "argv");
    const size_t words = json_array_size(argv);
    const char *folder = f2l_unit_folder(unit);
    if (!folder) return F2L_OK; /* a chunk: its units have folders */
    const char *const end[] = {"--out", folder, "--continue"};
    bool same = words > 3;
    for (size_t i = 0; same && i < 3; i++)
        same = strcmp(json_string_value(json_array_get(argv, words - 3 + i)), end[i]) == 0;
    if (same) return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT, "argv of this line does not end with --out %.200s --continue",
                    folder);
}

static f2l_status check_unit(const json_t *unit, bool inner, f2l_error *err)
{
    size_t i;
    const json_t *part;
    f2l_status status = check_schema(unit, err);
    if (status == F2L_OK) status = check_members(unit, err);
    if (status == F2L_OK) status = check_argv(json_object_get(unit, "argv"), err);
    if (status == F2L_OK) status = check_folder(unit, err);
    json_t *units = json_object_get(unit, "units");
    if (status == F2L_OK && units && inner)
        status = f2l_fail(err, F2L_EFORMAT, "this line has a chunk in a chunk");
    if (status == F2L_OK)
        json_array_foreach(units, i, part) if (status == F2L_OK) status =
            check_unit(part, true, err);
    return status;
}

f2l_status f2l_unit_read(json_t **unit, const char *line, size_t size, f2l_error *err)
{
    f2l_status status;
    *unit = f2l_json_load(&status, line, size, "this line", err);
    if (status == F2L_OK) status = check_unit(*unit, false, err);
    if (status == F2L_OK) return F2L_OK;
    json_decref(*unit);
    *unit = NULL;
    return status;
}

/* --- the command --- */

/* Appends a word that has newlines, in one line: engines read commands by lines. */
static void put_printed_word(f2l_buf *line, const char *word)
{
    f2l_buf_text(line, "\"$(printf '");
    for (; *word; word++) switch (*word) {
        case '\n':
            f2l_buf_text(line, "\\012");
            break;
        case '\\':
            f2l_buf_text(line, "\\\\");
            break;
        case '%':
            f2l_buf_text(line, "%%");
            break;
        case '\'':
            f2l_buf_text(line, "'\\''");
            break;
        default:
            f2l_buf_bytes(line, word, 1);
        }
    f2l_buf_text(line, "')\"");
}

void f2l_unit_put_word(f2l_buf *line, const char *word)
{
    const size_t size = strlen(word);
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./,:=+@%";
    if (line->size) f2l_buf_text(line, " ");
    if (word[0] && word[strspn(word, plain)] == '\0') {
        f2l_buf_text(line, word);
        return;
    }
    if (strchr(word, '\n') && word[size - 1] != '\n' && word[0] != '-') {
        put_printed_word(line, word);
        return;
    }
    f2l_buf_text(line, "'");
    for (; *word; word++)
        if (*word == '\'')
            f2l_buf_text(line, "'\\''");
        else
            f2l_buf_bytes(line, word, 1);
    f2l_buf_text(line, "'");
}
