#include "numeric/base/lock.h"
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define TRIES 20 /* of 25 milliseconds */

bool f2l_lock_file(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int failed = fcntl(file, F_SETLK, &lock);
    for (int tries = 0; failed && (errno == EACCES || errno == EAGAIN) && tries < TRIES; tries++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 25000000}, NULL);
        failed = fcntl(file, F_SETLK, &lock);
    }
    return !failed;
}
