#include "cli/train/train_run.h"
#include "cli/signals.h"
#include "cli/version.h"
#include "library/version.h"
#include "models/learn/experiment/experiment_grid.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_EVERY 1.0 /* seconds between two progress lines */

f2l_status f2l_train_identity_make(f2l_train_provenance *out, f2l_train_identity *identity,
                                   const f2l_cli *cli, const f2l_experiment *experiment,
                                   f2l_error *err)
{
    f2l_time_text(identity->date);
    *out = (f2l_train_provenance){.version = f2l_version(),
                                  .commit = f2l_commit(),
                                  .date = identity->date,
                                  .argument = cli->argument,
                                  .arguments = cli->arguments};
    if (!experiment->fsa) return F2L_OK;
    out->grammar_sha256 = identity->grammar_sha256;
    return f2l_fsa_sha256(experiment->fsa, identity->grammar_sha256, err);
}

void f2l_train_bytes_text(f2l_buf *out, size_t bytes)
{
    static const char *const unit[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes / 1024;
    size_t u = 0;
    for (; value >= 1024 && u < 3; u++) value /= 1024;
    f2l_buf_printf(out, value < 10 ? "%.1f %s" : "%.0f %s", value, unit[u]);
}

/* Returns the memory available to a program, from Linux; 0: not known. */
size_t f2l_train_memory_available(void)
{
    char line[128];
    unsigned long long kilobytes = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) break;
    fclose(file);
    return (size_t)kilobytes * 1024;
}

int f2l_train_check_memory(f2l_cli *cli, const f2l_experiment *experiment, f2l_backend backend)
{
    f2l_error err;
    f2l_experiment_need need;
    const size_t limit = cli->task.memory, there = limit ? limit : f2l_train_memory_available();
    if (f2l_experiment_needs(&need, experiment, backend, &err) != F2L_OK)
        return f2l_cli_fail(cli, NULL, &err);
    if (there == 0 || need.host <= there) return 0;
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, "training needs ");
    f2l_train_bytes_text(&text, need.host);
    f2l_buf_text(&text, limit ? "; --memory allows " : "; free on this machine are ");
    f2l_train_bytes_text(&text, there);
    if (strcmp(cli->command->name, "train") == 0)
        f2l_buf_text(&text, ": fewer --positions, a smaller --to, --width or --batch need less");
    f2l_fail(&err, limit ? F2L_UNKNOWN : F2L_ENOMEM, "%s",
             text.data ? text.data : "training needs more memory");
    f2l_buf_clear(&text);
    return f2l_cli_fail(cli, NULL, &err);
}

/* Prints the last message of an emergency. Checkpoints are whole or absent at any time. */
static int leave_training(void *context, f2l_watchdog_cause cause)
{
    const f2l_cli *cli = context;
    return f2l_cli_leave(cli, cause, "the last checkpoint is kept");
}

void f2l_train_keep(f2l_cli *cli)
{
    f2l_watchdog_guard(leave_training, cli);
    f2l_watchdog_grace(F2L_WATCHDOG_CHECKPOINT);
}

/* Passes on progress, except for parts of a gradient, which are too short to be shown, and steps,
 * which the watch shows. */
static void pass_evaluation_progress(void *context, const char *phase, double done, double total)
{
    if (strcmp(phase, "evaluation") == 0)
        f2l_terminal_progress(context, phase, done, total);
    else if (strcmp(phase, "training") == 0)
        f2l_terminal_reach(context, phase, done, total);
}

/* The terminal on which a watch shows progress, with the title and the cells whose names and seeds
 * are shown before it. */
typedef struct display {
    f2l_terminal *terminal;
    const char *title;
    const f2l_experiment_cell *cell; /* [cells] */
    size_t cells;
} display;

static void show_train_progress(const display *d, f2l_buf *line, const f2l_train_progress *p)
{
    f2l_train_progress_text(line, p);
    if (!line->failed) f2l_terminal_line(d->terminal, line->data, SHOWN_EVERY);
}

static void show_one(void *context, const f2l_train_progress *p)
{
    const display *d = context;
    f2l_buf line;
    f2l_terminal_reach(d->terminal, "training", (double)p->step, (double)p->steps);
    if (!f2l_terminal_is_due(d->terminal, SHOWN_EVERY)) return;
    f2l_buf_init(&line);
    if (d->title) f2l_buf_text(&line, d->title);
    show_train_progress(d, &line, p);
    f2l_buf_clear(&line);
}

static void show_cell(void *context, size_t cell, size_t index, const f2l_train_progress *p)
{
    const display *d = context;
    f2l_buf line;
    const f2l_experiment_cell *at = &d->cell[cell];
    f2l_terminal_reach(d->terminal, "training", (double)p->step, (double)p->steps);
    if (!f2l_terminal_is_due(d->terminal, SHOWN_EVERY)) return;
    f2l_buf_init(&line);
    if (d->title) f2l_buf_text(&line, d->title);
    if (d->cells > 1) f2l_buf_printf(&line, "%s (%zu of %zu): ", at->name, cell + 1, d->cells);
    if (at->count > 1)
        f2l_buf_printf(&line,
                       "seed %lu (%zu of %zu): ", (unsigned long)at->experiment->seed + index,
                       index + 1, at->count);
    show_train_progress(d, &line, p);
    f2l_buf_clear(&line);
}

/* Prints the message on the progress of the run. */
static int fail_training(f2l_cli *cli, const f2l_train_start *start, bool diverged,
                         const f2l_error *err)
{
    f2l_error said = *err;
    f2l_buf text;
    const bool open =
        start->folder && f2l_path_has(start->folder, start->opened ? start->opened : "config.json");
    const bool stopped = err->status == F2L_UNKNOWN && !diverged;
    const bool goes_on = open && start->resume && (stopped || err->status == F2L_EIO);
    f2l_terminal_erase(&cli->terminal);
    f2l_buf_init(&text);
    if (f2l_signals_caught()) {
        /* The message already begins with the first clause: "interrupted: training, at .." */
        const char *rest = strstr(err->text, "; ");
        f2l_buf_text(&text, stopped && !open  ? "nothing was written"
                            : stopped && rest ? rest + 2
                                              : err->text);
        if (goes_on) f2l_buf_printf(&text, "; go on with: %s", start->resume);
        const int code = f2l_cli_interrupted(cli, text.data ? text.data : err->text);
        f2l_buf_clear(&text);
        return code;
    }
    f2l_buf_text(&text, err->text);
    if (goes_on) f2l_buf_printf(&text, "; go on with: %s", start->resume);
    if (diverged)
        f2l_buf_printf(&text, "; a smaller --rate%s, or another --seed, may do better",
                       strcmp(cli->command->name, "train") == 0 ? " or --slope" : "");
    if (!text.failed) f2l_fail(&said, err->status, "%s", text.data);
    said.line = err->line;
    said.column = err->column;
    f2l_buf_clear(&text);
    return f2l_cli_fail(cli, start->folder, &said);
}

int f2l_train_run_one(f2l_train_result *result, f2l_cli *cli, const f2l_experiment *experiment,
                      const f2l_train_start *start)
{
    f2l_error err;
    display d = {&cli->terminal, start->title, NULL, 0};
    const f2l_train_watch watch = {.progress = show_one, .context = &d};
    f2l_task task = cli->task;
    task.progress = pass_evaluation_progress;
    if (start->folder) f2l_train_keep(cli);
    const f2l_status status =
        f2l_experiment_run(result, experiment, start->backend, start->folder, start->begin,
                           start->provenance, &watch, &task, &err);
    f2l_terminal_erase(&cli->terminal);
    return status == F2L_OK ? 0
                            : fail_training(cli, start, result->end == F2L_TRAIN_DIVERGED, &err);
}

/* Returns whether every run that failed diverged; then no run was stopped, since the other runs
 * continue after a run that diverged. */
static bool only_diverged(const f2l_experiment_seeds *seeds)
{
    for (size_t k = 0; k < seeds->count; k++)
        if (seeds->seed[k].why.status != F2L_OK && seeds->seed[k].result.end != F2L_TRAIN_DIVERGED)
            return false;
    return seeds->count > 0;
}

int f2l_train_run_cells(f2l_experiment_cell *cell, size_t cells, f2l_cli *cli,
                        const f2l_train_start *start)
{
    f2l_error err;
    bool diverged = true;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    display d = {&cli->terminal, start->title, cell, cells};
    /* On a device --jobs is the number of runs that share it; all processors make batches. */
    const f2l_experiment_grid grid = {.backend = start->backend,
                                      .devices = cell[0].experiment->devices,
                                      .per_device = (unsigned)cli->global.jobs,
                                      .progress = show_cell,
                                      .context = &d};
    f2l_task task = cli->task;
    task.progress = pass_evaluation_progress;
    if (task.memory == 0) task.memory = f2l_train_memory_available();
    if (start->backend != F2L_BACKEND_CPU && processors > 0) task.jobs = (unsigned)processors;
    if (start->folder) f2l_train_keep(cli);
    const f2l_status status = f2l_experiment_grid_run(cell, cells, &grid, &task, &err);
    f2l_terminal_erase(&cli->terminal);
    for (size_t c = 0; c < cells; c++) diverged = diverged && only_diverged(&cell[c].seeds);
    return status == F2L_OK ? 0 : fail_training(cli, start, diverged, &err);
}

int f2l_train_run_seeds(f2l_experiment_seeds *seeds, f2l_cli *cli, const f2l_experiment *experiment,
                        size_t count, const f2l_train_start *start)
{
    f2l_experiment_cell cell = {.experiment = experiment,
                                .count = count,
                                .folder = start->folder,
                                .begin = start->begin,
                                .provenance = start->provenance,
                                .seeds = *seeds};
    const int code = f2l_train_run_cells(&cell, 1, cli, start);
    *seeds = cell.seeds;
    return code;
}
