#include "numeric/base/outdir.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/sha256.h"
#include "numeric/base/unfinished.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const compiled_names[] = {
    "automaton.fsa", "network.lrnn", "certificate.cert", "weights.safetensors",
    "report.json",   "report.html",  "report.md",        NULL};
static const f2l_outdir_kind compiled = {.names = compiled_names};
/* The names of stages by their numbers; 0 is the temporary folder itself. */
static const char *const stage_names[] = {".", "stage-1", "stage-2"};
#define STAGES (sizeof stage_names / sizeof *stage_names)
#define NAME_TRIES 10000
#define HELD "unfinished"            /* the temporary folder in a held folder, with a mark */
#define COPY_BYTES ((size_t)1 << 20) /* held while a file is copied */

static bool is_known(const f2l_outdir_kind *kind, const char *name)
{
    for (size_t i = 0; kind->names[i]; i++)
        if (strcmp(name, kind->names[i]) == 0) return true;
    return false;
}

/* Returns the error for a path that cannot be created: a full disk is an I/O error, not a matter of
 * the name. */
static f2l_status cannot_create(const char *path, int error, f2l_error *err)
{
    const bool full = error == ENOSPC || error == EDQUOT || error == EIO;
    return f2l_fail(err, full ? F2L_EIO : F2L_EEXIST, "cannot create the folder '%.200s': %s", path,
                    f2l_reason_of(error).text);
}

/* Removes a folder of known files. It may be given new ones meanwhile, but each name once. */
static void remove_files(const f2l_outdir_kind *kind, int parent, const char *path)
{
    bool more = true;
    const int folder = openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0) return;
    for (size_t tries = 0; more; tries++) {
        for (size_t i = 0; kind->names[i]; i++) unlinkat(folder, kind->names[i], 0);
        for (size_t i = 0; kind->folders && kind->folders[i]; i++)
            unlinkat(folder, kind->folders[i], AT_REMOVEDIR);
        more = unlinkat(parent, path, AT_REMOVEDIR) != 0 &&
               (errno == ENOTEMPTY || errno == EEXIST) && kind->names[tries];
    }
    close(folder);
}

/* Removes the folder with its stages and known files; signal-safe. Symbolic links are not
 * followed. */
static void remove_folder(const f2l_outdir_kind *kind, const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0) return;
    /* Again where a stage was begun meanwhile. */
    for (size_t tries = 0; tries < STAGES; tries++) {
        for (size_t i = 1; i < STAGES; i++) remove_files(kind, folder, stage_names[i]);
        remove_files(kind, AT_FDCWD, path);
        if (access(path, F_OK) != 0) break;
    }
    close(folder);
}

static f2l_status check_entry(const f2l_outdir_kind *kind, int folder, const char *path,
                              const char *name, f2l_error *err)
{
    struct stat info;
    if (!is_known(kind, name))
        return f2l_fail(err, F2L_EEXIST,
                        "'%.200s' holds '%.100s', which is not ours: it is not replaced", path,
                        name);
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
        return f2l_fail(err, F2L_EEXIST,
                        "'%.200s/%.100s' is not a regular file: it is not replaced", path, name);
    return F2L_OK;
}

/* Returns F2L_OK when `path` is a folder with nothing but our files. */
static f2l_status check_replaceable(const f2l_outdir_kind *kind, const char *path, f2l_error *err)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0 && (errno == ENOTDIR || errno == ELOOP))
        return f2l_fail(err, F2L_EEXIST, "'%.200s' exists and is not a folder: it is not replaced",
                        path);
    DIR *entries = folder < 0 ? NULL : fdopendir(folder);
    if (!entries) {
        const int error = errno;
        if (folder >= 0) close(folder);
        return f2l_fail(err, F2L_EEXIST, "cannot look into '%.200s': %s", path,
                        f2l_reason_of(error).text);
    }
    f2l_status status = F2L_OK;
    const struct dirent *entry;
    bool empty = true, marked = !kind->mark;
    while (status == F2L_OK && (entry = readdir(entries)) != NULL) {
        if (f2l_path_is_dots(entry->d_name)) continue;
        status = check_entry(kind, folder, path, entry->d_name, err);
        empty = false;
        marked = marked || strcmp(entry->d_name, kind->mark) == 0;
    }
    closedir(entries);
    if (status == F2L_OK && !empty && !marked)
        status =
            f2l_fail(err, F2L_EEXIST,
                     "'%.200s' has no file '%.100s', so that it is not ours: it is not replaced",
                     path, kind->mark);
    return status;
}

/* Checks that nothing, or with `force` something replaceable, has the final name. What --force
 * would not replace is refused for the same reason without it. */
static f2l_status check_final(const f2l_outdir *dir, f2l_error *err)
{
    struct stat info;
    if (lstat(dir->final_path, &info) != 0) {
        if (errno == ENOENT) return F2L_OK;
        return cannot_create(dir->final_path, errno, err);
    }
    if (dir->kind->folders && !dir->force)
        return f2l_fail(err, F2L_EEXIST, "'%.200s' exists already, and is not replaced",
                        dir->final_path);
    const f2l_status status = check_replaceable(dir->kind, dir->final_path, err);
    if (status != F2L_OK || dir->force) return status;
    return f2l_fail(err, F2L_EEXIST, "'%.200s' exists already (--force replaces it)",
                    dir->final_path);
}

/* Creates an empty folder of a new name, PATH + suffix + six digits. mkdir, unlike mkdtemp, gives
 * the folder the permissions of the user's umask, and it is as exclusive. */
static f2l_status create_beside(char **out, const char *path, const char *suffix, f2l_error *err)
{
    const size_t size = strlen(path) + strlen(suffix) + 7;
    char *name = f2l_calloc(size, 1);
    if (!name) return f2l_fail_memory(err);
    for (unsigned i = 0; i < NAME_TRIES; i++) {
        snprintf(name, size, "%s%s%06u", path, suffix, ((unsigned)getpid() + i) % 1000000);
        if (mkdir(name, 0777) == 0) {
            *out = name;
            return F2L_OK;
        }
        if (errno != EEXIST) break;
    }
    f2l_free(name);
    return cannot_create(path, errno, err);
}

/* Sets the path without trailing slashes; its last part must be a name that rename can give. */
static f2l_status set_outdir_path(f2l_outdir *dir, const char *path, f2l_error *err)
{
    size_t n = strlen(path);
    while (n > 0 && path[n - 1] == '/') n--;
    size_t last = n;
    while (last > 0 && path[last - 1] != '/') last--;
    const bool dots = (n - last == 1 && path[last] == '.') ||
                      (n - last == 2 && strncmp(path + last, "..", 2) == 0);
    if (n == 0 || dots)
        return f2l_fail(err, F2L_EEXIST, "'%.200s' cannot be an output folder", path);
    dir->final_path = f2l_strndup(path, n);
    return dir->final_path ? F2L_OK : f2l_fail_memory(err);
}

/* Opens the temporary folder, or a stage in it; returns -1 with errno. */
static int open_stage(const f2l_outdir *dir, unsigned stage)
{
    const int folder = open(dir->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0 || stage == 0) return folder;
    const int inner =
        openat(folder, stage_names[stage], O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    const int error = errno;
    close(folder);
    errno = error;
    return inner;
}

/* Makes the folders of the kind in the temporary folder. */
static f2l_status make_folders(const f2l_outdir *dir, f2l_error *err)
{
    const char *const *name = dir->kind->folders;
    const int folder = name ? open_stage(dir, 0) : -1;
    int error = name && folder < 0 ? errno : 0;
    for (; name && *name && error == 0; name++)
        if (mkdirat(folder, *name, 0777) != 0) error = errno;
    if (folder >= 0) close(folder);
    return error ? cannot_create(dir->final_path, error, err) : F2L_OK;
}

f2l_status f2l_outdir_open_kind(f2l_outdir *dir, const char *path, const f2l_outdir_kind *kind,
                                bool force, f2l_error *err)
{
    *dir = (f2l_outdir){.kind = kind ? kind : &compiled, .force = force};
    f2l_status status = set_outdir_path(dir, path, err);
    if (status == F2L_OK) status = check_final(dir, err);
    if (status == F2L_OK)
        status = create_beside(&dir->temporary, dir->final_path, F2L_UNFINISHED_MARK, err);
    if (status == F2L_OK) status = make_folders(dir, err);
    if (status != F2L_OK) f2l_outdir_close(dir);
    return status;
}

f2l_status f2l_outdir_open(f2l_outdir *dir, const char *path, bool force, f2l_error *err)
{
    return f2l_outdir_open_kind(dir, path, &compiled, force, err);
}

/* Removes the temporary folders that killed processes left in a held folder. */
static void remove_left(const f2l_outdir *dir)
{
    const struct dirent *entry;
    DIR *entries = opendir(dir->final_path);
    while (entries && (entry = readdir(entries)) != NULL) {
        const size_t size = strlen(dir->final_path) + strlen(entry->d_name) + 2;
        char *path = NULL;
        if (!f2l_is_unfinished(entry->d_name, HELD)) continue;
        path = f2l_calloc(size, 1);
        if (!path) continue;
        snprintf(path, size, "%s/%s", dir->final_path, entry->d_name);
        remove_folder(dir->kind, path);
        f2l_free(path);
    }
    if (entries) closedir(entries);
}

/* Removes the files of the kind from a held folder. */
static void remove_held_files(const f2l_outdir *dir)
{
    const int folder = open(dir->final_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    for (size_t i = 0; dir->kind->names[i]; i++) unlinkat(folder, dir->kind->names[i], 0);
    for (size_t i = 0; dir->kind->folders && dir->kind->folders[i]; i++)
        unlinkat(folder, dir->kind->folders[i], AT_REMOVEDIR);
    close(folder);
}

f2l_status f2l_outdir_open_held(f2l_outdir *dir, const char *path, const f2l_outdir_kind *kind,
                                f2l_error *err)
{
    *dir = (f2l_outdir){.kind = kind ? kind : &compiled, .held = true};
    f2l_status status = set_outdir_path(dir, path, err);
    if (status == F2L_OK) {
        remove_left(dir);
        remove_held_files(dir);
        status = create_beside(&dir->temporary, dir->final_path, "/" HELD F2L_UNFINISHED_MARK, err);
    }
    if (status == F2L_OK) status = make_folders(dir, err);
    if (status != F2L_OK) f2l_outdir_close(dir);
    return status;
}

/* Writes all bytes; returns 0, or errno. */
static int write_all_bytes(int file, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        const ssize_t written = write(file, bytes, n);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return errno;
        bytes += written;
        n -= (size_t)written;
    }
    return 0;
}

/* Opens a new file of a stage, and its folder; returns -1 with errno. */
static int create_file(const f2l_outdir *dir, unsigned stage, const char *name, int *folder)
{
    *folder = open_stage(dir, stage);
    if (*folder < 0) return -1;
    return openat(*folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Closes the file, or removes it where there was an error. Returns the error, 0 or errno: some file
 * systems report a full disk only here. */
static int close_file(int folder, int file, const char *name, int error)
{
    if (file >= 0 && close(file) != 0 && error == 0) error = errno;
    if (file >= 0 && error) unlinkat(folder, name, 0);
    if (folder >= 0) close(folder);
    return error;
}

static f2l_status cannot_write(const char *name, int error, f2l_error *err)
{
    return f2l_fail(err, F2L_EIO, "cannot write '%.100s': %s", name, f2l_reason_of(error).text);
}

static f2l_status write_file(const f2l_outdir *dir, unsigned stage, const char *name,
                             const void *bytes, size_t n, f2l_error *err)
{
    int folder;
    const int file = create_file(dir, stage, name, &folder);
    int error = file < 0 ? errno : write_all_bytes(file, bytes, n);
    error = close_file(folder, file, name, error);
    return error ? cannot_write(name, error, err) : F2L_OK;
}

static f2l_status check_name(const f2l_outdir *dir, const char *name, f2l_error *err)
{
    return is_known(dir->kind, name)
               ? F2L_OK
               : f2l_fail(err, F2L_EDOMAIN, "'%.100s' is not a file of an output folder", name);
}

f2l_status f2l_outdir_write(f2l_outdir *dir, const char *name, const void *bytes, size_t n,
                            f2l_error *err)
{
    const f2l_status status = check_name(dir, name, err);
    return status == F2L_OK ? write_file(dir, dir->begun, name, bytes, n, err) : status;
}

/* Copies what can be read; `buffer` has COPY_BYTES. */
static f2l_status copy_all(int to, const char *name, int from, const char *path, char *buffer,
                           const f2l_task *task, f2l_sha256 *hash, f2l_error *err)
{
    for (;;) {
        const ssize_t n = read(from, buffer, COPY_BYTES);
        if (n < 0 && errno != EINTR)
            return f2l_fail(err, F2L_EIO, "cannot read '%.200s': %s", path,
                            f2l_reason_of(errno).text);
        const f2l_status status = f2l_task_goes_on(task, "copy", err);
        if (status != F2L_OK || n == 0) return status;
        const int error = n < 0 ? 0 : write_all_bytes(to, (const unsigned char *)buffer, (size_t)n);
        if (error) return cannot_write(name, error, err);
        if (n > 0) f2l_sha256_update(hash, buffer, (size_t)n);
    }
}

static f2l_status copy_file(const f2l_outdir *dir, const char *name, const char *path,
                            const f2l_task *task, f2l_sha256 *hash, f2l_error *err)
{
    int folder;
    f2l_status status;
    char *buffer = f2l_calloc(COPY_BYTES, 1);
    if (!buffer) return f2l_fail_memory(err);
    const int from = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (from < 0) {
        status =
            f2l_fail(err, F2L_EIO, "cannot open '%.200s': %s", path, f2l_reason_of(errno).text);
    } else {
        const int to = create_file(dir, dir->begun, name, &folder);
        status = to < 0 ? cannot_write(name, errno, err)
                        : copy_all(to, name, from, path, buffer, task, hash, err);
        const int error = close_file(folder, to, name, status == F2L_OK ? 0 : EIO);
        if (status == F2L_OK && error) status = cannot_write(name, error, err);
        close(from);
    }
    f2l_free(buffer);
    return status;
}

f2l_status f2l_outdir_copy(f2l_outdir *dir, const char *name, const char *path,
                           const f2l_task *task, size_t *bytes, char sha256[65], f2l_error *err)
{
    f2l_sha256 hash;
    f2l_sha256_init(&hash);
    f2l_status status = check_name(dir, name, err);
    if (status == F2L_OK) status = copy_file(dir, name, path, task, &hash, err);
    if (status != F2L_OK) return status;
    *bytes = (size_t)hash.bytes;
    f2l_sha256_final(&hash, sha256);
    return F2L_OK;
}

f2l_status f2l_outdir_begin_stage(f2l_outdir *dir, f2l_error *err)
{
    const unsigned stage = dir->complete == 1 ? 2 : 1;
    const int folder = open_stage(dir, 0);
    const int made = folder < 0 ? -1 : mkdirat(folder, stage_names[stage], 0777);
    const int error = errno;
    if (folder >= 0) close(folder);
    if (made != 0) return cannot_create(dir->temporary, error, err);
    dir->begun = stage;
    return F2L_OK;
}

void f2l_outdir_remove_stage(f2l_outdir *dir, unsigned stage)
{
    const int folder = stage ? open_stage(dir, 0) : -1;
    if (folder < 0) return;
    remove_files(dir->kind, folder, stage_names[stage]);
    close(folder);
}

void f2l_outdir_drop_stage(f2l_outdir *dir)
{
    f2l_outdir_remove_stage(dir, dir->begun);
    dir->begun = 0;
}

unsigned f2l_outdir_complete_stage(f2l_outdir *dir)
{
    const unsigned old = dir->complete;
    dir->complete = dir->begun;
    dir->begun = 0;
    return old;
}

f2l_status f2l_outdir_rewrite(f2l_outdir *dir, const char *name, const void *bytes, size_t n,
                              f2l_error *err)
{
    const int folder = open_stage(dir, dir->complete);
    if (folder >= 0) {
        unlinkat(folder, name, 0);
        close(folder);
    }
    return write_file(dir, dir->complete, name, bytes, n, err);
}

/* Flushes what was written to the disk; some file systems report a full disk only here. */
static f2l_status flush_files(const f2l_outdir_kind *kind, int folder, f2l_error *err)
{
    for (size_t i = 0; kind->names[i]; i++) {
        const int file = openat(folder, kind->names[i], O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        const int error = file >= 0 && fsync(file) != 0 ? errno : 0;
        if (file >= 0) close(file);
        if (error)
            return f2l_fail(err, F2L_EIO, "cannot write '%.100s': %s", kind->names[i],
                            f2l_reason_of(error).text);
    }
    for (size_t i = 0; kind->folders && kind->folders[i]; i++) {
        const int inner = openat(folder, kind->folders[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (inner < 0) continue;
        fsync(inner);
        close(inner);
    }
    fsync(folder);
    return F2L_OK;
}

f2l_status f2l_outdir_flush(const f2l_outdir *dir, f2l_error *err)
{
    const int folder = open_stage(dir, dir->complete);
    if (folder < 0)
        return f2l_fail(err, F2L_EIO, "cannot write '%.200s': %s", dir->temporary,
                        f2l_reason_of(errno).text);
    f2l_status status = flush_files(dir->kind, folder, err);
    close(folder);
    return status;
}

/* Makes names in the folder that holds `path`, or in the folder `path` itself, last. Best effort:
 * some file systems cannot, and the contents of the files are on the disk already. */
static void flush_folder(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    fsync(folder);
    close(folder);
}

static void flush_parent(const char *path)
{
    char *parent = f2l_strndup(path, f2l_path_folder(path));
    if (!parent) return;
    flush_folder(*parent ? parent : ".");
    f2l_free(parent);
}

/* Moves what is in the folder `from` and has one of the names into the folder `to`; names of files
 * in folders are left to their folders. Returns 0, or errno. */
static int move_files(int from, int to, const char *const *names)
{
    int error = 0;
    for (size_t i = 0; names && names[i] && error == 0; i++)
        if (!strchr(names[i], '/') && renameat(from, names[i], to, names[i]) != 0 &&
            errno != ENOENT)
            error = errno;
    return error;
}

/* Moves the files of the complete stage into the held folder; returns -1 with errno. */
static int publish_held(const f2l_outdir *dir)
{
    const int from = open_stage(dir, dir->complete);
    const int to = open(dir->final_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = from < 0 || to < 0 ? errno : move_files(from, to, dir->kind->folders);
    if (error == 0) error = move_files(from, to, dir->kind->names);
    if (error == 0 && !dir->hasty) fsync(to);
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    errno = error;
    return error ? -1 : 0;
}

/* Gives the complete folder its final name; returns -1 with errno. */
static int publish_outdir(const f2l_outdir *dir)
{
    if (dir->held) return publish_held(dir);
    const int folder = dir->complete ? open_stage(dir, 0) : AT_FDCWD;
    if (folder == -1) return -1;
    const char *name = dir->complete ? stage_names[dir->complete] : dir->temporary;
    const int done = renameat(folder, name, AT_FDCWD, dir->final_path), error = errno;
    if (dir->complete) close(folder);
    errno = error;
    return done;
}

/* Frees the path, and makes it NULL first, because a signal handler may look at it. */
static void forget_path(char **path)
{
    char *old = *path;
    *path = NULL;
    f2l_free(old);
}

/* Moves an old output folder away, with `force`, so that its name is free. */
static f2l_status set_aside(f2l_outdir *dir, f2l_error *err)
{
    struct stat info;
    if (!dir->force || lstat(dir->final_path, &info) != 0) return F2L_OK;
    /* Somebody may have put files there since f2l_outdir_open. */
    f2l_status status = check_replaceable(dir->kind, dir->final_path, err);
    if (status == F2L_OK) status = create_beside(&dir->aside, dir->final_path, ".old-", err);
    if (status != F2L_OK || rename(dir->final_path, dir->aside) == 0) return status;
    status = f2l_fail(err, F2L_EEXIST, "cannot replace '%.200s': %s", dir->final_path,
                      f2l_reason_of(errno).text);
    rmdir(dir->aside);
    forget_path(&dir->aside);
    return status;
}

f2l_status f2l_outdir_commit(f2l_outdir *dir, f2l_error *err)
{
    f2l_status status = dir->hasty ? F2L_OK : f2l_outdir_flush(dir, err);
    if (status == F2L_OK) status = set_aside(dir, err);
    if (status != F2L_OK) return status;
    if (publish_outdir(dir) != 0) {
        status = f2l_fail(err, F2L_EEXIST, "cannot create '%.200s': %s", dir->final_path,
                          f2l_reason_of(errno).text);
        if (dir->aside && rename(dir->aside, dir->final_path) != 0)
            status =
                f2l_fail(err, F2L_EEXIST, "cannot create '%.150s'; the old folder is now '%.150s'",
                         dir->final_path, dir->aside);
        forget_path(&dir->aside);
        return status;
    }
    if (dir->complete || dir->held) remove_folder(dir->kind, dir->temporary);
    dir->committed = true;
    if (!dir->hasty) flush_parent(dir->final_path);
    if (dir->aside) remove_folder(dir->kind, dir->aside);
    forget_path(&dir->aside);
    return F2L_OK;
}

void f2l_outdir_close(f2l_outdir *dir)
{
    if (dir->temporary && !dir->committed) remove_folder(dir->kind, dir->temporary);
    forget_path(&dir->temporary);
    forget_path(&dir->aside);
    forget_path(&dir->final_path);
}

void f2l_outdir_abandon(const f2l_outdir *dir)
{
    if (dir->temporary && !dir->committed) remove_folder(dir->kind, dir->temporary);
    /* Between the two renames of a commit the old folder has no other name, and gets its own back.
     * Before and after them the name is taken, and there is nothing in the other one that is
     * needed. */
    if (dir->aside && rename(dir->aside, dir->final_path) != 0 &&
        (errno == ENOTEMPTY || errno == EEXIST))
        remove_folder(dir->kind, dir->aside);
}
