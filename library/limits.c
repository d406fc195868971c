/* Errors, limits and names of formats, between the interface and the inside. */
#include "library/impl.h"
#include <flint/flint.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

fsa2lrnn_status library_error(fsa2lrnn_error *out, f2l_status status, const f2l_error *err)
{
    if (status == F2L_OK || !out) return (fsa2lrnn_status)status;
    out->status = (fsa2lrnn_status)status;
    out->line = err->line;
    out->column = err->column;
    memcpy(out->text, err->text, sizeof out->text);
    return out->status;
}

fsa2lrnn_status library_invalid(fsa2lrnn_error *out, const char *format, ...)
{
    if (!out) return FSA2LRNN_EINVAL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(out->text, sizeof out->text, format, arguments);
    va_end(arguments);
    out->status = FSA2LRNN_EINVAL;
    out->line = out->column = 0;
    return FSA2LRNN_EINVAL;
}

/* Calls the caller's function. Worker threads poll as well: it is never run by two of them at
 * once. */
static void report_progress(void *context, const char *phase, double done, double total)
{
    library_task *t = context;
    pthread_mutex_lock(&t->lock);
    if (!t->cancelled && t->from->progress(t->from->context, phase, done, total) != 0)
        t->cancelled = SIGINT;
    pthread_mutex_unlock(&t->lock);
}

void library_task_begin(library_task *t, const fsa2lrnn_task *from)
{
    memset(t, 0, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    t->from = from;
    t->task.cancel = &t->cancelled;
    t->task.context = t;
    if (!from) return;
    t->task.jobs = from->threads;
    t->task.memory = from->memory;
    if (from->seconds > 0) t->task.deadline = f2l_now() + from->seconds;
    if (from->progress) t->task.progress = report_progress;
    t->effort.limit = F2L_STEPS * (uint64_t)from->effort;
}

void library_task_end(library_task *t)
{
    pthread_mutex_destroy(&t->lock);
    library_free_caches();
}

void library_free_caches(void)
{
    flint_cleanup();
}

fsa2lrnn_status library_arithmetic(library_numbers *out, const char *format, const char *schedule,
                                   fsa2lrnn_error *err)
{
    f2l_error inner;
    if (f2l_format_parse(&out->format, out->format_name, format, &inner) != F2L_OK)
        return library_invalid(err, "format '%.100s': %.300s", format, inner.text);
    if (!schedule) schedule = "every";
    if (f2l_schedule_parse(&out->schedule, out->schedule_name, schedule, &inner) != F2L_OK)
        return library_invalid(err, "schedule '%.100s': %.300s", schedule, inner.text);
    return library_error(err, f2l_schedule_check(&out->schedule, &out->format, &inner), &inner);
}
