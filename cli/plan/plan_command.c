/* The command that is planned. */
#include "cli/commands.h"
#include "cli/continue.h"
#include "cli/plan/plan_job.h"
#include "cli/usage.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Options that would name one folder or file for all units, or that a plan gives itself. */
static const char *const refused[] = {"out",       "force",   "continue",   "certificates",
                                      "tokenizer", "product", "cascade-of", "apart",
                                      "resume",    NULL};

void f2l_planned_clear(f2l_planned *p)
{
    f2l_free(p->job);
    f2l_free(p->word);
    f2l_free(p->copy);
}

static int refuse_command(f2l_cli *cli, const char *name)
{
    f2l_buf all;
    f2l_buf_init(&all);
    for (size_t i = 1; f2l_commands[i]; i++)
        if (f2l_commands[i]->work)
            f2l_buf_printf(&all, "%s%s", all.size ? ", " : "", f2l_commands[i]->name);
    const int code = f2l_cli_usage(cli, "there are no plans for '%s', but for the main job, %s",
                                   name, all.data ? all.data : "");
    f2l_buf_clear(&all);
    return code;
}

/* Sets the command and copies its arguments. Returns 0 or the exit status after the message. */
static int choose_command(f2l_plan_job *j, size_t *arguments)
{
    f2l_error err;
    f2l_planned *p = &j->planned;
    f2l_cli *cli = &j->cli;
    const f2l_command *named = cli->operands ? f2l_command_find(cli->operand[0]) : NULL;
    if (cli->operands == 0 && !j->o.list)
        return f2l_cli_usage(cli, "a command is expected after --, or grammars for the main job");
    if (named && !named->work) return refuse_command(cli, named->name);
    p->command = named ? named : &f2l_command_main;
    *arguments = cli->operands - (named ? 1 : 0);
    p->job = f2l_calloc(1, p->command->job_size);
    p->copy = f2l_calloc(*arguments + 1, sizeof *p->copy);
    p->word = f2l_calloc(*arguments + 1, sizeof *p->word);
    if (!p->job || !p->copy || !p->word)
        return f2l_cli_fail(cli, NULL, (f2l_fail_memory(&err), &err));
    for (size_t i = 0; i < *arguments; i++) p->copy[i] = cli->operand[i + (named ? 1 : 0)];
    return 0;
}

/* Keeps the options as they were given. */
static void keep_words(f2l_planned *p, size_t arguments)
{
    for (size_t i = 0; i < arguments; i++) {
        f2l_option_group group;
        const char *value, *argument = p->copy[i];
        if (strcmp(argument, "--") == 0) return;
        if (argument[0] != '-' || !argument[1]) continue;
        const f2l_option *o = f2l_options_match(p->command, argument, &group, &value);
        if (!o) continue;
        p->word[p->words++] = argument;
        if (o->kind != F2L_OPTION_FLAG && !value && i + 1 < arguments)
            p->word[p->words++] = p->copy[++i];
    }
}

/* Refuses options that do not go with a plan. */
static int check_words(f2l_plan_job *j)
{
    for (size_t i = 0; refused[i]; i++)
        if (f2l_given_has(&j->planned.given, refused[i]))
            return f2l_cli_usage(&j->cli,
                                 "--%s does not go with a plan, whose units have folders of their "
                                 "own, below --out of plan",
                                 refused[i]);
    if (j->planned.global.help || j->planned.global.version)
        return f2l_cli_usage(&j->cli, "--help and --version come before --");
    return 0;
}

static const f2l_input_options *find_input_options(const f2l_planned *p)
{
    if (p->command->files[0] != F2L_FILES_GRAMMAR) return NULL;
    for (const f2l_option_group *group = p->command->groups; group->title; group++)
        if (group->options == f2l_input_table)
            return (const void *)((char *)p->job + p->command->values_at + group->offset);
    return NULL;
}

int f2l_plan_read_command(f2l_plan_job *j)
{
    f2l_error err;
    size_t arguments = 0;
    f2l_planned *p = &j->planned;
    const int code = choose_command(j, &arguments);
    if (code) return code;
    char *values = (char *)p->job + p->command->values_at;
    if (p->command->values) memcpy(values, p->command->values, p->command->values_size);
    keep_words(p, arguments);
    if (!f2l_options_parse(p->command, (int)arguments, p->copy, values, &p->global, &p->given,
                           &p->operands, &err))
        return f2l_cli_usage(&j->cli, "%s", err.text);
    p->operand = p->copy;
    f2l_input_settle(p->command, values, &p->given, p->operands);
    p->input = find_input_options(p);
    return check_words(j);
}
