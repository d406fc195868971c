/* The runs of `reproduce`: progress, interruption, and an outcome for every complete cell. */
#include "cli/reproduce/reproduce_outcome.h"
#include "cli/signals.h"
#include "library/version.h"
#include "models/learn/experiment/experiment_grid.h"
#include "numeric/base/mem.h"
#include "theory/beside/compare/failing.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN_EVERY 1.0 /* seconds between two progress lines */

/* The data that a cell of the grid borrows. */
typedef struct cell_parts {
    size_t index; /* number of the cell in the job */
    bool closed;  /* all of its seeds have ended, and its outcome was written with what was found */
    f2l_preset_run run;
    f2l_buf folder;
    f2l_outcomes before; /* the outcome that the folder had, if any */
    char name[96];       /* "delta-signed, rate 0.001" */
    uint64_t *seen; /* [seeds] the step of the last evaluation in the outcome, plus 1; 0: none */
} cell_parts;

typedef struct training {
    f2l_reproduce_job *job;
    f2l_experiment_cell *cell;
    cell_parts *part; /* [cells] */
    size_t cells, runs, ended;
    f2l_train_provenance provenance;
} training;

static void clear_training(training *t)
{
    for (size_t i = 0; t->part && i < t->cells; i++) {
        f2l_preset_run_clear(&t->part[i].run);
        f2l_buf_clear(&t->part[i].folder);
        f2l_outcomes_clear(&t->part[i].before);
        f2l_free(t->part[i].seen);
    }
    for (size_t i = 0; t->cell && i < t->cells; i++) f2l_experiment_seeds_clear(&t->cell[i].seeds);
    f2l_free(t->part);
    f2l_free(t->cell);
}

/* Returns whether the folder of the cell exists and is to be taken up; another version of the
 * program goes on with a warning. */
static bool is_begun(const f2l_reproduce_job *j, const char *folder)
{
    char commit[F2L_REPRODUCE_COMMIT];
    struct stat about;
    if (j->begin == F2L_REPRODUCE_NEW || stat(folder, &about) != 0) return false;
    f2l_reproduce_begun_by(commit, folder);
    if (commit[0])
        f2l_cli_warn(j->cli, folder,
                     "commit %s of this program began it and commit %s goes on, perhaps with other "
                     "weights; the row names both",
                     commit, f2l_commit());
    return true;
}

/* Returns whether the seeds.json of a cell's folder has the scores of all seeds of the outcome, as
 * only a call leaves it in which all ended. */
static bool has_scores(const char *folder, const f2l_outcome *w)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/seeds.json", folder);
    json_t *root = path.failed ? NULL : json_load_file(path.data, 0, NULL);
    const json_t *list = json_object_get(root, "seeds");
    bool all = json_array_size(list) == w->seeds;
    for (size_t i = 0; i < w->seeds && all; i++) {
        const json_t *one = json_array_get(list, i);
        all = json_integer_value(json_object_get(one, "seed")) == (json_int_t)w->seed[i].seed &&
              (w->seed[i].end == F2L_TRAIN_DIVERGED ||
               (!json_object_get(one, "why") &&
                json_array_size(json_object_get(one, "lengths")) > 0));
    }
    json_decref(root);
    f2l_buf_clear(&path);
    return all;
}

/* Returns whether the runs of a cell need no evaluation: all have ended, and what the evaluations
 * gave is in the folder. A search that time cuts short again and again would pay for them each
 * time. */
static bool is_evaluated(const cell_parts *part, size_t seeds)
{
    const f2l_outcome *w = part->before.row;
    return part->before.rows > 0 && w->seeds == seeds && f2l_outcome_ended(w) &&
           has_scores(part->folder.data, w);
}

static f2l_status make_cell(training *t, size_t i, size_t index, f2l_error *err)
{
    const f2l_reproduce_job *j = t->job;
    const f2l_reproduce_request *r = &j->request;
    cell_parts *part = &t->part[i];
    f2l_status status = f2l_reproduce_build(&part->run, j, index, err);
    part->index = index;
    part->seen = f2l_calloc(r->seeds, sizeof *part->seen);
    if (status == F2L_OK && part->seen == NULL) status = f2l_fail_memory(err);
    if (status == F2L_OK) status = f2l_reproduce_folder(&part->folder, j, index, err);
    if (status == F2L_OK) status = f2l_reproduce_outcome_read(&part->before, j, index, err);
    if (status == F2L_OK)
        status = f2l_train_identity_make(&t->provenance, &t->job->identity, j->cli,
                                         &part->run.experiment, err);
    if (status != F2L_OK) return status;
    if (r->rates > 1)
        snprintf(part->name, sizeof part->name, "%s, rate %g", f2l_reproduce_model(j, index)->name,
                 r->rate[index % r->rates]);
    else
        snprintf(part->name, sizeof part->name, "%s", f2l_reproduce_model(j, index)->name);
    t->cell[i] = (f2l_experiment_cell){.name = part->name,
                                       .experiment = &part->run.experiment,
                                       .count = r->seeds,
                                       .folder = part->folder.data,
                                       .begin = is_begun(j, part->folder.data) ? F2L_BEGIN_RESUME
                                                                               : F2L_BEGIN_NEW,
                                       .evaluated = is_evaluated(part, r->seeds),
                                       .provenance = &t->provenance};
    t->runs += r->seeds;
    return F2L_OK;
}

static f2l_status make_cells(training *t, const size_t *cell, f2l_error *err)
{
    f2l_status status = F2L_OK;
    t->cell = f2l_calloc(t->cells, sizeof *t->cell);
    t->part = f2l_calloc(t->cells, sizeof *t->part);
    if (!t->cell || !t->part) return f2l_fail_memory(err);
    for (size_t i = 0; i < t->cells; i++) {
        f2l_preset_run_init(&t->part[i].run);
        f2l_buf_init(&t->part[i].folder);
        f2l_outcomes_init(&t->part[i].before);
    }
    for (size_t i = 0; i < t->cells && status == F2L_OK; i++)
        status = make_cell(t, i, cell[i], err);
    return status;
}

/* --- messages --- */

/* Draws the progress of evaluations only, because `show_cell_progress` shows the steps. */
static void show_evaluation_progress(void *context, const char *phase, double done, double total)
{
    if (strcmp(phase, "evaluation") == 0) f2l_terminal_progress(context, phase, done, total);
}

/* Writes the outcome of a cell. */
static f2l_status write_cell(const training *t, size_t cell, f2l_reproduce_stage stage,
                             f2l_error *err)
{
    const cell_parts *part = &t->part[cell];
    return f2l_reproduce_record(t->job, part->index, &part->run, &t->cell[cell].seeds,
                                part->before.rows > 0 ? part->before.row : NULL, stage, err);
}

/* Writes the outcome when a run has begun, and after every evaluation. What cannot be written now
 * is written at the next evaluation, or reported at the end. */
static void record_outcome(const training *t, size_t cell, size_t index,
                           const f2l_train_progress *p)
{
    cell_parts *part = &t->part[cell];
    if (part->seen[index] == p->evaluated + 1) return;
    if (write_cell(t, cell, F2L_REPRODUCE_GOES_ON, NULL) == F2L_OK)
        part->seen[index] = p->evaluated + 1;
}

/* Writes the outcomes of the cells whose runs were stopped; the failure that stopped them is
 * reported in any case. */
static void record_stopped(const training *t)
{
    for (size_t i = 0; i < t->cells; i++)
        if (!t->part[i].closed) (void)write_cell(t, i, F2L_REPRODUCE_STOPPED, NULL);
}

static void show_cell_progress(void *context, size_t cell, size_t index,
                               const f2l_train_progress *p)
{
    const training *t = context;
    record_outcome(t, cell, index, p);
    f2l_terminal *terminal = &t->job->cli->terminal;
    f2l_buf line;
    f2l_terminal_reach(terminal, "training", (double)p->step, (double)p->steps);
    if (!f2l_terminal_is_due(terminal, SHOWN_EVERY)) return;
    f2l_buf_init(&line);
    f2l_buf_text(&line, t->part[cell].name);
    if (t->job->request.seeds > 1)
        f2l_buf_printf(&line, ", seed %lu", (unsigned long)t->cell[cell].seeds.seed[index].seed);
    if (t->cells > 1) f2l_buf_printf(&line, " (%zu of %zu runs ended)", t->ended, t->runs);
    f2l_buf_text(&line, ": ");
    f2l_train_progress_text(&line, p);
    if (!line.failed) f2l_terminal_line(terminal, line.data, SHOWN_EVERY);
    f2l_buf_clear(&line);
}

/* Completes a cell; a run that diverged is an outcome, too. */
static f2l_status complete_cell(void *context, size_t cell, f2l_error *err)
{
    training *t = context;
    const f2l_experiment_seeds *seeds = &t->cell[cell].seeds;
    for (size_t k = 0; k < seeds->count; k++)
        if (seeds->seed[k].result.end == F2L_TRAIN_DIVERGED)
            f2l_cli_warn(t->job->cli, t->part[cell].folder.data,
                         "seed %lu: %s; a smaller --rate, or another --seed, may do better",
                         (unsigned long)seeds->seed[k].seed, seeds->seed[k].why.text);
    const f2l_status status = write_cell(t, cell, F2L_REPRODUCE_ENDED, err);
    t->part[cell].closed = true; /* where a signal or a limit ended a search, the others are kept */
    if (status == F2L_OK) t->ended += seeds->count;
    return status;
}

static int tell_how_stopped(const f2l_reproduce_job *j, const f2l_error *err)
{
    f2l_error said = *err;
    f2l_buf text;
    int code;
    const bool caught = f2l_signals_caught() != 0;
    /* The message already begins with the first clause: "interrupted: training, at .." */
    const char *rest = caught ? strstr(err->text, "; ") : NULL;
    f2l_buf_init(&text);
    f2l_buf_text(&text, rest ? rest + 2 : err->text);
    if (err->status == F2L_UNKNOWN || err->status == F2L_EIO) {
        f2l_buf_printf(&text, "; go on with: fsa2lrnn reproduce --resume %s", j->folder);
        if (j->gpus > 0) f2l_buf_printf(&text, " --gpus %u", j->gpus);
        if (j->search != F2L_FAILING_USUAL)
            f2l_buf_printf(&text, " --search %llu", (unsigned long long)j->search);
    }
    if (!text.failed) (void)f2l_fail(&said, err->status, "%s", text.data);
    said.line = err->line;
    said.column = err->column;
    code = caught ? f2l_cli_interrupted(j->cli, said.text) : f2l_cli_fail(j->cli, j->folder, &said);
    f2l_buf_clear(&text);
    return code;
}

/* --- running --- */

/* Tells about how long each row takes, on standard error, be it a terminal or the log of a cluster;
 * nothing with --quiet. */
static void tell_expected(const training *t)
{
    const f2l_cli *cli = t->job->cli;
    f2l_terminal_erase(&t->job->cli->terminal);
    for (size_t i = 0; !cli->global.quiet && i < t->cells; i++) {
        f2l_buf line;
        f2l_buf_init(&line);
        f2l_buf_printf(&line, "fsa2lrnn: %s: %zu seed%s, ", t->part[i].name, t->cell[i].count,
                       t->cell[i].count == 1 ? "" : "s");
        f2l_experiment_seconds_text(
            &line, f2l_experiment_seconds(t->cell[i].experiment, t->job->request.backend));
        f2l_buf_text(&line, " a seed\n");
        if (!line.failed) fputs(line.data, stderr);
        f2l_buf_clear(&line);
    }
}

/* Runs the grid. On a device --jobs is the number of runs that share it; all processors make
 * batches. */
static f2l_status run_grid(training *t, f2l_error *err)
{
    f2l_cli *cli = t->job->cli;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    f2l_task task = cli->task;
    const f2l_experiment_grid grid = {.backend = t->job->request.backend,
                                      .devices = t->job->gpus,
                                      .per_device = (unsigned)cli->global.jobs,
                                      .progress = show_cell_progress,
                                      .ended = complete_cell,
                                      .context = t};
    task.progress = show_evaluation_progress;
    if (task.memory == 0) task.memory = f2l_train_memory_available();
    if (grid.backend != F2L_BACKEND_CPU && processors > 0) task.jobs = (unsigned)processors;
    f2l_train_keep(cli);
    return f2l_experiment_grid_run(t->cell, t->cells, &grid, &task, err);
}

int f2l_reproduce_train(f2l_reproduce_job *j, const size_t *cell, size_t cells)
{
    f2l_error err;
    training t = {.job = j, .cells = cells};
    f2l_status status = make_cells(&t, cell, &err);
    const bool made = status == F2L_OK;
    if (made) tell_expected(&t);
    if (made) status = run_grid(&t, &err);
    if (made && status != F2L_OK) record_stopped(&t);
    f2l_terminal_erase(&j->cli->terminal);
    const bool all = t.ended == t.runs && t.runs > 0; /* then the only failures are runs that
                                                         diverged */
    clear_training(&t);
    return status == F2L_OK || (all && status == F2L_UNKNOWN) ? 0 : tell_how_stopped(j, &err);
}
