/* What long work is allowed to use and how it reports: cancellation, a deadline, a memory budget,
 * progress. Passed as `const f2l_task *` (NULL: unlimited and silent). Nothing below `cli` prints
 * or installs handlers.
 */
#ifndef F2L_TASK_H
#define F2L_TASK_H

#include "numeric/base/status.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counted work, so that a search that is cut short ends at the same place on every machine. A step
 * is about 10 ns of work of one core, or one byte of a table that is kept; the code that does the
 * work counts its steps (f2l_task_spend). The weights were measured phase by phase and are rounded:
 * most phases do from 50 to 200 million steps a second. Tables are charged before they are
 * allocated. Work shared by threads is counted by the thread that hands it out, in an order that
 * does not depend on the other threads, which get a task without effort. */
#define F2L_STEPS 1000000 /* steps of the unit in which users give an effort */
#define F2L_USUAL_EFFORT \
    1250 /* of these units: the effort of a search unless the user gives one \
          */

typedef struct f2l_effort {
    uint64_t limit, spent; /* steps; limit 0: none */
    bool refused; /* true when work was left undone because it would have passed the limit */
} f2l_effort;

/* Returns whether these steps may be counted as spent. */
static inline bool f2l_effort_suffices(const f2l_effort *effort, uint64_t steps)
{
    const uint64_t limit = effort->limit ? effort->limit : UINT64_MAX;
    return !effort->refused && steps <= limit - effort->spent;
}

/* The value of *cancel when the process exceeds its memory limit; any other value is the number of
 * a signal. */
#define F2L_CANCEL_MEMORY (-1)

typedef struct f2l_task {
    const volatile sig_atomic_t *cancel; /* becomes non-zero to stop; NULL: never */
    double deadline;                     /* f2l_now() at which to stop; 0: none */
    size_t memory;                       /* bytes that search tables may take; 0: no limit */
    unsigned jobs;                       /* threads that may be used; 0 counts as 1 */
    f2l_effort *effort;                  /* NULL: not counted */
    /* Called on every poll; the receiver throttles. total == 0: unknown. May be NULL. */
    void (*progress)(void *context, const char *phase, double done, double total);
    void *context;
} f2l_task;

/* Seconds of a monotonic clock, and of all processors that this process used. */
double f2l_now(void);
double f2l_processor_now(void);

/* The reason to stop; if there are several, the first of this list. */
typedef enum f2l_stop { F2L_STOP_NONE, F2L_STOP_SIGNAL, F2L_STOP_MEMORY, F2L_STOP_TIME } f2l_stop;

/* Returns the reason for the task to stop, or F2L_STOP_NONE. */
f2l_stop f2l_task_stop(const f2l_task *task); /* NULL allowed */
/* Return the reason as a name ("interrupted", "memory limit", "time limit"), and as part of a
 * sentence ("interrupted", "memory limit reached", "time limit reached"); NULL for F2L_STOP_NONE.
 */
const char *f2l_stop_name(f2l_stop stop);
const char *f2l_stop_text(f2l_stop stop);

/* Polls the task; to be called every few thousand steps of a loop, and counted as F2L_POLL_STEPS
 * steps. Returns F2L_UNKNOWN with a text that names the reason to stop ("interrupted", "memory
 * limit reached", "time limit reached", "its share of the effort .. is spent") and how far `phase`
 * came, else F2L_OK. */
f2l_status f2l_task_poll(const f2l_task *task, const char *phase, double done, double total,
                         f2l_error *err);

#define F2L_POLL_STEPS 200

/* Polls like f2l_task_poll, without progress: called before seconds of work that cannot be polled.
 */
f2l_status f2l_task_goes_on(const f2l_task *task, const char *phase, f2l_error *err);

/* Counts `steps` of work that is about to be done. Returns F2L_UNKNOWN with a text that names
 * `phase`, and counts nothing, when fewer steps are left. It neither polls nor reports progress. */
f2l_status f2l_task_spend(const f2l_task *task, const char *phase, uint64_t steps, f2l_error *err);

/* A counter of the steps of a loop whose iterations take very different times: it polls at the
 * first steps, and then every few milliseconds. Task and phase are borrowed. */
typedef struct f2l_meter {
    const f2l_task *task;
    const char *phase;
    uint64_t until_poll; /* 0: the next steps poll */
} f2l_meter;

/* Does f2l_meter_spend where it is time to poll, or the effort may not suffice. */
f2l_status f2l_meter_poll(f2l_meter *meter, uint64_t steps, double done, double total,
                          f2l_error *err);

/* Counts `steps` of work that is about to be done, like f2l_task_spend, and polls when it is time,
 * like f2l_task_poll. */
static inline f2l_status f2l_meter_spend(f2l_meter *meter, uint64_t steps, double done,
                                         double total, f2l_error *err)
{
    if (!meter->task) return F2L_OK;
    f2l_effort *effort = meter->task->effort;
    if (steps >= meter->until_poll || (effort && !f2l_effort_suffices(effort, steps)))
        return f2l_meter_poll(meter, steps, done, total, err);
    if (effort) effort->spent += steps;
    meter->until_poll -= steps;
    return F2L_OK;
}

/* Returns min(a * b, UINT64_MAX), a number of steps. */
static inline uint64_t f2l_steps_of(uint64_t a, uint64_t b)
{
    uint64_t out;
    return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX : out;
}

/* Returns F2L_UNKNOWN with a clear text when `bytes` exceed the task's memory budget. */
f2l_status f2l_task_memory(const f2l_task *task, const char *phase, size_t bytes, f2l_error *err);

/* Checks the memory budget for a table of `bytes` bytes that is about to be made, and counts the
 * bytes as steps. */
f2l_status f2l_task_table(const f2l_task *task, const char *phase, size_t bytes, f2l_error *err);

#endif
