#include "cli/draw.h"
#include "library/version.h"
#include "reports/html/draw.h"
#include <stdio.h>

const char *f2l_cli_tool(char *text, size_t room)
{
    snprintf(text, room, "fsa2lrnn %s (commit %s)", f2l_version(), f2l_commit());
    return text;
}

bool f2l_cli_draws(void)
{
    const f2l_watchdog_cause cause = f2l_watchdog_stopped();
    return cause == F2L_WATCHDOG_NONE || cause == F2L_WATCHDOG_TIME;
}

void f2l_cli_draw(f2l_cli *cli, const char *folder, int status)
{
    f2l_error err;
    char tool[128];
    if (!f2l_cli_draws()) return;
    f2l_watchdog_hold();
    f2l_watchdog_settle(status);
    if (f2l_report_draw(folder, f2l_cli_tool(tool, sizeof tool), &err) != F2L_OK)
        f2l_cli_warn(cli, folder, "report.html is not drawn: %s", err.text);
}
