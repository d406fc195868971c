/* Files of a sweep: sweep.json, seeds.json and the folder. */
#include "models/learn/experiment/impl.h"
#include "models/learn/train/train_abandoned.h"
#include "numeric/base/path.h"
#include "numeric/base/unfinished.h"
#include "numeric/json/members.h"
#include <dirent.h>
#include <string.h>
#include <unistd.h>

typedef struct sweep {
    uint64_t schema;
    size_t seeds;
} sweep;

static const f2l_member sweep_rows[] = {
    F2L_MEMBER(sweep, schema, F2L_IN(1, 1)),
    F2L_MEMBER(sweep, seeds, F2L_IN(1, F2L_EXPERIMENT_MAX_SEEDS))};
static const f2l_members sweep_members = F2L_MEMBERS(sweep_rows);

f2l_status f2l_experiment_seeds_count(size_t *count, const char *folder, f2l_error *err)
{
    f2l_buf text;
    sweep s = {.seeds = 0};
    *count = 0;
    if (!f2l_path_has(folder, "sweep.json")) return F2L_OK;
    f2l_buf_init(&text);
    f2l_status status = f2l_experiment_read_file(&text, folder, "sweep.json", 1000, err);
    json_t *object =
        status == F2L_OK ? f2l_json_load(&status, text.data, text.size, "sweep.json", err) : NULL;
    if (object) status = f2l_members_read(&s, &sweep_members, object, "sweep.json", err);
    if (status == F2L_OK) *count = s.seeds;
    json_decref(object);
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_experiment_check_single(const char *folder, f2l_error *err)
{
    if (!f2l_path_has(folder, "sweep.json")) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "%s holds the runs of several seeds, not one run", folder);
}

static f2l_status make_sweep(f2l_train_dir *dir, const f2l_experiment_plan *plan, size_t count,
                             const char *folder, const f2l_train_provenance *provenance,
                             f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_members_write(&text, &sweep_members, &(sweep){1, count});
    f2l_buf_text(&text, "\n");
    f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK) {
        const f2l_train_dir_file file = {"sweep.json", text.data, text.size};
        status = f2l_experiment_create(dir, folder, plan, provenance, &file, err);
    }
    f2l_buf_clear(&text);
    return status;
}

/* Removes files that killed processes left half made (f2l_train_dir_create, f2l_write_file); the
 * sweep is locked. Failures are ignored, because leftovers do no harm. */
static void remove_leftovers(const char *path)
{
    static const char *const of[] = {"seeds.json", "report.html", "report.md"};
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        if (f2l_is_unfinished_like(entry->d_name, "seed-", ""))
            f2l_train_remove_abandoned(dirfd(folder), entry->d_name);
    if (folder) (void)closedir(folder);
    f2l_sweep_unfinished(path, of, sizeof of / sizeof *of);
}

static f2l_status take_up_sweep(f2l_train_dir *dir, const f2l_experiment_plan *plan, size_t count,
                                const char *folder, f2l_error *err)
{
    size_t there;
    f2l_status status = f2l_experiment_seeds_count(&there, folder, err);
    if (status == F2L_OK && there == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "%s holds no runs of several seeds", folder);
    if (status == F2L_OK && there != count)
        status =
            f2l_fail(err, F2L_EDOMAIN, "%s is another experiment: it has %zu seeds there, %zu here",
                     folder, there, count);
    if (status == F2L_OK) status = f2l_experiment_take_up(dir, folder, plan, err);
    if (status == F2L_OK) remove_leftovers(folder);
    return status;
}

f2l_status f2l_experiment_seeds_open(f2l_train_dir *dir, const f2l_experiment_cell *cell,
                                     f2l_backend backend, const f2l_task *task, f2l_error *err)
{
    size_t bytes;
    f2l_experiment_plan plan;
    f2l_experiment_plan_init(&plan);
    f2l_status status = f2l_experiment_plan_build(&plan, cell->experiment, err);
    if (status == F2L_OK) status = f2l_experiment_plan_bytes(&bytes, &plan, backend, err);
    if (status == F2L_OK) status = f2l_task_memory(task, "training", bytes, err);
    if (status == F2L_OK)
        status = cell->begin == F2L_BEGIN_NEW
                     ? make_sweep(dir, &plan, cell->count, cell->folder, cell->provenance, err)
                     : take_up_sweep(dir, &plan, cell->count, cell->folder, err);
    f2l_experiment_plan_clear(&plan);
    return status;
}

static void write_seed(f2l_buf *out, const f2l_experiment_seed *seed)
{
    const f2l_train_result *r = &seed->result;
    f2l_buf_printf(out, "{\"seed\":%lu,\"end\":\"%s\",\"step\":%llu,\"tokens\":%llu,\"loss\":",
                   (unsigned long)seed->seed, f2l_train_end_name(r->end),
                   (unsigned long long)r->step, (unsigned long long)r->tokens);
    f2l_json_number(out, r->loss);
    if (seed->why.status != F2L_OK) {
        f2l_buf_text(out, ",\"why\":");
        f2l_json_text(out, seed->why.text);
    }
    f2l_buf_text(out, ",\"lengths\":[");
    for (size_t i = 0; i < r->scores; i++) {
        if (i) f2l_buf_text(out, ",");
        f2l_train_score_json(out, &r->score[i]);
    }
    f2l_buf_text(out, "]}");
}

#define SPREAD(member) \
    F2L_MEMBER_PART(#member, offsetof(f2l_experiment_length, member), &f2l_train_spread_members, \
                    F2L_ANY)
static const f2l_member length_rows[] = {
    F2L_MEMBER(f2l_experiment_length, length, F2L_ANY),
    F2L_MEMBER_AS("seeds", f2l_experiment_length, accuracy.count, F2L_ANY), SPREAD(accuracy),
    SPREAD(sequence_accuracy), SPREAD(scaled_accuracy)};
static const f2l_members length_members = F2L_MEMBERS(length_rows);

void f2l_experiment_seeds_json(f2l_buf *out, const f2l_experiment_seeds *seeds)
{
    f2l_buf_text(out, "{\"schema\":1,\"seeds\":[");
    for (size_t k = 0; k < seeds->count; k++) {
        if (k) f2l_buf_text(out, ",\n");
        write_seed(out, &seeds->seed[k]);
    }
    f2l_buf_text(out, "],\n\"spread\":[");
    for (size_t i = 0; i < seeds->lengths; i++) {
        if (i) f2l_buf_text(out, ",\n");
        f2l_members_write(out, &length_members, &seeds->length[i]);
    }
    f2l_buf_text(out, "]}");
}

f2l_status f2l_experiment_seeds_save(const f2l_experiment_seeds *seeds, const char *folder,
                                     f2l_error *err)
{
    f2l_buf path, text;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_buf_printf(&path, "%s/seeds.json", folder);
    f2l_experiment_seeds_json(&text, seeds);
    f2l_buf_text(&text, "\n");
    f2l_status status = f2l_buf_status(&path, err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = f2l_write_file(path.data, text.data, text.size, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status;
}
