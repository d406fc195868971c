/* Parts of a sweep. */
#ifndef F2L_EXPERIMENT_SEEDS_IMPL_H
#define F2L_EXPERIMENT_SEEDS_IMPL_H

#include "f2l_experiment_seeds.h"

/* Makes or takes up the folder of a sweep; it is locked while *dir is open. Before a new one is made the memory of a run is
 * checked, so that nothing is written for one that does not fit. */
f2l_status f2l_experiment_seeds_open(f2l_train_dir *dir, const f2l_experiment *experiment, size_t count,
                                     f2l_backend backend, const char *folder, f2l_experiment_begin begin,
                                     const f2l_train_provenance *provenance, const f2l_task *task,
                                     f2l_error *err);

/* What all runs of a sweep have in common. */
typedef struct f2l_experiment_sweep {
    const f2l_experiment *experiment;
    f2l_backend backend;
    const char *folder; /* NULL: none */
    const f2l_train_provenance *provenance;
    const f2l_experiment_seeds_watch *watch;
    const f2l_task *task;
} f2l_experiment_sweep;

/* Fills seeds->seed, whose numbers are set: one after the other, or `jobs` at once, each in a process of its own. Only a
 * failure to begin is one of this function: those of the runs stand in seeds->seed. */
f2l_status f2l_experiment_sweep_run(f2l_experiment_seeds *seeds, const f2l_experiment_sweep *sweep,
                                    size_t jobs, f2l_error *err);

/* Writes seeds.json. */
f2l_status f2l_experiment_seeds_save(const f2l_experiment_seeds *seeds, const char *folder, f2l_error *err);

#endif
