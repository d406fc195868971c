#include "f2l_reproduce_job.h"
#include "f2l_version.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static f2l_status build(f2l_preset_run *run, const f2l_reproduce_job *j, size_t model, f2l_error *err)
{
    const f2l_reproduce_request *r = &j->request;
    const f2l_preset_choice choice = {r->setting, r->model[model], r->scale, r->rate, r->seed};
    const f2l_status status = f2l_preset_build(run, r->preset, &choice, err);
    if (status == F2L_OK && j->checkpoint_seconds >= 0)
        run->experiment.train.checkpoint_seconds = j->checkpoint_seconds;
    return status;
}

/* --- outcomes --- */

static f2l_status path_of(f2l_buf *path, const f2l_reproduce_job *j, const char *before, size_t model,
                          const char *after, f2l_error *err)
{
    f2l_buf_printf(path, "%s/%s%s%s", j->folder, before, j->request.model[model]->name, after);
    return f2l_buf_status(path, err);
}

static f2l_status outcome_path(f2l_buf *path, const f2l_reproduce_job *j, size_t model, f2l_error *err)
{
    char before[96];
    snprintf(before, sizeof before, "outcome-%s-%s-", j->request.preset->name,
             f2l_preset_setting_name(j->request.setting));
    return path_of(path, j, before, model, ".json", err);
}

/* "AMD EPYC 7B13, 4 processors, one thread a run", "NVIDIA H200" */
static void put_device(char *out, size_t room, f2l_backend backend)
{
    char line[256], name[96] = "unnamed processor";
    f2l_error why;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    FILE *file = backend == F2L_BACKEND_CPU ? fopen("/proc/cpuinfo", "r") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %95[^\n]", name) == 1) break;
    if (file) fclose(file);
    if (backend == F2L_BACKEND_CPU)
        snprintf(out, room, "%s, %ld processors, one thread a run", name, processors);
    else if (f2l_backend_device(out, room, backend, &why) != F2L_OK)
        snprintf(out, room, "GPU");
}

static f2l_status make_outcome(f2l_outcome *w, const f2l_reproduce_job *j, size_t model,
                               const f2l_preset_run *run, const f2l_experiment_seeds *seeds, f2l_error *err)
{
    const f2l_reproduce_request *r = &j->request;
    f2l_status status = F2L_OK;
    w->preset = r->preset;
    w->setting = r->setting;
    w->model = r->model[model];
    w->scale = r->scale;
    w->rate = run->experiment.train.rate;
    w->full_steps = run->full_steps;
    w->steps = run->experiment.train.steps;
    w->batch = run->experiment.batch;
    snprintf(w->backend, sizeof w->backend, "%s", f2l_backend_name(r->backend));
    put_device(w->device, sizeof w->device, r->backend);
    snprintf(w->version, sizeof w->version, "%s", f2l_version());
    snprintf(w->commit, sizeof w->commit, "%s", f2l_commit());
    snprintf(w->date, sizeof w->date, "%.10s", j->identity.date);
    for (size_t i = 0; i < seeds->count && status == F2L_OK; i++)
        status = f2l_outcome_add(w, seeds->seed[i].seed, &seeds->seed[i].result, err);
    return status;
}

static int write_outcome(f2l_reproduce_job *j, size_t model, const f2l_preset_run *run,
                         const f2l_experiment_seeds *seeds)
{
    f2l_error err;
    f2l_outcome w;
    f2l_buf path, text;
    f2l_outcome_init(&w);
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_status status = make_outcome(&w, j, model, run, seeds, &err);
    if (status == F2L_OK) status = outcome_path(&path, j, model, &err);
    if (status == F2L_OK) status = f2l_outcome_write(&text, &w, &err);
    if (status == F2L_OK) status = f2l_write_file(path.data, text.data, text.size, &err);
    f2l_outcome_clear(&w);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status == F2L_OK ? 0 : f2l_cli_fail(j->cli, j->folder, &err);
}

/* --- running --- */

/* Also true when some diverged: that is an outcome. */
static bool ended(const f2l_experiment_seeds *seeds, size_t wanted)
{
    size_t count = 0;
    for (size_t i = 0; i < seeds->count; i++) count += seeds->seed[i].result.end != F2L_TRAIN_GOES_ON;
    return count == wanted;
}

static int train_seeds(f2l_reproduce_job *j, size_t model, const f2l_preset_run *run, const char *folder,
                       f2l_experiment_seeds *seeds)
{
    struct stat about;
    f2l_error err;
    f2l_train_provenance provenance;
    f2l_buf go_on;
    char title[128];
    if (f2l_train_identity_make(&provenance, &j->identity, &run->experiment, &err) != F2L_OK)
        return f2l_cli_fail(j->cli, NULL, &err);
    if (j->request.models > 1)
        snprintf(title, sizeof title, "%s, %zu of %zu: ", j->request.model[model]->name, model + 1,
                 j->request.models);
    else
        snprintf(title, sizeof title, "%s: ", j->request.model[model]->name);
    f2l_buf_init(&go_on);
    f2l_buf_printf(&go_on, "fsa2lrnn reproduce --resume %s", j->folder);
    const f2l_train_start start = {.backend = j->request.backend,
                                   .folder = folder,
                                   .begin = j->resume && stat(folder, &about) == 0 ? F2L_BEGIN_RESUME
                                                                                   : F2L_BEGIN_NEW,
                                   .provenance = &provenance,
                                   .title = title,
                                   .resume = go_on.data};
    const int code = f2l_train_run_seeds(seeds, j->cli, &run->experiment, j->request.seeds, &start);
    f2l_buf_clear(&go_on);
    return ended(seeds, j->request.seeds) ? 0 : code;
}

static int train_model(f2l_reproduce_job *j, size_t model, const char *folder)
{
    f2l_error err;
    f2l_preset_run run;
    f2l_experiment_seeds seeds;
    f2l_preset_run_init(&run);
    f2l_experiment_seeds_init(&seeds);
    int code = build(&run, j, model, &err) == F2L_OK ? 0 : f2l_cli_fail(j->cli, NULL, &err);
    if (!code) code = train_seeds(j, model, &run, folder, &seeds);
    if (!code) code = write_outcome(j, model, &run, &seeds);
    f2l_experiment_seeds_clear(&seeds);
    f2l_preset_run_clear(&run);
    return code;
}

/* A model that has its outcome is done. */
static int do_model(f2l_reproduce_job *j, size_t model, f2l_outcomes *list)
{
    f2l_error err;
    f2l_buf folder, outcome;
    f2l_buf_init(&folder);
    f2l_buf_init(&outcome);
    f2l_status status = path_of(&folder, j, "", model, "", &err);
    if (status == F2L_OK) status = outcome_path(&outcome, j, model, &err);
    int code = status == F2L_OK ? 0 : f2l_cli_fail(j->cli, NULL, &err);
    if (!code && access(outcome.data, F_OK) != 0) code = train_model(j, model, folder.data);
    if (!code && f2l_outcomes_read(list, outcome.data, &err) != F2L_OK)
        code = f2l_cli_fail(j->cli, outcome.data, &err);
    f2l_buf_clear(&folder);
    f2l_buf_clear(&outcome);
    return code;
}

/* All models fit, before anything is written. */
static int check_all(f2l_reproduce_job *j)
{
    f2l_error err;
    int code = 0;
    if (f2l_backend_check(j->request.backend, &err) != F2L_OK) return f2l_cli_fail(j->cli, NULL, &err);
    for (size_t i = 0; i < j->request.models && !code; i++) {
        f2l_preset_run run;
        f2l_preset_run_init(&run);
        code = build(&run, j, i, &err) == F2L_OK && f2l_experiment_check(&run.experiment, &err) == F2L_OK
                   ? f2l_train_check_memory(j->cli, &run.experiment)
                   : f2l_cli_fail(j->cli, NULL, &err);
        f2l_preset_run_clear(&run);
    }
    return code;
}

int f2l_reproduce_job_run(f2l_reproduce_job *j, f2l_outcomes *list)
{
    f2l_error err;
    int code = check_all(j);
    if (code) return code;
    if (!j->resume && f2l_reproduce_folder_make(j->folder, &j->request, &err) != F2L_OK)
        return f2l_cli_fail(j->cli, NULL, &err);
    for (size_t i = 0; i < j->request.models && !code; i++) code = do_model(j, i, list);
    return code;
}

/* --- what would be trained --- */

static int put_plan(f2l_reproduce_job *j, size_t model, f2l_buf *text, json_t *list)
{
    f2l_error err;
    f2l_preset_run run;
    f2l_buf config;
    f2l_seq shape = {.parameters = 0};
    size_t bytes = 0;
    f2l_preset_run_init(&run);
    f2l_buf_init(&config);
    f2l_status status = build(&run, j, model, &err);
    if (status == F2L_OK) status = f2l_experiment_bytes(&bytes, &run.experiment, &err);
    if (status == F2L_OK) status = f2l_experiment_write(&config, &run.experiment, &err);
    if (status == F2L_OK) status = f2l_seq_init(&shape, &run.experiment.model, &err);
    if (status == F2L_OK) {
        const f2l_experiment *e = &run.experiment;
        f2l_buf_printf(text, "%s: %s\n  %zu parameters, ", j->request.model[model]->name,
                       j->request.model[model]->text, shape.parameters);
        f2l_train_bytes_text(text, bytes);
        f2l_buf_printf(text, " of memory, %llu of %llu steps of %zu sequences, lengths to %zu, rate %g\n",
                       (unsigned long long)e->train.steps, (unsigned long long)run.full_steps, e->batch,
                       e->curriculum.limit, e->train.rate);
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I, s:I, s:o}", "model", j->request.model[model]->name,
                            "parameters", (json_int_t)shape.parameters, "bytes", (json_int_t)bytes, "steps",
                            (json_int_t)e->train.steps, "full_steps", (json_int_t)run.full_steps, "config",
                            json_loadb(config.data, config.size, 0, NULL)));
    }
    f2l_seq_clear(&shape);
    f2l_buf_clear(&config);
    f2l_preset_run_clear(&run);
    return status == F2L_OK ? 0 : f2l_cli_fail(j->cli, NULL, &err);
}

int f2l_reproduce_job_plan(f2l_reproduce_job *j)
{
    const f2l_reproduce_request *r = &j->request;
    const char *remark = f2l_preset_remark(r->preset, r->setting),
               *setting = f2l_preset_setting_name(r->setting);
    f2l_buf text;
    json_t *list = json_array();
    int code = 0;
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "%s, %s setting: %s (%s)\n", r->preset->name, setting, r->preset->text,
                   r->preset->source);
    for (size_t i = 0; i < r->models && !code; i++) code = put_plan(j, i, &text, list);
    if (remark[0]) f2l_buf_printf(&text, "Remark: %s\n", remark);
    if (!code && j->cli->global.json)
        code = f2l_cli_print_value(j->cli, json_pack("{s:i, s:s, s:s, s:s, s:f, s:O}", "schema", 1, "preset",
                                                     r->preset->name, "setting", setting, "remark", remark,
                                                     "scale", r->scale, "models", list));
    else if (!code)
        code = f2l_cli_print(j->cli, &text);
    f2l_buf_clear(&text);
    json_decref(list);
    return code;
}
