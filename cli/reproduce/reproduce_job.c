#include "cli/reproduce/reproduce_job.h"
#include "cli/version.h"
#include "library/version.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include "reports/training/train_report.h"
#include "reports/training/train_report_parts.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

size_t f2l_reproduce_cells(const f2l_reproduce_job *j)
{
    return j->request.models * j->request.rates;
}

static const f2l_preset_model *model_of(const f2l_reproduce_job *j, size_t cell)
{
    return j->request.model[cell / j->request.rates];
}

f2l_status f2l_reproduce_build(f2l_preset_run *run, const f2l_reproduce_job *j, size_t cell,
                               f2l_error *err)
{
    const f2l_reproduce_request *r = &j->request;
    const f2l_preset_choice choice = {.setting = r->setting,
                                      .model = model_of(j, cell),
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

/* --- outcomes --- */

static f2l_status put_path(f2l_buf *path, const f2l_reproduce_job *j, const char *before,
                           size_t cell, const char *after, f2l_error *err)
{
    f2l_buf_printf(path, "%s/%s%s", j->folder, before, model_of(j, cell)->name);
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

f2l_status f2l_reproduce_outcome(f2l_buf *path, const f2l_reproduce_job *j, size_t cell,
                                 f2l_error *err)
{
    char before[96];
    snprintf(before, sizeof before, "outcome-%s-%s-", j->request.preset->name,
             f2l_preset_setting_name(j->request.setting));
    return put_path(path, j, before, cell, ".json", err);
}

/* Writes "AMD EPYC 7B13, 4 processors, one thread a run". */
static void put_processor(char *out, size_t room)
{
    char line[256], name[96] = "unnamed processor";
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %95[^\n]", name) == 1) break;
    if (file) fclose(file);
    snprintf(out, room, "%s, %ld processors, one thread a run", name, processors);
}

void f2l_reproduce_begun_by(char commit[F2L_REPRODUCE_COMMIT], const char *folder)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/provenance.json", folder);
    json_t *root = path.failed ? NULL : json_load_file(path.data, 0, NULL);
    const char *there = json_string_value(json_object_get(root, "commit"));
    snprintf(commit, F2L_REPRODUCE_COMMIT, "%s",
             there && strcmp(there, f2l_commit()) != 0 ? there : "");
    json_decref(root);
    f2l_buf_clear(&path);
}

/* Sets the commit, or the commits that began and ended the runs. */
static f2l_status put_commit(f2l_outcome *w, const f2l_reproduce_job *j, size_t cell,
                             f2l_error *err)
{
    char begun[F2L_REPRODUCE_COMMIT];
    f2l_buf folder;
    f2l_buf_init(&folder);
    const f2l_status status = f2l_reproduce_folder(&folder, j, cell, err);
    if (status == F2L_OK) {
        f2l_reproduce_begun_by(begun, folder.data);
        snprintf(w->commit, sizeof w->commit, "%s%s%.20s", begun, begun[0] ? ", " : "",
                 f2l_commit());
    }
    f2l_buf_clear(&folder);
    return status;
}

static void put_device(f2l_outcome *w, const f2l_reproduce_job *j)
{
    if (j->request.backend == F2L_BACKEND_CPU)
        put_processor(w->device, sizeof w->device);
    else
        snprintf(w->device, sizeof w->device, "GPU"); /* until a log names it */
    if (j->gpus > 1) w->devices = j->gpus;
}

/* Sets the recipe and its hash. */
static f2l_status put_recipe(f2l_outcome *w, const f2l_preset_run *run, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status = f2l_preset_recipe_write(&text, run, err);
    if (status == F2L_OK) f2l_sha256_hex(text.data, text.size, w->recipe);
    if (status == F2L_OK) w->config = json_loadb(text.data, text.size, 0, NULL);
    if (status == F2L_OK && w->config == NULL) status = f2l_fail_memory(err);
    f2l_buf_clear(&text);
    return status;
}

static f2l_status put_trained_recipe(f2l_outcome *w, const f2l_preset_run *run, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_train_experiment_text(&text, &run->experiment);
    const f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK) snprintf(w->trained, sizeof w->trained, "%s", text.data);
    f2l_buf_clear(&text);
    return status;
}

/* Names the words of the runs by their hashes. */
static void put_words_hashes(f2l_outcome *w, const f2l_reproduce_job *j)
{
    const f2l_reproduce_request *r = &j->request;
    if (r->words[0] == '\0') return;
    if (r->test[0] != '\0')
        snprintf(w->note, sizeof w->note, "words of %.40s, SHA-256 %s, tested on %.40s, SHA-256 %s",
                 f2l_path_base(r->words), r->words_sha256, f2l_path_base(r->test), r->test_sha256);
    else
        snprintf(w->note, sizeof w->note, "words of %.80s, SHA-256 %s, %g of them tested only",
                 f2l_path_base(r->words), r->words_sha256, r->held_out);
}

/* Sets the hash of the weights in the folder of a run; nothing where there are none. */
static f2l_status put_weights_hash(f2l_outcome_seed *seed, const char *folder, f2l_error *err)
{
    static const char name[] = "weights.safetensors";
    return f2l_path_has(folder, name) ? f2l_sha256_in(seed->weights, folder, name, err) : F2L_OK;
}

/* Adds what the weights of a run say, where it has any. Words are drawn by the run's own seed, so
 * that it has the same outcome alone and among others. */
static f2l_status add_weights(f2l_outcome_seed *to, const f2l_reproduce_job *j,
                              const f2l_preset_run *run, const char *folder,
                              f2l_reproduce_stage stage, f2l_error *err)
{
    f2l_experiment own = run->experiment;
    own.seed = to->seed;
    f2l_status status = put_weights_hash(to, folder, err);
    if (status != F2L_OK || !to->weights[0] || stage != F2L_REPRODUCE_ENDED) return status;
    status = f2l_reproduce_test(to, j, &own, folder, err);
    return status == F2L_OK ? f2l_reproduce_search(&to->failing, j, &own, folder, err) : status;
}

/* Adds what the log of a seed says, if its run has begun, and its weights, if it has ended. */
static f2l_status add_seed(f2l_outcome *w, const f2l_reproduce_job *j, size_t cell,
                           const f2l_preset_run *run, const f2l_experiment_seed *seed,
                           f2l_reproduce_stage stage, f2l_error *err)
{
    f2l_buf folder;
    f2l_history history;
    f2l_buf_init(&folder);
    f2l_history_init(&history);
    f2l_status status = f2l_reproduce_folder(&folder, j, cell, err);
    f2l_buf_printf(&folder, "/seed-%lu", (unsigned long)seed->seed);
    if (status == F2L_OK) status = f2l_buf_status(&folder, err);
    const bool begun = status == F2L_OK && access(folder.data, F_OK) == 0;
    if (begun) status = f2l_history_read(&history, folder.data, err);
    if (begun && status == F2L_OK)
        status = f2l_outcome_add(w, seed->seed, &history, seed->share,
                                 stage == F2L_REPRODUCE_STOPPED, err);
    if (begun && status == F2L_OK && history.end != F2L_TRAIN_GOES_ON)
        status = add_weights(&w->seed[w->seeds - 1], j, run, folder.data, stage, err);
    if (history.device[0] != '\0') snprintf(w->device, sizeof w->device, "%s", history.device);
    f2l_history_clear(&history);
    f2l_buf_clear(&folder);
    return status;
}

static f2l_status make_outcome(f2l_outcome *w, const f2l_reproduce_job *j, size_t cell,
                               const f2l_preset_run *run, const f2l_experiment_seeds *seeds,
                               f2l_reproduce_stage stage, f2l_error *err)
{
    const f2l_reproduce_request *r = &j->request;
    f2l_status status = put_recipe(w, run, err);
    if (status == F2L_OK) status = put_trained_recipe(w, run, err);
    if (status == F2L_OK) status = put_commit(w, j, cell, err);
    w->preset = r->preset;
    w->setting = r->setting;
    w->model = model_of(j, cell);
    w->scale = r->scale;
    w->rate = run->experiment.train.rate;
    w->full_steps = run->full_steps;
    w->steps = run->experiment.train.steps;
    w->batch = run->experiment.batch;
    snprintf(w->backend, sizeof w->backend, "%s", f2l_backend_name(r->backend));
    put_device(w, j);
    put_words_hashes(w, j);
    snprintf(w->constructed, sizeof w->constructed, "%s", j->constructed);
    snprintf(w->version, sizeof w->version, "%s", f2l_version());
    snprintf(w->date, sizeof w->date, "%.10s", j->identity.date);
    for (size_t i = 0; i < seeds->count && status == F2L_OK; i++)
        status = add_seed(w, j, cell, run, &seeds->seed[i], stage, err);
    return status;
}

f2l_status f2l_reproduce_write(const f2l_reproduce_job *j, size_t cell, const f2l_preset_run *run,
                               const f2l_experiment_seeds *seeds, f2l_reproduce_stage stage,
                               f2l_error *err)
{
    f2l_outcome w;
    f2l_buf path, text;
    f2l_outcome_init(&w);
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_status status = make_outcome(&w, j, cell, run, seeds, stage, err);
    if (status == F2L_OK) status = f2l_reproduce_outcome(&path, j, cell, err);
    if (status == F2L_OK) status = f2l_outcome_write(&text, &w, err);
    if (status == F2L_OK && w.seeds > 0)
        status = f2l_write_file(path.data, text.data, text.size, err);
    f2l_outcome_clear(&w);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status;
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

/* Sets *done to whether the cell has an outcome of all seeds, each of which has ended. */
static f2l_status check_done(bool *done, const f2l_reproduce_job *j, size_t cell, f2l_error *err)
{
    f2l_buf path;
    f2l_outcomes there;
    f2l_buf_init(&path);
    f2l_outcomes_init(&there);
    f2l_status status = f2l_reproduce_outcome(&path, j, cell, err);
    *done = status == F2L_OK && access(path.data, F_OK) == 0;
    if (*done) status = f2l_outcomes_read(&there, path.data, err);
    if (*done && status == F2L_OK)
        *done = there.row[0].seeds == j->request.seeds && f2l_outcome_ended(&there.row[0]);
    f2l_outcomes_clear(&there);
    f2l_buf_clear(&path);
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
        status = f2l_reproduce_outcome(&path, j, i, &err);
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

/* --- the plan --- */

static int put_plan(f2l_reproduce_job *j, size_t cell, f2l_buf *text, f2l_fact list)
{
    f2l_error err;
    const f2l_preset_model *model = model_of(j, cell);
    f2l_preset_run run;
    f2l_seq shape = {.parameters = 0};
    f2l_experiment_need need = {0};
    f2l_preset_run_init(&run);
    f2l_status status = f2l_reproduce_build(&run, j, cell, &err);
    if (status == F2L_OK)
        status = f2l_experiment_needs(&need, &run.experiment, j->request.backend, &err);
    if (status == F2L_OK) status = f2l_seq_init(&shape, &run.experiment.model, &err);
    if (status == F2L_OK) {
        const f2l_experiment *e = &run.experiment;
        f2l_buf_printf(text, "%s: %s\n  ", model->name, model->text);
        f2l_train_experiment_text(text, e);
        f2l_buf_printf(text, "\n  %zu parameters, ", shape.parameters);
        f2l_train_bytes_text(text, need.host);
        f2l_buf_text(text, " of memory, ");
        if (need.device > 0) {
            f2l_train_bytes_text(text, need.device);
            f2l_buf_text(text, " on the device, ");
        }
        f2l_buf_printf(text, "%llu of %llu steps of %zu sequences, rate %g, ",
                       (unsigned long long)e->train.steps, (unsigned long long)run.full_steps,
                       e->batch, e->train.rate);
        const double seconds = f2l_experiment_seconds(e, j->request.backend);
        f2l_experiment_seconds_text(text, seconds);
        f2l_buf_text(text, " a seed\n");
        f2l_fact one = f2l_say_object(list, NULL);
        f2l_say_text(one, "model", model->name);
        f2l_say_number(one, "rate", e->train.rate);
        f2l_say_count(one, "parameters", shape.parameters);
        f2l_say_count(one, "bytes", need.host);
        f2l_say_known(one, "device_bytes", need.device > 0, need.device);
        f2l_say_count(one, "steps", e->train.steps);
        f2l_say_count(one, "full_steps", run.full_steps);
        f2l_say_number(one, "expected_seconds", seconds);
        f2l_say_config(one, e);
    }
    f2l_seq_clear(&shape);
    f2l_preset_run_clear(&run);
    return status == F2L_OK ? 0 : f2l_cli_fail(j->cli, NULL, &err);
}

/* Appends a line on the runs; a single run needs none. */
static void put_runs(f2l_buf *text, const f2l_reproduce_job *j)
{
    const f2l_reproduce_request *r = &j->request;
    const size_t runs = f2l_reproduce_cells(j) * r->seeds;
    if (r->rates > 1 || r->seeds > 1)
        f2l_buf_printf(text, "%zu runs: %zu model%s, %zu rate%s, %zu seed%s\n", runs, r->models,
                       r->models == 1 ? "" : "s", r->rates, r->rates == 1 ? "" : "s", r->seeds,
                       r->seeds == 1 ? "" : "s");
}

int f2l_reproduce_job_plan(f2l_reproduce_job *j)
{
    const f2l_reproduce_request *r = &j->request;
    const char *remark = f2l_preset_remark(r->preset, r->setting),
               *setting = f2l_preset_setting_name(r->setting);
    f2l_buf text;
    f2l_facts facts;
    int code = 0;
    f2l_buf_init(&text);
    f2l_facts_init(&facts);
    const f2l_fact root = f2l_facts_root(&facts);
    f2l_say_report(root, "reproduce-plan");
    f2l_say_text(root, "preset", r->preset->name);
    f2l_say_text(root, "setting", setting);
    f2l_say_text(root, "remark", remark);
    f2l_say_number(root, "scale", r->scale);
    const f2l_fact list = f2l_say_list(root, "plans");
    f2l_buf_printf(&text, "%s, %s setting: %s (%s)\n", r->preset->name, setting, r->preset->text,
                   r->preset->source);
    for (size_t i = 0; i < f2l_reproduce_cells(j) && !code; i++) code = put_plan(j, i, &text, list);
    put_runs(&text, j);
    if (remark[0]) f2l_buf_printf(&text, "Remark: %s\n", remark);
    if (!code && j->cli->global.json)
        code = f2l_cli_print_facts(j->cli, &facts);
    else if (!code)
        code = f2l_cli_print(j->cli, &text);
    f2l_buf_clear(&text);
    f2l_facts_clear(&facts);
    return code;
}
