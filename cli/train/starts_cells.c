#include "cli/train/starts_job.h"
#include "cli/work/lock.h"
#include "models/learn/seq/delta/seq_constructed.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/unfinished.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

void f2l_starts_clear(f2l_starts_job *s)
{
    for (size_t i = 0; i < s->starts; i++) {
        f2l_history_clear(&s->run[i].history);
        f2l_first_weights_clear(&s->part[i].weights);
        f2l_buf_clear(&s->part[i].folder);
        f2l_buf_clear(&s->part[i].title);
        f2l_experiment_seeds_clear(&s->cell[i].seeds);
    }
    f2l_free(s->run);
    f2l_free(s->part);
    f2l_free(s->cell);
}

static f2l_status allocate_starts(f2l_starts_job *s, f2l_error *err)
{
    const size_t each = s->logits * (1 + s->noises) + 1, starts = s->seeds * each;
    s->run = f2l_calloc(starts, sizeof *s->run);
    s->part = f2l_calloc(starts, sizeof *s->part);
    s->cell = f2l_calloc(starts, sizeof *s->cell);
    if (!s->run || !s->part || !s->cell) return f2l_fail_memory(err);
    for (; s->starts < starts; s->starts++) {
        const size_t i = s->starts % each;
        f2l_start_run *run = &s->run[s->starts];
        f2l_history_init(&run->history);
        f2l_first_weights_init(&s->part[s->starts].weights);
        f2l_buf_init(&s->part[s->starts].folder);
        f2l_buf_init(&s->part[s->starts].title);
        run->seed = s->train.experiment.seed + (uint32_t)(s->starts / each);
        run->kind = i == each - 1   ? F2L_START_RANDOM
                    : i < s->logits ? F2L_START_EXACT
                                    : F2L_START_PERTURBED;
        run->logit = run->kind == F2L_START_RANDOM ? (double)NAN : s->logit[i % s->logits];
        if (run->kind == F2L_START_PERTURBED) run->noise = s->noise[i / s->logits - 1];
    }
    return F2L_OK;
}

/* Makes the weights of a start that is not random. */
static f2l_status make_weights(f2l_starts_job *s, size_t i, f2l_error *err)
{
    const f2l_start_run *run = &s->run[i];
    const f2l_seq *model = &s->train.model;
    const f2l_data *data = &s->train.source.data;
    const f2l_seq_constructed_names names = {&data->letters, &data->labels};
    if (run->kind == F2L_START_RANDOM) return F2L_OK;
    float *parameter = f2l_calloc(model->parameters, sizeof *parameter);
    if (!parameter) return f2l_fail_memory(err);
    f2l_seq_start_f32(parameter, model, run->seed);
    f2l_status status =
        f2l_seq_constructed_f32(parameter, model, &s->train.compiled.net, &names, run->logit, err);
    if (status == F2L_OK && run->noise > 0)
        f2l_seq_perturb_f32(parameter, model, run->noise, run->seed);
    if (status == F2L_OK)
        status = f2l_first_weights_make(&s->part[i].weights, model, parameter, err);
    f2l_free(parameter);
    return status;
}

/* Returns the weights from which the distance of a run is told: the exact start of its logit; of a
 * random run, of the first logit. The exact starts of a seed come first. */
static const f2l_first_weights *reference_of(const f2l_starts_job *s, size_t i)
{
    const size_t each = s->logits * (1 + s->noises) + 1, first = i / each * each;
    return &s->part[first + (i % each == each - 1 ? 0 : i % each % s->logits)].weights;
}

static f2l_status name_start(f2l_starts_job *s, size_t i, f2l_error *err)
{
    const f2l_start_run *run = &s->run[i];
    f2l_start_parts *part = &s->part[i];
    f2l_start_title(&part->title, run);
    f2l_buf_printf(&part->folder, "%s/%s", s->train.folder.data, f2l_start_name(run->kind));
    if (run->kind != F2L_START_RANDOM) f2l_buf_printf(&part->folder, "-logit-%g", run->logit);
    if (run->kind == F2L_START_PERTURBED) f2l_buf_printf(&part->folder, "-noise-%g", run->noise);
    f2l_buf_printf(&part->folder, "-seed-%lu", (unsigned long)run->seed);
    const f2l_status status = f2l_buf_status(&part->title, err);
    return status == F2L_OK ? f2l_buf_status(&part->folder, err) : status;
}

static f2l_status make_start_cell(f2l_starts_job *s, size_t i, f2l_error *err)
{
    struct stat about;
    f2l_start_parts *part = &s->part[i];
    f2l_status status = make_weights(s, i, err);
    if (status == F2L_OK) status = name_start(s, i, err);
    if (status != F2L_OK) return status;
    part->experiment = s->train.experiment;
    part->experiment.seed = s->run[i].seed;
    part->experiment.first = part->weights.parameter ? &part->weights : NULL;
    part->experiment.reference = reference_of(s, i);
    const bool begun = s->go_on && stat(part->folder.data, &about) == 0;
    s->cell[i] = (f2l_experiment_cell){.name = part->title.data,
                                       .experiment = &part->experiment,
                                       .count = 1,
                                       .folder = part->folder.data,
                                       .begin = begun ? F2L_BEGIN_RESUME : F2L_BEGIN_NEW,
                                       .provenance = &s->provenance};
    return F2L_OK;
}

int f2l_starts_make(f2l_starts_job *s)
{
    f2l_error err;
    f2l_train_cli *j = &s->train;
    f2l_status status =
        f2l_train_identity_make(&s->provenance, &j->identity, &j->cli, &j->experiment, &err);
    if (status == F2L_OK) status = allocate_starts(s, &err);
    for (size_t i = 0; i < s->starts && status == F2L_OK; i++) status = make_start_cell(s, i, &err);
    return status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->name, &err);
}

/* --- the folder --- */

f2l_status f2l_starts_open(const f2l_starts_job *s, f2l_error *err)
{
    f2l_buf path, text;
    const char *folder = s->train.folder.data;
    f2l_status status = F2L_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return f2l_fail(err, F2L_EIO, "cannot make %s: %s", folder, f2l_reason_of(errno).text);
    if (s->go_on) f2l_sweep_unfinished(folder, (const char *const[]){F2L_STARTS_FILE}, 1);
    const bool there = f2l_path_has(folder, F2L_STARTS_FILE);
    if (!(there && s->go_on) && !f2l_path_is_empty(folder) &&
        !(s->go_on && f2l_work_is_new(folder)))
        return f2l_fail(err, F2L_EEXIST,
                        there ? "%s exists already; go on with it by --continue, or name another "
                                "folder with -o"
                              : "%s has other files, and no " F2L_STARTS_FILE,
                        folder);
    if (there) return F2L_OK;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_buf_printf(&path, "%s/" F2L_STARTS_FILE, folder);
    status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_fsa_write(&text, s->train.source.fsa, err);
    if (status == F2L_OK) status = f2l_write_file(path.data, text.data, text.size, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status;
}
