#include "f2l_signals.h"
#include "f2l_cli.h"
#include <gmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A signal handler has no argument of ours, so these two are the program's only mutable statics. */
static volatile sig_atomic_t caught;
static const f2l_outdir *volatile guarded;

static _Noreturn void emergency_exit(int status)
{
    if (guarded) f2l_outdir_abandon(guarded);
    _exit(status);
}

static void handle(int number)
{
    if (caught) emergency_exit(F2L_EXIT_SIGNAL + number);
    caught = number;
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

static _Noreturn void exhausted(void)
{
    static const char text[] = "fsa2lrnn: error: out of memory\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    emergency_exit(F2L_EXIT_MEMORY);
}

static void *gmp_allocate(size_t size)
{
    void *p = malloc(size);
    if (!p) exhausted();
    return p;
}

static void *gmp_reallocate(void *old, size_t old_size, size_t size)
{
    (void)old_size;
    void *p = realloc(old, size);
    if (!p) exhausted();
    return p;
}

static void gmp_free(void *p, size_t size)
{
    (void)size;
    free(p);
}

void f2l_signals_guard_memory(void)
{
    mp_set_memory_functions(gmp_allocate, gmp_reallocate, gmp_free);
}

const volatile sig_atomic_t *f2l_signals_flag(void)
{
    return &caught;
}

int f2l_signals_caught(void)
{
    return caught;
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
