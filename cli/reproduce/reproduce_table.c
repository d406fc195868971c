#include "cli/reproduce/reproduce_table.h"
#include "cli/reproduce/reproduce_folder.h"
#include "numeric/base/path.h"
#include <string.h>
#include <sys/stat.h>

#define LARGEST_PLAN ((size_t)64 << 20)

int f2l_reproduce_table_print(f2l_cli *cli, const f2l_reproduce_report *report, f2l_outcomes *list)
{
    f2l_error err;
    return f2l_outcomes_merge(list, &err) == F2L_OK
               ? f2l_cli_report(cli, &f2l_reproduce_report_kind, report)
               : f2l_cli_fail(cli, NULL, &err);
}

/* --- plans --- */

/* A line of a plan; the texts are borrowed from the JSON. */
typedef struct line {
    const char *preset, *setting, *model, *recipe, *folder;
    json_int_t seed;
} line;

static bool read_plan_line(line *l, json_t *json)
{
    return json_unpack(json, "{s:s, s:s, s:s, s:s, s:s, s:I, s:s}", "preset", &l->preset, "setting",
                       &l->setting, "model", &l->model, "recipe", &l->recipe, "folder", &l->folder,
                       "seed", &l->seed, "command", &(const char *){NULL}) == 0;
}

static size_t line_size(const char *text, size_t size)
{
    const char *end = memchr(text, '\n', size);
    return end ? (size_t)(end - text) : size;
}

/* Returns whether the first line of a file is a line of a plan. */
static bool is_plan(const f2l_buf *text)
{
    line l;
    json_t *json =
        text->size ? json_loadb(text->data, line_size(text->data, text->size), 0, NULL) : NULL;
    const bool plan = read_plan_line(&l, json);
    json_decref(json);
    return plan;
}

/* Appends the outcome of a run, which must be the outcome of this line. */
static f2l_status take_outcome_of_line(f2l_outcomes *list, const line *l, const char *path,
                                       f2l_error *err)
{
    const size_t before = list->rows;
    const f2l_status status = f2l_outcomes_read(list, path, err);
    if (status != F2L_OK) return status;
    const f2l_outcome *w = &list->row[before];
    if (list->rows == before + 1 && w->seeds == 1 && w->seed[0].seed == l->seed &&
        strcmp(w->recipe, l->recipe) == 0)
        return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "%s has another seed or recipe than the plan", path);
}

/* Appends the line to the runs that are left. */
static f2l_status leave_plan_line(json_t *left, json_t *json, const char *folder, f2l_error *err)
{
    const bool begun = f2l_path_has(folder, F2L_REPRODUCE_FILE);
    if (json_object_set_new(json, "begun", json_boolean(begun)) != 0 ||
        json_array_append(left, json) != 0)
        return f2l_fail_memory(err);
    return F2L_OK;
}

/* Takes the outcome of a run, which is written from its beginning on, and appends the line to the
 * runs that are left unless the run has ended. */
static f2l_status take_plan_line(f2l_outcomes *list, json_t *left, json_t *json, f2l_error *err)
{
    line l;
    struct stat about;
    f2l_buf path;
    if (!read_plan_line(&l, json)) return f2l_fail(err, F2L_EFORMAT, "this is no line of a plan");
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/outcome-%s-%s-%s.json", l.folder, l.preset, l.setting, l.model);
    f2l_status status = f2l_buf_status(&path, err);
    const bool there = status == F2L_OK && stat(path.data, &about) == 0;
    if (there) status = take_outcome_of_line(list, &l, path.data, err);
    if (status == F2L_OK && (!there || !f2l_outcome_ended(&list->row[list->rows - 1])))
        status = leave_plan_line(left, json, l.folder, err);
    f2l_buf_clear(&path);
    return status;
}

/* Takes all lines of a plan; a run that an earlier line had is not taken again. */
static f2l_status take_plan(f2l_outcomes *list, json_t *left, json_t *seen, const f2l_buf *text,
                            f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t number = 1;
    for (size_t at = 0; at < text->size && status == F2L_OK; number++) {
        json_error_t why;
        const size_t size = line_size(text->data + at, text->size - at);
        json_t *json = json_loadb(text->data + at, size, JSON_REJECT_DUPLICATES, &why);
        const char *folder = json_string_value(json_object_get(json, "folder"));
        at += size + 1;
        if (!json)
            status = f2l_fail_at(err, number, 1, "this is no JSON: %s", why.text);
        else if (!folder || !json_object_get(seen, folder))
            status = take_plan_line(list, left, json, err);
        if (status == F2L_OK && json_object_set_new(seen, folder, json_true()) != 0)
            status = f2l_fail_memory(err);
        json_decref(json);
        if (status == F2L_EFORMAT && err->line == 0) err->line = number, err->column = 1;
    }
    return status;
}

/* --- the operands --- */

/* Appends the rows of a folder or a file, and takes the lines of a plan. */
static f2l_status take_operand(f2l_outcomes *list, json_t *left, json_t *seen, const char *path,
                               f2l_error *err)
{
    struct stat about;
    f2l_buf text;
    f2l_status status = F2L_OK;
    f2l_buf_init(&text);
    const bool file = stat(path, &about) == 0 && !S_ISDIR(about.st_mode);
    if (file) status = f2l_read_file(&text, path, LARGEST_PLAN, err);
    if (status == F2L_OK)
        status = is_plan(&text) ? take_plan(list, left, seen, &text, err)
                                : f2l_outcomes_read(list, path, err);
    f2l_buf_clear(&text);
    return status;
}

static int show_plan_table(f2l_cli *cli, f2l_outcomes *list, json_t *left, json_t *seen)
{
    f2l_error err;
    f2l_reproduce_report report = {.all = true, .outcomes = list, .left = left};
    for (size_t i = 0; i < cli->operands; i++) {
        const f2l_preset *preset = f2l_preset_find(cli->operand[i]);
        if (preset && report.only && report.only != preset)
            return f2l_cli_usage(cli, "--table is for one preset or for all");
        if (preset) {
            report.only = preset;
            continue;
        }
        report.all = false;
        if (take_operand(list, left, seen, cli->operand[i], &err) != F2L_OK)
            return f2l_cli_fail(cli, cli->operand[i], &err);
    }
    if (report.only) report.all = true;
    report.not_run = json_object_size(seen) == 0; /* a plan has its own list */
    return f2l_reproduce_table_print(cli, &report, list);
}

int f2l_reproduce_table_show(f2l_cli *cli, f2l_outcomes *list)
{
    f2l_error err;
    json_t *left = json_array(), *seen = json_object();
    const int code = left && seen ? show_plan_table(cli, list, left, seen)
                                  : f2l_cli_fail(cli, NULL, (f2l_fail_memory(&err), &err));
    json_decref(left);
    json_decref(seen);
    return code;
}
