/* What long work is allowed to use and how it reports: cancellation, a deadline, a memory budget, progress.
 * Passed as `const f2l_task *` (NULL: unlimited and silent). Nothing below `cli` prints or installs handlers.
 */
#ifndef F2L_TASK_H
#define F2L_TASK_H

#include "f2l_status.h"
#include <signal.h>
#include <stddef.h>

typedef struct f2l_task {
    const volatile sig_atomic_t *cancel; /* becomes non-zero (a signal number) to stop; NULL: never */
    double deadline;                     /* f2l_now() at which to stop; 0: none */
    size_t memory;                       /* bytes that search tables may take; 0: no limit */
    unsigned jobs;                       /* threads that may be used; 0 counts as 1 */
    /* Called on every poll; the receiver throttles. total == 0: unknown. May be NULL. */
    void (*progress)(void *context, const char *phase, double done, double total);
    void *context;
} f2l_task;

/* Seconds of a monotonic clock. */
double f2l_now(void);

/* Call it every few thousand steps of a loop. Returns F2L_UNKNOWN with a text that says what stopped it
 * ("interrupted", "time limit reached") and how far `phase` came, else F2L_OK. */
f2l_status f2l_task_poll(const f2l_task *task, const char *phase, double done, double total, f2l_error *err);

/* The same without progress: before work of seconds that cannot be polled. */
f2l_status f2l_task_goes_on(const f2l_task *task, const char *phase, f2l_error *err);

/* F2L_UNKNOWN with a clear text when `bytes` exceed the task's memory budget. */
f2l_status f2l_task_memory(const f2l_task *task, const char *phase, size_t bytes, f2l_error *err);

#endif
