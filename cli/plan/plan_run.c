/* `plan --run`: the units of a plan, one after the other; and the runs that `reproduce` plans. */
#include "cli/plan/plan_job.h"
#include "cli/signals.h"
#include "cli/work/unit.h"
#include "library/version.h"
#include "numeric/base/mem.h"
#include <string.h>

#define LARGEST_PLAN ((size_t)1 << 30)

/* How many units ended how. */
typedef struct tally {
    size_t units, done, cut, failed;
    size_t left; /* not begun, since time, memory or a signal ended the work before */
    int worst;   /* the first exit status of a unit that failed */
} tally;

static bool is_stopped(const f2l_cli *cli)
{
    return f2l_signals_caught() || f2l_task_stop(&cli->task) != F2L_STOP_NONE;
}

/* --- one unit --- */

/* Runs the command of a unit. With --json the report alone is printed: what the command prints is
 * in its folder. */
static int run_unit(const json_t *unit, f2l_plan_job *j)
{
    f2l_error err;
    f2l_buf dropped;
    f2l_buf_init(&dropped);
    const json_t *argv = json_object_get(unit, "argv");
    const size_t words = json_array_size(argv);
    const char **word = f2l_calloc(words + 1, sizeof *word);
    if (!word) return f2l_cli_fail(&j->cli, NULL, (f2l_fail_memory(&err), &err));
    for (size_t i = 0; i < words; i++) word[i] = json_string_value(json_array_get(argv, i));
    const int status = f2l_plan_spawn(j->cli.global.json ? &dropped : NULL, word, &j->cli);
    f2l_buf_clear(&dropped);
    f2l_free(word);
    return status;
}

static void count_unit(tally *t, int status, const f2l_plan_job *j)
{
    t->units++;
    if (status == 0)
        t->done++;
    else if (status == F2L_EXIT_UNKNOWN || is_stopped(&j->cli))
        t->cut++;
    else {
        t->failed++;
        if (!t->worst) t->worst = status > F2L_EXIT_SIGNAL ? F2L_EXIT_IO : status;
    }
}

/* --- the file --- */

/* Does a unit; once the work is to stop it is counted as left. */
static void do_unit(tally *t, f2l_plan_job *j, const json_t *unit)
{
    if (!is_stopped(&j->cli)) {
        count_unit(t, run_unit(unit, j), j);
        return;
    }
    t->units++;
    t->left++;
}

/* Does the unit of a line, or the units of a chunk. */
static void do_units(tally *t, f2l_plan_job *j, const json_t *unit)
{
    const json_t *units = json_object_get(unit, "units");
    if (!units) do_unit(t, j, unit);
    for (size_t i = 0; i < json_array_size(units); i++) do_unit(t, j, json_array_get(units, i));
}

/* Refuses a line of another version or commit, whose work the table would not take for the plan's;
 * runs of `reproduce` name their recipe instead. */
static f2l_status check_version(const json_t *unit, f2l_error *err)
{
    const char *version = json_string_value(json_object_get(unit, "version"));
    const char *commit = json_string_value(json_object_get(unit, "commit"));
    if (json_object_get(unit, "preset") || !version || !commit ||
        (strcmp(version, f2l_version()) == 0 && strcmp(commit, f2l_commit()) == 0))
        return F2L_OK;
    return f2l_fail(err, F2L_EFORMAT,
                    "this line is of version %.40s, commit %.40s, and the program of version %s, "
                    "commit %s: plan again",
                    version, commit, f2l_version(), f2l_commit());
}

/* Does the unit of a line; a line that is none, or is of another version, is left out with a
 * message. */
static f2l_status do_line(tally *t, f2l_plan_job *j, const char *line, size_t size, size_t number,
                          f2l_error *err)
{
    json_t *unit;
    f2l_status status = f2l_unit_read(&unit, line, size, err);
    if (status == F2L_OK) status = check_version(unit, err);
    if (status == F2L_OK) do_units(t, j, unit);
    json_decref(unit);
    if (status != F2L_EFORMAT) return status;
    err->line = number;
    f2l_plan_leave_out(j, j->o.run, err);
    return F2L_OK;
}

static f2l_status do_lines(tally *t, f2l_plan_job *j, const f2l_buf *text, f2l_error *err)
{
    size_t number = 1;
    f2l_status status = F2L_OK;
    for (size_t at = 0; at < text->size && status == F2L_OK; number++) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->size - at);
        const size_t size = end ? (size_t)(end - line) : text->size - at;
        if (size > 0) status = do_line(t, j, line, size, number, err);
        at += size + 1;
    }
    return status;
}

/* Prints what became of the plan as JSON, --quiet or not: it names the lines that were left out. */
static int print_tally(f2l_plan_job *j, const tally *t)
{
    const f2l_fact root = f2l_facts_root(&j->told);
    f2l_say_count(root, "done_count", t->done);
    f2l_say_count(root, "cut_count", t->cut);
    f2l_say_count(root, "failed_count", t->failed);
    f2l_say_count(root, "left_count", t->left);
    return f2l_cli_print_facts(&j->cli, &j->told);
}

/* Says what became of the plan in a line; nothing with --quiet. */
static int say_tally(f2l_plan_job *j, const tally *t)
{
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_buf_printf(
        &text,
        "%s: %zu units: %zu done, %zu cut short, %zu failed, %zu not begun, %zu lines left "
        "out\n",
        j->o.run, t->units, t->done, t->cut, t->failed, t->left, j->left_out);
    const int code = j->cli.global.quiet ? 0 : f2l_cli_print(&j->cli, &text);
    f2l_buf_clear(&text);
    return code;
}

/* Says what became of the plan, and returns the exit status. */
static int tell_tally(f2l_plan_job *j, const tally *t)
{
    f2l_cli *cli = &j->cli;
    const int code = cli->global.json ? print_tally(j, t) : say_tally(j, t);
    if (code) return code;
    if (f2l_signals_caught()) return f2l_cli_interrupted(cli, "the same command goes on");
    if (t->cut || is_stopped(cli)) return F2L_EXIT_UNKNOWN;
    return t->worst ? t->worst : f2l_plan_tell_left_out(j, j->o.run, "lines");
}

int f2l_plan_run(f2l_plan_job *j)
{
    f2l_error err;
    f2l_buf text;
    tally t = {.units = 0};
    f2l_say_report(f2l_facts_root(&j->told), "plan-run");
    j->unread = f2l_say_list(f2l_facts_root(&j->told), "unread");
    f2l_watchdog_grace(F2L_WATCHDOG_CHECKPOINT + 2);
    f2l_buf_init(&text);
    f2l_status status = f2l_read_file(&text, j->o.run, LARGEST_PLAN, &err);
    if (status == F2L_OK && text.size == 0)
        status = f2l_fail(&err, F2L_EFORMAT, "the plan is empty");
    if (status == F2L_OK) status = do_lines(&t, j, &text, &err);
    f2l_buf_clear(&text);
    return status == F2L_OK ? tell_tally(j, &t) : f2l_cli_fail(&j->cli, j->o.run, &err);
}

/* --- reproduce --- */

/* Appends the line of a run as a unit. */
static f2l_status take_run(f2l_plan_job *j, const char *line, size_t size, f2l_error *err)
{
    json_t *json;
    f2l_plan_unit *unit;
    f2l_status status = f2l_unit_read(&json, line, size, err);
    if (status == F2L_OK) status = f2l_plan_add(&unit, j, err);
    if (status == F2L_OK) {
        unit->cost = f2l_unit_cost(json);
        f2l_buf_text(&unit->folder, f2l_unit_folder(json));
        f2l_buf_bytes(&unit->line, line, size);
        f2l_buf_text(&unit->line, "\n");
        status = f2l_buf_status(&unit->line, err);
    }
    json_decref(json);
    return status;
}

static int take_printed(f2l_plan_job *j, const f2l_buf *printed)
{
    f2l_error err;
    f2l_status status = F2L_OK;
    for (size_t at = 0; at < printed->size && status == F2L_OK;) {
        const char *line = printed->data + at, *end = memchr(line, '\n', printed->size - at);
        const size_t size = end ? (size_t)(end - line) : printed->size - at;
        status = take_run(j, line, size, &err);
        at += size + 1;
    }
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    f2l_plan_sort(j);
    return 0;
}

int f2l_plan_take_runs(f2l_plan_job *j)
{
    f2l_error err;
    f2l_buf printed;
    size_t words = 0;
    const f2l_planned *p = &j->planned;
    const char **word = f2l_calloc(p->words + p->operands + 6, sizeof *word);
    if (!word) return f2l_cli_fail(&j->cli, NULL, (f2l_fail_memory(&err), &err));
    word[words++] = "fsa2lrnn";
    word[words++] = p->command->name;
    for (size_t i = 0; i < p->words; i++) word[words++] = p->word[i];
    for (size_t i = 0; i < p->operands; i++) word[words++] = p->operand[i];
    word[words++] = "--plan";
    if (j->o.out) {
        word[words++] = "--out";
        word[words++] = j->o.out;
    }
    f2l_buf_init(&printed);
    int code = f2l_plan_spawn(&printed, word, &j->cli);
    if (code == 0) code = take_printed(j, &printed);
    f2l_buf_clear(&printed);
    f2l_free(word);
    return code;
}
