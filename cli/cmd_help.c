#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/usage.h"
#include "cli/version.h"
#include "library/version.h"

typedef struct job {
    f2l_cli cli;
    struct help_options {
        bool man;
    } o;
} job;

static const f2l_option table[] = {{"man", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0,
                                    offsetof(struct help_options, man),
                                    "print the manual page (roff)"},
                                   {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static const char *command_name(size_t index)
{
    return f2l_commands[index + 1] ? f2l_commands[index + 1]->name : NULL;
}

static int run_help(void *context)
{
    job *j = context;
    f2l_cli *cli = &j->cli;
    if (cli->operands > 1) return f2l_cli_usage(cli, "one command is explained at a time");
    const f2l_command *command = &f2l_command_main;
    if (cli->operands) command = f2l_command_find(cli->operand[0]);
    if (!command) {
        const char *near = f2l_command_nearest(cli->operand[0]);
        return f2l_cli_usage(cli, "there is no command '%s'%s%s%s", cli->operand[0],
                             near ? "; did you mean '" : "; fsa2lrnn help lists the commands",
                             near ? near : "", near ? "'?" : "");
    }
    f2l_buf text;
    f2l_buf_init(&text);
    if (j->o.man)
        f2l_usage_man(&text, f2l_version());
    else
        f2l_usage_help(&text, command);
    return f2l_cli_print_named(cli, "help", &text);
}

const f2l_command f2l_command_help = {
    .name = "help",
    .usage = (const char *const[]){"help [COMMAND]", "help --man", NULL},
    .summary = "explains a command",
    .description = "Prints the help text of COMMAND, or of the main job without COMMAND.",
    .options = table,
    .operand = command_name,
    .examples = (const f2l_example[]){{"fsa2lrnn help run", "how words are given to a network"},
                                      {NULL, NULL}},
    F2L_JOB_VALUES,
    .run = run_help};
