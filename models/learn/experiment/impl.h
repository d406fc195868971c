/* Declarations shared by the files of models/learn/experiment; private to this folder. */
#ifndef F2L_MODELS_EXPERIMENT_IMPL_H
#define F2L_MODELS_EXPERIMENT_IMPL_H

#include "models/learn/experiment/experiment.h"
#include "models/learn/experiment/experiment_grid.h"
#include "models/learn/experiment/preset.h"

#include <jansson.h>

/* The recipes behind models/learn/experiment/preset.h, one row per preset and setting. */

/* Lengths at which networks are evaluated, 0-terminated. */
typedef struct f2l_preset_looks {
    size_t length[12];
    size_t sequences; /* number of sequences of each length */
} f2l_preset_looks;

typedef struct f2l_preset_recipe {
    const char *preset; /* NULL past the last */
    f2l_preset_setting setting;
    /* model */
    size_t layers, width, heads, head_dim, mlp;
    size_t convolution, gated_convolution; /* for mixers without and with a gate */
    double slope;
    double init; /* f2l_seq_config.initializer_range */
    bool values, start, silu;
    /* data */
    bool begin;         /* f2l_data_options.begin */
    bool times, equals; /* arithmetic: whether the operator * occurs, and a final = */
    size_t from, to;    /* lengths in letters */
    bool shorter_too;   /* true: lengths up to `to`; false: all of them `to`; see
                         * f2l_data_curriculum */
    /* training */
    size_t batch;
    uint64_t steps;
    double rate, last_rate, weight_decay, clip, beta2;
    double warmup; /* fraction of the steps */
    f2l_train_decay decay;
    const f2l_preset_looks *looks;
    size_t evaluations; /* 0: 4 */
    double target;      /* f2l_train_options.target */
    const char *remark;
} f2l_preset_recipe;

/* Returns the recipe, or NULL when there is none. */
const f2l_preset_recipe *f2l_preset_recipe_find(const f2l_preset *preset,
                                                f2l_preset_setting setting);

/* A prepared experiment, shared by the files of models/learn/experiment/experiment.h. */

/* It points into itself and must not be moved. */
typedef struct f2l_experiment_plan {
    f2l_experiment experiment; /* with defaults filled in, possible lengths, and the model's letters
                                * and labels */
    f2l_data train, test;
    f2l_seq model;
    f2l_seq_trainee_options options;
} f2l_experiment_plan;

/* Appends words.json: where the words of the data are. */
f2l_status f2l_experiment_write_words(f2l_buf *out, const f2l_data_options *data, f2l_error *err);

void f2l_experiment_plan_init(f2l_experiment_plan *plan);
void f2l_experiment_plan_clear(f2l_experiment_plan *plan);
/* Builds *plan, which is initialised; clear it also after a failure. Makes all checks of
 * f2l_experiment_check. */
f2l_status f2l_experiment_plan_build(f2l_experiment_plan *plan, const f2l_experiment *experiment,
                                     f2l_error *err);

f2l_status f2l_experiment_plan_bytes(size_t *bytes, const f2l_experiment_plan *plan,
                                     f2l_backend backend, f2l_error *err);

/* Appends config.json of a built plan. */
f2l_status f2l_experiment_plan_write(f2l_buf *out, const f2l_experiment_plan *plan, f2l_error *err);

/* The file of first weights in the folder of a run. */
#define F2L_EXPERIMENT_FIRST "first.safetensors"

/* Makes the folder of a run of the plan, with config.json, what it names (automaton.fsa,
 * words.json, first.safetensors), and one more file (NULL: none). */
f2l_status f2l_experiment_create(f2l_train_dir *dir, const char *folder,
                                 const f2l_experiment_plan *plan,
                                 const f2l_train_provenance *provenance,
                                 const f2l_train_dir_file *more, f2l_error *err);
/* Opens a folder that must hold the plan. */
f2l_status f2l_experiment_take_up(f2l_train_dir *dir, const char *folder,
                                  const f2l_experiment_plan *plan, f2l_error *err);
/* Fails with F2L_EDOMAIN for the folder of several seeds
 * (models/learn/experiment/experiment_seeds.h). */
f2l_status f2l_experiment_check_single(const char *folder, f2l_error *err);

/* Compares two texts of config.json. F2L_EDOMAIN with the first member in which the text `there`,
 * of the file `path`, differs from `here`; F2L_EFORMAT when `there` is no JSON or differs only in
 * its spelling. F2L_OK: the same bytes. */
f2l_status f2l_experiment_compare(const f2l_buf *here, const f2l_buf *there, const char *path,
                                  f2l_error *err);

/* Reads the automaton of a run, which is deterministic and total; `states` bounds the expansion of
 * the text of a group. */
f2l_status f2l_experiment_read_automaton(f2l_fsa *fsa, const char *text, size_t size, size_t states,
                                         f2l_error *err);

/* Appends the bytes of folder/name, at most `limit` of them (0: any number). */
f2l_status f2l_experiment_read_file(f2l_buf *out, const char *folder, const char *name,
                                    size_t limit, f2l_error *err);

/* An upper bound on the bytes of any config.json: 2^20 weights of 25 bytes and a margin. */
#define F2L_EXPERIMENT_CONFIG_LIMIT ((size_t)32 << 20)

/* The state of a running grid, shared by the files of models/learn/experiment/experiment_grid.h. */

typedef struct f2l_experiment_grid_state {
    f2l_train_dir dir; /* valid while `open` */
    bool open;
    size_t ended; /* number of runs that were tried */
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
    bool stop;         /* true: no further run is begun */
    f2l_status status; /* of the first folder that could not be opened or completed */
    f2l_error err;
} f2l_experiment_grid_work;

f2l_experiment_seed *f2l_experiment_grid_seed(const f2l_experiment_grid_work *work, size_t run);

/* Opens the folder of the run's cell, unless it is open. False: the folder cannot be opened, and
 * the work is to stop. */
bool f2l_experiment_grid_open(f2l_experiment_grid_work *work, size_t run);

/* Does one run, in any process: fills `seed` except for `why`. A run whose folder exists is
 * resumed. */
f2l_status f2l_experiment_grid_do(const f2l_experiment_grid_work *work, size_t run, unsigned device,
                                  const f2l_train_watch *watch, const f2l_task *task,
                                  f2l_error *err);

/* Takes note that the run's seed is filled: the work stops unless the seed ended or diverged; the
 * last seed of a cell completes the cell. */
void f2l_experiment_grid_done(f2l_experiment_grid_work *work, size_t run);

/* Returns whether a child of this process can use the devices: a child cannot use what this process
 * has begun on a device before. */
bool f2l_experiment_grid_forks(const f2l_experiment_grid_work *work);

/* Runs everything in processes, work->at_once of them. Returns only failures to begin. */
f2l_status f2l_experiment_grid_apart(f2l_experiment_grid_work *work, f2l_error *err);

/* Parts of a sweep. */

/* Makes room for the seeds of the experiment, none of which is begun. */
f2l_status f2l_experiment_seeds_allocate(f2l_experiment_seeds *seeds,
                                         const f2l_experiment *experiment, size_t count,
                                         f2l_error *err);

/* Makes or resumes the folder of a cell; the folder is locked while *dir is open. Before a new
 * folder is made the memory of a run is checked, so that nothing is written for a run that does not
 * fit. */
f2l_status f2l_experiment_seeds_open(f2l_train_dir *dir, const f2l_experiment_cell *cell,
                                     f2l_backend backend, const f2l_task *task, f2l_error *err);

/* Fills seeds->length. */
f2l_status f2l_experiment_seeds_spread(f2l_experiment_seeds *seeds, f2l_error *err);

/* Writes seeds.json. */
f2l_status f2l_experiment_seeds_save(const f2l_experiment_seeds *seeds, const char *folder,
                                     f2l_error *err);

#endif
