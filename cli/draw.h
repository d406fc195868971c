/* The pages about an output folder, which commands draw when their work is done. */
#ifndef F2L_CLI_DRAW_H
#define F2L_CLI_DRAW_H

#include "cli/cli.h"

/* The option --no-report for the record of a command, and what its help says. */
#define F2L_NO_REPORT(field) \
    { \
        "no-report", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, field, \
            "do not draw report.html and report.md" \
    }

/* Returns the program's name with version and commit, as pages have it. */
const char *f2l_cli_tool(char *text, size_t room);

/* Returns whether pages are still drawn: not after a signal, or when memory was out. */
bool f2l_cli_draws(void);

/* Draws report.html and report.md in the folder, if pages are still drawn. The result must be
 * printed already, with this exit status: a failure to draw is one line on standard error, and when
 * a time limit passes the process ends with the status after the grace. */
void f2l_cli_draw(f2l_cli *cli, const char *folder, int status);

#endif
