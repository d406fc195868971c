/* Several sweeps (models/learn/experiment/experiment_seeds.h) at once: models x rates x seeds. All
 * runs of all sweeps share the processors, or the devices; the result of a run depends neither on
 * the other runs nor on the number of runs at once. */
#ifndef F2L_EXPERIMENT_GRID_H
#define F2L_EXPERIMENT_GRID_H

#include "models/learn/experiment/experiment_seeds.h"

/* One sweep. All borrowed members must outlive the grid. */
typedef struct f2l_experiment_cell {
    const char *name;                 /* in messages, before "seed N: "; NULL: nothing */
    const f2l_experiment *experiment; /* of the first seed; borrowed */
    size_t count;                     /* number of seeds */
    const char *folder;               /* folder of the sweep; NULL: nothing is written */
    f2l_experiment_begin begin;
    bool evaluated; /* all runs have ended before and seeds.json has their scores: they are not
                     * evaluated again, and it is not written again */
    const f2l_train_provenance *provenance;
    f2l_experiment_seeds seeds; /* results; the caller initialises them empty and clears them */
} f2l_experiment_cell;

typedef struct f2l_experiment_grid {
    f2l_backend backend;
    /* The next two are for a backend other than the CPU, whose runs at once are task->jobs: */
    unsigned devices; /* devices 0 .. devices - 1 are used; 0 counts as 1. With more than one, every
                       * run has one of them */
    unsigned per_device; /* runs at once on each; 0 counts as 1 */
    /* Called in the caller's thread, as f2l_experiment_seeds_watch; NULL: not wanted. */
    void (*progress)(void *context, size_t cell, size_t index, const f2l_train_progress *progress);
    /* Called when all seeds of a cell have ended, diverged ones too; the cell's files are written
     * by then. A failure stops the grid as the failure of a run does. NULL: not wanted. */
    f2l_status (*ended)(void *context, size_t cell, f2l_error *err);
    void *context;
} f2l_experiment_grid;

/* Runs the seeds of all cells in their order, as many at once as the grid allows and as
 * task->memory (0: any) has room for. Two or more runs at once are processes (fork) of a caller
 * that has one thread; if the caller has begun something on a device before, its children could use
 * no device, and the runs follow each other in the caller, on the first device. Each cell gets the
 * results of f2l_experiment_seeds_run, and its folder is opened when its first run begins. F2L_OK:
 * all seeds of all cells ended. Otherwise the status of the first seed that did not, and its text
 * after "NAME, seed N: "; failures come before interruptions, and runs that were not begun come
 * last. */
f2l_status f2l_experiment_grid_run(f2l_experiment_cell *cell, size_t cells,
                                   const f2l_experiment_grid *grid, const f2l_task *task,
                                   f2l_error *err);

#endif
