#include "cli/interface.h"
#include <stdio.h>

int f2l_cli_refuse(f2l_cli *cli, const char *file, const fsa2lrnn_error *err)
{
    f2l_error inner;
    if (err->status == FSA2LRNN_EINVAL) return f2l_cli_usage(cli, "%s", err->text);
    (void)f2l_fail_at(&inner, err->line, err->column, "%s", err->text);
    inner.status = (f2l_status)err->status;
    return f2l_cli_fail(cli, file, &inner);
}

static int pass_progress_to_cli(void *context, const char *phase, double done, double total)
{
    const f2l_cli *cli = context;
    cli->task.progress(cli->task.context, phase, done, total);
    return f2l_task_stop(&cli->task) != F2L_STOP_NONE;
}

fsa2lrnn_task f2l_cli_interface_task(f2l_cli *cli)
{
    fsa2lrnn_task task = {.progress = pass_progress_to_cli,
                          .context = cli,
                          .memory = cli->task.memory,
                          .threads = cli->task.jobs};
    if (cli->task.deadline > 0) {
        const double left = cli->task.deadline - f2l_now();
        task.seconds = left > 1e-3 ? left : 1e-3;
    }
    return task;
}
