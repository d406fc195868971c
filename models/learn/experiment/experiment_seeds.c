#include "models/learn/experiment/experiment_seeds.h"
#include "models/learn/experiment/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

void f2l_experiment_seeds_init(f2l_experiment_seeds *seeds)
{
    *seeds = (f2l_experiment_seeds){0};
}

void f2l_experiment_seeds_clear(f2l_experiment_seeds *seeds)
{
    for (size_t i = 0; i < seeds->count; i++) f2l_train_result_clear(&seeds->seed[i].result);
    f2l_free(seeds->seed);
    f2l_free(seeds->length);
    f2l_experiment_seeds_init(seeds);
}

f2l_status f2l_experiment_seeds_jobs(size_t *jobs, const f2l_experiment *experiment,
                                     f2l_backend backend, size_t count, const f2l_task *task,
                                     f2l_error *err)
{
    f2l_experiment_need need;
    const f2l_status status = f2l_experiment_needs(&need, experiment, backend, err);
    *jobs = task && task->jobs > 1 ? task->jobs : 1;
    if (status != F2L_OK) return status;
    if (*jobs > count) *jobs = count;
    if (task && task->memory > 0 && *jobs > task->memory / need.host)
        *jobs = task->memory / need.host;
    if (*jobs == 0) *jobs = 1; /* the run itself reports the need */
    return F2L_OK;
}

/* --- results --- */

static bool ended(const f2l_experiment_seed *seed)
{
    return seed->why.status == F2L_OK && seed->result.end != F2L_TRAIN_GOES_ON;
}

static f2l_status spread_length(f2l_experiment_seeds *seeds, size_t i, double *value,
                                f2l_error *err)
{
    f2l_experiment_length *at = &seeds->length[i];
    double (*const measure[])(const f2l_train_score *) = {
        f2l_train_accuracy, f2l_train_sequence_accuracy, f2l_train_scaled_accuracy};
    f2l_train_spread *const spread[] = {&at->accuracy, &at->sequence_accuracy,
                                        &at->scaled_accuracy};
    f2l_status status = F2L_OK;
    for (size_t m = 0; m < 3 && status == F2L_OK; m++) {
        size_t count = 0;
        for (size_t k = 0; k < seeds->count; k++)
            if (ended(&seeds->seed[k]) && i < seeds->seed[k].result.scores)
                value[count++] = measure[m](&seeds->seed[k].result.score[i]);
        if (count > 0) status = f2l_train_spread_of(spread[m], value, count, err);
    }
    return status;
}

f2l_status f2l_experiment_seeds_spread(f2l_experiment_seeds *seeds, f2l_error *err)
{
    f2l_status status = F2L_OK;
    double *value = f2l_calloc(seeds->count, sizeof *value);
    if (value == NULL) return f2l_fail_memory(err);
    for (size_t i = 0; i < seeds->lengths && status == F2L_OK; i++)
        status = spread_length(seeds, i, value, err);
    f2l_free(value);
    return status;
}

f2l_status f2l_experiment_seeds_allocate(f2l_experiment_seeds *seeds, const f2l_experiment *e,
                                         size_t count, f2l_error *err)
{
    if (count == 0 || count > F2L_EXPERIMENT_MAX_SEEDS)
        return f2l_fail(err, F2L_EDOMAIN, "the number of seeds must be 1..%zu, not %zu",
                        F2L_EXPERIMENT_MAX_SEEDS, count);
    if (count - 1 > UINT32_MAX - e->seed)
        return f2l_fail(err, F2L_EDOMAIN, "%zu seeds from %lu on are not all below 2^32", count,
                        (unsigned long)e->seed);
    seeds->seed = f2l_calloc(count, sizeof *seeds->seed);
    seeds->length = f2l_calloc(e->train.lengths, sizeof *seeds->length);
    if (seeds->seed == NULL || seeds->length == NULL) return f2l_fail_memory(err);
    seeds->count = count;
    seeds->lengths = e->train.lengths;
    for (size_t k = 0; k < count; k++) {
        seeds->seed[k].seed = e->seed + (uint32_t)k;
        seeds->seed[k].share = 1;
        (void)f2l_fail(&seeds->seed[k].why, F2L_UNKNOWN, "not begun");
    }
    for (size_t i = 0; i < e->train.lengths; i++) seeds->length[i].length = e->train.length[i];
    return F2L_OK;
}

/* --- a grid of one --- */

typedef struct listener {
    const f2l_experiment_seeds_watch *watch;
    uint32_t first;
} listener;

static void pass_progress_on(void *context, size_t cell, size_t index,
                             const f2l_train_progress *progress)
{
    const listener *t = context;
    (void)cell;
    t->watch->progress(t->watch->context, index, t->first + (uint32_t)index, progress);
}

f2l_status f2l_experiment_seeds_run(f2l_experiment_seeds *seeds, const f2l_experiment *experiment,
                                    size_t count, f2l_backend backend, const char *folder,
                                    f2l_experiment_begin begin,
                                    const f2l_train_provenance *provenance,
                                    const f2l_experiment_seeds_watch *watch, const f2l_task *task,
                                    f2l_error *err)
{
    listener t = {watch, experiment->seed};
    const f2l_experiment_grid grid = {.backend = backend,
                                      .devices = experiment->devices,
                                      .progress =
                                          watch && watch->progress ? pass_progress_on : NULL,
                                      .context = &t};
    f2l_experiment_cell cell = {.experiment = experiment,
                                .count = count,
                                .folder = folder,
                                .begin = begin,
                                .provenance = provenance,
                                .seeds = *seeds};
    const f2l_status status = f2l_experiment_grid_run(&cell, 1, &grid, task, err);
    *seeds = cell.seeds;
    return status;
}
