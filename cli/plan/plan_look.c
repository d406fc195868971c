/* One input: its hash, what its automaton computes, and what its work will take. */
#include "cli/input/grammar.h"
#include "cli/plan/canonical.h"
#include "cli/plan/plan_job.h"
#include "cli/work/request.h"
#include "numeric/base/mem.h"
#include <string.h>

/* Seconds of a processor that a command takes: `begin` in any case, and `each` for a state and a
 * letter, at some hundreds of them; measured on automata of MLRegTest. */
typedef struct rate {
    const char *name;
    double begin, each;
} rate;

static const rate rates[] = {{"", 0.03, 2e-3},  {"compile", 0.05, 4e-3}, {"classify", 0.02, 1e-3},
                             {"census", 1, 0},  {"starts", 60, 0.5},     {"compare", 2, 0},
                             {"horizon", 5, 0}, {"snap", 1, 0},          {"export", 0.5, 0},
                             {"check", 0.1, 0}};

static double estimate_cost(const f2l_plan_job *j, size_t states, size_t letters)
{
    const char *name = j->planned.command->name;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(rates[i].name, name) == 0)
            return rates[i].begin + rates[i].each * (double)states * (double)letters;
    return 1;
}

static f2l_status look_at_automaton(f2l_plan_unit *unit, f2l_plan_job *j, f2l_error *err)
{
    f2l_grammar grammar;
    size_t states = 0;
    const f2l_label label = (f2l_label)j->planned.input->label;
    f2l_grammar_init(&grammar);
    f2l_status status = f2l_grammar_find(&grammar, j->planned.input, unit->path, &j->cli.task, err);
    if (status == F2L_OK)
        status =
            f2l_plan_canonical(unit->canonical, &states, &grammar.fsa, label, &j->cli.task, err);
    memcpy(unit->sha256, grammar.source, sizeof unit->sha256);
    unit->cost = estimate_cost(j, states, grammar.fsa.letters.count);
    f2l_grammar_clear(&grammar);
    return status;
}

f2l_status f2l_plan_look_at(f2l_plan_unit *unit, f2l_plan_job *j, f2l_error *err)
{
    const f2l_files files = j->planned.command->files[0];
    unit->cost = estimate_cost(j, 1, 1);
    if (!unit->path) return F2L_OK;
    if (j->planned.input) return look_at_automaton(unit, j, err);
    return f2l_work_hash(unit->sha256, unit->path,
                         files == F2L_FILES_NETWORK || files == F2L_FILES_WEIGHTS, err);
}

f2l_status f2l_plan_add(f2l_plan_unit **unit, f2l_plan_job *j, f2l_error *err)
{
    if (!f2l_grow((void **)&j->unit, &j->capacity, j->units, sizeof *j->unit))
        return f2l_fail_memory(err);
    *unit = &j->unit[j->units];
    **unit = (f2l_plan_unit){.number = j->units, .first = j->units};
    j->units++;
    f2l_buf_init(&(*unit)->folder);
    f2l_buf_init(&(*unit)->line);
    return F2L_OK;
}

void f2l_plan_unit_clear(f2l_plan_unit *unit)
{
    f2l_free(unit->path);
    f2l_buf_clear(&unit->folder);
    f2l_buf_clear(&unit->line);
}

void f2l_plan_leave_out(f2l_plan_job *j, const char *where, const f2l_error *why)
{
    f2l_buf place;
    f2l_buf_init(&place);
    f2l_buf_text(&place, where);
    if (why->line) f2l_buf_printf(&place, ":%zu", why->line);
    if (why->line && why->column) f2l_buf_printf(&place, ":%zu", why->column);
    f2l_cli_warn(&j->cli, place.failed ? where : place.data, "left out: %s", why->text);
    f2l_buf_clear(&place);
    j->left_out++;
    if (!j->o.run || !j->cli.global.json) return;
    const f2l_fact one = f2l_say_object(j->unread, NULL);
    f2l_say_text(one, "file", where);
    f2l_say_count(one, "line_number", why->line);
    f2l_say_text(one, "reason", why->text);
}

int f2l_plan_tell_left_out(f2l_plan_job *j, const char *where, const char *what)
{
    f2l_error err;
    if (j->left_out == 0) return 0;
    if (!j->cli.global.quiet) return F2L_EXIT_FORMAT;
    (void)f2l_fail(&err, F2L_EFORMAT, "%s that were left out: %zu", what, j->left_out);
    return f2l_cli_fail(&j->cli, where, &err);
}

/* Returns whether the plan ends: memory is out, or a signal or a limit came. */
static bool ends_plan(const f2l_plan_job *j, f2l_status status)
{
    return status == F2L_ENOMEM ||
           (status == F2L_UNKNOWN && f2l_task_stop(&j->cli.task) != F2L_STOP_NONE);
}

f2l_status f2l_plan_take(f2l_plan_job *j, const char *path, const char *where, f2l_error *err)
{
    size_t at;
    f2l_plan_unit *unit;
    f2l_status status = f2l_task_poll(&j->cli.task, "inputs", (double)j->units, 0, err);
    if (status == F2L_OK) status = f2l_plan_add(&unit, j, err);
    if (status != F2L_OK) return status;
    unit->path = f2l_strndup(path, strlen(path));
    if (!unit->path) return f2l_fail_memory(err);
    if (strcmp(path, "-") == 0)
        status = f2l_fail(err, F2L_EDOMAIN, "standard input is no input of a plan");
    else if (!f2l_utf8_valid(path, strlen(path), &at))
        status = f2l_fail(err, F2L_EDOMAIN, "a plan is JSON: names must be UTF-8");
    else
        status = f2l_plan_look_at(unit, j, err);
    if (status == F2L_OK || ends_plan(j, status)) return status;
    f2l_plan_leave_out(j, where ? where : path, err);
    f2l_plan_unit_clear(&j->unit[--j->units]);
    return F2L_OK;
}
