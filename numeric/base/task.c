#include "numeric/base/task.h"
#include <time.h>

double f2l_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double f2l_processor_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

f2l_stop f2l_task_stop(const f2l_task *task)
{
    const int cancel = task && task->cancel ? (int)*task->cancel : 0;
    if (cancel) return cancel == F2L_CANCEL_MEMORY ? F2L_STOP_MEMORY : F2L_STOP_SIGNAL;
    return task && task->deadline > 0 && f2l_now() >= task->deadline ? F2L_STOP_TIME
                                                                     : F2L_STOP_NONE;
}

const char *f2l_stop_name(f2l_stop stop)
{
    static const char *const name[] = {NULL, "interrupted", "memory limit", "time limit"};
    return name[stop];
}

const char *f2l_stop_text(f2l_stop stop)
{
    static const char *const text[] = {NULL, "interrupted", "memory limit reached",
                                       "time limit reached"};
    return text[stop];
}

static f2l_status fail_stopped(f2l_error *err, const char *why, const char *phase, double done,
                               double total)
{
    if (total > 0)
        return f2l_fail(err, F2L_UNKNOWN, "%s: %s, at %.0f of %.0f", why, phase, done, total);
    return f2l_fail(err, F2L_UNKNOWN, "%s: %s, at %.0f", why, phase, done);
}

/* Polls like f2l_task_poll, but counts nothing. */
static f2l_status poll_uncounted(const f2l_task *task, const char *phase, double done, double total,
                                 f2l_error *err)
{
    const f2l_stop stop = f2l_task_stop(task);
    if (stop) return fail_stopped(err, f2l_stop_text(stop), phase, done, total);
    if (task->progress) task->progress(task->context, phase, done, total);
    return F2L_OK;
}

f2l_status f2l_task_poll(const f2l_task *task, const char *phase, double done, double total,
                         f2l_error *err)
{
    if (!task) return F2L_OK;
    const f2l_status status = f2l_task_spend(task, phase, F2L_POLL_STEPS, err);
    return status == F2L_OK ? poll_uncounted(task, phase, done, total, err) : status;
}

f2l_status f2l_task_goes_on(const f2l_task *task, const char *phase, f2l_error *err)
{
    if (!task) return F2L_OK;
    const f2l_task quiet = {
        .cancel = task->cancel, .deadline = task->deadline, .effort = task->effort};
    return f2l_task_poll(&quiet, phase, 0, 0, err);
}

f2l_status f2l_task_spend(const f2l_task *task, const char *phase, uint64_t steps, f2l_error *err)
{
    f2l_effort *effort = task ? task->effort : NULL;
    if (!effort) return F2L_OK;
    if (!f2l_effort_suffices(effort, steps)) {
        effort->refused = true;
        return f2l_fail(err, F2L_UNKNOWN, "%.1f million steps of effort do not suffice: %s",
                        (double)(effort->limit ? effort->limit : UINT64_MAX) / 1e6, phase);
    }
    effort->spent += steps;
    return F2L_OK;
}

#define STEPS_PER_POLL ((uint64_t)1 << 18)

f2l_status f2l_meter_poll(f2l_meter *meter, uint64_t steps, double done, double total,
                          f2l_error *err)
{
    const f2l_status status = f2l_task_spend(meter->task, meter->phase, steps, err);
    if (status != F2L_OK) return status;
    if (steps < meter->until_poll) {
        meter->until_poll -= steps;
        return F2L_OK;
    }
    meter->until_poll = STEPS_PER_POLL;
    return poll_uncounted(meter->task, meter->phase, done, total, err);
}

f2l_status f2l_task_memory(const f2l_task *task, const char *phase, size_t bytes, f2l_error *err)
{
    if (!task || task->memory == 0 || bytes <= task->memory) return F2L_OK;
    return f2l_fail(err, F2L_UNKNOWN, "memory limit reached: %s needs %.1f MiB of %.1f MiB", phase,
                    (double)bytes / 1048576, (double)task->memory / 1048576);
}

f2l_status f2l_task_table(const f2l_task *task, const char *phase, size_t bytes, f2l_error *err)
{
    const f2l_status status = f2l_task_memory(task, phase, bytes, err);
    return status == F2L_OK ? f2l_task_spend(task, phase, bytes, err) : status;
}
