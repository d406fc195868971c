/* Functions that all commands share: reading options, the task of the work, messages, exit
 * statuses. */
#ifndef F2L_CLI_H
#define F2L_CLI_H

#include "cli/options.h"
#include "cli/terminal.h"
#include "cli/watchdog.h"
#include "numeric/base/task.h"
#include "reports/model/shared_facts.h"

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
    f2l_given given; /* the options that the user gave */
    char **operand;
    size_t operands;
    f2l_terminal terminal;
    f2l_task task;     /* with cancellation, deadline, memory, jobs and progress from the options */
    bool write_failed; /* a write to standard output failed, with errno `write_error` */
    int write_error;
} f2l_cli;

/* Parses the arguments into cli and the command's record. Returns false, with the exit status in
 * *status, when the command is over: wrong usage, --help or --version. */
bool f2l_cli_begin(f2l_cli *cli, const f2l_command *command, int argc, char **argv, void *values,
                   int *status);

/* Closes standard output. When this or an earlier write failed, prints a message (none for a closed
 * pipe) and returns 74 (128 + SIGPIPE) instead of a status below 64. If the work was told to stop,
 * ends the process at once, since freeing the memory can take long. */
int f2l_cli_end(f2l_cli *cli, int status);

/* Prints "fsa2lrnn: error: ..." and a pointer to the help; returns 64. */
int f2l_cli_usage(f2l_cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "fsa2lrnn: FILE:LINE:COL: error: text" (FILE may be NULL) and returns the exit status of
 * the error; after a signal prints the progress instead, and returns 128 + n. */
int f2l_cli_fail(f2l_cli *cli, const char *file, const f2l_error *err);

/* Prints the message after a signal, where `left` describes the output, and returns the status. */
int f2l_cli_interrupted(f2l_cli *cli, const char *left);

/* Prints the message for the cause without stdio, and returns the status; for emergencies
 * (cli/watchdog.h). */
int f2l_cli_leave(const f2l_cli *cli, f2l_watchdog_cause cause, const char *left);

/* Returns the name of an input file for messages: "-" is standard input. */
const char *f2l_cli_input_name(const char *path);

/* Prints "fsa2lrnn: FILE: warning: ..." unless --quiet. */
void f2l_cli_warn(f2l_cli *cli, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes to standard output; returns false when this or an earlier write failed, which f2l_cli_end
 * reports. */
bool f2l_cli_write(f2l_cli *cli, const char *bytes, size_t size, bool flush);

/* Writes the buffer, with hidden characters other than newlines and tabs as escapes, and clears it;
 * returns 0, or the exit status after the message. */
int f2l_cli_print(f2l_cli *cli, f2l_buf *text);
/* Prints the text if status is F2L_OK, otherwise the error; returns 0, or the exit status after the
 * message. */
int f2l_cli_show(f2l_cli *cli, f2l_buf *text, f2l_status status, const f2l_error *err);

/* Prints the report as text, or with --json as JSON; returns 0, or the exit status after the
 * message. */
int f2l_cli_report(f2l_cli *cli, const f2l_report_kind *kind, const void *report);

/* Prints the bytes of a file, with --json as one line, the report NAME with the fact NAME, and
 * clears it; returns 0, or the exit status after the message. */
int f2l_cli_print_named(f2l_cli *cli, const char *name, f2l_buf *text);

/* Prints the facts as one line of JSON and clears them; returns 0, or the exit status after the
 * message. */
int f2l_cli_print_facts(f2l_cli *cli, f2l_facts *facts);

#endif
