/* Parts of a sweep. */
#ifndef F2L_EXPERIMENT_SEEDS_IMPL_H
#define F2L_EXPERIMENT_SEEDS_IMPL_H

#include "models/experiment/experiment_grid.h"

/* Room for the seeds of the experiment, none of which is begun. */
f2l_status f2l_experiment_seeds_allocate(f2l_experiment_seeds *seeds, const f2l_experiment *experiment,
                                         size_t count, f2l_error *err);

/* Makes or takes up the folder of a cell; it is locked while *dir is open. Before a new one is made the memory of a run is
 * checked, so that nothing is written for one that does not fit. */
f2l_status f2l_experiment_seeds_open(f2l_train_dir *dir, const f2l_experiment_cell *cell, f2l_backend backend,
                                     const f2l_task *task, f2l_error *err);

/* Fills seeds->length. */
f2l_status f2l_experiment_seeds_spread(f2l_experiment_seeds *seeds, f2l_error *err);

/* Writes seeds.json. */
f2l_status f2l_experiment_seeds_save(const f2l_experiment_seeds *seeds, const char *folder, f2l_error *err);

#endif
