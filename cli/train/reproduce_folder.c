#include "cli/train/reproduce_folder.h"
#include "models/learn/train/train_dir.h"
#include "numeric/base/path.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_FILE 65536

static f2l_status fail_folder_with_errno(f2l_error *err, const char *what, const char *path)
{
    return f2l_fail(err, F2L_EIO, "cannot %s %s: %s", what, path, f2l_reason_of(errno).text);
}

static f2l_status file_of(f2l_buf *path, const char *folder, f2l_error *err)
{
    f2l_buf_printf(path, "%s/" F2L_REPRODUCE_FILE, folder);
    return f2l_buf_status(path, err);
}

/* Makes the folders above the path that are missing. */
static f2l_status make_above(const char *path, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (const char *slash = strchr(path, '/'); slash && slash[1] && status == F2L_OK;
         slash = strchr(slash + 1, '/')) {
        f2l_buf above;
        f2l_buf_init(&above);
        f2l_buf_bytes(&above, path, (size_t)(slash - path));
        status = f2l_buf_status(&above, err);
        if (status == F2L_OK && above.size > 0 && mkdir(above.data, 0777) != 0 && errno != EEXIST)
            status = fail_folder_with_errno(err, "make", above.data);
        f2l_buf_clear(&above);
    }
    return status;
}

/* Makes the folder, or checks the one that is there. The first file of a folder of reproduce is its
 * reproduce.json, so a folder that has anything else and not this file is another folder. */
static f2l_status make_reproduce_folder(bool *made, const char *folder, f2l_reproduce_begin begin,
                                        f2l_error *err)
{
    const f2l_status status = begin == F2L_REPRODUCE_CONTINUE ? make_above(folder, err) : F2L_OK;
    if (status != F2L_OK) return status;
    *made = mkdir(folder, 0777) == 0;
    if (!*made && errno != EEXIST)
        return f2l_fail(err, F2L_EEXIST, "cannot make %s: %s", folder, f2l_reason_of(errno).text);
    if (*made || f2l_path_is_empty(folder)) return F2L_OK;
    if (begin == F2L_REPRODUCE_NEW)
        return f2l_fail(err, F2L_EEXIST,
                        "%s exists already; go on with it by --resume %s, or name another folder "
                        "with -o",
                        folder, folder);
    if (f2l_path_has(folder, F2L_REPRODUCE_FILE)) return F2L_OK;
    return f2l_fail(err, F2L_EEXIST, "%s has other files, and no " F2L_REPRODUCE_FILE, folder);
}

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

/* Makes the locked file have the text. A part of it is what a killed process left. */
static f2l_status settle_locked_file(int file, const char *path, const f2l_buf *text,
                                     f2l_error *err)
{
    size_t size;
    char there[LARGEST_FILE];
    if (!read_locked_file(there, sizeof there, &size, file))
        return fail_folder_with_errno(err, "read", path);
    const bool begins = size <= text->size && memcmp(there, text->data, size) == 0;
    if (begins && size == text->size) return F2L_OK;
    if (!begins) return f2l_fail(err, F2L_EDOMAIN, "other work is in this folder: see %s", path);
    return write_locked_file(file, text) ? F2L_OK : fail_folder_with_errno(err, "write", path);
}

static f2l_status lock_file(int file, const char *folder, const char *path, f2l_error *err)
{
    if (f2l_train_dir_lock(file)) return F2L_OK;
    if (errno == EACCES || errno == EAGAIN)
        return f2l_fail(err, F2L_EDOMAIN, "another process works on %s", folder);
    return fail_folder_with_errno(err, "lock", path);
}

/* Opens and locks the file; a new one gets the text (NULL: the file must be there). */
static f2l_status open_file(int *lock, const char *folder, const char *path, const f2l_buf *text,
                            f2l_error *err)
{
    *lock = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | (text ? O_CREAT : 0), 0666);
    if (*lock < 0) return fail_folder_with_errno(err, "open", path);
    f2l_status status = lock_file(*lock, folder, path, err);
    if (status == F2L_OK && text) status = settle_locked_file(*lock, path, text, err);
    if (status == F2L_OK) return F2L_OK;
    (void)close(*lock);
    *lock = -1;
    return status;
}

f2l_status f2l_reproduce_folder_open(int *lock, const char *folder, f2l_reproduce_begin begin,
                                     const f2l_reproduce_request *request, f2l_error *err)
{
    bool made = false;
    f2l_buf path, text;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    *lock = -1;
    f2l_status status = file_of(&path, folder, err);
    if (status == F2L_OK) status = f2l_reproduce_request_write(&text, request, err);
    if (status == F2L_OK && begin != F2L_REPRODUCE_RESUME)
        status = make_reproduce_folder(&made, folder, begin, err);
    if (status == F2L_OK)
        status =
            open_file(lock, folder, path.data, begin == F2L_REPRODUCE_RESUME ? NULL : &text, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    if (status != F2L_OK && made) (void)rmdir(folder);
    return status;
}

f2l_status f2l_reproduce_folder_read(f2l_reproduce_request *request, const char *folder,
                                     f2l_error *err)
{
    f2l_buf path, text;
    f2l_buf_init(&path);
    f2l_buf_init(&text);
    f2l_status status = file_of(&path, folder, err);
    if (status == F2L_OK && access(path.data, F_OK) != 0)
        status = f2l_fail(err, F2L_EDOMAIN,
                          "%s is no folder of reproduce: it has no " F2L_REPRODUCE_FILE, folder);
    if (status == F2L_OK) status = f2l_read_file(&text, path.data, LARGEST_FILE, err);
    if (status == F2L_OK)
        status = f2l_reproduce_request_parse(request, text.data ? text.data : "", text.size, err);
    f2l_buf_clear(&path);
    f2l_buf_clear(&text);
    return status;
}
