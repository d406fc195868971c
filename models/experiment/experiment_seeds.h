/* One experiment with several seeds, experiment->seed and the numbers after it, and what they say
 * together.
 *
 * The folder of a sweep is made like that of a run: config.json and automaton.fsa of the first seed
 * (f2l_experiment_file_read), provenance.json, and besides sweep.json, {"schema":1,"seeds":K}; then
 * a folder of its own for the run of every seed, seed-N, and at the end of every call seeds.json
 * (f2l_experiment_seeds_json). */
#ifndef F2L_EXPERIMENT_SEEDS_H
#define F2L_EXPERIMENT_SEEDS_H

#include "models/experiment/experiment.h"

#define F2L_EXPERIMENT_MAX_SEEDS ((size_t)10000)

typedef struct f2l_experiment_seed {
    uint32_t seed;
    f2l_train_result result; /* end is GOES_ON for a run that was interrupted or not begun */
    f2l_error why;           /* why.status is that of f2l_experiment_run; F2L_UNKNOWN: not begun */
    char device[128]; /* what it ran on (f2l_backend_device); "" on the CPU, and before the end */
    double share; /* 1, or less where other runs of the call were on the same device: mean over this
                     call's time of one part in as many as there were */
} f2l_experiment_seed;

/* Over the seeds that reached the end of their run: `count` of each spread says how many. */
typedef struct f2l_experiment_length {
    size_t length;
    f2l_train_spread accuracy, sequence_accuracy, scaled_accuracy; /* all 0 where no run ended */
} f2l_experiment_length;

typedef struct f2l_experiment_seeds {
    size_t count;
    f2l_experiment_seed *seed; /* [count], ascending */
    size_t lengths;
    f2l_experiment_length *length; /* [lengths] of the experiment's evaluation */
} f2l_experiment_seeds;

void f2l_experiment_seeds_init(f2l_experiment_seeds *seeds);
void f2l_experiment_seeds_clear(f2l_experiment_seeds *seeds);

/* Told in the caller's thread; of runs in other processes a few times a second, with the last that
 * they said. */
typedef struct f2l_experiment_seeds_watch {
    void (*progress)(void *context, size_t index, uint32_t seed,
                     const f2l_train_progress *progress);
    void *context;
} f2l_experiment_seeds_watch;

/* How many runs are worked on at once: task->jobs, as far as there are seeds and task->memory (0:
 * any) has room beside a device's own memory; at least 1. More than one are processes (fork), which
 * end when the caller's does. */
f2l_status f2l_experiment_seeds_jobs(size_t *jobs, const f2l_experiment *experiment,
                                     f2l_backend backend, size_t count, const f2l_task *task,
                                     f2l_error *err);

/* Runs all seeds, each as f2l_experiment_run does; what comes out does not depend on how many at
 * once. With experiment->devices above 1 there is one at once on each of these devices
 * (models/experiment/experiment_grid.h also has several on one). *seeds (initialised empty) is
 * filled in all cases as far as the runs came. A seed that diverges does not stop the others;
 * anything else does. With F2L_BEGIN_RESUME every seed goes on where it stopped, and those that
 * were not begun are begun. F2L_OK: all seeds reached their end. Else the status of the first that
 * did not, and its text with "seed N: " before it; those that were not begun come last. F2L_EDOMAIN
 * also for count 0 or above F2L_EXPERIMENT_MAX_SEEDS, seeds from 2^32 on, a folder that is no sweep
 * or one of another number of seeds. */
f2l_status f2l_experiment_seeds_run(f2l_experiment_seeds *seeds, const f2l_experiment *experiment,
                                    size_t count, f2l_backend backend, const char *folder,
                                    f2l_experiment_begin begin,
                                    const f2l_train_provenance *provenance,
                                    const f2l_experiment_seeds_watch *watch, const f2l_task *task,
                                    f2l_error *err);

/* The number of seeds of the folder's sweep.json; 0: it has none, so it is a single run.
 * F2L_EFORMAT: damaged. */
f2l_status f2l_experiment_seeds_count(size_t *count, const char *folder, f2l_error *err);

/* {"schema":1,"seeds":[{"seed":1,"end":"completed","step":..,"tokens":..,"loss":..,"why":"..",
 * "lengths":[..]},..],
 *  "spread":[{"length":64,"seeds":3,"accuracy":{"median":..,"least":..,"greatest":..,
 *  "deviation":..},
 *  "sequence_accuracy":{..},"scaled_accuracy":{..}},..]} without a final newline; `end` is
 * "completed", "reached", "diverged" or "interrupted" (also for runs that failed or were not begun:
 * `why`, which is there unless the run reached its end, says it). No times. */
void f2l_experiment_seeds_json(f2l_buf *out, const f2l_experiment_seeds *seeds);

#endif
