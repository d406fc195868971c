#include "cli/signals.h"
#include "cli/cli.h"
#include "cli/watchdog.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A signal handler has no argument of ours, nor have GMP's allocations, so these, the blocks that
 * cli/memory.c keeps and the watchdog's are the program's only mutable statics. */
static volatile sig_atomic_t caught, hurried;
static const f2l_outdir *volatile guarded;

void f2l_signals_abandon(void)
{
    if (guarded) f2l_outdir_abandon(guarded);
}

static _Noreturn void emergency_exit(int status)
{
    f2l_signals_abandon();
    _exit(status);
}

static void handle(int number)
{
    const int error = errno;
    const bool again = caught > 0;
    if (!again) caught = number;
    const bool watched = f2l_watchdog_wake();
    if (again && (hurried || !watched)) emergency_exit(F2L_EXIT_SIGNAL + number);
    if (again) {
        hurried = 1;
        f2l_watchdog_wake();
    }
    errno = error;
}

void f2l_signals_install(void)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action, old;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    /* Without SA_RESTART: a read that waits for input is to end as well. */
    action.sa_handler = handle;
    for (size_t i = 0; i < sizeof stopping / sizeof *stopping; i++) {
        if (sigaction(stopping[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) continue;
        sigaction(stopping[i], &action, NULL);
    }
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

const volatile sig_atomic_t *f2l_signals_flag(void)
{
    return &caught;
}

int f2l_signals_caught(void)
{
    return caught > 0 ? caught : 0;
}

bool f2l_signals_is_hurried(void)
{
    return hurried;
}

/* Tells the work to stop for want of memory. A signal that comes between the test and the
 * assignment is lost, but the work ends as well. */
void f2l_signals_short_of_memory(void)
{
    if (caught == 0) caught = F2L_CANCEL_MEMORY;
}

bool f2l_signals_is_memory_short(void)
{
    return caught == F2L_CANCEL_MEMORY;
}

const char *f2l_signals_name(int number)
{
    return number == SIGINT    ? "SIGINT"
           : number == SIGTERM ? "SIGTERM"
           : number == SIGHUP  ? "SIGHUP"
                               : "a signal";
}

void f2l_signals_guard(const f2l_outdir *dir)
{
    guarded = dir;
}
