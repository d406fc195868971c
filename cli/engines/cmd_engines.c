/* `engines`: in which serving engines networks are right, as a table. */
#include "cli/commands.h"
#include "cli/engines/engines_cells.h"
#include "cli/input/engine_file.h"
#include "cli/signals.h"
#include "cli/work/unit.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_ROWS 256
#define MOST_NETS 128
#define EXACT_EFFORT ((uint64_t)3000) /* of a network in exact arithmetic, as in `round` */

typedef struct engines_options {
    f2l_chosen formats;
    const char *engine, *out;
    uint64_t effort, limit, letters;
    bool csv, markdown;
    f2l_input_options input;
} engines_options;

#define FIELD(name) offsetof(engines_options, name)
static const f2l_option table[] = {
    {"engine", 0, F2L_OPTION_TEXT, "NAME[/STATE]", NULL, 0, 0, FIELD(engine),
     "this engine alone: a preset, with all its states or one, or a file of one (docs/engines.md)"},
    {"formats", 0, F2L_OPTION_CHOICES, "FORMAT", f2l_choice_format, 0, 0, FIELD(formats),
     "the format of the activations (default: bf16)"},
    {"effort", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 4000000000, FIELD(effort),
     "limit on each cell, in millions of counted steps (some milliseconds each), which are the "
     "same on every machine (default: 100; 0: no limit)"},
    {"limit", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(limit),
     "most joint states of a closure (default: 100000)"},
    {"letters", 0, F2L_OPTION_NUMBER, "N", NULL, 0, 1000000000000, FIELD(letters),
     "where nothing is proved, run random, greedy and periodic words of N letters (default: "
     "40000)"},
    {"out", 'o', F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_ANY, 0, FIELD(out),
     "write each decided cell to FILE, and if FILE has some, go on from there"},
    {"csv", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(csv),
     "print a line for each cell, as comma-separated values"},
    {"markdown", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(markdown),
     "print one table, as Markdown"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

/* A row with what it borrows. */
typedef struct row_of_engine {
    f2l_engine engine;
    f2l_schedule schedule;
    char schedule_name[F2L_SCHEDULE_NAME];
    f2l_buf name, source;
    char kind[32];
} row_of_engine;

typedef struct job {
    f2l_cli cli;
    engines_options o;
    f2l_grammar grammar[MOST_NETS]; /* [operands]; of networks empty */
    f2l_engines_source source[MOST_NETS];
    f2l_engines_net net[MOST_NETS];
    row_of_engine of_row[MOST_ROWS];
    f2l_engines_row row[MOST_ROWS];
    f2l_engines_cell *cell;
    f2l_engines_report report;
    f2l_stop ended;
} job;

static void init_job(void *context)
{
    job *j = context;
    for (size_t i = 0; i < MOST_NETS; i++) {
        f2l_grammar_init(&j->grammar[i]);
        f2l_engines_source_init(&j->source[i]);
    }
    for (size_t i = 0; i < MOST_ROWS; i++) {
        f2l_buf_init(&j->of_row[i].name);
        f2l_buf_init(&j->of_row[i].source);
    }
}

static void clear_job(void *context)
{
    job *j = context;
    for (size_t i = 0; i < MOST_NETS; i++) {
        f2l_engines_source_clear(&j->source[i]);
        f2l_grammar_clear(&j->grammar[i]);
    }
    for (size_t i = 0; i < MOST_ROWS; i++) {
        f2l_buf_clear(&j->of_row[i].name);
        f2l_buf_clear(&j->of_row[i].source);
    }
    f2l_free(j->cell);
}

/* --- the rows --- */

/* Adds the engine with one state. `named`: the user's name of it, which commands use. */
static int add_engine_row(job *j, const f2l_engine *e, const char *named, const char *state)
{
    f2l_error err;
    if (j->report.rows == MOST_ROWS) return f2l_cli_usage(&j->cli, "too many engines");
    row_of_engine *of = &j->of_row[j->report.rows];
    f2l_engines_row *row = &j->row[j->report.rows];
    if (f2l_engine_schedule(&of->schedule, of->schedule_name, e, state, &err) != F2L_OK)
        return f2l_cli_usage(&j->cli, "--engine: %s", err.text);
    f2l_buf_printf(&of->name, "%s/%s", named, state);
    f2l_engine_cite(&of->source, e);
    snprintf(of->kind, sizeof of->kind, "%.31s", e->value[F2L_ENGINE_SOURCE]);
    *row = (f2l_engines_row){.name = of->name.data,
                             .source = of->source.data,
                             .kind = of->kind,
                             .same = j->report.rows,
                             .schedule = &of->schedule};
    of->engine = *e;
    char text[F2L_SCHEDULE_NAME], other[F2L_SCHEDULE_NAME];
    f2l_schedule_write(text, &of->schedule);
    for (size_t i = 0; i < j->report.rows && row->same == j->report.rows; i++) {
        f2l_schedule_write(other, j->row[i].schedule);
        if (strcmp(text, other) == 0 && f2l_engine_same_range(&j->of_row[i].engine, e))
            row->same = i;
    }
    j->report.rows++;
    if (f2l_buf_status(&of->name, &err) != F2L_OK || f2l_buf_status(&of->source, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, NULL, &err);
    return 0;
}

/* Adds the engine's states, or the one that is named. */
static int add_engine(job *j, const f2l_engine *e, const char *named, const char *state)
{
    if (state[0]) return add_engine_row(j, e, named, state);
    int code = 0;
    for (size_t k = 0; k < e->states && code == 0; k++)
        code = add_engine_row(j, e, named, e->state[k]);
    return code;
}

static int add_rows(job *j)
{
    f2l_engine e;
    int code = 0;
    if (j->o.engine) {
        char named[4096];
        const f2l_engine_parts parts = f2l_engine_split(j->o.engine);
        code = f2l_engine_file_open(&e, &j->cli, j->o.engine);
        snprintf(named, sizeof named, "%.*s", (int)(parts.size < 4000 ? parts.size : 4000),
                 j->o.engine);
        return code ? code : add_engine(j, &e, named, parts.state);
    }
    for (size_t i = 0; code == 0 && f2l_engine_preset(&e, i); i++)
        code = add_engine(j, &e, e.value[F2L_ENGINE_NAME], "");
    return code;
}

/* --- the networks --- */

/* Sets the network's name in commands, and the command that makes it. */
static void name_network(f2l_engines_source *s, const job *j)
{
    const char *const base = f2l_path_base(s->subject);
    const char *const dot = strrchr(base, '.');
    const int size = (int)(dot && dot > base ? (size_t)(dot - base) : strlen(base));
    char folder[256];
    snprintf(folder, sizeof folder, "%.*s.%s", size < 200 ? size : 200, base,
             s->textbook ? "textbook" : "dyadic");
    f2l_unit_put_word(&s->operand, folder);
    f2l_unit_put_word(&s->made_by, "fsa2lrnn");
    f2l_unit_put_word(&s->made_by, s->subject);
    for (size_t i = 0; i < j->cli.given.count; i++)
        if (strcmp(j->cli.given.option[i]->name, "label") == 0) {
            f2l_unit_put_word(&s->made_by, "--label");
            f2l_unit_put_word(&s->made_by, f2l_choice_label(j->o.input.label));
        } else if (strcmp(j->cli.given.option[i]->name, "sink") == 0) {
            f2l_unit_put_word(&s->made_by, "--sink");
        }
    if (s->textbook) {
        f2l_unit_put_word(&s->made_by, "--keys");
        f2l_unit_put_word(&s->made_by, "naive");
    }
    if (s->cascade) {
        f2l_unit_put_word(&s->made_by, "--cascade");
        f2l_unit_put_word(&s->made_by, "holonomy");
    }
    f2l_unit_put_word(&s->made_by, "--out");
    f2l_unit_put_word(&s->made_by, folder);
}

/* Adds the networks of an operand. */
static int add_operand(job *j, const char *operand, f2l_grammar *grammar)
{
    f2l_error err;
    const bool network = f2l_engines_is_network(operand);
    const size_t nets = network ? 1 : 2;
    if (j->report.nets + nets > MOST_NETS)
        return f2l_cli_usage(&j->cli, "at most %d networks", MOST_NETS);
    int code = 0;
    if (!network) {
        code = f2l_grammar_check(&j->cli, &j->o.input, operand);
        if (code == 0) code = f2l_grammar_open(grammar, &j->cli, &j->o.input, operand);
        if (code == 0) code = f2l_grammar_read(grammar, &j->cli, &j->o.input);
    }
    for (size_t k = 0; k < nets && code == 0; k++) {
        f2l_engines_source *s = &j->source[j->report.nets];
        s->subject = operand;
        s->textbook = k == 1;
        if (network) {
            code = f2l_engines_source_load(s, &j->cli);
            f2l_unit_put_word(&s->operand, operand);
        } else {
            if (f2l_engines_source_compile(s, &grammar->fsa, (f2l_label)j->o.input.label,
                                           &j->cli.task, &err) != F2L_OK)
                code = f2l_cli_fail(&j->cli, operand, &err);
            name_network(s, j);
        }
        f2l_effort effort = {.limit = EXACT_EFFORT * F2L_STEPS};
        f2l_task task = j->cli.task;
        task.effort = &effort;
        if (code == 0 && f2l_engines_source_decide(s, &task, &err) != F2L_OK)
            code = f2l_cli_fail(&j->cli, operand, &err);
        f2l_engines_source_tell(&j->net[j->report.nets++], s);
    }
    return code;
}

/* --- the cells --- */

/* Marks cells that have no network: none was built, or beta cannot be 2. */
static void mark_cells(job *j)
{
    for (size_t n = 0; n < j->report.nets; n++)
        for (size_t i = 0; i < j->report.rows; i++) {
            const f2l_engines_source *s = &j->source[n];
            f2l_engines_cell *cell = &j->cell[n * j->report.rows + i];
            const char *lack;
            if (!s->model) {
                cell->none = !s->open;
                cell->decided = true;
                cell->verdict = F2L_UNKNOWN;
                snprintf(cell->reason, sizeof cell->reason, "%s", s->none);
            } else if ((lack = f2l_engine_lacks(&j->of_row[i].engine, s->model)) != NULL) {
                cell->none = cell->decided = true;
                snprintf(cell->reason, sizeof cell->reason, "%s", lack);
            }
        }
}

static int decide_cells(job *j)
{
    f2l_error err;
    f2l_engines_cells cells = {
        .report = &j->report, .source = j->source, .cell = j->cell, .path = j->o.out};
    if (f2l_engines_cells_read(&cells, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.out, &err);
    mark_cells(j);
    const f2l_status status = f2l_engines_cells_decide(&cells, &j->cli.task, &err);
    f2l_terminal_erase(&j->cli.terminal);
    if (status == F2L_UNKNOWN) {
        j->ended = f2l_task_stop(&j->cli.task);
        return 0;
    }
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->o.out, &err);
}

/* Returns the status: 2 where a cell is open. A REFUTED cell is a result. */
static int exit_status_of_cells(const job *j)
{
    for (size_t i = 0; i < j->report.nets * j->report.rows; i++)
        if (!j->cell[i].decided || (!j->cell[i].none && j->cell[i].verdict == F2L_UNKNOWN))
            return F2L_EXIT_UNKNOWN;
    return 0;
}

static int check_engines_usage(job *j)
{
    if (j->cli.operands == 0)
        return f2l_cli_usage(&j->cli, "an automaton or a network is expected");
    if (j->cli.operands > MOST_NETS)
        return f2l_cli_usage(&j->cli, "at most %d operands", MOST_NETS);
    if (j->o.formats.count > 1) return f2l_cli_usage(&j->cli, "--formats takes one format here");
    if ((int)j->o.csv + (int)j->o.markdown + (int)j->cli.global.json > 1)
        return f2l_cli_usage(&j->cli, "--csv, --markdown and --json exclude each other");
    return 0;
}

static int run_engines(void *context)
{
    job *j = context;
    int code = check_engines_usage(j);
    f2l_watchdog_grace(F2L_WATCHDOG_SEARCH);
    j->report = (f2l_engines_report){.effort = j->o.effort,
                                     .letters = j->o.letters,
                                     .limit = j->o.limit,
                                     .net = j->net,
                                     .row = j->row};
    j->report.format =
        j->o.formats.count ? &f2l_formats[j->o.formats.index[0]] : f2l_format_find("bf16");
    if (code == 0) code = add_rows(j);
    for (size_t i = 0; i < j->cli.operands && code == 0; i++)
        code = add_operand(j, j->cli.operand[i], &j->grammar[i]);
    if (code) return code;
    j->cell = f2l_calloc(j->report.nets * j->report.rows, sizeof *j->cell);
    if (!j->cell) {
        f2l_error err;
        (void)f2l_fail_memory(&err);
        return f2l_cli_fail(&j->cli, NULL, &err);
    }
    j->report.cell = j->cell;
    code = decide_cells(j);
    j->report.ended = f2l_stop_name(j->ended);
    if (code) return code;
    code = f2l_cli_report(&j->cli,
                          j->o.csv        ? &f2l_engines_csv_kind
                          : j->o.markdown ? &f2l_engines_markdown_kind
                                          : &f2l_engines_report_kind,
                          &j->report);
    if (code == 0 && f2l_signals_caught())
        return f2l_cli_interrupted(&j->cli, j->o.out ? "the same command goes on from the file"
                                                     : "the cells that are shown are right");
    return code ? code : exit_status_of_cells(j);
}

const f2l_command f2l_command_engines = {
    .name = "engines",
    .usage = (const char *const[]){"engines GRAMMAR|NET.. [--engine NAME[/STATE]] [options]", NULL},
    .summary = "tells in which serving engines networks are right, as a table",
    .description =
        "For every automaton, with the exact dyadic keys and with textbook keys, and for every "
        "network, prints a verdict for each preset of a serving engine and each type of its state "
        "(docs/engines.md; `round --engine help` lists them): VERIFIED for all words; wrong at a "
        "letter, with * by a shortest word; UNKNOWN within the limits of a cell, which are fixed "
        "and printed, with the length up to which a bound proves all words right, if there is one; "
        "or none, where there is no such network: an automaton that has no textbook keys, or an "
        "engine whose beta is at most 1 (theory/pages/ladder.md, L.7). UNKNOWN cells are counted "
        "for each engine.\n\n"
        "--json has each cell's command: `fsa2lrnn round` on the network with the same limits says "
        "the same. With --jobs that many cells are decided at once; the table does not depend on "
        "it. With --out cells are saved as they are decided, and the same command goes on with a "
        "file that is not complete. The exit status is 2 when a cell is UNKNOWN.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, FIELD(input)}},
    .work = &(const struct f2l_work_kind){.own_out = true, .file = "cells.jsonl"},
    .files = {F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn engines s5.fsa", "both kinds of keys in all engines"},
            {"fsa2lrnn engines s5.fsa a5.fsa --jobs 2 --out cells.jsonl --markdown",
             "a table that goes on where it was ended"},
            {"fsa2lrnn engines s5.lrnn --engine ./mine.engine", "your network in your kernel"},
            {NULL, NULL}},
    F2L_JOB_VALUES,
    .init = init_job,
    .clear = clear_job,
    .values = &(const engines_options){.effort = F2L_ENGINE_EFFORT,
                                       .limit = F2L_ENGINE_LIMIT,
                                       .letters = F2L_ENGINE_LETTERS},
    .run = run_engines};
