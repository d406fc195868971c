/* `compile --pareto`: prints a row of the list as soon as it is proved, and the comparison of the
 * rows at the end. */
#include "cli/compile/compile_job.h"
#include "cli/signals.h"

static bool list_is_text(const f2l_compile_cli *j)
{
    return !j->cli.global.json && !j->cli.global.quiet;
}

/* Prints a row. When memory does not suffice for a line, it did not suffice for the row either, and
 * the end of the list reports this. */
static void show_row(void *context, const f2l_compile_entry *entry)
{
    f2l_compile_cli *j = context;
    f2l_error err;
    f2l_buf text;
    f2l_buf_init(&text);
    if (f2l_report_list_row(&text, entry, &err) == F2L_OK && text.size) {
        f2l_terminal_erase(&j->cli.terminal);
        f2l_cli_write(&j->cli, text.data, text.size, true);
    }
    f2l_buf_clear(&text);
}

static int leave_list(void *context, f2l_watchdog_cause cause)
{
    f2l_compile_cli *j = context;
    return f2l_cli_leave(&j->cli, cause, "the rows printed are right, and others may be missing");
}

int f2l_compile_cli_list_begin(f2l_compile_cli *j)
{
    f2l_error err;
    f2l_buf text;
    if (!list_is_text(j)) return 0;
    j->listener.listed = show_row;
    j->listener.context = j;
    j->compile.listener = &j->listener;
    if (!j->out) f2l_watchdog_guard(leave_list, j);
    f2l_buf_init(&text);
    f2l_status status = f2l_compile_cli_describe(j, &j->compiled, &err);
    if (status == F2L_OK) status = f2l_report_list_head(&text, &j->report, &err);
    return f2l_cli_show(&j->cli, &text, status, &err);
}

int f2l_compile_cli_list_end(f2l_compile_cli *j)
{
    if (j->cli.global.quiet && !j->cli.global.json) return 0;
    return f2l_cli_report(&j->cli, &f2l_compile_list_kind, &j->report);
}
