/* The lines of a plan: equal automata, folders, commands, and the order. */
#include "cli/continue_request.h"
#include "cli/plan/plan_job.h"
#include "cli/usage.h"
#include "cli/work/request.h"
#include "cli/work/unit.h"
#include "library/version.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit in an order of units. */
typedef struct place {
    f2l_plan_unit *unit;
} place;

/* --- equal automata --- */

/* Orders by what is computed, then by the number. */
static int compare_computed(const void *a, const void *b)
{
    const f2l_plan_unit *u = ((const place *)a)->unit, *v = ((const place *)b)->unit;
    const int order = strcmp(u->canonical, v->canonical);
    return order ? order : (u->number > v->number) - (u->number < v->number);
}

/* Sets `first` of every unit. `order` has room for all units. */
static void find_equal(f2l_plan_job *j, place *order)
{
    for (size_t i = 0; i < j->units; i++) order[i].unit = &j->unit[i];
    if (j->units) qsort(order, j->units, sizeof *order, compare_computed);
    for (size_t i = 1; i < j->units; i++)
        if (order[i].unit->canonical[0] &&
            strcmp(order[i].unit->canonical, order[i - 1].unit->canonical) == 0)
            order[i].unit->first = order[i - 1].unit->first;
}

static int compare_paths(const void *a, const void *b)
{
    const f2l_plan_unit *u = ((const place *)a)->unit, *v = ((const place *)b)->unit;
    const int order = strcmp(u->path ? u->path : "", v->path ? v->path : "");
    return order ? order : (u->number > v->number) - (u->number < v->number);
}

/* Removes inputs that were named before. */
static void drop_repeated(f2l_plan_job *j, place *order)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->units; i++) order[i].unit = &j->unit[i];
    if (j->units) qsort(order, j->units, sizeof *order, compare_paths);
    for (size_t i = 1; i < j->units; i++)
        if (order[i].unit->path && order[i - 1].unit->path &&
            strcmp(order[i].unit->path, order[i - 1].unit->path) == 0)
            order[i].unit->first = SIZE_MAX;
    for (size_t i = 0; i < j->units; i++) {
        if (j->unit[i].first == SIZE_MAX) {
            f2l_plan_unit_clear(&j->unit[i]);
            continue;
        }
        j->unit[kept] = j->unit[i];
        j->unit[kept].number = j->unit[kept].first = kept;
        kept++;
    }
    j->units = kept;
}

static bool is_line(const f2l_plan_unit *unit)
{
    return unit->first == unit->number;
}

/* --- folders --- */

/* Appends a name for the folder of the input: its base name without the ending, in letters that
 * every file system takes. */
static void put_folder_name(f2l_buf *out, const f2l_plan_unit *unit, const f2l_plan_job *j)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
    const char *path = unit->path ? unit->path : j->planned.input ? "regex" : "all";
    size_t end = f2l_path_trimmed(path), from;
    for (from = end; from > 0 && path[from - 1] != '/'; from--) continue;
    const size_t stem = f2l_path_stem(path + from), begin = out->size;
    if (stem < end - from) end = from + stem;
    for (size_t i = from; i < end; i++) {
        const char c = strchr(plain, path[i]) ? path[i] : '_';
        f2l_buf_bytes(out, &c, 1);
    }
    if (!out->failed && (out->data[begin] == '.' || out->data[begin] == '-'))
        out->data[begin] = '_';
}

static int compare_folders(const void *a, const void *b)
{
    const f2l_plan_unit *u = ((const place *)a)->unit, *v = ((const place *)b)->unit;
    return strcmp(u->folder.data, v->folder.data);
}

/* Gives the folders of one name the hashes of their paths, so that all names differ. */
static void tell_folders_apart(place *line, size_t lines)
{
    if (lines) qsort(line, lines, sizeof *line, compare_folders);
    for (size_t i = 0, next; i < lines; i = next) {
        for (next = i + 1; next < lines; next++)
            if (compare_folders(&line[i], &line[next]) != 0) break;
        for (size_t k = i; next - i > 1 && k < next; k++) {
            char sha256[65];
            f2l_sha256_hex(line[k].unit->path, strlen(line[k].unit->path), sha256);
            f2l_buf_printf(&line[k].unit->folder, "-%.16s", sha256);
        }
    }
}

/* Names the folders of all lines. */
static f2l_status name_folders(f2l_plan_job *j, place *order, f2l_error *err)
{
    size_t lines = 0;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < j->units && status == F2L_OK; i++) {
        f2l_plan_unit *unit = &j->unit[i];
        if (!is_line(unit)) continue;
        f2l_buf_printf(&unit->folder, "%s/", j->out.data);
        put_folder_name(&unit->folder, unit, j);
        status = f2l_buf_status(&unit->folder, err);
        order[lines++].unit = unit;
    }
    if (status == F2L_OK) tell_folders_apart(order, lines);
    for (size_t i = 0; i < lines && status == F2L_OK; i++)
        status = f2l_buf_status(&order[i].unit->folder, err);
    return status;
}

/* --- the line --- */

void f2l_plan_say_command(f2l_fact line, const char *const *word, size_t words)
{
    f2l_buf command;
    const f2l_fact argv = f2l_say_list(line, "argv");
    f2l_buf_init(&command);
    for (size_t i = 0; i < words; i++) {
        f2l_say_text(argv, NULL, word[i]);
        f2l_unit_put_word(&command, word[i]);
    }
    f2l_say_buf(line, "command", &command);
}

static void say_input(f2l_fact list, const f2l_plan_unit *unit)
{
    const f2l_fact input = f2l_say_object(list, NULL);
    f2l_say_text(input, "path", unit->path);
    f2l_say_text(input, "sha256", unit->sha256);
    f2l_say_reason(input, "canonical", unit->canonical);
}

/* Puts the words of the command; `path` is the input as the command names it. */
static f2l_status say_unit_command(f2l_fact line, const f2l_plan_job *j, const f2l_plan_unit *unit,
                                   const char *path, f2l_error *err)
{
    const f2l_planned *p = &j->planned;
    size_t words = 0;
    const char **word = f2l_calloc(p->words + p->operands + 6, sizeof *word);
    if (!word) return f2l_fail_memory(err);
    word[words++] = "fsa2lrnn";
    if (p->command->name[0]) word[words++] = p->command->name;
    for (size_t i = 0; i < p->words; i++) word[words++] = p->word[i];
    if (path) word[words++] = path;
    for (size_t i = 0; !path && i < p->operands; i++) word[words++] = p->operand[i];
    word[words++] = "--out";
    word[words++] = unit->folder.data;
    word[words++] = "--continue";
    f2l_plan_say_command(line, word, words);
    f2l_free(word);
    return F2L_OK;
}

/* Appends the input as the command is to name it: a file with the name of a command, or one that
 * begins like an option, is given as ./NAME. */
static void put_operand(f2l_buf *out, const f2l_plan_unit *unit)
{
    const bool hidden = unit->path[0] == '-' || f2l_command_find(unit->path);
    f2l_buf_printf(out, "%s%s", hidden ? "./" : "", unit->path);
}

static void say_equal(f2l_fact line, const f2l_plan_unit *unit, const size_t *next,
                      const f2l_plan_job *j)
{
    const f2l_fact equal = f2l_say_list(line, "equal");
    for (size_t i = next[unit->number]; i != SIZE_MAX; i = next[i]) say_input(equal, &j->unit[i]);
}

/* Reads what the options of the command ask for, as the record of each unit will have it. */
static f2l_status read_asked(f2l_plan_job *j, f2l_error *err)
{
    const f2l_planned *p = &j->planned;
    const f2l_asked asked = {p->command, &p->given, p->word, p->words};
    const bool words = p->command->files[0] == F2L_FILES_NONE;
    f2l_status status = F2L_OK;
    j->asked = json_pack("{s:[], s:[]}", "settings", "inputs");
    if (!j->asked) return f2l_fail_memory(err);
    for (size_t i = 0; words && i < p->operands && status == F2L_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, "operand-%zu", i + 1);
        status = f2l_work_add_setting(j->asked, name, p->operand[i], err);
    }
    return status == F2L_OK ? f2l_continue_options(j->asked, &asked, err) : status;
}

/* Puts the files that options name, which are inputs, too. */
static void say_option_inputs(f2l_fact list, const f2l_plan_job *j)
{
    const json_t *inputs = json_object_get(j->asked, "inputs");
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *one = json_array_get(inputs, i);
        const f2l_fact input = f2l_say_object(list, NULL);
        f2l_say_text(input, "path", json_string_value(json_object_get(one, "path")));
        f2l_say_text(input, "sha256", json_string_value(json_object_get(one, "sha256")));
        f2l_say_null(input, "canonical");
    }
}

/* Makes the line of a unit; next[] leads through the inputs with the same automaton. */
static f2l_status make_line(f2l_plan_unit *unit, const f2l_plan_job *j, const size_t *next,
                            f2l_error *err)
{
    f2l_facts facts;
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_facts_init(&facts);
    const char *name = j->planned.command->name;
    const f2l_fact line = f2l_facts_root(&facts);
    f2l_say_text(line, "schema", F2L_UNIT_SCHEMA);
    f2l_say_text(line, "job", name[0] ? name : F2L_UNIT_MAIN);
    const f2l_fact inputs = f2l_say_list(line, "inputs");
    if (unit->path) say_input(inputs, unit);
    say_option_inputs(inputs, j);
    say_equal(line, unit, next, j);
    f2l_say_json(line, "options", json_deep_copy(json_object_get(j->asked, "settings")));
    f2l_say_text(line, "folder", unit->folder.data);
    f2l_say_number(line, "cost_seconds", unit->cost);
    f2l_say_text(line, "version", f2l_version());
    f2l_say_text(line, "commit", f2l_commit());
    if (unit->path) put_operand(&path, unit);
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = say_unit_command(line, j, unit, path.data, err);
    if (status == F2L_OK)
        status = f2l_facts_write(&unit->line, &facts, (f2l_facts_style){.digits = 15}, err);
    f2l_facts_clear(&facts);
    f2l_buf_clear(&path);
    return status;
}

/* Sets next[] to the next input with the same automaton, SIZE_MAX: there is none. `last` has room
 * for all. */
static void link_equal(const f2l_plan_job *j, size_t *next, size_t *last)
{
    for (size_t i = 0; i < j->units; i++) {
        const size_t first = j->unit[i].first;
        next[i] = SIZE_MAX;
        if (first != i) next[last[first]] = i;
        last[first] = i;
    }
}

/* --- the order --- */

static int compare_costs(const void *a, const void *b)
{
    const f2l_plan_unit *u = a, *v = b;
    if (u->cost > v->cost || u->cost < v->cost) return u->cost > v->cost ? -1 : 1;
    return strcmp(u->folder.data ? u->folder.data : "", v->folder.data ? v->folder.data : "");
}

void f2l_plan_sort(f2l_plan_job *j)
{
    if (j->units) qsort(j->unit, j->units, sizeof *j->unit, compare_costs);
}

/* Keeps the units that are lines. */
static void keep_lines(f2l_plan_job *j)
{
    size_t kept = 0;
    for (size_t i = 0; i < j->units; i++) {
        if (is_line(&j->unit[i]))
            j->unit[kept++] = j->unit[i];
        else
            f2l_plan_unit_clear(&j->unit[i]);
    }
    j->units = kept;
}

f2l_status f2l_plan_make_lines(f2l_plan_job *j, f2l_error *err)
{
    f2l_status status = F2L_OK;
    place *order = f2l_calloc(j->units + 1, sizeof *order);
    size_t *next = f2l_calloc(j->units + 1, sizeof *next);
    size_t *last = f2l_calloc(j->units + 1, sizeof *last);
    if (!order || !next || !last) status = f2l_fail_memory(err);
    if (status == F2L_OK && j->units > 0) status = read_asked(j, err);
    if (status == F2L_OK) {
        drop_repeated(j, order);
        find_equal(j, order);
        status = name_folders(j, order, err);
    }
    if (status == F2L_OK) link_equal(j, next, last);
    for (size_t i = 0; i < j->units && status == F2L_OK; i++)
        if (is_line(&j->unit[i])) status = make_line(&j->unit[i], j, next, err);
    f2l_free(order);
    f2l_free(next);
    f2l_free(last);
    if (status != F2L_OK) return status;
    keep_lines(j);
    f2l_plan_sort(j);
    return F2L_OK;
}
