/* Faults of a machine for one process, by LD_PRELOAD: F2L_NO_LOCKS refuses every lock, as a file
 * system without locks does; F2L_CLOCK_BACK=N sets the clock N seconds back. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

static int refuse_or_call(int file, int command, void *argument)
{
    static int (*real)(int, int, ...);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fcntl");
    if (getenv("F2L_NO_LOCKS") &&
        (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK)) {
        errno = ENOLCK;
        return -1;
    }
    return real(file, command, argument);
}

int fcntl(int file, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return refuse_or_call(file, command, argument);
}

int fcntl64(int file, int command, ...)
{
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return refuse_or_call(file, command, argument);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    const int failed = real(clock, now);
    const char *back = getenv("F2L_CLOCK_BACK");
    if (!failed && back && clock == CLOCK_REALTIME) now->tv_sec -= atol(back);
    return failed;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
