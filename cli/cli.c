#include "cli/cli.h"
#include "cli/input_options.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "numeric/base/mem.h"
#include "numeric/base/visible.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints text to standard error in one line, so that names from a file cannot move the cursor or
 * colour the screen. */
static void say(const char *text)
{
    f2l_buf shown;
    f2l_buf_init(&shown);
    f2l_buf_visible(&shown, text, strlen(text), "");
    if (shown.data) fputs(shown.data, stderr);
    f2l_buf_clear(&shown);
}

static void message(f2l_cli *cli, const char *file, const char *kind, const char *text)
{
    f2l_terminal_erase(&cli->terminal);
    fputs("fsa2lrnn: ", stderr);
    if (file) {
        say(file);
        fputs(": ", stderr);
    }
    fputs(kind, stderr);
    fputs(": ", stderr);
    say(text);
    fputc('\n', stderr);
    if (strcmp(kind, "warning") == 0) return;
    snprintf(cli->work.reason, sizeof cli->work.reason, "%s%s%s", file ? file : "",
             file ? ": " : "", text);
}

static void set_task(f2l_cli *cli)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    cli->task.cancel = f2l_signals_flag();
    cli->task.jobs = cli->global.jobs ? (unsigned)cli->global.jobs
                     : processors > 0 ? (unsigned)processors
                                      : 1;
    cli->task.memory = (size_t)cli->global.memory;
    if (cli->global.time_limit > 0) cli->task.deadline = f2l_now() + cli->global.time_limit;
    cli->task.progress = f2l_terminal_progress;
    cli->task.context = &cli->terminal;
}

/* Refuses the name of a command where a file is expected and none has this name. */
static int check_operands(f2l_cli *cli)
{
    const f2l_command *c = cli->command;
    for (size_t i = 0; i < cli->operands; i++) {
        const char *name = cli->operand[i];
        if (c->files[i < 2 ? i : 2] == F2L_FILES_NONE && c->name[0]) continue;
        if (i == 0 && c->operand &&
            f2l_choice_find(c->operand, name, strlen(name)) != F2L_NO_CHOICE)
            continue;
        if (!f2l_command_find(name) || access(name, F_OK) == 0) continue;
        if (!c->name[0])
            return f2l_cli_usage(cli, "the command '%s' comes first, before files and its options",
                                 name);
        return f2l_cli_usage(cli, "'%s' is a command, and there is no such file", name);
    }
    return 0;
}

bool f2l_cli_write(f2l_cli *cli, const char *bytes, size_t size, bool flush)
{
    errno = 0;
    if (cli->work.keeps_printed) {
        f2l_buf_bytes(&cli->work.printed, bytes, size);
        return true;
    }
    if (cli->write_failed) return false;
    if ((size && fwrite(bytes, 1, size, stdout) != size) || (flush && fflush(stdout) != 0)) {
        cli->write_failed = true;
        cli->write_error = errno;
    }
    return !cli->write_failed;
}

static int close_output(f2l_cli *cli, int status)
{
    f2l_terminal_erase(&cli->terminal);
    f2l_cli_write(cli, "", 0, true);
    errno = 0;
    if (fclose(stdout) != 0 && !cli->write_failed) {
        cli->write_failed = true;
        cli->write_error = errno;
    }
    if (!cli->write_failed || status >= F2L_EXIT_USAGE) return status;
    if (cli->write_error == EPIPE) return F2L_EXIT_SIGNAL + SIGPIPE;
    message(cli, "standard output", "error",
            cli->write_error ? strerror(cli->write_error) : "writing failed");
    return F2L_EXIT_IO;
}

/* Closes standard output; returns the exit status. */
static int end_work(f2l_cli *cli, int status)
{
    status = close_output(cli, status);
    f2l_watchdog_deliver(status);
#ifndef __SANITIZE_ADDRESS__ /* the sanitizer reports memory that is not freed */
    if (f2l_watchdog_stopped()) exit(status);
#endif
    return status;
}

/* Keeps the command as it was given: reading the options moves the operands. */
static bool keep_arguments(f2l_cli *cli, int argc, char **argv)
{
    cli->argument = f2l_calloc((size_t)argc + 2, sizeof *cli->argument);
    if (!cli->argument) return false;
    cli->argument[cli->arguments++] = "fsa2lrnn";
    cli->argument[cli->arguments++] = cli->command->name;
    for (int i = 0; i < argc; i++) cli->argument[cli->arguments++] = argv[i];
    return true;
}

/* Prints the help, or the versions. Returns the exit status. */
static int print_about(f2l_cli *cli)
{
    f2l_buf text;
    if (!cli->global.help) return f2l_cli_report(cli, &f2l_version_kind, NULL);
    f2l_buf_init(&text);
    f2l_usage_help(&text, cli->command);
    return f2l_cli_print_named(cli, "help", &text);
}

/* Reads the options, starts the watchdog, and takes up the work of --continue. Returns false, with
 * the exit status in *status, when the command is over: wrong usage, --help or --version, or work
 * that is done. */
static bool begin_work(f2l_cli *cli, int argc, char **argv, int *status)
{
    f2l_error err;
    const f2l_command *command = cli->command;
    cli->operand = argv;
    if (!f2l_options_parse(command, argc, argv, (char *)cli + command->values_at, &cli->global,
                           &cli->given, &cli->operands, &err)) {
        *status = f2l_cli_usage(cli, "%s", err.text);
        return false;
    }
    f2l_input_settle(command, (char *)cli + command->values_at, &cli->given, cli->operands);
    *status = cli->global.help || cli->global.version ? 0 : check_operands(cli);
    if (*status) return false;
    f2l_terminal_init(&cli->terminal, cli->global.quiet);
    set_task(cli);
    bool over = cli->global.help || cli->global.version;
    if (over) {
        *status = print_about(cli);
    } else {
        f2l_watchdog_start(cli);
        *status = f2l_continue_begin(cli, &over);
    }
    if (*status == 0 && !over) return true;
    *status = end_work(cli, *status);
    return false;
}

int f2l_cli_run(const f2l_command *command, int argc, char **argv)
{
    int status = F2L_EXIT_MEMORY;
    f2l_cli *job = f2l_calloc(1, command->job_size);
    if (!job) return status;
    job->command = command;
    if (command->init) command->init(job);
    if (command->values)
        memcpy((char *)job + command->values_at, command->values, command->values_size);
    job->work.lock = -1;
    if (keep_arguments(job, argc, argv) && begin_work(job, argc, argv, &status))
        status = end_work(job, f2l_continue_end(job, command->run(job)));
    f2l_continue_clear(job);
    if (command->clear) command->clear(job);
    f2l_free(job->argument);
    f2l_free(job);
    return status;
}

/* Prints the content of a file, byte for byte, and clears it. */
static int print_file(f2l_cli *cli, f2l_buf *text)
{
    f2l_error err;
    int status = f2l_buf_status(text, &err) == F2L_OK ? 0 : f2l_cli_fail(cli, NULL, &err);
    if (status == 0 && text->size) f2l_cli_write(cli, text->data, text->size, true);
    f2l_buf_clear(text);
    return status;
}

int f2l_cli_print(f2l_cli *cli, f2l_buf *text)
{
    f2l_buf shown;
    f2l_buf_init(&shown);
    f2l_buf_visible(&shown, text->data ? text->data : "", text->size, "\n\t");
    shown.failed = shown.failed || text->failed;
    f2l_buf_clear(text);
    return print_file(cli, &shown);
}

int f2l_cli_show(f2l_cli *cli, f2l_buf *text, f2l_status status, const f2l_error *err)
{
    f2l_terminal_erase(&cli->terminal);
    if (status == F2L_OK) return f2l_cli_print(cli, text);
    f2l_buf_clear(text);
    return f2l_cli_fail(cli, NULL, err);
}

int f2l_cli_report(f2l_cli *cli, const f2l_report_kind *kind, const void *report)
{
    f2l_error err;
    f2l_buf text;
    f2l_buf_init(&text);
    const f2l_status status = f2l_report_write(&text, kind, report, cli->global.json, &err);
    return f2l_cli_show(cli, &text, status, &err);
}

int f2l_cli_print_facts(f2l_cli *cli, f2l_facts *facts)
{
    f2l_error err;
    f2l_buf text;
    f2l_buf_init(&text);
    const f2l_status status = f2l_facts_write(&text, facts, (f2l_facts_style){.digits = 17}, &err);
    f2l_facts_clear(facts);
    return f2l_cli_show(cli, &text, status, &err);
}

int f2l_cli_print_named(f2l_cli *cli, const char *name, f2l_buf *text)
{
    f2l_facts facts;
    if (!cli->global.json) return print_file(cli, text);
    f2l_facts_init(&facts);
    f2l_say_report(f2l_facts_root(&facts), name);
    f2l_say_buf(f2l_facts_root(&facts), name, text);
    return f2l_cli_print_facts(cli, &facts);
}

int f2l_cli_usage(f2l_cli *cli, const char *format, ...)
{
    char text[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message(cli, NULL, "error", text);
    fprintf(stderr, "Try 'fsa2lrnn help%s%s'.\n", cli->command->name[0] ? " " : "",
            cli->command->name);
    return F2L_EXIT_USAGE;
}

static int exit_status(f2l_status status)
{
    switch (status) {
    case F2L_OK:
        return 0;
    case F2L_REFUTED:
        return F2L_EXIT_REFUTED;
    case F2L_UNKNOWN:
        return F2L_EXIT_UNKNOWN;
    case F2L_EDOMAIN:
        return F2L_EXIT_DOMAIN;
    case F2L_EFORMAT:
        return F2L_EXIT_FORMAT;
    case F2L_EIO:
        return F2L_EXIT_IO;
    case F2L_EEXIST:
        return F2L_EXIT_EXISTS;
    case F2L_ENOMEM:
        return F2L_EXIT_MEMORY;
    }
    return F2L_EXIT_IO;
}

/* Appends "by SIGINT after closing: 12 of 50; LEFT". */
static void interruption(f2l_buf *out, const f2l_cli *cli, const char *left)
{
    f2l_buf reached;
    f2l_buf_init(&reached);
    f2l_terminal_reached(&cli->terminal, &reached);
    f2l_buf_printf(out, "by %s", f2l_signals_name(f2l_signals_caught()));
    if (reached.size) f2l_buf_printf(out, " after %s", reached.data);
    f2l_buf_printf(out, "; %s", left);
    f2l_buf_clear(&reached);
}

int f2l_cli_interrupted(f2l_cli *cli, const char *left)
{
    const int status = F2L_EXIT_SIGNAL + f2l_signals_caught();
    f2l_buf text;
    f2l_buf_init(&text);
    interruption(&text, cli, left);
    f2l_watchdog_hold();
    message(cli, NULL, "interrupted", text.data ? text.data : "");
    f2l_watchdog_settle(status);
    f2l_buf_clear(&text);
    return status;
}

/* Appends "time limit reached: closing: 12 of 50; LEFT". */
static void limit_reached(f2l_buf *out, const f2l_cli *cli, const char *limit, const char *left)
{
    f2l_buf_printf(out, "%s reached: ", limit);
    const size_t size = out->size;
    f2l_terminal_reached(&cli->terminal, out);
    f2l_buf_printf(out, "%s%s", out->size > size ? "; " : "", left);
}

int f2l_cli_leave(const f2l_cli *cli, f2l_watchdog_cause cause, const char *left)
{
    static const char least[] = "fsa2lrnn: error: out of memory\n";
    static const int status[] = {[F2L_WATCHDOG_TIME] = F2L_EXIT_UNKNOWN,
                                 [F2L_WATCHDOG_MEMORY] = F2L_EXIT_UNKNOWN,
                                 [F2L_WATCHDOG_EXHAUSTED] = F2L_EXIT_MEMORY};
    f2l_buf text;
    f2l_buf_init(&text);
    if (cli->terminal.shown) f2l_buf_text(&text, "\r\033[K");
    f2l_buf_printf(&text, "fsa2lrnn: %s: ", cause == F2L_WATCHDOG_SIGNAL ? "interrupted" : "error");
    if (cause == F2L_WATCHDOG_SIGNAL)
        interruption(&text, cli, left);
    else if (cause == F2L_WATCHDOG_EXHAUSTED)
        f2l_buf_printf(&text, "out of memory; %s", left);
    else
        limit_reached(&text, cli, cause == F2L_WATCHDOG_TIME ? "time limit" : "memory limit", left);
    f2l_buf_text(&text, "\n");
    if (text.failed)
        f2l_watchdog_print_error(least, sizeof least - 1);
    else
        f2l_watchdog_print_error(text.data, text.size);
    f2l_buf_clear(&text);
    return cause == F2L_WATCHDOG_SIGNAL ? F2L_EXIT_SIGNAL + f2l_signals_caught() : status[cause];
}

int f2l_cli_fail(f2l_cli *cli, const char *file, const f2l_error *err)
{
    if (f2l_signals_caught()) return f2l_cli_interrupted(cli, "no partial output is left");
    f2l_buf where;
    f2l_buf_init(&where);
    /* The text of these errors already contains the path. */
    const bool system = err->status == F2L_EIO || err->status == F2L_EEXIST;
    if (file && system && strstr(err->text, file)) file = NULL;
    if (file) f2l_buf_text(&where, file);
    if (file && err->line) f2l_buf_printf(&where, ":%zu", err->line);
    if (file && err->line && err->column) f2l_buf_printf(&where, ":%zu", err->column);
    f2l_watchdog_hold();
    message(cli, where.size ? where.data : file, "error", err->text);
    f2l_watchdog_settle(exit_status(err->status));
    f2l_buf_clear(&where);
    return exit_status(err->status);
}

const char *f2l_cli_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "stdin" : path;
}

void f2l_cli_warn(f2l_cli *cli, const char *file, const char *format, ...)
{
    if (cli->global.quiet) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    message(cli, file, "warning", text);
}
