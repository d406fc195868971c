/* A grid at work, shared by the files of models/experiment/experiment_grid.h. */
#ifndef F2L_EXPERIMENT_GRID_IMPL_H
#define F2L_EXPERIMENT_GRID_IMPL_H

#include "models/experiment/experiment_grid.h"

typedef struct f2l_experiment_grid_state {
    f2l_train_dir dir; /* while it is open */
    bool open;
    size_t ended; /* runs that were tried */
} f2l_experiment_grid_state;

typedef struct f2l_experiment_grid_run_at {
    size_t cell, index;
} f2l_experiment_grid_run_at;

typedef struct f2l_experiment_grid_work {
    f2l_experiment_cell *cell;
    f2l_experiment_grid_state *state; /* [cells] */
    size_t cells;
    f2l_experiment_grid_run_at *run; /* [runs] in the order in which they are begun */
    size_t runs, at_once;
    unsigned devices; /* >= 1 */
    const f2l_experiment_grid *grid;
    const f2l_task *task;
    bool stop;         /* nothing more is begun */
    f2l_status status; /* of a folder that could not be opened or completed: the first */
    f2l_error err;
} f2l_experiment_grid_work;

f2l_experiment_seed *f2l_experiment_grid_seed(const f2l_experiment_grid_work *work, size_t run);

/* Opens the folder of the run's cell, unless it is open. False: it cannot be, and the work is to stop. */
bool f2l_experiment_grid_open(f2l_experiment_grid_work *work, size_t run);

/* One run, in whichever process: fills `seed` but for `why`. A folder that is there is gone on with. */
f2l_status f2l_experiment_grid_do(const f2l_experiment_grid_work *work, size_t run, unsigned device,
                                  const f2l_train_watch *watch, const f2l_task *task, f2l_error *err);

/* The run's seed is filled: the work stops unless it reached its end or diverged; the last of a cell completes that. */
void f2l_experiment_grid_done(f2l_experiment_grid_work *work, size_t run);

/* Whether a child of this process can use the devices: what a process has begun on them before is not its children's. */
bool f2l_experiment_grid_forks(const f2l_experiment_grid_work *work);

/* Runs everything in processes, work->at_once of them. Only a failure to begin is one of this function. */
f2l_status f2l_experiment_grid_apart(f2l_experiment_grid_work *work, f2l_error *err);

#endif
