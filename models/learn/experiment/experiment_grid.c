#include "models/learn/experiment/experiment_grid.h"
#include "models/learn/experiment/impl.h"
#include "numeric/base/mem.h"
#include <string.h>
#include <sys/stat.h>

f2l_experiment_seed *f2l_experiment_grid_seed(const f2l_experiment_grid_work *work, size_t run)
{
    return &work->cell[work->run[run].cell].seeds.seed[work->run[run].index];
}

/* --- one run --- */

/* An existing folder belongs to a run: it appears under its name when it is complete
 * (f2l_train_dir_create). */
f2l_status f2l_experiment_grid_do(const f2l_experiment_grid_work *work, size_t run, unsigned device,
                                  const f2l_train_watch *watch, const f2l_task *task,
                                  f2l_error *err)
{
    struct stat about;
    f2l_buf folder;
    const f2l_experiment_cell *cell = &work->cell[work->run[run].cell];
    const f2l_backend backend = work->grid->backend;
    f2l_experiment_seed *seed = f2l_experiment_grid_seed(work, run);
    f2l_experiment e = *cell->experiment;
    f2l_train_watch own = watch ? *watch : (f2l_train_watch){.progress = NULL};
    own.evaluated = cell->evaluated;
    e.seed = seed->seed;
    if (work->devices > 1) {
        e.device = device;
        e.devices = 1;
    }
    f2l_buf_init(&folder);
    if (cell->folder)
        f2l_buf_printf(&folder, "%s/seed-%lu", cell->folder, (unsigned long)seed->seed);
    f2l_status status = f2l_buf_status(&folder, err);
    if (status == F2L_OK) {
        const bool there = cell->folder && stat(folder.data, &about) == 0;
        status = f2l_experiment_run(&seed->result, &e, backend, folder.data,
                                    there ? F2L_BEGIN_RESUME : F2L_BEGIN_NEW, cell->provenance,
                                    &own, task, err);
    }
    if (status == F2L_OK || seed->result.end == F2L_TRAIN_DIVERGED)
        (void)f2l_backend_device(seed->device, sizeof seed->device, backend, NULL);
    f2l_buf_clear(&folder);
    return status;
}

/* Returns whether the grid goes on after this seed: a seed that diverges is a result; after any
 * other failure no further run is begun. */
static bool grid_goes_on(const f2l_experiment_seed *seed)
{
    return seed->why.status == F2L_OK || seed->result.end == F2L_TRAIN_DIVERGED;
}

/* --- cells --- */

static void fail_grid(f2l_experiment_grid_work *work, f2l_status status, const f2l_error *err)
{
    work->stop = true;
    if (status == F2L_OK || work->status != F2L_OK) return;
    work->status = status;
    work->err = *err;
}

bool f2l_experiment_grid_open(f2l_experiment_grid_work *work, size_t run)
{
    f2l_error err = {0};
    const f2l_experiment_cell *cell = &work->cell[work->run[run].cell];
    f2l_experiment_grid_state *state = &work->state[work->run[run].cell];
    if (state->open) return true;
    if (cell->folder) {
        const f2l_status status =
            f2l_experiment_seeds_open(&state->dir, cell, work->grid->backend, work->task, &err);
        if (status != F2L_OK) {
            fail_grid(work, status, &err);
            return false;
        }
    }
    state->open = true;
    return true;
}

static bool all_ended(const f2l_experiment_seeds *seeds)
{
    for (size_t k = 0; k < seeds->count; k++)
        if (!grid_goes_on(&seeds->seed[k])) return false;
    return true;
}

/* Writes the statistics of the seeds, as far as they came, and closes the cell. */
static void close_cell(f2l_experiment_grid_work *work, size_t index)
{
    f2l_error err = {0};
    f2l_experiment_cell *cell = &work->cell[index];
    f2l_experiment_grid_state *state = &work->state[index];
    f2l_status status = cell->evaluated ? F2L_OK : f2l_experiment_seeds_spread(&cell->seeds, &err);
    if (status == F2L_OK && cell->folder && !cell->evaluated)
        status = f2l_experiment_seeds_save(&cell->seeds, cell->folder, &err);
    f2l_train_dir_clear(&state->dir);
    state->open = false;
    if (status == F2L_OK && work->grid->ended && all_ended(&cell->seeds))
        status = work->grid->ended(work->grid->context, index, &err);
    if (status != F2L_OK) fail_grid(work, status, &err);
}

void f2l_experiment_grid_done(f2l_experiment_grid_work *work, size_t run)
{
    const size_t index = work->run[run].cell;
    work->state[index].ended++;
    if (!grid_goes_on(f2l_experiment_grid_seed(work, run))) work->stop = true;
    if (work->state[index].ended == work->cell[index].count) close_cell(work, index);
}

/* --- one after the other --- */

typedef struct listener {
    const f2l_experiment_grid *grid;
    f2l_experiment_grid_run_at at;
} listener;

static void pass_on(void *context, const f2l_train_progress *progress)
{
    const listener *t = context;
    t->grid->progress(t->grid->context, t->at.cell, t->at.index, progress);
}

static void run_here(f2l_experiment_grid_work *work)
{
    for (size_t r = 0; r < work->runs && !work->stop; r++) {
        f2l_experiment_seed *seed = f2l_experiment_grid_seed(work, r);
        listener t = {work->grid, work->run[r]};
        const f2l_train_watch watch = {.progress = pass_on, .context = &t};
        f2l_error err = {0};
        f2l_status status = f2l_task_poll(work->task, "seeds", (double)r, (double)work->runs, &err);
        if (status == F2L_OK && !f2l_experiment_grid_open(work, r)) break;
        const double began = f2l_now(), used = f2l_processor_now();
        if (status == F2L_OK)
            status = f2l_experiment_grid_do(work, r, 0, work->grid->progress ? &watch : NULL,
                                            work->task, &err);
        err.status = status;
        seed->why = err;
        if (work->grid->backend == F2L_BACKEND_CPU && f2l_now() > began && !seed->result.repeated)
            seed->share = (f2l_processor_now() - used) / (f2l_now() - began);
        f2l_experiment_grid_done(work, r);
    }
}

/* --- the whole grid --- */

static f2l_status list_runs(f2l_experiment_grid_work *work, f2l_error *err)
{
    size_t next = 0;
    for (size_t c = 0; c < work->cells; c++) {
        const f2l_experiment_cell *cell = &work->cell[c];
        const f2l_status status =
            f2l_experiment_seeds_allocate(&work->cell[c].seeds, cell->experiment, cell->count, err);
        if (status != F2L_OK) return status;
        work->runs += cell->count;
    }
    work->run = f2l_calloc(work->runs + 1, sizeof *work->run);
    work->state = f2l_calloc(work->cells + 1, sizeof *work->state);
    if (!work->run || !work->state) return f2l_fail_memory(err);
    for (size_t c = 0; c < work->cells; c++) {
        f2l_train_dir_init(&work->state[c].dir);
        for (size_t k = 0; k < work->cell[c].count; k++)
            work->run[next++] = (f2l_experiment_grid_run_at){c, k};
    }
    return F2L_OK;
}

/* Counts the runs at once so that each may have the largest need of all runs. */
static f2l_status count_at_once(f2l_experiment_grid_work *work, f2l_error *err)
{
    const f2l_experiment_grid *grid = work->grid;
    const size_t each = grid->per_device > 1 ? grid->per_device : 1;
    f2l_task wanted = work->task ? *work->task : (f2l_task){0};
    if (grid->backend != F2L_BACKEND_CPU) wanted.jobs = (unsigned)(work->devices * each);
    work->at_once = work->runs;
    for (size_t c = 0; c < work->cells; c++) {
        size_t jobs;
        const f2l_status status = f2l_experiment_seeds_jobs(
            &jobs, work->cell[c].experiment, grid->backend, work->runs, &wanted, err);
        if (status != F2L_OK) return status;
        if (jobs < work->at_once) work->at_once = jobs;
    }
    return F2L_OK;
}

/* Returns the first failure among the seeds that did not end; a failure comes before an
 * interruption, and an interruption before a run that was not begun. */
static f2l_status first_failure(const f2l_experiment_grid_work *work, f2l_error *err)
{
    size_t worst = 0;
    int grade = 0;
    for (size_t r = 0; r < work->runs; r++) {
        const f2l_error *why = &f2l_experiment_grid_seed(work, r)->why;
        if (why->status == F2L_OK) continue;
        const int mine = why->status != F2L_UNKNOWN            ? 3
                         : strcmp(why->text, "not begun") != 0 ? 2
                                                               : 1;
        if (mine > grade) worst = r;
        if (mine > grade) grade = mine;
    }
    if (grade == 0) return F2L_OK;
    const f2l_experiment_seed *seed = f2l_experiment_grid_seed(work, worst);
    const char *name = work->cell[work->run[worst].cell].name;
    return f2l_fail(err, seed->why.status, "%s%sseed %lu: %s", name ? name : "", name ? ", " : "",
                    (unsigned long)seed->seed, seed->why.text);
}

static f2l_status run_all(f2l_experiment_grid_work *work, f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (work->at_once < 2 || !f2l_experiment_grid_forks(work))
        run_here(work);
    else
        status = f2l_experiment_grid_apart(work, err);
    for (size_t c = 0; c < work->cells; c++)
        if (work->state[c].open) close_cell(work, c);
    if (status == F2L_OK && work->status != F2L_OK) {
        if (err) *err = work->err;
        return work->status;
    }
    return status == F2L_OK ? first_failure(work, err) : status;
}

f2l_status f2l_experiment_grid_run(f2l_experiment_cell *cell, size_t cells,
                                   const f2l_experiment_grid *grid, const f2l_task *task,
                                   f2l_error *err)
{
    f2l_experiment_grid_work work = {.cell = cell,
                                     .cells = cells,
                                     .grid = grid,
                                     .devices = grid->devices > 1 ? grid->devices : 1,
                                     .task = task};
    f2l_status status = list_runs(&work, err);
    if (status == F2L_OK) status = f2l_backend_check(grid->backend, err);
    if (status == F2L_OK) status = count_at_once(&work, err);
    if (status == F2L_OK) status = run_all(&work, err);
    f2l_free(work.run);
    f2l_free(work.state);
    return status;
}
