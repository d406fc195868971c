/* Several sweeps (models/experiment/experiment_seeds.h) at once: models x rates x seeds. All runs
 * of all of them share the processors, or the devices; what comes out of a run depends neither on
 * the others nor on how many there are at once. */
#ifndef F2L_EXPERIMENT_GRID_H
#define F2L_EXPERIMENT_GRID_H

#include "models/experiment/experiment_seeds.h"

/* One sweep. What is borrowed must outlive the grid. */
typedef struct f2l_experiment_cell {
    const char *name;                 /* in messages, before "seed N: "; NULL: nothing */
    const f2l_experiment *experiment; /* of the first of .. */
    size_t count;                     /* .. so many seeds */
    const char *folder;               /* of the sweep; NULL: nothing is written */
    f2l_experiment_begin begin;
    const f2l_train_provenance *provenance;
    f2l_experiment_seeds seeds; /* what comes out; the caller initialises it empty and clears it */
} f2l_experiment_cell;

typedef struct f2l_experiment_grid {
    f2l_backend backend;
    /* Of a backend other than the CPU, whose runs at once are task->jobs: */
    unsigned devices; /* 0 .. devices - 1 are used; 0 counts as 1. With more than one every run has
                         one of them */
    unsigned per_device; /* runs at once on each; 0 counts as 1 */
    /* Told in the caller's thread: as f2l_experiment_seeds_watch (NULL: not wanted) .. */
    void (*progress)(void *context, size_t cell, size_t index, const f2l_train_progress *progress);
    /* .. and that all seeds of a cell came to their end, diverged ones too; its files are written.
     * A failure stops the grid like that of a run. NULL: not wanted. */
    f2l_status (*ended)(void *context, size_t cell, f2l_error *err);
    void *context;
} f2l_experiment_grid;

/* Runs the seeds of all cells in their order, as many at once as the grid says and as task->memory
 * (0: any) has room for. More than one are processes (fork) of a caller that has one thread; where
 * it has begun something on a device before, its children could use none, and the runs follow each
 * other here, on the first device. Each cell is what f2l_experiment_seeds_run makes of it, and its
 * folder is opened when its first run begins. F2L_OK: all seeds of all cells reached their end.
 * Else the status of the first that did not, and its text with "NAME, seed N: " before it; failures
 * come before interruptions, and runs that were not begun last. */
f2l_status f2l_experiment_grid_run(f2l_experiment_cell *cell, size_t cells,
                                   const f2l_experiment_grid *grid, const f2l_task *task,
                                   f2l_error *err);

#endif
