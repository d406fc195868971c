/* A stall before every lock of a file, as a busy machine may have it: others act meanwhile. The
 * program that includes this has its own fcntl; include it first, and in one source file. */
#ifndef F2L_TESTS_LOCK_STALL_H
#define F2L_TESTS_LOCK_STALL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* F_OFD_SETLK, RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* What others do while a process that asks for a lock is stalled; NULL: nothing. Their own locks
 * are not stalled. `of` is given to it, and `stalls` counts the stalls. */
typedef struct lock_stall {
    void (*act)(void *of);
    void *of;
    size_t stalls;
    bool acting;
} lock_stall;

static lock_stall stall;

int fcntl(int file, int command, ...)
{
    static int (*real)(int, int, ...);
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "fcntl");
    if (stall.act && !stall.acting && (command == F_OFD_SETLK || command == F_SETLK)) {
        stall.acting = true;
        stall.stalls++;
        stall.act(stall.of);
        stall.acting = false;
    }
    return real(file, command, argument);
}

#endif
