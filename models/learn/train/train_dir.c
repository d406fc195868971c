#include "models/learn/train/train_dir.h"
#include "models/learn/train/train_abandoned.h"
#include "numeric/base/lock.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include "numeric/base/task.h"
#include "numeric/base/unfinished.h"
#include "numeric/json/json.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static f2l_status fail_with_errno(f2l_error *err, f2l_status status, const char *what,
                                  const char *path)
{
    const int number = errno;
    if (number == EINTR) status = F2L_UNKNOWN;
    return f2l_fail(err, status, "cannot %s %s: %s", what, path, f2l_reason_of(number).text);
}

void f2l_train_dir_init(f2l_train_dir *dir)
{
    *dir = (f2l_train_dir){.log = -1};
}

void f2l_train_dir_clear(f2l_train_dir *dir)
{
    if (dir->log >= 0) close(dir->log);
    f2l_free(dir->path);
    f2l_free(dir->checkpoint);
    f2l_free(dir->weights);
    f2l_free(dir->log_path);
    f2l_train_dir_init(dir);
}

/* Returns folder/name, owned by the caller. */
static char *join_path(const char *folder, const char *name)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "%s/%s", folder, name);
    if (!text.failed) return text.data;
    f2l_buf_clear(&text);
    return NULL;
}

static f2l_status set_names(f2l_train_dir *dir, const char *path, const char *config,
                            f2l_error *err)
{
    dir->path = f2l_strndup(path, strlen(path));
    dir->checkpoint = join_path(path, "checkpoint");
    dir->weights = join_path(path, "weights.safetensors");
    dir->log_path = join_path(path, "log.jsonl");
    f2l_sha256_hex(config, strlen(config), dir->identity);
    return dir->path && dir->checkpoint && dir->weights && dir->log_path ? F2L_OK
                                                                         : f2l_fail_memory(err);
}

static f2l_status open_log(f2l_train_dir *dir, f2l_error *err)
{
    struct stat about;
    dir->log = open(dir->log_path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (dir->log < 0) return fail_with_errno(err, F2L_EIO, "open", dir->log_path);
    if (!f2l_lock_file(dir->log)) {
        if (errno != EACCES && errno != EAGAIN)
            return fail_with_errno(err, F2L_EIO, "lock", dir->log_path);
        return f2l_fail(err, F2L_EDOMAIN, "another process works on %s", dir->path);
    }
    if (fstat(dir->log, &about) != 0) return fail_with_errno(err, F2L_EIO, "read", dir->log_path);
    if (!f2l_lock_is_named(dir->log, AT_FDCWD, dir->log_path, 0))
        return f2l_fail(err, F2L_EDOMAIN, "another process works on %s", dir->path);
    if (!S_ISREG(about.st_mode))
        return f2l_fail(err, F2L_EDOMAIN, "%s is not a file", dir->log_path);
    dir->log_bytes = (uint64_t)about.st_size;
    return F2L_OK;
}

static f2l_status write_dir_file(const f2l_train_dir *dir, const char *name, const char *bytes,
                                 size_t size, f2l_error *err)
{
    char *path = join_path(dir->path, name);
    if (!path) return f2l_fail_memory(err);
    const f2l_status status = f2l_write_file(path, bytes, size, err);
    f2l_free(path);
    return status;
}

static void string_member(f2l_buf *out, const char *name, const char *value)
{
    if (!value) return;
    f2l_buf_printf(out, "\"%s\":", name);
    f2l_json_text(out, value);
    f2l_buf_text(out, ",");
}

static f2l_status write_provenance(const f2l_train_dir *dir, const f2l_train_provenance *p,
                                   f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, "{");
    string_member(&text, "version", p->version);
    string_member(&text, "commit", p->commit);
    string_member(&text, "grammar_sha256", p->grammar_sha256);
    string_member(&text, "weights_sha256", p->weights_sha256);
    string_member(&text, "date", p->date);
    string_member(&text, "backend", p->backend);
    f2l_buf_printf(&text, "\"config_sha256\":\"%s\",\"command\":[", dir->identity);
    for (size_t i = 0; i < p->arguments; i++) {
        if (i) f2l_buf_text(&text, ",");
        f2l_json_text(&text, p->argument[i]);
    }
    f2l_buf_text(&text, "]}\n");
    f2l_status status = f2l_buf_status(&text, err);
    if (status == F2L_OK)
        status = write_dir_file(dir, "provenance.json", text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

/* Sets *there to whether the folder exists; an existing folder must be empty. */
static f2l_status look_for_folder(bool *there, const char *path, f2l_error *err)
{
    DIR *folder = opendir(path);
    *there = folder != NULL;
    if (!folder) return errno == ENOENT ? F2L_OK : fail_with_errno(err, F2L_EEXIST, "create", path);
    bool empty = true;
    for (const struct dirent *entry; empty && (entry = readdir(folder));)
        empty = f2l_path_is_dots(entry->d_name);
    closedir(folder);
    return empty ? F2L_OK : f2l_fail(err, F2L_EEXIST, "%s exists and is not empty", path);
}

/* Makes a new folder beside the path, with a temporary name. */
static f2l_status make_temporary(f2l_buf *name, const char *path, f2l_error *err)
{
    name->size = 0;
    f2l_buf_bytes(name, path, f2l_path_trimmed(path));
    f2l_buf_text(name, F2L_UNFINISHED_MARK "XXXXXX");
    if (name->failed) return f2l_fail_memory(err);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        f2l_unfinished_set(name->data, attempt);
        if (mkdir(name->data, 0777) == 0) return F2L_OK;
        if (errno != EEXIST) break;
    }
    return fail_with_errno(err, errno == ENOSPC || errno == EDQUOT ? F2L_EIO : F2L_EEXIST, "create",
                           path);
}

/* Fills the folder. config.json comes last: a folder that has it is complete. */
static f2l_status fill_folder(f2l_train_dir *dir, const char *config,
                              const f2l_train_provenance *provenance,
                              const f2l_train_dir_file *file, size_t files, f2l_error *err)
{
    f2l_status status = write_provenance(dir, provenance, err);
    for (size_t i = 0; i < files && status == F2L_OK; i++)
        status = write_dir_file(dir, file[i].name, file[i].bytes, file[i].size, err);
    return status == F2L_OK ? write_dir_file(dir, "config.json", config, strlen(config), err)
                            : status;
}

/* Removes the files and the folder. Failures are ignored: something failed already, perhaps for
 * lack of memory. */
static void empty_folder(const char *path, const f2l_train_dir_file *file, size_t files)
{
    static const char *const own[] = {"config.json", "provenance.json", "log.jsonl"};
    const int folder = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    if (folder < 0) return;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) (void)unlinkat(folder, own[i], 0);
    for (size_t i = 0; i < files; i++) (void)unlinkat(folder, file[i].name, 0);
    close(folder);
}

static f2l_status move_folder(f2l_train_dir *dir, const char *path, f2l_error *err)
{
    f2l_train_dir moved = {.log = -1};
    if (rename(dir->path, path) != 0) return fail_with_errno(err, F2L_EEXIST, "create", path);
    f2l_status status = set_names(&moved, path, "", err);
    if (status != F2L_OK) {
        (void)rename(path, dir->path);
        f2l_train_dir_clear(&moved);
        return status;
    }
    memcpy(moved.identity, dir->identity, sizeof moved.identity);
    moved.log = dir->log; /* the lock stays with the file */
    moved.log_bytes = dir->log_bytes;
    dir->log = -1;
    f2l_train_dir_clear(dir);
    *dir = moved;
    return F2L_OK;
}

/* Makes, names and locks a temporary folder, again where another process took it for an abandoned
 * one before it was locked. */
static f2l_status begin_temporary(f2l_train_dir *dir, f2l_buf *temporary, const char *path,
                                  const char *config, f2l_error *err)
{
    f2l_status status = F2L_UNKNOWN;
    for (int tries = 0; tries < 8 && status != F2L_OK; tries++) {
        f2l_train_dir_clear(dir);
        status = make_temporary(temporary, path, err);
        if (status != F2L_OK) break;
        status = set_names(dir, temporary->data, config, err);
        if (status == F2L_OK) status = open_log(dir, err);
        if (status != F2L_OK && access(temporary->data, F_OK) == 0) {
            empty_folder(temporary->data, NULL, 0);
            (void)rmdir(temporary->data);
            break;
        }
    }
    return status;
}

/* Fails unless the folder, which was empty, has nothing but the log. */
static f2l_status check_still_new(const char *path, f2l_error *err)
{
    bool only = true;
    DIR *entries = opendir(path);
    for (const struct dirent *entry; entries && only && (entry = readdir(entries));)
        only = f2l_path_is_dots(entry->d_name) || strcmp(entry->d_name, "log.jsonl") == 0;
    if (entries) closedir(entries);
    return entries && only ? F2L_OK : f2l_fail(err, F2L_EEXIST, "%s exists and is not empty", path);
}

f2l_status f2l_train_dir_create_with(f2l_train_dir *dir, const char *path, const char *config,
                                     const f2l_train_provenance *provenance,
                                     const f2l_train_dir_file *file, size_t files, f2l_error *err)
{
    bool there = true, own = false;
    f2l_buf temporary;
    f2l_buf_init(&temporary);
    f2l_train_dir_init(dir);
    f2l_status status = look_for_folder(&there, path, err);
    if (status == F2L_OK && !there) status = f2l_train_remove_all_abandoned(path, err);
    if (status == F2L_OK && !there) {
        status = begin_temporary(dir, &temporary, path, config, err);
        own = status == F2L_OK;
    } else if (status == F2L_OK) {
        status = set_names(dir, path, config, err);
        if (status == F2L_OK) status = open_log(dir, err);
        if (status == F2L_OK) status = check_still_new(path, err); /* else it is another's */
        own = status == F2L_OK;
    }
    const char *at = there ? path : temporary.data;
    if (status == F2L_OK) status = fill_folder(dir, config, provenance, file, files, err);
    if (status == F2L_OK && !there) status = move_folder(dir, path, err);
    if (status != F2L_OK && own) empty_folder(at, file, files);
    if (status != F2L_OK && own && !there) (void)rmdir(at);
    f2l_buf_clear(&temporary);
    if (status != F2L_OK) f2l_train_dir_clear(dir);
    return status;
}

f2l_status f2l_train_dir_create(f2l_train_dir *dir, const char *path, const char *config,
                                const f2l_train_provenance *provenance, f2l_error *err)
{
    return f2l_train_dir_create_with(dir, path, config, provenance, NULL, 0, err);
}

static f2l_status check_config(const f2l_train_dir *dir, const char *config, f2l_error *err)
{
    f2l_buf text;
    char *path = join_path(dir->path, "config.json");
    if (!path) return f2l_fail_memory(err);
    f2l_buf_init(&text);
    f2l_status status = f2l_read_file(&text, path, 0, err);
    if (status == F2L_OK &&
        (text.size != strlen(config) || memcmp(text.data, config, text.size) != 0))
        status = f2l_fail(err, F2L_EDOMAIN, "%s is a run of another configuration: see %s",
                          dir->path, path);
    f2l_buf_clear(&text);
    f2l_free(path);
    return status;
}

/* Removes what killed processes left of files of the run, and of pages about it. */
static void remove_dir_leftovers(const f2l_train_dir *dir)
{
    static const char *const of[] = {"checkpoint", "weights.safetensors", "report.html",
                                     "report.md"};
    f2l_sweep_unfinished(dir->path, of, sizeof of / sizeof *of);
}

f2l_status f2l_train_dir_open(f2l_train_dir *dir, const char *path, const char *config,
                              f2l_error *err)
{
    f2l_train_dir_init(dir);
    f2l_status status = set_names(dir, path, config, err);
    if (status == F2L_OK) status = check_config(dir, config, err);
    if (status == F2L_OK) status = open_log(dir, err);
    if (status == F2L_OK) remove_dir_leftovers(dir);
    if (status == F2L_OK) status = f2l_train_remove_all_abandoned(path, err);
    if (status != F2L_OK) f2l_train_dir_clear(dir);
    return status;
}

static f2l_status set_log_size(f2l_train_dir *dir, uint64_t bytes, f2l_error *err)
{
    if (ftruncate(dir->log, (off_t)bytes) != 0)
        return fail_with_errno(err, F2L_EIO, "cut", dir->log_path);
    dir->log_bytes = bytes;
    return F2L_OK;
}

f2l_status f2l_train_dir_line(f2l_train_dir *dir, const f2l_buf *line, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_bytes(&text, line->data, line->size);
    f2l_buf_text(&text, "\n");
    f2l_status status = line->failed ? f2l_fail_memory(err) : f2l_buf_status(&text, err);
    for (size_t at = 0; status == F2L_OK && at < text.size;) {
        const ssize_t n =
            pwrite(dir->log, text.data + at, text.size - at, (off_t)(dir->log_bytes + at));
        if (n >= 0)
            at += (size_t)n;
        else if (errno != EINTR) /* a line is short: a signal waits for the next step */
            status = fail_with_errno(err, F2L_EIO, "write", dir->log_path);
    }
    if (status == F2L_OK)
        dir->log_bytes += text.size;
    else
        (void)set_log_size(dir, dir->log_bytes, NULL);
    f2l_buf_clear(&text);
    return status;
}

f2l_status f2l_train_dir_sync(f2l_train_dir *dir, f2l_error *err)
{
    while (fsync(dir->log) != 0)
        if (errno != EINTR) return fail_with_errno(err, F2L_EIO, "write", dir->log_path);
    return F2L_OK;
}

f2l_status f2l_train_dir_cut(f2l_train_dir *dir, uint64_t bytes, f2l_error *err)
{
    return bytes >= dir->log_bytes ? F2L_OK : set_log_size(dir, bytes, err);
}
