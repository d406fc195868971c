#include "cli/continue_request.h"
#include "cli/work/record.h"
#include "cli/work/request.h"
#include "cli/work/unit.h"
#include "library/version.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Options that change nothing of the result. */
static const char *const no_settings[] = {
    "out",     "continue",           "json", "quiet", "jobs", "memory", "time-limit", "no-report",
    "checker", "checkpoint-seconds", NULL};
/* Options that name files or folders to write. */
static const char *const outputs[] = {"certificates", "tokenizer", "resume", NULL};

static bool is_named(const char *name, const char *const *among)
{
    return f2l_text_is_any(name, strlen(name), among);
}

static bool is_input(const f2l_option *o)
{
    return o->kind == F2L_OPTION_FILE && !is_named(o->name, outputs) &&
           !is_named(o->name, no_settings);
}

/* Returns the last value of an option in the command as it was given; "" for a flag. */
static const char *last_value(const f2l_asked *asked, const f2l_option *option)
{
    const char *found = "";
    for (size_t i = 0; i < asked->words; i++) {
        f2l_option_group group;
        const char *argument = asked->word[i], *value;
        if (strcmp(argument, "--") == 0) break;
        if (argument[0] != '-' || !argument[1]) continue;
        const f2l_option *o = f2l_options_match(asked->command, argument, &group, &value);
        if (!o || o->kind == F2L_OPTION_FLAG) continue;
        if (!value && i + 1 < asked->words) value = asked->word[++i];
        if (o == option && value) found = value;
    }
    return found;
}

/* Adds an option: as a setting, and where it names a file that is read, as an input. */
static f2l_status add_option(json_t *record, const f2l_asked *asked, const f2l_option *o,
                             f2l_error *err)
{
    char name[80];
    if (is_named(o->name, no_settings)) return F2L_OK;
    snprintf(name, sizeof name, "--%s", o->name);
    const char *value = last_value(asked, o);
    if (!is_input(o))
        return f2l_work_add_setting(record, name, o->kind == F2L_OPTION_FLAG ? NULL : value, err);
    const f2l_status status = f2l_work_add_setting(record, name, NULL, err);
    const bool beside = o->minimum == F2L_FILES_NETWORK;
    return status == F2L_OK ? f2l_work_add_input(record, value, beside, err) : status;
}

f2l_status f2l_continue_options(json_t *record, const f2l_asked *asked, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < asked->given->count && status == F2L_OK; i++)
        status = add_option(record, asked, asked->given->option[i], err);
    return status == F2L_OK ? f2l_work_sort_settings(record, err) : status;
}

/* Adds an operand: a file or folder, or a word such as the name of a preset. */
static f2l_status add_operand(f2l_cli *cli, size_t i, f2l_error *err)
{
    const f2l_command *c = cli->command;
    const char *operand = cli->operand[i];
    const f2l_files kind = c->files[i < 2 ? i : 2];
    /* where words can be operands, a file that is not there is a misspelled one */
    const bool word =
        c->operand && (f2l_choice_find(c->operand, operand, strlen(operand)) != F2L_NO_CHOICE ||
                       access(operand, F_OK) != 0);
    char name[32];
    snprintf(name, sizeof name, "operand-%zu", i + 1);
    if (kind == F2L_FILES_NONE || word)
        return f2l_work_add_setting(cli->work.record, name, operand, err);
    if (strcmp(operand, "-") == 0)
        return f2l_fail(err, F2L_EDOMAIN, "standard input cannot be continued: name a file");
    return f2l_work_add_input(cli->work.record, operand,
                              kind == F2L_FILES_NETWORK || kind == F2L_FILES_WEIGHTS, err);
}

/* Puts the command as argv and as a line for a shell; the main job has no name in it. */
static f2l_status put_argv(f2l_cli *cli, f2l_error *err)
{
    f2l_buf line;
    json_t *argv = json_array(), *record = cli->work.record;
    bool failed = !argv;
    f2l_buf_init(&line);
    for (size_t i = 0; i < cli->arguments && !failed; i++) {
        if (i == 1 && !cli->argument[i][0]) continue;
        json_t *word = json_string(cli->argument[i]);
        if (!word) word = json_string("?"); /* bytes that are not UTF-8 */
        failed = json_array_append_new(argv, word) != 0;
        f2l_unit_put_word(&line, json_string_value(word));
    }
    failed = failed || line.failed || json_object_set(record, "argv", argv) != 0 ||
             json_object_set_new(record, "command", json_string(line.data)) != 0;
    json_decref(argv);
    f2l_buf_clear(&line);
    return failed ? f2l_fail_memory(err) : F2L_OK;
}

static json_t *empty_record(const f2l_cli *cli)
{
    char host[HOST_NAME_MAX + 1] = "";
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    const char *job = cli->command->name[0] ? cli->command->name : F2L_UNIT_MAIN;
    return json_pack("{s:s, s:s, s:[], s:[], s:s, s:s, s:[], s:s, s:s, s:s, s:n, s:n, s:s, s:n, "
                     "s:n, s:n, s:n, s:n, s:n}",
                     "schema", F2L_WORK_SCHEMA, "job", job, "inputs", "settings", "version",
                     f2l_version(), "commit", f2l_commit(), "argv", "command", "", "host", host,
                     "state", F2L_WORK_BEGUN, "exit_status", "reason", "began", "", "seconds",
                     "cpu_seconds", "memory_mib", "result", "result_sha256", "made_sha256");
}

f2l_status f2l_continue_request(f2l_cli *cli, f2l_error *err)
{
    char now[24];
    f2l_status status = F2L_OK;
    json_t *record = cli->work.record = empty_record(cli);
    f2l_time_text(now);
    if (!record || json_object_set_new(record, "began", json_string(now)) != 0)
        return f2l_fail_memory(err);
    status = put_argv(cli, err);
    for (size_t i = 0; i < cli->operands && status == F2L_OK; i++)
        status = add_operand(cli, i, err);
    const size_t before = cli->arguments < 2 ? cli->arguments : 2;
    const f2l_asked asked = {cli->command, &cli->given, (const char *const *)cli->argument + before,
                             cli->arguments - before};
    return status == F2L_OK ? f2l_continue_options(record, &asked, err) : status;
}
