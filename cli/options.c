#include "cli/options.h"
#include "cli/commands.h"
#include "cli/continue.h"
#include "cli/input_options.h"
#include "cli/usage.h"
#include "numeric/base/text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLOBAL(field) offsetof(f2l_global, field)

const f2l_option f2l_global_options[] = {
    {"json", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, GLOBAL(json),
     "print JSON instead of readable text"},
    {"quiet", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, GLOBAL(quiet),
     "no progress, no warnings and no summary"},
    {"jobs", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 1024, GLOBAL(jobs),
     "threads that may be used (default: the number of processors)"},
    {"memory", 0, F2L_OPTION_SIZE, "SIZE", NULL, 1 << 20, (uint64_t)1 << 50, GLOBAL(memory),
     "memory that the process may take, such as 500M or 2G (default: no limit); it holds "
     "within 10 % or 64 MiB, and verdicts not reached by then are UNKNOWN"},
    {"time-limit", 0, F2L_OPTION_SECONDS, "TIME", NULL, 0, 0, GLOBAL(time_limit),
     "end the work after this time, such as 90 (seconds), 10m or 1.5h (default: never); it "
     "holds within 10 % or 1 s, and verdicts not reached by then are UNKNOWN"},
    {"help", 'h', F2L_OPTION_FLAG, NULL, NULL, 0, 0, GLOBAL(help), "print this text"},
    {"version", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, GLOBAL(version),
     "print the versions of the program and of its libraries"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

const char *f2l_files_ending(f2l_files files, size_t index)
{
    static const char *const ending[][18] = {
        [F2L_FILES_ANY] = {""},
        [F2L_FILES_FOLDER] = {"/"},
        [F2L_FILES_GRAMMAR] = {".fsa", ".att", ".txt", ".jff", ".g", ".gap", ".dot", ".gv", ".json",
                               ".hoa", ".rules", ".aut", ".kiss2", ".mata", ".timbuk", ".ba",
                               ".scxml"},
        [F2L_FILES_AUTOMATON] = {".fsa"},
        [F2L_FILES_NETWORK] = {".lrnn"},
        [F2L_FILES_CERTIFICATE] = {".cert"},
        [F2L_FILES_WEIGHTS] = {".safetensors"},
        [F2L_FILES_OUTCOME] = {".json"},
        [F2L_FILES_CSV] = {".csv"}};
    return ending[files][index];
}

static size_t lesser_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, const char *b)
{
    size_t row[3][65], m = lesser_of(strlen(a), 64), n = lesser_of(strlen(b), 64);
    for (size_t j = 0; j <= n; j++) row[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *now = row[i % 3];
        const size_t *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            now[j] =
                lesser_of(last[j - 1] + (a[i - 1] != b[j - 1]), lesser_of(last[j], now[j - 1]) + 1);
            if (swapped) now[j] = lesser_of(now[j], before[j - 2] + 1);
        }
    }
    return row[m % 3][n];
}

void f2l_near_try(f2l_near *near, const char *known)
{
    const size_t size = strlen(near->name);
    const bool begins = size >= 3 && strncmp(known, near->name, size) == 0;
    const size_t edits = begins ? 1 : distance(near->name, known);
    const size_t most = near->found ? near->distance - 1 : (size + 1) / 3;
    if (edits > most || edits >= strlen(known)) return;
    near->found = known;
    near->distance = edits;
}

f2l_option_group f2l_command_option_table(const f2l_command *command, size_t index)
{
    f2l_option_group after[5];
    size_t groups = 0, tables = 0;
    while (command->groups[groups].title) groups++;
    if (index == 0) return (f2l_option_group){.title = "Options", .options = command->options};
    if (index <= groups) return command->groups[index - 1];
    if (command->work) after[tables++] = (f2l_option_group){F2L_WORK_TITLE, f2l_work_table, 0};
    if (command->work && !command->work->own_out)
        after[tables++] = (f2l_option_group){"", f2l_work_out_table, 0};
    after[tables++] = (f2l_option_group){"Options of every command", f2l_global_options, 0};
    index -= groups + 1;
    return index < tables ? after[index] : (f2l_option_group){.title = NULL};
}

/* Returns whether the table's record is the f2l_global. */
static bool is_global_table(const f2l_option *options)
{
    return options == f2l_global_options || options == f2l_work_table ||
           options == f2l_work_out_table;
}

const f2l_option *f2l_command_option(const f2l_command *command, const f2l_option *option)
{
    const f2l_option *label = f2l_option_find(f2l_input_table, "label", 5, 0);
    const f2l_option *sink = f2l_option_find(f2l_input_table, "sink", 4, 0);
    if ((command->no_label && option == label) || (command->no_sink && option == sink)) return NULL;
    return command->no_edges && option == label ? &f2l_input_state_label : option;
}

static void near_options(f2l_near *near, const f2l_command *command)
{
    f2l_option_group group;
    for (size_t t = 0; (group = f2l_command_option_table(command, t)).title; t++)
        for (const f2l_option *o = group.options; o->name; o++)
            if (f2l_command_option(command, o)) f2l_near_try(near, o->name);
}

const f2l_option *f2l_options_match(const f2l_command *command, const char *argument,
                                    f2l_option_group *group, const char **value)
{
    const bool is_long = argument[1] == '-';
    const char *name = is_long ? argument + 2 : NULL;
    const size_t size = is_long ? strcspn(name, "=") : 0;
    *value = NULL;
    if (is_long && name[size] == '=') *value = name + size + 1;
    if (!is_long && argument[2]) *value = argument + 2;
    for (size_t t = 0; (*group = f2l_command_option_table(command, t)).title; t++) {
        const f2l_option *o = f2l_option_find(group->options, name, size, argument[1]);
        if (o) return o;
    }
    return NULL;
}

/* Appends the commands that take the option, "compile, cascade and classify have"; at most three.
 * `compile` has all options of the main job, which is not named. Returns how many have it. */
static size_t havers(f2l_buf *out, const char *argument)
{
    const char *name[3], *value;
    size_t count = 0;
    for (const f2l_command *const *c = f2l_commands + 1; *c && count < 3; c++) {
        f2l_option_group group;
        const f2l_option *o = f2l_options_match(*c, argument, &group, &value);
        if (o && f2l_command_option(*c, o)) name[count++] = (*c)->name;
    }
    for (size_t i = 0; i < count; i++)
        f2l_buf_printf(out, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " and ", name[i]);
    f2l_buf_text(out, count == 1 ? " has" : " have");
    return count;
}

/* Says of an option that another command has which commands have it, and whether the command has
 * one of a similar name. */
static void elsewhere(f2l_buf *out, const f2l_command *command, const char *name, const char *near,
                      const char *commands)
{
    f2l_option_group group;
    const char *value;
    const bool grammar = f2l_options_match(&f2l_command_main, name, &group, &value) &&
                         group.options == f2l_input_table;
    f2l_buf_printf(out, "%s has no option '%s'", command->name[0] ? command->name : "the main job",
                   name);
    if (grammar && command->no_grammar) f2l_buf_printf(out, " (%s)", command->no_grammar);
    if (near)
        f2l_buf_printf(out, "; did you mean '--%s'? %s '%s'", near, commands, name);
    else
        f2l_buf_printf(out, "; %s it", commands);
}

static bool unknown(const f2l_command *command, const char *argument, f2l_error *err)
{
    f2l_buf text, commands;
    char name[65] = {0}, longest[80];
    memcpy(name, argument, lesser_of(strcspn(argument, "="), sizeof name - 1));
    f2l_near own = {.name = name[1] == '-' ? name + 2 : name + 1}, other = own;
    near_options(&own, command);
    for (size_t i = 0; f2l_commands[i]; i++) near_options(&other, f2l_commands[i]);
    snprintf(longest, sizeof longest, "--%s", other.found ? other.found : "");
    f2l_buf_init(&text);
    f2l_buf_init(&commands);
    if (*own.name && havers(&commands, name) > 0) {
        elsewhere(&text, command, name, own.found, commands.data);
    } else {
        f2l_buf_printf(&text, "unknown option '%s'", name);
        if (f2l_command_find(own.name)) f2l_buf_printf(&text, "; '%s' is a command", own.name);
        if (own.found) f2l_buf_printf(&text, "; did you mean '--%s'?", own.found);
        commands.size = 0;
        if (!own.found && other.found && !f2l_command_find(own.name) &&
            havers(&commands, longest) > 0)
            f2l_buf_printf(&text, "; did you mean '%s'? %s it", longest, commands.data);
    }
    f2l_fail(err, F2L_EDOMAIN, "%s", text.data ? text.data : "unknown option");
    f2l_buf_clear(&commands);
    f2l_buf_clear(&text);
    return false;
}

static void add_given(f2l_given *given, const f2l_option *o)
{
    for (size_t i = 0; i < given->count; i++)
        if (given->option[i] == o) return;
    if (given->count < F2L_MAX_GIVEN) given->option[given->count++] = o;
}

bool f2l_options_parse(const f2l_command *command, int argc, char **argv, void *values,
                       f2l_global *global, f2l_given *given, size_t *operands, f2l_error *err)
{
    size_t count = 0;
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        char *argument = argv[i];
        if (only_operands || argument[0] != '-' || argument[1] == '\0') {
            argv[count++] = argument;
            continue;
        }
        if (strcmp(argument, "--") == 0) {
            only_operands = true;
            continue;
        }
        f2l_option_group group;
        const char *value;
        const f2l_option *o = f2l_options_match(command, argument, &group, &value);
        if (!o) return unknown(command, argument, err);
        f2l_status status = F2L_OK;
        const f2l_option *taken = f2l_command_option(command, o);
        if (!taken)
            status = f2l_fail(err, F2L_EDOMAIN, "--%s is refused: %s", o->name,
                              strcmp(o->name, "sink") == 0 ? command->no_sink : command->no_label);
        else if (o->kind == F2L_OPTION_FLAG && value)
            status = f2l_fail(err, F2L_EDOMAIN, "no value belongs to '%s'", argument);
        else if (o->kind != F2L_OPTION_FLAG && !value && i + 1 == argc)
            status = f2l_fail(err, F2L_EDOMAIN, "a value is missing after '%s'", argument);
        if (status != F2L_OK) return false;
        if (o->kind != F2L_OPTION_FLAG && !value) value = argv[++i];
        void *record =
            is_global_table(group.options) ? (void *)global : (char *)values + group.offset;
        if (f2l_option_set(taken, record, value, err) != F2L_OK) return false;
        add_given(given, o);
    }
    *operands = count;
    return true;
}

bool f2l_given_has(const f2l_given *given, const char *name)
{
    for (size_t i = 0; i < given->count; i++)
        if (strcmp(given->option[i]->name, name) == 0) return true;
    return false;
}

const char *f2l_given_in(const f2l_given *given, const f2l_option *table)
{
    for (size_t i = 0; i < given->count; i++)
        for (const f2l_option *o = table; o->name; o++)
            if (given->option[i] == o) return o->name;
    return NULL;
}

const char *f2l_given_beside(const f2l_given *given, const char *const *names)
{
    for (size_t i = 0; i < given->count; i++) {
        const char *name = given->option[i]->name;
        size_t n = 0;
        while (names[n] && strcmp(names[n], name) != 0) n++;
        if (!names[n] && !f2l_option_find(f2l_global_options, name, strlen(name), 0)) return name;
    }
    return NULL;
}

int f2l_options_leading(int argc, char **argv)
{
    const f2l_command none = {.options = f2l_global_options};
    int i = 0;
    while (i < argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0) {
        f2l_option_group group;
        const char *value;
        const f2l_option *o = f2l_options_match(&none, argv[i], &group, &value);
        if (!o) break;
        i += o->kind != F2L_OPTION_FLAG && !value ? 2 : 1;
    }
    return i < argc ? i : argc;
}

double f2l_options_decimal(const char *text, const char **end)
{
    char *behind = NULL;
    *end = text;
    if (*text < '0' || *text > '9') return -1; /* no sign, no blank, no "nan" */
    const double number = strtod(text, &behind);
    *end = behind;
    return number;
}
