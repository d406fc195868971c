/* The outcome of a cell: made from the logs of its seeds, and kept as a file. */
#include "cli/reproduce/reproduce_outcome.h"
#include "library/version.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include "reports/training/train_report.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define UNNAMED_DEVICE "GPU" /* until a log names it */

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

/* Returns whether a seed that was recorded so (NULL: not yet) was trained by this process, too. */
static bool is_trained_here(const f2l_outcome_seed *old)
{
    return !old || old->end == F2L_TRAIN_GOES_ON;
}

/* Adds the devices of a seed: those that were recorded before, and the one that its log names, or
 * the one of this process, if that has trained it. */
static void add_devices_of_seed(f2l_outcome *w, const f2l_reproduce_job *j, const char *logged,
                                const f2l_outcome *before, const f2l_outcome_seed *old)
{
    char here[256];
    if (old && old->seconds > 0 && strcmp(before->device, UNNAMED_DEVICE) != 0)
        f2l_outcome_add_devices(w, before->device);
    f2l_outcome_add_devices(w, logged);
    if (logged[0] || !is_trained_here(old) || j->request.backend != F2L_BACKEND_CPU) return;
    put_processor(here, sizeof here);
    f2l_outcome_add_devices(w, here);
}

/* Completes what the row says of the devices and of the day: as it was recorded before, where this
 * process has trained none of the seeds. */
static void put_devices(f2l_outcome *w, const f2l_reproduce_job *j, const f2l_outcome *before)
{
    bool trained_here = !before;
    for (size_t i = 0; i < w->seeds && !trained_here; i++)
        trained_here = is_trained_here(f2l_outcome_seed_of(before, w->seed[i].seed));
    if (!w->device[0]) snprintf(w->device, sizeof w->device, UNNAMED_DEVICE);
    w->devices = !trained_here ? before->devices : j->gpus > 1 ? j->gpus : w->devices;
    snprintf(w->date, sizeof w->date, "%.10s", trained_here ? j->identity.date : before->date);
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

/* Adds the weights of a run, where it has any, and what was found of the same weights before
 * (`old`; NULL: nothing). */
static f2l_status add_weights(f2l_outcome_seed *to, const char *folder, const f2l_outcome_seed *old,
                              f2l_error *err)
{
    const f2l_status status = put_weights_hash(to, folder, err);
    if (status != F2L_OK || !to->weights[0] || !old || strcmp(old->weights, to->weights) != 0)
        return status;
    to->failing = old->failing;
    to->sets = old->sets;
    memcpy(to->set, old->set, sizeof to->set);
    return F2L_OK;
}

/* Adds what the log of a seed says, if its run has begun, and its weights, if it has ended. */
static f2l_status add_seed(f2l_outcome *w, const f2l_reproduce_job *j, size_t cell,
                           const f2l_experiment_seed *seed, const f2l_outcome *before, bool stopped,
                           f2l_error *err)
{
    const f2l_outcome_seed *old = f2l_outcome_seed_of(before, seed->seed);
    f2l_buf folder;
    f2l_history history;
    f2l_buf_init(&folder);
    f2l_history_init(&history);
    f2l_status status = f2l_reproduce_seed_folder(&folder, j, cell, seed->seed, err);
    const bool begun = status == F2L_OK && access(folder.data, F_OK) == 0;
    if (begun) status = f2l_history_read(&history, folder.data, err);
    if (begun && status == F2L_OK)
        status =
            f2l_outcome_add(w, seed->seed, &history,
                            f2l_outcome_share(old, history.seconds, seed->share), stopped, err);
    if (begun && status == F2L_OK) add_devices_of_seed(w, j, history.device, before, old);
    if (begun && status == F2L_OK && history.end != F2L_TRAIN_GOES_ON)
        status = add_weights(&w->seed[w->seeds - 1], folder.data, old, err);
    f2l_history_clear(&history);
    f2l_buf_clear(&folder);
    return status;
}

f2l_status f2l_reproduce_outcome_make(f2l_outcome *w, const f2l_reproduce_job *j, size_t cell,
                                      const f2l_preset_run *run, const f2l_experiment_seeds *seeds,
                                      const f2l_outcome *before, bool stopped, f2l_error *err)
{
    const f2l_reproduce_request *r = &j->request;
    f2l_status status = put_recipe(w, run, err);
    if (status == F2L_OK) status = put_trained_recipe(w, run, err);
    if (status == F2L_OK) status = put_commit(w, j, cell, err);
    w->preset = r->preset;
    w->setting = r->setting;
    w->model = f2l_reproduce_model(j, cell);
    w->scale = r->scale;
    w->rate = run->experiment.train.rate;
    w->full_steps = run->full_steps;
    w->steps = run->experiment.train.steps;
    w->batch = run->experiment.batch;
    snprintf(w->backend, sizeof w->backend, "%s", f2l_backend_name(r->backend));
    put_words_hashes(w, j);
    snprintf(w->constructed, sizeof w->constructed, "%s", j->constructed);
    snprintf(w->version, sizeof w->version, "%s", f2l_version());
    for (size_t i = 0; i < seeds->count && status == F2L_OK; i++)
        status = add_seed(w, j, cell, &seeds->seed[i], before, stopped, err);
    put_devices(w, j, before);
    return status;
}

f2l_status f2l_reproduce_outcome_read(f2l_outcomes *list, const f2l_reproduce_job *j, size_t cell,
                                      f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_status status = f2l_reproduce_outcome_path(&path, j, cell, err);
    if (status == F2L_OK && access(path.data, F_OK) == 0)
        status = f2l_outcomes_read(list, path.data, err);
    f2l_buf_clear(&path);
    return status;
}

f2l_status f2l_reproduce_outcome_write(const f2l_outcome *w, const f2l_reproduce_job *j,
                                       size_t cell, f2l_error *err)
{
    f2l_buf path, text;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_status status = f2l_reproduce_outcome_path(&path, j, cell, err);
    if (status == F2L_OK) status = f2l_outcome_write(&text, w, err);
    if (status == F2L_OK) status = f2l_write_file(path.data, text.data, text.size, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status;
}
