#include "cli/watchdog.h"
#include "cli/cli.h"
#include "cli/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GRACE 0.4     /* seconds of grace; an interruption may take one second in all */
#define LOOK_EVERY 10 /* milliseconds between two looks at the memory */
#define LEAST_SLACK ((size_t)64 << 20)
#define LEAST_PROGRAM ((size_t)24 << 20) /* bytes that the program takes before it works */
#define STACK ((size_t)256 << 10)

#ifdef __SANITIZE_ADDRESS__
#define FOREIGN ((size_t)1 << 30) /* bytes of the sanitizer: shadow memory, freed blocks */
#else
#define FOREIGN ((size_t)0)
#endif

/* The watchdog of the process; it is static because neither a signal handler nor GMP's function for
 * memory passes an argument. The lock guards every member except `wake_up` and `owner`, which do
 * not change once there is a thread. */
static struct {
    pthread_mutex_t lock;
    int wake_up[2];       /* a pipe: the thread reads, the handler writes */
    volatile pid_t owner; /* process of the thread; 0: there is no watchdog */
    f2l_cli *cli;
    f2l_watchdog_emergency *emergency;
    void *context;
    double deadline, grace; /* time, 0: none; seconds */
    double since;           /* time from which the cause is known; 0: there is no cause */
    size_t limit;           /* bytes at which the work is told to stop; 0: no limit */
    size_t most;            /* bytes at which the process ends; 0: no limit */
    int statm;
    bool settled, delivered;
    int status; /* exit status of the process, once settled or delivered */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake_up = {-1, -1}, .grace = GRACE, .statm = -1};

void f2l_watchdog_hold(void)
{
    pthread_mutex_lock(&watch.lock);
}

void f2l_watchdog_release(void)
{
    pthread_mutex_unlock(&watch.lock);
}

void f2l_watchdog_guard(f2l_watchdog_emergency *emergency, void *context)
{
    f2l_watchdog_hold();
    watch.emergency = emergency;
    watch.context = context;
    f2l_watchdog_release();
}

void f2l_watchdog_no_deadline(void)
{
    f2l_watchdog_hold();
    watch.deadline = 0;
    f2l_watchdog_release();
}

void f2l_watchdog_grace(double seconds)
{
    f2l_watchdog_hold();
    watch.grace = seconds;
    f2l_watchdog_release();
}

void f2l_watchdog_settle(int status)
{
    watch.settled = true;
    watch.status = status;
    if (watch.since > 0) watch.since = f2l_now();
    f2l_watchdog_release();
}

void f2l_watchdog_deliver(int status)
{
    f2l_watchdog_hold();
    watch.delivered = true;
    watch.grace = 0;
    f2l_watchdog_settle(status);
}

bool f2l_watchdog_wake(void)
{
    if (watch.owner == 0 || watch.owner != getpid()) return false;
    /* A full pipe wakes as well. */
    const ssize_t written = write(watch.wake_up[1], "", 1);
    (void)written;
    return true;
}

static void print_to(int file, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return;
        text += written;
        size -= (size_t)written;
    }
}

void f2l_watchdog_print(const char *text, size_t size)
{
    print_to(STDOUT_FILENO, text, size);
}

void f2l_watchdog_print_error(const char *text, size_t size)
{
    print_to(STDERR_FILENO, text, size);
}

static f2l_watchdog_cause cause_of(double deadline, double now)
{
    if (f2l_signals_caught()) return F2L_WATCHDOG_SIGNAL;
    if (f2l_signals_is_memory_short()) return F2L_WATCHDOG_MEMORY;
    return deadline > 0 && now >= deadline ? F2L_WATCHDOG_TIME : F2L_WATCHDOG_NONE;
}

f2l_watchdog_cause f2l_watchdog_stopped(void)
{
    f2l_watchdog_hold();
    const f2l_watchdog_cause cause = cause_of(watch.deadline, f2l_now());
    f2l_watchdog_release();
    return cause;
}

/* --- the end --- */

/* Flushes what the command printed so far, unless another thread is held up in printing. */
static void flush_output(void)
{
    if (ftrylockfile(stdout) != 0) return;
    fflush(stdout);
    funlockfile(stdout);
}

/* Ends the process. The caller holds the lock and never releases it. */
static _Noreturn void leave_process(f2l_watchdog_cause cause)
{
    if (!watch.delivered) flush_output();
    if (!watch.settled)
        watch.status = watch.emergency
                           ? watch.emergency(watch.context, cause)
                           : f2l_cli_leave(watch.cli, cause, "no partial output is left");
    if (!watch.delivered) watch.status = f2l_continue_leave(watch.cli, watch.status);
    f2l_signals_abandon();
    _exit(watch.status);
}

void f2l_watchdog_exhausted(void)
{
    if (watch.owner == 0 || watch.owner != getpid()) return;
    f2l_watchdog_hold();
    leave_process(F2L_WATCHDOG_EXHAUSTED);
}

/* --- watching --- */

/* Returns the bytes of the process that are in memory; 0: not known. */
static size_t resident(void)
{
    char text[128];
    const ssize_t size = pread(watch.statm, text, sizeof text - 1, 0);
    if (size <= 0) return 0;
    text[size] = '\0';
    char *end;
    (void)strtoull(text, &end, 10); /* skips the size of the address space */
    return (size_t)strtoull(end, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Tells the work to stop when the process uses more memory than the limit; returns whether it uses
 * so much more that it must end before the work has unwound. */
static bool is_memory_over(void)
{
    const size_t bytes = watch.limit ? resident() : 0;
    if (watch.limit && bytes > watch.limit) f2l_signals_short_of_memory();
    return watch.limit && bytes > watch.most;
}

static void look_at_limits(void)
{
    const double now = f2l_now();
    const bool over = is_memory_over();
    const f2l_watchdog_cause cause = cause_of(watch.deadline, now);
    if (cause == F2L_WATCHDOG_NONE) return;
    if (watch.since <= 0) watch.since = cause == F2L_WATCHDOG_TIME ? watch.deadline : now;
    if (over || f2l_signals_is_hurried() || now - watch.since >= watch.grace) leave_process(cause);
}

/* Returns the milliseconds that the thread sleeps; -1: until it is woken. */
static int pause_length(void)
{
    const double at = watch.since > 0 ? watch.since + watch.grace : watch.deadline;
    const double left = at - f2l_now();
    if (watch.limit) return LOOK_EVERY;
    if (at <= 0) return -1;
    return left <= 0 ? 1 : left > 1e6 ? 1000000000 : (int)(1000 * left) + 1;
}

static void sleep_until_woken(int milliseconds)
{
    char bytes[64];
    struct pollfd woken = {.fd = watch.wake_up[0], .events = POLLIN};
    if (poll(&woken, 1, milliseconds) <= 0) return;
    while (read(watch.wake_up[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes) continue;
}

static void *keep_watch(void *started)
{
    sem_post(started);
    for (;;) {
        f2l_watchdog_hold();
        look_at_limits();
        const int length = pause_length();
        f2l_watchdog_release();
        sleep_until_woken(length);
    }
    return NULL;
}

/* --- the beginning --- */

static bool open_pipe(void)
{
    if (pipe(watch.wake_up) != 0) return false;
    for (size_t i = 0; i < 2; i++) {
        fcntl(watch.wake_up[i], F_SETFD, FD_CLOEXEC);
        fcntl(watch.wake_up[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

/* Sets the two limits: the work is told to stop at the user's limit, and the process ends at half
 * the excess that is allowed over it. */
static void set_memory(size_t memory)
{
    const size_t slack = memory / 10 > LEAST_SLACK ? memory / 10 : LEAST_SLACK;
    if (memory == 0) return;
    watch.limit = (memory > LEAST_PROGRAM ? memory : LEAST_PROGRAM) + FOREIGN;
    watch.most = memory + slack / 2 + FOREIGN;
    watch.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

/* Starts the watching thread. It blocks signals, because a signal must interrupt a working thread
 * that waits for input. The lock is held while the process forks, so that the thread is asleep then
 * and a child finds the lock free; the child has no watchdog. A thread may allocate before its
 * function is called (AddressSanitizer does), so that the function is waited for: a child of a
 * process that forks during an allocation may find the allocator locked for ever. */
static bool start_thread(void)
{
    sigset_t all, old;
    pthread_t thread;
    sem_t started;
    pthread_attr_t attributes;
    if (pthread_atfork(f2l_watchdog_hold, f2l_watchdog_release, f2l_watchdog_release) != 0)
        return false;
    if (sem_init(&started, 0, 0) != 0 || pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const int error = pthread_create(&thread, &attributes, keep_watch, &started);
    if (error == 0) sem_wait(&started); /* all signals are blocked: nothing interrupts it */
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    sem_destroy(&started);
    pthread_attr_destroy(&attributes);
    return error == 0;
}

void f2l_watchdog_start(f2l_cli *cli)
{
    watch.cli = cli;
    watch.deadline = cli->task.deadline;
    set_memory(cli->task.memory);
    if (open_pipe() && start_thread()) {
        watch.owner = getpid();
        /* A signal that came before is not overlooked. */
        if (f2l_signals_caught()) f2l_watchdog_wake();
    } else if (cli->task.deadline > 0 || cli->task.memory > 0) {
        f2l_cli_warn(cli, NULL,
                     "no thread can be started: limits hold only where the work looks at them");
    }
}
