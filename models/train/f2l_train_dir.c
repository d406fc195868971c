#include "f2l_train_dir.h"
#include "f2l_mem.h"
#include "f2l_sha256.h"
#include "f2l_train_json.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static f2l_status fail_system(f2l_error *err, f2l_status status, const char *what, const char *path)
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

/* folder/name */
static char *join(const char *folder, const char *name)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_printf(&text, "%s/%s", folder, name);
    if (!text.failed) return text.data;
    f2l_buf_clear(&text);
    return NULL;
}

static f2l_status set_names(f2l_train_dir *dir, const char *path, const char *config, f2l_error *err)
{
    dir->path = f2l_strndup(path, strlen(path));
    dir->checkpoint = join(path, "checkpoint");
    dir->weights = join(path, "weights.safetensors");
    dir->log_path = join(path, "log.jsonl");
    f2l_sha256_hex(config, strlen(config), dir->identity);
    return dir->path && dir->checkpoint && dir->weights && dir->log_path ? F2L_OK : f2l_fail_memory(err);
}

/* The lock is the system's, so it goes with the process, however that ends. */
static f2l_status open_log(f2l_train_dir *dir, f2l_error *err)
{
    struct flock lock;
    struct stat about;
    memset(&lock, 0, sizeof lock);
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    dir->log = open(dir->log_path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (dir->log < 0) return fail_system(err, F2L_EIO, "open", dir->log_path);
    if (fcntl(dir->log, F_SETLK, &lock) != 0) {
        if (errno != EACCES && errno != EAGAIN) return fail_system(err, F2L_EIO, "lock", dir->log_path);
        return f2l_fail(err, F2L_EDOMAIN, "another process works on %s", dir->path);
    }
    if (fstat(dir->log, &about) != 0) return fail_system(err, F2L_EIO, "read", dir->log_path);
    if (!S_ISREG(about.st_mode)) return f2l_fail(err, F2L_EDOMAIN, "%s is not a file", dir->log_path);
    dir->log_bytes = (uint64_t)about.st_size;
    return F2L_OK;
}

static f2l_status write_text(const f2l_train_dir *dir, const char *name, const f2l_buf *text, f2l_error *err)
{
    f2l_status status = f2l_buf_status(text, err);
    if (status != F2L_OK) return status;
    char *path = join(dir->path, name);
    if (!path) return f2l_fail_memory(err);
    status = f2l_write_file(path, text->data, text->size, err);
    f2l_free(path);
    return status;
}

static f2l_status write_config(const f2l_train_dir *dir, const char *config, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, config);
    const f2l_status status = write_text(dir, "config.json", &text, err);
    f2l_buf_clear(&text);
    return status;
}

static void string_member(f2l_buf *out, const char *name, const char *value)
{
    if (!value) return;
    f2l_buf_printf(out, "\"%s\":", name);
    f2l_train_json_string(out, value);
    f2l_buf_text(out, ",");
}

static f2l_status write_provenance(const f2l_train_dir *dir, const f2l_train_provenance *p, f2l_error *err)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_text(&text, "{");
    string_member(&text, "version", p->version);
    string_member(&text, "commit", p->commit);
    string_member(&text, "grammar_sha256", p->grammar_sha256);
    string_member(&text, "date", p->date);
    f2l_buf_printf(&text, "\"config_sha256\":\"%s\",\"command\":[", dir->identity);
    for (size_t i = 0; i < p->arguments; i++) {
        if (i) f2l_buf_text(&text, ",");
        f2l_train_json_string(&text, p->argument[i]);
    }
    f2l_buf_text(&text, "]}\n");
    const f2l_status status = write_text(dir, "provenance.json", &text, err);
    f2l_buf_clear(&text);
    return status;
}

/* Makes the folder, or finds that there is an empty one. */
static f2l_status make_folder(const char *path, f2l_error *err)
{
    if (mkdir(path, 0777) == 0) return F2L_OK;
    if (errno != EEXIST) return fail_system(err, errno == ENOSPC ? F2L_EIO : F2L_EEXIST, "create", path);
    DIR *folder = opendir(path);
    if (!folder) return fail_system(err, F2L_EEXIST, "create", path);
    bool empty = true;
    for (const struct dirent *entry; empty && (entry = readdir(folder));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(folder);
    return empty ? F2L_OK : f2l_fail(err, F2L_EEXIST, "%s exists and is not empty", path);
}

/* config.json comes last: a folder that has it is complete. */
f2l_status f2l_train_dir_create(f2l_train_dir *dir, const char *path, const char *config,
                                const f2l_train_provenance *provenance, f2l_error *err)
{
    f2l_train_dir_init(dir);
    f2l_status status = set_names(dir, path, config, err);
    if (status == F2L_OK) status = make_folder(path, err);
    if (status == F2L_OK) status = open_log(dir, err);
    if (status == F2L_OK) status = write_provenance(dir, provenance, err);
    if (status == F2L_OK) status = write_config(dir, config, err);
    if (status != F2L_OK) f2l_train_dir_clear(dir);
    return status;
}

static f2l_status check_config(const f2l_train_dir *dir, const char *config, f2l_error *err)
{
    f2l_buf text;
    char *path = join(dir->path, "config.json");
    if (!path) return f2l_fail_memory(err);
    f2l_buf_init(&text);
    f2l_status status = f2l_read_file(&text, path, 0, err);
    if (status == F2L_OK && (text.size != strlen(config) || memcmp(text.data, config, text.size) != 0))
        status = f2l_fail(err, F2L_EDOMAIN, "%s is a run of another configuration: see %s", dir->path, path);
    f2l_buf_clear(&text);
    f2l_free(path);
    return status;
}

/* f2l_write_file's temporary names: a killed process had no chance to remove them. */
static bool is_leftover(const char *name)
{
    static const char *const file[] = {"checkpoint.tmp-", "weights.safetensors.tmp-"};
    for (size_t i = 0; i < sizeof file / sizeof *file; i++)
        if (strncmp(name, file[i], strlen(file[i])) == 0) return true;
    return false;
}

static f2l_status remove_leftovers(const f2l_train_dir *dir, f2l_error *err)
{
    DIR *folder = opendir(dir->path);
    f2l_status status = F2L_OK;
    if (!folder) return fail_system(err, F2L_EIO, "read", dir->path);
    for (const struct dirent *entry; status == F2L_OK && (entry = readdir(folder));)
        if (is_leftover(entry->d_name) && unlinkat(dirfd(folder), entry->d_name, 0) != 0)
            status = fail_system(err, F2L_EIO, "remove an unfinished file in", dir->path);
    closedir(folder);
    return status;
}

f2l_status f2l_train_dir_open(f2l_train_dir *dir, const char *path, const char *config, f2l_error *err)
{
    f2l_train_dir_init(dir);
    f2l_status status = set_names(dir, path, config, err);
    if (status == F2L_OK) status = check_config(dir, config, err);
    if (status == F2L_OK) status = open_log(dir, err);
    if (status == F2L_OK) status = remove_leftovers(dir, err);
    if (status != F2L_OK) f2l_train_dir_clear(dir);
    return status;
}

static f2l_status set_log_size(f2l_train_dir *dir, uint64_t bytes, f2l_error *err)
{
    if (ftruncate(dir->log, (off_t)bytes) != 0) return fail_system(err, F2L_EIO, "cut", dir->log_path);
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
        const ssize_t n = pwrite(dir->log, text.data + at, text.size - at, (off_t)(dir->log_bytes + at));
        if (n >= 0)
            at += (size_t)n;
        else if (errno != EINTR) /* a line is short: a signal waits for the next step */
            status = fail_system(err, F2L_EIO, "write", dir->log_path);
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
        if (errno != EINTR) return fail_system(err, F2L_EIO, "write", dir->log_path);
    return F2L_OK;
}

f2l_status f2l_train_dir_cut(f2l_train_dir *dir, uint64_t bytes, f2l_error *err)
{
    return bytes >= dir->log_bytes ? F2L_OK : set_log_size(dir, bytes, err);
}
