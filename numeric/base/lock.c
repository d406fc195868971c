#define _GNU_SOURCE /* for F_OFD_SETLK */
#include "numeric/base/lock.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES 20 /* of 25 milliseconds */

/* Asks for a lock of the open file, which stays until that is closed. A lock of the process, which
 * older systems have, ends when the process closes the file anywhere, as after reading it. */
static int ask_for_lock(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
#ifdef F_OFD_SETLK
    const int failed = fcntl(file, F_OFD_SETLK, &lock);
    if (!failed || errno != EINVAL) return failed;
#endif
    return fcntl(file, F_SETLK, &lock);
}

bool f2l_lock_file(int file)
{
    int failed = ask_for_lock(file);
    for (int tries = 0; failed && (errno == EACCES || errno == EAGAIN) && tries < TRIES; tries++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
        failed = ask_for_lock(file);
    }
    return !failed;
}

bool f2l_lock_file_now(int file)
{
    return ask_for_lock(file) == 0;
}

bool f2l_lock_is_named(int file, int folder, const char *name, int flags)
{
    struct stat here, there;
    return fstat(file, &here) == 0 && fstatat(folder, name, &there, flags) == 0 &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}
