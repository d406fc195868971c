/* The best network so far, kept on the disk while the search goes on. */
#include "cli/compile/compile_job.h"
#include "cli/signals.h"
#include "numeric/base/mem.h"
#include <stdio.h>
#include <string.h>

#define ENDS (F2L_COMPILE_INTERRUPTED + 1)

static void clear_compile_stage(f2l_compile_stage *stage)
{
    for (size_t i = 0; i < ENDS; i++) {
        f2l_buf_clear(&stage->report[i]);
        f2l_buf_clear(&stage->printed[i]);
    }
    *stage = (f2l_compile_stage){0};
}

static void close_format(f2l_compile_format *out, const f2l_format *format,
                         const f2l_compile_cli *j, const f2l_compile_result *best)
{
    const f2l_schedule *schedule = j->compile.schedule;
    for (size_t i = 0; i < best->formats; i++) {
        *out = best->format[i];
        if (out->format == format && out->schedule == schedule) return;
    }
    *out = (f2l_compile_format){
        .format = format, .schedule = schedule, .closure = {.verdict = F2L_UNKNOWN}};
    snprintf(out->closure.reason, sizeof out->closure.reason,
             "the search was ended before it was closed");
}

/* Sets *view to the result as it is reported when the search ends here: formats that are still open
 * are UNKNOWN. *view borrows all members of the result. */
static void make_view(f2l_compile_result *view, const f2l_compile_cli *j,
                      const f2l_compile_result *best)
{
    *view = *best;
    view->formats = 0;
    for (size_t i = 0; i < F2L_MAX_FORMATS && j->compile.format[i]; i++)
        close_format(&view->format[view->formats++], j->compile.format[i], j, best);
}

/* Writes the text about the network for the case that the search ends here. */
static f2l_status render_end(f2l_compile_stage *stage, f2l_compile_cli *j, f2l_compile_result *view,
                             f2l_compile_end end, f2l_error *err)
{
    const bool prints = !j->o.pareto && (!j->cli.global.quiet || j->cli.global.json);
    view->search.end = end;
    f2l_status status =
        f2l_report_as_json(&stage->report[end], &f2l_compile_report_kind, &j->report, err);
    if (status == F2L_OK) status = f2l_buf_status(&stage->report[end], err);
    if (status == F2L_OK && prints)
        status = f2l_compile_cli_render(j, &stage->printed[end], &stage->report[end], err);
    return status;
}

static f2l_status write_network_stage(f2l_compile_stage *stage, f2l_compile_cli *j,
                                      f2l_compile_result *view, f2l_error *err)
{
    f2l_status status = f2l_compile_cli_describe(j, view, err);
    if (status == F2L_OK) status = f2l_outdir_begin_stage(&j->dir, err);
    if (status == F2L_OK) status = f2l_compile_cli_put(j, err);
    for (size_t end = F2L_COMPILE_TIME; status == F2L_OK && end < ENDS; end++)
        status = render_end(stage, j, view, (f2l_compile_end)end, err);
    if (status != F2L_OK) return status;
    const f2l_buf *report = &stage->report[F2L_COMPILE_INTERRUPTED];
    stage->theorem = view->theorem;
    stage->variant = view->variant;
    stage->verdict = f2l_compile_cli_verdict(j, view);
    memcpy(stage->file, j->report.file, sizeof stage->file);
    stage->files = j->report.files;
    stage->weights = j->report.weights;
    return f2l_outdir_write(&j->dir, "report.json", report->data, report->size, err);
}

/* Puts the new stage in the place of the old one, which becomes *stage. */
static void exchange_stages(f2l_compile_stage *stage, f2l_compile_cli *j)
{
    f2l_watchdog_hold();
    const f2l_compile_stage old = j->stage;
    const unsigned folder = f2l_outdir_complete_stage(&j->dir);
    j->stage = *stage;
    *stage = old;
    f2l_watchdog_release();
    f2l_outdir_remove_stage(&j->dir, folder);
}

/* Makes the stage of a better network. On failure the earlier stage is kept, and the end of the
 * work will fail in the same way with the reason. */
static void stage_better_network(void *context, const f2l_compile_result *best)
{
    f2l_compile_cli *j = context;
    f2l_compile_stage stage = {0};
    f2l_error err;
    f2l_compile_result *view = f2l_calloc(1, sizeof *view);
    if (!view) return;
    make_view(view, j, best);
    if (write_network_stage(&stage, j, view, &err) == F2L_OK)
        exchange_stages(&stage, j);
    else
        f2l_outdir_drop_stage(&j->dir);
    clear_compile_stage(&stage);
    f2l_free(view);
}

bool f2l_compile_cli_is_staged(const f2l_compile_cli *j, const f2l_compile_result *result)
{
    return j->stage.theorem && result->theorem && result->exact.verdict == F2L_OK &&
           strcmp(j->stage.theorem, result->theorem) == 0 &&
           strcmp(j->stage.variant, result->variant) == 0;
}

static bool publish(f2l_compile_cli *j, f2l_compile_end end)
{
    const f2l_buf *report = &j->stage.report[end];
    f2l_error err;
    if (!j->stage.theorem) return false;
    j->dir.hasty = true;
    return f2l_outdir_rewrite(&j->dir, "report.json", report->data, report->size, &err) == F2L_OK &&
           f2l_outdir_commit(&j->dir, &err) == F2L_OK;
}

int f2l_compile_cli_leave(f2l_compile_cli *j, f2l_watchdog_cause cause)
{
    static const f2l_compile_end ends[] = {[F2L_WATCHDOG_NONE] = F2L_COMPILE_INTERRUPTED,
                                           [F2L_WATCHDOG_SIGNAL] = F2L_COMPILE_INTERRUPTED,
                                           [F2L_WATCHDOG_TIME] = F2L_COMPILE_TIME,
                                           [F2L_WATCHDOG_MEMORY] = F2L_COMPILE_MEMORY,
                                           [F2L_WATCHDOG_EXHAUSTED] = F2L_COMPILE_MEMORY};
    const bool limit = cause == F2L_WATCHDOG_TIME || cause == F2L_WATCHDOG_MEMORY;
    const f2l_buf *text = &j->stage.printed[ends[cause]];
    char left[400];
    if (!j->published && !publish(j, ends[cause])) {
        f2l_outdir_abandon(&j->dir);
        return f2l_cli_leave(&j->cli, cause, "nothing was written");
    }
    if (!j->published) {
        j->published = true;
        j->status = j->stage.verdict;
        f2l_watchdog_print(text->data, text->size);
    }
    if (limit) return j->status;
    snprintf(left, sizeof left, "the best network so far was written to %.300s", j->out);
    return f2l_cli_leave(&j->cli, cause, left);
}

static int leave_compile(void *context, f2l_watchdog_cause cause)
{
    return f2l_compile_cli_leave(context, cause);
}

void f2l_compile_cli_listen(f2l_compile_cli *j)
{
    j->listener = (f2l_compile_listener){.found = stage_better_network, .context = j};
    j->compile.listener = &j->listener;
    f2l_watchdog_guard(leave_compile, j);
}

void f2l_compile_cli_close(f2l_compile_cli *j)
{
    f2l_watchdog_hold();
    j->stage.theorem = NULL;
    f2l_signals_guard(NULL);
    f2l_outdir_close(&j->dir);
    f2l_watchdog_release();
}

void f2l_compile_cli_clear_stage(f2l_compile_cli *j)
{
    clear_compile_stage(&j->stage);
}
