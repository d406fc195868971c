/* `table`: one table of all work, whoever did it. */
#include "cli/commands.h"
#include "cli/input_options.h"
#include "cli/table/table_operand.h"
#include <string.h>

typedef struct table_options {
    bool csv, html, untimed;
} table_options;

#define FIELD(name) offsetof(table_options, name)
static const f2l_option table[] = {
    {"csv", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(csv),
     "print comma-separated values: one line for each row, or for each set of options"},
    {"html", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(html), "print a page for a browser"},
    {"untimed", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(untimed),
     "leave out hosts, times and memory: the rest is the same, byte for byte, wherever and in "
     "whatever order the work was done"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    table_options o;
    f2l_table table;
} job;

#define PARTS(part, clear) part(f2l_table, table)
F2L_JOB(PARTS)

static int print_table(job *j)
{
    const f2l_table_report report = {.table = &j->table, .untimed = j->o.untimed};
    const f2l_report_kind *kind = j->o.csv    ? &f2l_table_csv_kind
                                  : j->o.html ? &f2l_table_html_kind
                                              : &f2l_table_report_kind;
    const int code = f2l_cli_report(&j->cli, kind, &report);
    return code ? code : json_array_size(j->table.unread) > 0 ? F2L_EXIT_FORMAT : 0;
}

/* Returns whether a setting says how an automaton is read. */
static bool is_reading(const char *setting)
{
    const size_t size = strcspn(setting, "=");
    return size > 2 && f2l_option_find(f2l_input_table, setting + 2, size - 2, 0) != NULL;
}

static int run_table(void *context)
{
    job *j = context;
    f2l_error err;
    if (j->o.csv + j->o.html + j->cli.global.json > 1)
        return f2l_cli_usage(&j->cli, "--csv, --html and --json exclude each other");
    if (j->cli.operands == 0)
        return f2l_cli_usage(&j->cli, "a plan, folders of work, or tables are expected");
    j->table.is_reading = is_reading;
    for (size_t i = 0; i < j->cli.operands; i++) {
        const int code = f2l_table_operand_add(&j->table, &j->cli, j->cli.operand[i]);
        if (code) return code;
    }
    if (f2l_table_status(&j->table, &err) != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    return print_table(j);
}

const f2l_command f2l_command_table = {
    .name = "table",
    .usage = (const char *const[]){"table PLAN|FOLDER|TABLE .. [--csv|--html|--json]", NULL},
    .summary = "merges the work of plans and folders into one table",
    .description =
        "Reads the records and results of the folders that a plan names, of folders with a "
        "work.json, or of all such folders in a folder, and prints a row for each automaton: the "
        "verdict with its scope, layers, n_h and the lower bound, the classes of models that "
        "cannot track it, the worst verdict of each schedule, why something is UNKNOWN, times and "
        "memory. Files with the same automaton, as plans say, share a row that names all of them. "
        "Then follow the commands of the work that is left.\n\n"
        "A work.json or a result that is half written, changed, or of another version than its "
        "plan is never believed: it is left, with the reason. Works of several versions are "
        "separate, and each names its version.\n\n"
        "A table as JSON (--json) may be given in place of the folders that it was made of. "
        "Merging is a union: whatever the order and the grouping, the bytes are the same. Text is "
        "Markdown.\n\n"
        "The status is 0, however much is left, and 65 when lines of a plan could not be read: "
        "they are listed, and the rest is printed.",
    .options = table,
    .no_grammar = "it reads plans, folders of work and tables",
    .files = {F2L_FILES_ANY, F2L_FILES_ANY, F2L_FILES_ANY},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn table plan.jsonl", "what was done, and the commands that are left"},
            {"fsa2lrnn table work/ --csv > table.csv", "all folders of work in a folder"},
            {"fsa2lrnn table node1.json node2.json --html > table.html",
             "tables that two machines made with --json"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_table};
