/* What every command shares: reading its options, the task its work runs under, messages, exit
 * statuses. */
#ifndef F2L_CLI_H
#define F2L_CLI_H

#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/watchdog.h"
#include "numeric/base/task.h"
#include <jansson.h>

#define F2L_EXIT_REFUTED 1
#define F2L_EXIT_UNKNOWN 2
#define F2L_EXIT_USAGE 64
#define F2L_EXIT_FORMAT 65
#define F2L_EXIT_DOMAIN 69
#define F2L_EXIT_MEMORY 71
#define F2L_EXIT_EXISTS 73
#define F2L_EXIT_IO 74
#define F2L_EXIT_SIGNAL 128

typedef struct f2l_cli {
    const f2l_command *command;
    f2l_global global;
    char **operand;
    size_t operands;
    f2l_terminal terminal;
    f2l_task task;     /* with cancellation, deadline, memory, jobs and progress from the options */
    bool write_failed; /* standard output refused something; then errno of that */
    int write_error;
} f2l_cli;

/* Parses the arguments into cli and the command's own record. False when the command is over
 * already: wrong usage, --help or --version; *status is then the exit status. */
bool f2l_cli_begin(f2l_cli *cli, const f2l_command *command, int argc, char **argv, void *values,
                   int *status);

/* Closes standard output, and where the work was told to stop ends the process: nothing is left but
 * to free what it took, which can last long. When that or an earlier write failed, says so (a
 * closed pipe: silently) and returns 74 (128 + SIGPIPE) in place of a status below 64. */
int f2l_cli_end(f2l_cli *cli, int status);

/* "fsa2lrnn: error: ..." and a pointer to the help; returns 64. */
int f2l_cli_usage(f2l_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "fsa2lrnn: FILE:LINE:COL: error: text" (FILE may be NULL) and returns the exit status that
 * belongs to the error; after a signal it says instead how far the work came and returns 128 + n.
 */
int f2l_cli_fail(f2l_cli *cli, const char *file, const f2l_error *err);

/* The message and status after a signal; `left` says what became of the output. */
int f2l_cli_interrupted(f2l_cli *cli, const char *left);

/* For emergencies (cli/watchdog.h): the message and the status for the cause, past stdio. */
int f2l_cli_leave(const f2l_cli *cli, f2l_watchdog_cause cause, const char *left);

/* "fsa2lrnn: FILE: warning: ..." unless --quiet. */
void f2l_cli_warn(f2l_cli *cli, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes to standard output; false when that failed now or before, which f2l_cli_end reports. */
bool f2l_cli_write(f2l_cli *cli, const char *bytes, size_t size, bool flush);

/* Writes the buffer and clears it; returns 0, or the status after the message that memory was out.
 */
int f2l_cli_print(f2l_cli *cli, f2l_buf *text);
/* The same of text that `status` says was made, and err why not. */
int f2l_cli_show(f2l_cli *cli, f2l_buf *text, f2l_status status, const f2l_error *err);

/* The same as one line of JSON: {"schema":1, NAME: text}. */
int f2l_cli_print_json(f2l_cli *cli, const char *name, f2l_buf *text);

/* Writes a JSON value as one line and releases it; NULL counts as out of memory. */
int f2l_cli_print_value(f2l_cli *cli, json_t *value);

#endif
