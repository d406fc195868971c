#include "cli/reproduce/reproduce_job.h"
#include "cli/reproduce/reproduce_outcome.h"
#include "library/version.h"
#include <string.h>
#include <unistd.h>

/* --- cells --- */

size_t f2l_reproduce_cells(const f2l_reproduce_job *j)
{
    return j->request.models * j->request.rates;
}

const f2l_preset_model *f2l_reproduce_model(const f2l_reproduce_job *j, size_t cell)
{
    return j->request.model[cell / j->request.rates];
}

f2l_status f2l_reproduce_build(f2l_preset_run *run, const f2l_reproduce_job *j, size_t cell,
                               f2l_error *err)
{
    const f2l_reproduce_request *r = &j->request;
    const f2l_preset_choice choice = {.setting = r->setting,
                                      .model = f2l_reproduce_model(j, cell),
                                      .scale = r->scale,
                                      .rate = r->rate[cell % r->rates],
                                      .seed = r->seed,
                                      .words = j->words.count > 0 ? &j->words : NULL,
                                      .test = j->test.count > 0 ? &j->test : NULL,
                                      .held_out = r->held_out};
    const f2l_status status = f2l_preset_build(run, r->preset, &choice, err);
    if (status == F2L_OK && j->checkpoint_seconds >= 0)
        run->experiment.train.checkpoint_seconds = j->checkpoint_seconds;
    return status;
}

static f2l_status put_path(f2l_buf *path, const f2l_reproduce_job *j, const char *before,
                           size_t cell, const char *after, f2l_error *err)
{
    f2l_buf_printf(path, "%s/%s%s", j->folder, before, f2l_reproduce_model(j, cell)->name);
    if (j->request.rates > 1)
        f2l_buf_printf(path, "-rate-%g", j->request.rate[cell % j->request.rates]);
    f2l_buf_text(path, after);
    return f2l_buf_status(path, err);
}

f2l_status f2l_reproduce_folder(f2l_buf *path, const f2l_reproduce_job *j, size_t cell,
                                f2l_error *err)
{
    return put_path(path, j, "", cell, "", err);
}

f2l_status f2l_reproduce_outcome_path(f2l_buf *path, const f2l_reproduce_job *j, size_t cell,
                                      f2l_error *err)
{
    char before[96];
    snprintf(before, sizeof before, "outcome-%s-%s-", j->request.preset->name,
             f2l_preset_setting_name(j->request.setting));
    return put_path(path, j, before, cell, ".json", err);
}

f2l_status f2l_reproduce_seed_folder(f2l_buf *folder, const f2l_reproduce_job *j, size_t cell,
                                     uint32_t seed, f2l_error *err)
{
    const f2l_status status = f2l_reproduce_folder(folder, j, cell, err);
    f2l_buf_printf(folder, "/seed-%lu", (unsigned long)seed);
    return status == F2L_OK ? f2l_buf_status(folder, err) : status;
}

/* --- running --- */

/* Refuses a recipe that differs from the wanted one. */
static f2l_status check_recipe(const f2l_reproduce_job *j, const f2l_preset_run *run,
                               f2l_error *err)
{
    char recipe[65];
    if (!j->recipe) return F2L_OK;
    const f2l_status status = f2l_preset_recipe_hash(recipe, run, err);
    if (status != F2L_OK || strcmp(recipe, j->recipe) == 0) return status;
    return f2l_fail(err, F2L_EDOMAIN,
                    "this program (%s, commit %s) has another recipe, %.12s and not %.12s: use the "
                    "program that made the plan, or make the plan again",
                    f2l_version(), f2l_commit(), recipe, j->recipe);
}

/* Checks that all cells fit, before anything is written. */
static int check_all_cells(f2l_reproduce_job *j)
{
    f2l_error err;
    int code = 0;
    if (f2l_backend_check(j->request.backend, &err) != F2L_OK)
        return f2l_cli_fail(j->cli, NULL, &err);
    for (size_t i = 0; i < f2l_reproduce_cells(j) && !code; i++) {
        f2l_preset_run run;
        f2l_preset_run_init(&run);
        code = f2l_reproduce_build(&run, j, i, &err) == F2L_OK &&
                       check_recipe(j, &run, &err) == F2L_OK &&
                       f2l_experiment_check(&run.experiment, &err) == F2L_OK
                   ? f2l_train_check_memory(j->cli, &run.experiment, j->request.backend)
                   : f2l_cli_fail(j->cli, NULL, &err);
        f2l_preset_run_clear(&run);
    }
    return code;
}

/* Returns whether every run has its weights, which a full disk or a signal may have kept from being
 * written after the run's end, and a short failing word was searched as far as is asked for. One
 * that diverged needs neither. */
static bool is_complete(const f2l_outcome *w, const f2l_reproduce_job *j)
{
    bool all = true;
    for (size_t i = 0; i < w->seeds; i++) {
        const f2l_outcome_seed *s = &w->seed[i];
        all = all && (s->end == F2L_TRAIN_DIVERGED ||
                      (s->weights[0] != '\0' && f2l_reproduce_is_searched(&s->failing, j)));
    }
    return all;
}

/* Sets *done to whether the cell has an outcome of all seeds, each of which has ended and is
 * complete. */
static f2l_status check_done(bool *done, const f2l_reproduce_job *j, size_t cell, f2l_error *err)
{
    f2l_outcomes there;
    f2l_outcomes_init(&there);
    const f2l_status status = f2l_reproduce_outcome_read(&there, j, cell, err);
    *done = status == F2L_OK && there.rows > 0;
    if (*done)
        *done = there.row[0].seeds == j->request.seeds && f2l_outcome_ended(&there.row[0]) &&
                is_complete(&there.row[0], j);
    f2l_outcomes_clear(&there);
    return status;
}

/* Lists the cells that are not done. */
static f2l_status list_cells(size_t *cell, size_t *cells, const f2l_reproduce_job *j,
                             f2l_error *err)
{
    f2l_status status = F2L_OK;
    *cells = 0;
    for (size_t i = 0; i < f2l_reproduce_cells(j) && status == F2L_OK; i++) {
        bool done;
        status = check_done(&done, j, i, err);
        if (status == F2L_OK && !done) cell[(*cells)++] = i;
    }
    return status;
}

static int read_outcomes(f2l_reproduce_job *j, f2l_outcomes *list)
{
    f2l_error err;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < f2l_reproduce_cells(j) && status == F2L_OK; i++) {
        f2l_buf path;
        f2l_buf_init(&path);
        status = f2l_reproduce_outcome_path(&path, j, i, &err);
        if (status == F2L_OK) status = f2l_outcomes_read(list, path.data, &err);
        f2l_buf_clear(&path);
    }
    return status == F2L_OK ? 0 : f2l_cli_fail(j->cli, NULL, &err);
}

int f2l_reproduce_job_run(f2l_reproduce_job *j, f2l_outcomes *list)
{
    f2l_error err;
    size_t cell[F2L_PRESET_MODELS * F2L_REPRODUCE_RATES], cells = 0;
    int lock, code = check_all_cells(j);
    if (code) return code;
    f2l_status status = f2l_reproduce_folder_open(&lock, j->folder, j->begin, &j->request, &err);
    if (status == F2L_OK) status = list_cells(cell, &cells, j, &err);
    code = status != F2L_OK ? f2l_cli_fail(j->cli, NULL, &err)
           : cells > 0      ? f2l_reproduce_train(j, cell, cells)
                            : 0;
    if (!code) code = read_outcomes(j, list);
    if (lock >= 0) (void)close(lock);
    return code;
}
