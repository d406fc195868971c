/* Functions that all commands share: reading options, the task of the work, messages, exit
 * statuses. */
#ifndef F2L_CLI_H
#define F2L_CLI_H

#include "cli/continue.h"
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

/* What every command has, and the first member of its job. */
typedef struct f2l_cli {
    const f2l_command *command;
    const char **argument; /* [arguments] the command as it was given, from "fsa2lrnn" on */
    size_t arguments;
    f2l_global global;
    f2l_given given; /* the options that the user gave */
    char **operand;
    size_t operands;
    f2l_terminal terminal;
    f2l_task task;     /* with cancellation, deadline, memory, jobs and progress from the options */
    bool write_failed; /* a write to standard output failed, with errno `write_error` */
    int write_error;
    f2l_work work; /* of --continue */
} f2l_cli;

/* Runs a command on the arguments after its name, and returns the exit status: makes its job, reads
 * the options into it, does the work, closes standard output and frees the job. When a write to
 * standard output failed, prints a message (none for a closed pipe) and returns 74 (128 + SIGPIPE)
 * instead of a status below 64. If the work was told to stop, ends the process at once, since
 * freeing the memory can take long. */
int f2l_cli_run(const f2l_command *command, int argc, char **argv);

/* --- jobs ---
 * A job is a struct with the members `f2l_cli cli`, which is the first, and `o`, the record of the
 * options. Its file lists once which parts of it have functions: part(T, m) is a member m that
 * T_init makes empty and T_clear frees, and clear(CALL) frees something else of the job *j.
 *
 *     #define PARTS(part, clear) part(f2l_grammar, grammar), clear(f2l_free(j->row))
 *     F2L_JOB(PARTS)
 *
 * defines init_job and clear_job, and F2L_JOB_ROW in the command's record names them. */
#define F2L_JOB(PARTS) \
    static void init_job(void *context) \
    { \
        job *j = context; \
        PARTS(F2L_JOB_INIT, F2L_JOB_SKIP); \
    } \
    static void clear_job(void *context) \
    { \
        job *j = context; \
        PARTS(F2L_JOB_CLEAR, F2L_JOB_CALL); \
    }
#define F2L_JOB_INIT(type, member) type##_init(&j->member)
#define F2L_JOB_CLEAR(type, member) type##_clear(&j->member)
#define F2L_JOB_CALL(call) call
#define F2L_JOB_SKIP(call) (void)j
#define F2L_JOB_VALUES \
    .job_size = sizeof(job), .values_at = offsetof(job, o), .values_size = sizeof(((job *)NULL)->o)
#define F2L_JOB_ROW F2L_JOB_VALUES, .init = init_job, .clear = clear_job

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

/* Writes to standard output; returns false when this or an earlier write failed, which f2l_cli_run
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
