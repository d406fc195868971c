/* `census`: how few layers track each automaton of a few states and letters. */
#include "automata/census/census.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/signals.h"
#include "numeric/base/mem.h"
#include "reports/automata/census_report.h"
#include <errno.h>
#include <sys/stat.h>

#define SAVE_SECONDS 5.0 /* longest time between two writings of the file */

typedef struct census_options {
    const char *out;
    uint64_t effort;
} census_options;

#define FIELD(name) offsetof(census_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_CSV, 0, FIELD(out),
     "write the table to FILE, and if FILE has the beginning of it, go on from there (default: the "
     "table goes to standard output instead of the summary)"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 4000000000, FIELD(effort),
     "limit on each search for one automaton, in millions of counted steps (some milliseconds "
     "each; default: 1250; 0: no limit)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    census_options o;
    f2l_census census; /* at the last row */
    f2l_stack_lists first_layers;
    uint64_t automata;
    f2l_census_row *row; /* [rows] owned */
    size_t rows, capacity;
    size_t written; /* rows that the file has */
    double saved;   /* time of the last writing (f2l_now) */
} job;

#define PARTS(part, clear) clear(f2l_stack_lists_clear(&j->first_layers)), clear(f2l_free(j->row))
F2L_JOB(PARTS)

/* Reads the numbers of states and letters. Returns 0 or the exit status. */
static int read_census_sizes(job *j)
{
    f2l_error err;
    uint64_t size[2];
    if (j->cli.operands != 2)
        return f2l_cli_usage(&j->cli, "the numbers of states and letters are expected");
    for (size_t i = 0; i < 2; i++)
        if (!f2l_options_number(&size[i], j->cli.operand[i]))
            return f2l_cli_usage(&j->cli, "a number is expected, not '%s'", j->cli.operand[i]);
    const size_t states = size[0] > 100 ? 100 : (size_t)size[0];
    const size_t letters = size[1] > 100 ? 100 : (size_t)size[1];
    if (f2l_census_begin(&j->census, states, letters, &err) != F2L_OK)
        return f2l_cli_usage(&j->cli, "%s", err.text);
    j->automata = f2l_census_count(states, letters);
    return 0;
}

/* Reads the beginning of the table from the file, if there is one. */
static f2l_status resume(job *j, f2l_error *err)
{
    struct stat status_of;
    f2l_buf text;
    if (!j->o.out || (stat(j->o.out, &status_of) != 0 && errno == ENOENT)) return F2L_OK;
    f2l_buf_init(&text);
    f2l_status status = f2l_read_file(&text, j->o.out, (size_t)1 << 30, err);
    if (status == F2L_OK)
        status = f2l_census_read(&j->row, &j->rows, &j->census, text.data, text.size, err);
    j->capacity = j->written = j->rows;
    f2l_buf_clear(&text);
    return status;
}

static f2l_status make_table(f2l_buf *out, const job *j, f2l_error *err)
{
    f2l_census_heading(out);
    for (size_t i = 0; i < j->rows; i++) f2l_census_line(out, &j->row[i]);
    return f2l_buf_status(out, err);
}

/* Writes the file with all rows so far. */
static f2l_status save(job *j, f2l_error *err)
{
    f2l_buf text;
    if (!j->o.out || (j->written == j->rows && j->rows > 0)) return F2L_OK;
    f2l_buf_init(&text);
    f2l_status status = make_table(&text, j, err);
    if (status == F2L_OK) status = f2l_write_file(j->o.out, text.data, text.size, err);
    if (status == F2L_OK) j->written = j->rows;
    j->saved = f2l_now();
    f2l_buf_clear(&text);
    return status;
}

/* Reports nothing, since the progress is counted in rows and not in steps of a search. */
static void quiet_progress(void *context, const char *phase, double done, double total)
{
    (void)context;
    (void)phase;
    (void)done;
    (void)total;
}

static f2l_status add_census_row(job *j, f2l_error *err)
{
    const f2l_census_limits limits = {.effort = j->o.effort * F2L_STEPS,
                                      .first_layers = &j->first_layers};
    f2l_task task = j->cli.task;
    task.progress = quiet_progress;
    if (!f2l_grow((void **)&j->row, &j->capacity, j->rows, sizeof *j->row))
        return f2l_fail_memory(err);
    const f2l_status status =
        f2l_census_row_find(&j->row[j->rows], &j->census, &limits, &task, err);
    if (status == F2L_OK) j->rows++;
    return status;
}

/* Finds all rows that are missing. What was found is saved, however the work ends. */
static f2l_status search_missing_rows(job *j, f2l_error *err)
{
    f2l_error unsaved;
    f2l_status status = F2L_OK;
    j->saved = f2l_now();
    while (status == F2L_OK && f2l_census_next(&j->census)) {
        status = f2l_task_poll(&j->cli.task, "automata", (double)j->rows, (double)j->automata, err);
        if (status == F2L_OK) status = add_census_row(j, err);
        if (status == F2L_OK && f2l_now() > j->saved + SAVE_SECONDS) status = save(j, err);
    }
    const f2l_status saved = save(j, &unsaved);
    if (saved == F2L_OK || status == F2L_EIO) return status;
    *err = unsaved;
    return saved;
}

static int print_census(job *j)
{
    f2l_error err;
    f2l_buf text;
    const f2l_census_report report = {j->census.states, j->census.letters, j->automata, j->row,
                                      j->rows};
    if (j->cli.global.json || j->o.out)
        return f2l_cli_report(&j->cli, &f2l_census_report_kind, &report);
    f2l_buf_init(&text);
    const f2l_status status = make_table(&text, j, &err);
    return f2l_cli_show(&j->cli, &text, status, &err);
}

static int run_census(void *context)
{
    job *j = context;
    f2l_error err;
    f2l_watchdog_grace(F2L_WATCHDOG_SEARCH);
    int code = read_census_sizes(j);
    if (code) return code;
    if (resume(j, &err) != F2L_OK) return f2l_cli_fail(&j->cli, j->o.out, &err);
    const f2l_status status = search_missing_rows(j, &err);
    f2l_terminal_erase(&j->cli.terminal);
    if (status != F2L_OK && status != F2L_UNKNOWN) return f2l_cli_fail(&j->cli, j->o.out, &err);
    code = print_census(j);
    if (code || status == F2L_OK) return code;
    if (f2l_signals_caught())
        return f2l_cli_interrupted(&j->cli, j->o.out ? "the same command goes on from the file"
                                                     : "the lines that are printed are complete");
    return F2L_EXIT_UNKNOWN;
}

const f2l_command f2l_command_census = {
    .name = "census",
    .usage = (const char *const[]){"census STATES LETTERS [--out FILE] [options]", NULL},
    .summary = "finds how few layers track each automaton of a few states and letters",
    .description =
        "Goes through all automata of this many states and letters whose states can all be reached "
        "from the start, once each up to the names of states and the order of letters; labels are "
        "the states. For each it compiles a network and verifies it exactly, and finds a lower "
        "bound on the layers of any network of Euclidean contractions with finitely many exact "
        "states, whatever its n_h, dimensions and heads (theory/pages/layers.md). "
        "`one_code_decoder` says for which decoder one layer is possible with one code for each "
        "state (theory/pages/separation.md, SP.9): `state` reads the code after the letter, `step` "
        "the letter as well, and `before` also the code before the letter; `none` means that none "
        "of these does.\n\n"
        "An automaton is named by the states to which each letter leads the states 0, 1, ..; 0 is "
        "the start: 120 011 is a cycle of three states, and a letter that merges two. The columns "
        "are layers_at_least, this bound, with the statement that shows it; layers_enough, where a "
        "theorem shows fewer layers to be enough than the network has: one by idempotents (OL), or "
        "two by a small first layer (LL.2); least_householders, a lower bound on "
        "the factors of some letter in one layer; and the figures of the network.\n\n"
        "With --out the table is saved as it grows. The same command goes on with a file that is "
        "not complete, and with a complete one prints the summary again.",
    .options = table,
    .no_grammar = "it goes through all automata",
    .work = &(const f2l_work_kind){.own_out = true, .file = "census.csv"},
    .files = {F2L_FILES_NONE},
    .examples = (const f2l_example[]){{"fsa2lrnn census 3 2 --out census-3x2.csv",
                                       "all automata of 3 states and 2 letters"},
                                      {"fsa2lrnn census 2 2", "the table on standard output"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const census_options){.effort = F2L_USUAL_EFFORT},
    .run = run_census};
