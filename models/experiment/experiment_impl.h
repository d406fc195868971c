/* An experiment made ready, shared by the files of models/experiment/experiment.h. */
#ifndef F2L_EXPERIMENT_IMPL_H
#define F2L_EXPERIMENT_IMPL_H

#include "models/experiment/experiment.h"
#include <jansson.h>

/* Points into itself: it may not be moved. */
typedef struct f2l_experiment_plan {
    f2l_experiment
        experiment; /* with what 0 stands for, possible lengths, and the model's letters and labels */
    f2l_data train, test;
    f2l_seq model;
    f2l_seq_trainee_options options;
} f2l_experiment_plan;

void f2l_experiment_plan_init(f2l_experiment_plan *plan);
void f2l_experiment_plan_clear(f2l_experiment_plan *plan);
/* *plan is initialised; clear it also after a failure. All that f2l_experiment_check says. */
f2l_status f2l_experiment_plan_build(f2l_experiment_plan *plan, const f2l_experiment *experiment,
                                     f2l_error *err);

f2l_status f2l_experiment_plan_bytes(size_t *bytes, const f2l_experiment_plan *plan, f2l_backend backend,
                                     f2l_error *err);

/* Appends config.json of a plan that is built. */
f2l_status f2l_experiment_plan_write(f2l_buf *out, const f2l_experiment_plan *plan, f2l_error *err);

/* Makes the folder of a run of the plan, with config.json, automaton.fsa, and one more file (NULL: none). */
f2l_status f2l_experiment_create(f2l_train_dir *dir, const char *folder, const f2l_experiment_plan *plan,
                                 const f2l_train_provenance *provenance, const f2l_train_dir_file *more,
                                 f2l_error *err);
/* Opens a folder that must hold the plan. */
f2l_status f2l_experiment_take_up(f2l_train_dir *dir, const char *folder, const f2l_experiment_plan *plan,
                                  f2l_error *err);
/* F2L_EDOMAIN for the folder of several seeds (models/experiment/experiment_seeds.h). */
f2l_status f2l_experiment_check_single(const char *folder, f2l_error *err);

/* F2L_EDOMAIN with the first member in which the text `there`, of the file `path`, differs from `here`; F2L_EFORMAT when it is
 * no JSON or differs in its spelling only. F2L_OK: the same bytes. */
f2l_status f2l_experiment_compare(const f2l_buf *here, const f2l_buf *there, const char *path,
                                  f2l_error *err);

/* A text as JSON; NULL with F2L_EFORMAT or F2L_ENOMEM in *status, line and column in *err. */
json_t *f2l_experiment_load_json(f2l_status *status, const char *text, size_t size, const char *path,
                                 f2l_error *err);

/* The bytes of folder/name, at most `limit` of them (0: any number). */
f2l_status f2l_experiment_read_file(f2l_buf *out, const char *folder, const char *name, size_t limit,
                                    f2l_error *err);

/* More than config.json of any experiment has: 2^20 weights of 25 bytes. */
#define F2L_EXPERIMENT_CONFIG_LIMIT ((size_t)32 << 20)

#endif
