#include "cli/work/lock.h"
#include "cli/work/record.h"
#include "numeric/base/lock.h"
#include "numeric/base/path.h"
#include "numeric/base/unfinished.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_FILE 65536 /* bytes of a locked file that is settled */
#define LOCK_TRIES 8       /* for a file that others remove and make again */

static f2l_status fail_of_file(f2l_error *err, const char *what, const char *folder,
                               const char *name)
{
    return f2l_fail(err, F2L_EIO, "cannot %s %s/%s: %s", what, folder, name,
                    f2l_reason_of(errno).text);
}

/* --- the folder --- */

/* Makes one folder; counts it where it was missing. */
static f2l_status make_one_folder(size_t *made, const char *path, f2l_error *err)
{
    if (mkdir(path, 0777) == 0) {
        ++*made;
        return F2L_OK;
    }
    if (errno == EEXIST) return F2L_OK;
    const bool full = errno == ENOSPC || errno == EDQUOT || errno == EIO;
    return f2l_fail(err, full ? F2L_EIO : F2L_EEXIST, "cannot make %s: %s", path,
                    f2l_reason_of(errno).text);
}

f2l_status f2l_work_make_folder(size_t *made, const char *folder, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *made = 0;
    for (const char *slash = strchr(folder, '/'); slash && slash[1] && status == F2L_OK;
         slash = strchr(slash + 1, '/')) {
        f2l_buf above;
        f2l_buf_init(&above);
        f2l_buf_bytes(&above, folder, (size_t)(slash - folder));
        status = f2l_buf_status(&above, err);
        if (status == F2L_OK && above.size > 0) status = make_one_folder(made, above.data, err);
        f2l_buf_clear(&above);
    }
    return status == F2L_OK ? make_one_folder(made, folder, err) : status;
}

void f2l_work_remove_folder(size_t made, const char *folder)
{
    f2l_buf path;
    f2l_buf_init(&path);
    f2l_buf_text(&path, folder);
    while (made > 0 && !path.failed && path.size > 0) {
        while (path.size > 1 && path.data[path.size - 1] == '/') path.data[--path.size] = '\0';
        if (rmdir(path.data) != 0) break;
        while (path.size > 0 && path.data[path.size - 1] != '/') path.data[--path.size] = '\0';
        made--;
    }
    f2l_buf_clear(&path);
}

static bool is_of_record(const char *name)
{
    return strcmp(name, F2L_WORK_LOCK) == 0 || strcmp(name, F2L_WORK_FILE) == 0 ||
           f2l_is_unfinished(name, F2L_WORK_FILE);
}

bool f2l_work_is_new(const char *folder)
{
    const struct dirent *entry;
    bool is_new = true;
    DIR *entries = opendir(folder);
    while (entries && is_new && (entry = readdir(entries)) != NULL)
        is_new = f2l_path_is_dots(entry->d_name) || is_of_record(entry->d_name);
    if (!entries) return false;
    (void)closedir(entries);
    return is_new;
}

void f2l_work_sweep(const char *folder, const char *file, const char *result)
{
    const char *const of[] = {F2L_WORK_FILE,
                              F2L_WORK_RESULT,
                              "report.html",
                              "report.md",
                              file ? file : F2L_WORK_FILE,
                              result ? result : F2L_WORK_RESULT};
    f2l_sweep_unfinished(folder, of, sizeof of / sizeof *of);
}

/* --- the lock --- */

/* Appends the path of a file in the folder. */
static f2l_status put_file_path(f2l_buf *path, const char *folder, const char *name, f2l_error *err)
{
    f2l_buf_printf(path, "%s/%s", folder, name);
    return f2l_buf_status(path, err);
}

static f2l_status lock_opened(int file, const char *folder, const char *name, f2l_error *err)
{
    if (f2l_lock_file(file)) return F2L_OK;
    if (errno == EACCES || errno == EAGAIN)
        return f2l_fail(err, F2L_EDOMAIN, "another process works on %s", folder);
    return fail_of_file(err, "lock", folder, name);
}

/* Opens and locks the file; *lock stays -1 where it is no longer the one of the path: one who gives
 * up a folder removes the file that it has locked, and others may make a new one. */
static f2l_status open_and_lock(int *lock, const char *path, const char *folder, const char *name,
                                bool make, f2l_error *err)
{
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | (make ? O_CREAT : 0), 0666);
    if (file < 0) return fail_of_file(err, "open", folder, name);
    const f2l_status status = lock_opened(file, folder, name, err);
    if (status == F2L_OK && f2l_lock_is_named(file, AT_FDCWD, path, 0))
        *lock = file;
    else
        (void)close(file);
    return status;
}

f2l_status f2l_work_lock(int *lock, const char *folder, const char *name, bool make, f2l_error *err)
{
    f2l_buf path;
    f2l_buf_init(&path);
    *lock = -1;
    f2l_status status = put_file_path(&path, folder, name, err);
    for (int tries = 0; tries < LOCK_TRIES && status == F2L_OK && *lock < 0; tries++)
        status = open_and_lock(lock, path.data, folder, name, make, err);
    f2l_buf_clear(&path);
    if (status == F2L_OK && *lock < 0)
        status = f2l_fail(err, F2L_EDOMAIN, "another process works on %s", folder);
    return status;
}

/* --- the text of the locked file --- */

/* Reads what the file has, at most `room` bytes. */
static bool read_locked_file(char *bytes, size_t room, size_t *size, int file)
{
    *size = 0;
    while (*size < room) {
        const ssize_t n = pread(file, bytes + *size, room - *size, (off_t)*size);
        if (n < 0 && errno != EINTR) return false;
        if (n == 0) return true;
        if (n > 0) *size += (size_t)n;
    }
    return true;
}

static bool write_locked_file(int file, const f2l_buf *text)
{
    for (size_t at = 0; at < text->size;) {
        const ssize_t n = pwrite(file, text->data + at, text->size - at, (off_t)at);
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) at += (size_t)n;
    }
    return fsync(file) == 0;
}

f2l_status f2l_work_settle(int lock, const char *folder, const char *name, const f2l_buf *text,
                           f2l_error *err)
{
    size_t size;
    char there[LARGEST_FILE];
    if (!read_locked_file(there, sizeof there, &size, lock))
        return fail_of_file(err, "read", folder, name);
    const bool begins = size <= text->size && memcmp(there, text->data, size) == 0;
    if (begins && size == text->size) return F2L_OK;
    if (!begins)
        return f2l_fail(err, F2L_EDOMAIN, "other work is in this folder: see %s/%s", folder, name);
    return write_locked_file(lock, text) ? F2L_OK : fail_of_file(err, "write", folder, name);
}
