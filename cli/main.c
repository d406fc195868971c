#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/memory.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include <string.h>
#include <unistd.h>

/* One command a line, so that a new one is one new line. */
/* clang-format off */
const f2l_command *const f2l_commands[] = {&f2l_command_main, /* always the first */
                                           &f2l_command_compile,
                                           &f2l_command_new,
                                           &f2l_command_run,
                                           &f2l_command_cascade,
                                           &f2l_command_choose,
                                           &f2l_command_classify,
                                           &f2l_command_ladder,
                                           &f2l_command_census,
                                           &f2l_command_group,
                                           &f2l_command_fsa,
                                           &f2l_command_parity,
                                           &f2l_command_round,
                                           &f2l_command_obstruct,
                                           &f2l_command_export,
                                           &f2l_command_check_export,
                                           &f2l_command_inject,
                                           &f2l_command_vectors,
                                           &f2l_command_engines,
                                           &f2l_command_sample,
                                           &f2l_command_train,
                                           &f2l_command_evaluate,
                                           &f2l_command_import,
                                           &f2l_command_inspect,
                                           &f2l_command_compare,
                                           &f2l_command_horizon,
                                           &f2l_command_snap,
                                           &f2l_command_starts,
                                           &f2l_command_reproduce,
                                           &f2l_command_plan,
                                           &f2l_command_table,
                                           &f2l_command_report,
                                           &f2l_command_certify,
                                           &f2l_command_check,
                                           &f2l_command_help,
                                           &f2l_command_completion,
                                           NULL};
/* clang-format on */

/* Refuses a first operand that is no file, where it is spelled like a command, or is a bare word
 * before another operand; returns 0 for others. */
static int misspelled(const char *name, const char *next)
{
    f2l_cli cli = {.command = &f2l_command_main};
    const char *near = f2l_command_nearest(name);
    if (name[0] == '-' || access(name, F_OK) == 0) return 0;
    if (near)
        return f2l_cli_usage(&cli, "there is no command and no file '%s'; did you mean '%s'?", name,
                             near);
    if (!next || next[0] == '-' || strpbrk(name, "./")) return 0;
    return f2l_cli_usage(
        &cli, "there is no command and no file '%s'; fsa2lrnn help lists the commands", name);
}

/* Runs the command. Global options may precede its name: then the name is moved to the front. */
int main(int argc, char **argv)
{
    f2l_memory_guard();
    f2l_signals_install();
    int at = 1 + (argc > 1 ? f2l_options_leading(argc - 1, argv + 1) : 0);
    const f2l_command *command = at < argc ? f2l_command_find(argv[at]) : NULL;
    const int status = command || at >= argc ? 0 : misspelled(argv[at], argv[at + 1]);
    if (status) return status;
    if (!command) return f2l_cli_run(&f2l_command_main, argc > 0 ? argc - 1 : 0, argv + 1);
    for (int i = at; i > 1; i--) argv[i] = argv[i - 1];
    return f2l_cli_run(command, argc - 2, argv + 2);
}
