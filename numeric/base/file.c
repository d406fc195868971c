/* Files of numeric/base/text.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "numeric/base/lock.h"
#include "numeric/base/mem.h"
#include "numeric/base/path.h"
#include "numeric/base/task.h"
#include "numeric/base/text.h"
#include "numeric/base/unfinished.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns the error of a system call; the program's handlers do not restart calls, so an
 * interrupted one means that the user wants to stop. */
static f2l_status fail_system(f2l_error *err, const char *what, const char *path, int number)
{
    if (number == EINTR) return f2l_fail(err, F2L_UNKNOWN, "%s %s: interrupted", what, path);
    return f2l_fail(err, F2L_EIO, "%s %s: %s", what, path, f2l_reason_of(number).text);
}

static f2l_status read_all(f2l_buf *out, int fd, const char *path, size_t limit, f2l_error *err)
{
    static const size_t chunk_size = 1 << 16;
    char *chunk = f2l_realloc(NULL, chunk_size, 1);
    if (!chunk) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    ssize_t n;
    while (status == F2L_OK && (n = read(fd, chunk, chunk_size)) != 0) {
        if (n < 0)
            status = fail_system(err, "cannot read", path, errno);
        else if (limit > 0 && (size_t)n > limit - out->size)
            status =
                f2l_fail(err, F2L_EFORMAT, "%s is larger than the limit of %zu bytes", path, limit);
        else {
            f2l_buf_bytes(out, chunk, (size_t)n);
            status = f2l_buf_status(out, err);
        }
    }
    f2l_free(chunk);
    return status;
}

f2l_status f2l_read_file(f2l_buf *out, const char *path, size_t limit, f2l_error *err)
{
    f2l_buf_clear(out);
    if (strcmp(path, "-") == 0) {
        f2l_status status = read_all(out, STDIN_FILENO, "standard input", limit, err);
        if (status != F2L_OK) f2l_buf_clear(out);
        return status;
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return fail_system(err, "cannot open", path, errno);
    f2l_status status = read_all(out, fd, path, limit, err);
    close(fd);
    if (status != F2L_OK) f2l_buf_clear(out);
    return status;
}

/* Reports an error of open(), by whether the path or the device is at fault. */
static f2l_status fail_create(f2l_error *err, const char *path, int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EMFILE:
    case ENFILE:
    case EINTR:
        return fail_system(err, "cannot create", path, number);
    case ENOMEM:
        return f2l_fail_memory(err);
    case EAGAIN: /* of open_locked */
        return f2l_fail(err, F2L_EIO,
                        "cannot create %s: its temporary file is removed each time that it is made",
                        path);
    default:
        return f2l_fail(err, F2L_EEXIST, "%s cannot be created: %s", path,
                        f2l_reason_of(number).text);
    }
}

static f2l_status write_all(int fd, const char *path, const char *bytes, size_t n, f2l_error *err)
{
    while (n > 0) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0) return fail_system(err, "cannot write", path, errno);
        bytes += written;
        n -= (size_t)written;
    }
    return F2L_OK;
}

/* Writes to a device or pipe, over which nothing can be renamed. */
static f2l_status write_special(const char *path, const void *bytes, size_t n, f2l_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return fail_create(err, path, errno);
    f2l_status status = write_all(fd, path, bytes, n, err);
    if (close(fd) != 0 && status == F2L_OK) status = fail_system(err, "cannot write", path, errno);
    return status;
}

/* Opens a new file `name`, whose last six characters are replaced until it is one. Not mkstemp: the
 * file is to get the permissions that any new file gets, and reading the umask for them is not safe
 * among threads. */
static int open_temporary(char *name)
{
    int fd = -1;
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        f2l_unfinished_set(name, attempt);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0 || errno != EEXIST) break;
    }
    return fd;
}

/* Locks a new file. Returns whether nobody else takes it for one of a process that was killed:
 * false where somebody has it locked to remove it, or did remove it. A file system without locks
 * has nobody who does. */
static bool is_mine(int fd, const char *name)
{
    if (f2l_lock_file(fd)) return f2l_lock_is_named(fd, AT_FDCWD, name, AT_SYMLINK_NOFOLLOW);
    return errno != EAGAIN && errno != EACCES;
}

/* Opens a temporary file that is locked until it is closed; -1, with errno, where it cannot. */
static int open_locked(char *name)
{
    int fd = open_temporary(name);
    for (int tries = 0; fd >= 0 && !is_mine(fd, name); tries++) {
        close(fd);
        errno = EAGAIN;
        fd = tries < 8 ? open_temporary(name) : -1;
    }
    return fd;
}

/* Flushes the folder as far as possible: the rename has happened, and not every file system lets
 * folders be flushed. */
static void flush_parent_folder(char *path)
{
    const size_t size = f2l_path_folder(path);
    path[size] = '\0';
    int fd = open(size > 0 ? path : ".", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}

static f2l_status write_and_rename(char *temporary, const char *path, mode_t mode,
                                   const void *bytes, size_t n, f2l_error *err)
{
    int fd = open_locked(temporary);
    if (fd < 0) return fail_create(err, path, errno);
    f2l_status status = write_all(fd, path, bytes, n, err);
    if (status == F2L_OK && mode != 0 && fchmod(fd, mode) != 0)
        status = fail_create(err, path, errno);
    if (status == F2L_OK && fsync(fd) != 0) status = fail_system(err, "cannot write", path, errno);
    if (status == F2L_OK && rename(temporary, path) != 0) status = fail_create(err, path, errno);
    const bool renamed = status == F2L_OK;
    if (close(fd) != 0 && renamed) status = fail_system(err, "cannot write", path, errno);
    if (!renamed)
        unlink(temporary);
    else
        flush_parent_folder(temporary);
    return status;
}

static f2l_status write_regular(const char *path, mode_t mode, const void *bytes, size_t n,
                                f2l_error *err)
{
    f2l_buf temporary;
    f2l_buf_init(&temporary);
    f2l_buf_text(&temporary, path);
    f2l_buf_text(&temporary, F2L_UNFINISHED_MARK "XXXXXX");
    f2l_status status = f2l_buf_status(&temporary, err);
    if (status == F2L_OK) status = write_and_rename(temporary.data, path, mode, bytes, n, err);
    f2l_buf_clear(&temporary);
    return status;
}

f2l_status f2l_write_file(const char *path, const void *bytes, size_t n, f2l_error *err)
{
    struct stat target, link;
    bool there = stat(path, &target) == 0;
    if (there && S_ISDIR(target.st_mode)) return f2l_fail(err, F2L_EEXIST, "%s is a folder", path);
    if (there && !S_ISREG(target.st_mode)) return write_special(path, bytes, n, err);
    mode_t mode = there ? target.st_mode & 07777 : 0;
    /* A symbolic link stays one: the file that it leads to is replaced. */
    char *real =
        there && lstat(path, &link) == 0 && S_ISLNK(link.st_mode) ? realpath(path, NULL) : NULL;
    f2l_status status = write_regular(real ? real : path, mode, bytes, n, err);
    f2l_free(real);
    return status;
}
