/* One experiment with several seeds, experiment->seed and the numbers after it, and statistics over
 * all of them.
 *
 * The folder of a sweep is made like the folder of a run: config.json and automaton.fsa of the
 * first seed (f2l_experiment_file_read), provenance.json, and also sweep.json,
 * {"schema":1,"seeds":K}; then one folder seed-N for the run of every seed, and at the end of every
 * call seeds.json (f2l_experiment_seeds_json). */
#ifndef F2L_EXPERIMENT_SEEDS_H
#define F2L_EXPERIMENT_SEEDS_H

#include "models/learn/experiment/experiment.h"

#define F2L_EXPERIMENT_MAX_SEEDS ((size_t)10000)

typedef struct f2l_experiment_seed {
    uint32_t seed;
    f2l_train_result result; /* end is GOES_ON for a run that was interrupted or not begun */
    f2l_error why;           /* why.status is the status of f2l_experiment_run; F2L_UNKNOWN: not
                              * begun */
    char device[128]; /* the device of the run (f2l_backend_device); "" on the CPU, and before the
                       * end */
    double share;     /* on the CPU, processor time / time, more than 1 with several threads; on a
                       * device, less than 1 if other runs of the call were on it: mean over this
                       * call's time of 1 / (number of runs on the device); 1 before the end, and
                       * where the run had ended before the call, which did not train it */
} f2l_experiment_seed;

/* Statistics over the seeds that ended; `count` of each spread is the number of seeds. */
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

/* A progress callback, called in the caller's thread; for runs in other processes it is called a
 * few times a second, with their last report. */
typedef struct f2l_experiment_seeds_watch {
    void (*progress)(void *context, size_t index, uint32_t seed,
                     const f2l_train_progress *progress);
    void *context;
} f2l_experiment_seeds_watch;

/* Sets *jobs to the number of runs at once: task->jobs, limited by the number of seeds and by
 * task->memory (0: any) beside a device's own memory; at least 1. Two or more runs at once are
 * processes (fork), which end when the caller's process does. */
f2l_status f2l_experiment_seeds_jobs(size_t *jobs, const f2l_experiment *experiment,
                                     f2l_backend backend, size_t count, const f2l_task *task,
                                     f2l_error *err);

/* Runs all seeds, each as f2l_experiment_run does; the results do not depend on the number of runs
 * at once. With experiment->devices above 1 there is one run at once on each of these devices
 * (models/learn/experiment/experiment_grid.h allows several on one). *seeds (initialised empty) is
 * filled in all cases as far as the runs came. A seed that diverges does not stop the others; any
 * other failure does. With F2L_BEGIN_RESUME every seed goes on where it stopped, and seeds that
 * were not begun are begun. F2L_OK: all seeds ended. Otherwise the status of the first seed that
 * did not, and its text after "seed N: "; seeds that were not begun come last. F2L_EDOMAIN also for
 * count 0 or above F2L_EXPERIMENT_MAX_SEEDS, seeds from 2^32 on, and a folder that is no sweep or a
 * sweep of another number of seeds. */
f2l_status f2l_experiment_seeds_run(f2l_experiment_seeds *seeds, const f2l_experiment *experiment,
                                    size_t count, f2l_backend backend, const char *folder,
                                    f2l_experiment_begin begin,
                                    const f2l_train_provenance *provenance,
                                    const f2l_experiment_seeds_watch *watch, const f2l_task *task,
                                    f2l_error *err);

/* Sets *count to the number of seeds in the folder's sweep.json, or to 0 when the file is missing:
 * the folder is then a single run. F2L_EFORMAT: damaged. */
f2l_status f2l_experiment_seeds_count(size_t *count, const char *folder, f2l_error *err);

/* Appends, without a final newline,
 *   {"schema":1,"seeds":[{"seed":1,"end":"completed","step":..,"tokens":..,"loss":..,"why":"..",
 *    "lengths":[..]},..],
 *    "spread":[{"length":64,"seeds":3,"accuracy":{"median":..,"least":..,"greatest":..,
 *    "deviation":..},"sequence_accuracy":{..},"scaled_accuracy":{..}},..]}
 * `end` is "completed", "reached", "diverged" or "interrupted". Runs that failed or were not begun
 * are "interrupted" too; `why`, which is present unless the run ended, gives the reason. Times are
 * not written. */
void f2l_experiment_seeds_json(f2l_buf *out, const f2l_experiment_seeds *seeds);

#endif
