#include "cli/train/evaluate_weights.h"
#include "models/seq/seq_file.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include <string.h>
#include <sys/stat.h>

void f2l_weights_file_init(f2l_weights_file *file)
{
    memset(file, 0, sizeof *file);
    f2l_experiment_file_init(&file->run);
}

void f2l_weights_file_clear(f2l_weights_file *file)
{
    f2l_buf_clear(&file->name);
    f2l_seq_clear(&file->model);
    f2l_free(file->parameters);
    f2l_experiment_file_clear(&file->run);
    f2l_weights_file_init(file);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool exists(const f2l_buf *folder, const char *name)
{
    struct stat about;
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_printf(&path, "%s/%s", folder->data, name);
    const bool there = !path.failed && stat(path.data, &about) == 0;
    f2l_buf_clear(&path);
    return there;
}

/* Prints why the folder of a run has no weights. */
static int missing(f2l_cli *cli, const f2l_buf *folder)
{
    f2l_error err;
    size_t seeds = 0;
    if (f2l_experiment_seeds_count(&seeds, folder->data, NULL) == F2L_OK && seeds > 0)
        f2l_fail(&err, F2L_EDOMAIN, "holds the runs of %zu seeds: name one of its folders seed-N",
                 seeds);
    else if (exists(folder, "config.json"))
        f2l_fail(&err, F2L_EDOMAIN, "the run has not ended: go on with it by train --resume");
    else
        f2l_fail(&err, F2L_EIO, "%s is not the folder of a run", folder->data);
    return f2l_cli_fail(cli, folder->data, &err);
}

static int read_weights(f2l_weights_file *file, f2l_cli *cli)
{
    f2l_error err;
    f2l_buf bytes;
    f2l_buf_init(&bytes);
    f2l_status status = f2l_read_file(&bytes, file->name.data, 0, &err);
    if (status == F2L_OK)
        status = f2l_seq_read_f32(&file->model, &file->parameters, bytes.data ? bytes.data : "",
                                  bytes.size, &err);
    f2l_buf_clear(&bytes);
    return status == F2L_OK ? 0 : f2l_cli_fail(cli, file->name.data, &err);
}

/* Sets *folder to the folder of the file. */
static void folder_of(f2l_buf *folder, const char *path)
{
    const size_t size = f2l_path_folder(path);
    if (size > 0)
        f2l_buf_bytes(folder, path, size);
    else
        f2l_buf_text(folder, ".");
}

static int load(f2l_weights_file *file, f2l_cli *cli, const f2l_buf *folder, bool named)
{
    f2l_error err;
    if (f2l_buf_status(&file->name, &err) != F2L_OK || f2l_buf_status(folder, &err) != F2L_OK)
        return f2l_cli_fail(cli, NULL, &err);
    if (named && !exists(folder, "weights.safetensors")) return missing(cli, folder);
    const int code = read_weights(file, cli);
    if (code || (!named && !exists(folder, "config.json"))) return code;
    file->has_run = f2l_experiment_file_read(&file->run, folder->data, &err) == F2L_OK;
    /* A file of weights may lie beside a config.json of another program; a folder that the user
     * named must be the folder of a run. */
    return file->has_run || !named ? 0 : f2l_cli_fail(cli, folder->data, &err);
}

int f2l_weights_file_load(f2l_weights_file *file, f2l_cli *cli, const char *path)
{
    f2l_buf folder;
    const bool named = is_folder(path);
    f2l_buf_init(&folder);
    f2l_buf_text(&file->name, path);
    if (named) {
        f2l_buf_text(&folder, path);
        f2l_buf_text(&file->name, "/weights.safetensors");
    } else {
        folder_of(&folder, path);
    }
    const int code = load(file, cli, &folder, named);
    f2l_buf_clear(&folder);
    return code;
}
