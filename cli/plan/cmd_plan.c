/* `plan`: long work as lines, one for each unit, for programs that start commands on machines. */
#include "cli/commands.h"
#include "cli/plan/plan_job.h"
#include "cli/work/unit.h"
#include "numeric/base/mem.h"
#include <stdio.h>

#define FIELD(name) offsetof(f2l_plan_options, name)
static const f2l_option table[] = {
    {"out", 'o', F2L_OPTION_FILE, "DIR", NULL, F2L_FILES_FOLDER, 0, FIELD(out),
     "the folder in which every unit has its folder (default: COMMAND.work, for the main job "
     "main.work; for reproduce PRESET-SETTING.reproduce)"},
    {"list", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_ANY, 0, FIELD(list),
     "inputs, one path a line, beside the operands; lines that begin with # are none"},
    {"chunk", 0, F2L_OPTION_SECONDS, "TIME", NULL, 0, 0, FIELD(chunk),
     "join units that are estimated to be shorter to lines of about TIME, such as 60 (seconds) or "
     "10m; the command of such a line does them one after the other"},
    {"max-lines", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 100000000, FIELD(max_lines),
     "the most lines (default: 1000, where Slurm's arrays end)"},
    {"run", 0, F2L_OPTION_FILE, "PLAN", NULL, F2L_FILES_ANY, 0, FIELD(run),
     "do the units of PLAN here, one after the other; one that fails does not stop the others; "
     "--json prints how many ended how and which lines were left out, and nothing of the units"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef f2l_plan_job job;

static void clear_units(job *j)
{
    for (size_t i = 0; i < j->units; i++) f2l_plan_unit_clear(&j->unit[i]);
    f2l_free(j->unit);
    json_decref(j->asked);
}

#define PARTS(part, clear) \
    part(f2l_buf, out), part(f2l_facts, told), clear(clear_units(j)), \
        clear(f2l_planned_clear(&j->planned))
F2L_JOB(PARTS)

/* Names the folder of the units. */
static int name_plan_folder(job *j)
{
    f2l_error err;
    const char *name = j->planned.command->name;
    size_t at;
    if (j->o.out)
        f2l_buf_text(&j->out, j->o.out);
    else
        f2l_buf_printf(&j->out, "%s.work", name[0] ? name : "main");
    if (f2l_buf_status(&j->out, &err) != F2L_OK) return f2l_cli_fail(&j->cli, NULL, &err);
    while (j->out.size > 1 && j->out.data[j->out.size - 1] == '/')
        j->out.data[--j->out.size] = '\0';
    if (j->out.size == 0) return f2l_cli_usage(&j->cli, "--out is empty");
    if (f2l_unit_leaves_folder(j->out.data))
        return f2l_cli_usage(&j->cli, "--out has a part \"..\": name an absolute folder");
    for (const char *c = j->out.data; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return f2l_cli_usage(&j->cli, "the name of --out has a control character");
    if (f2l_utf8_valid(j->out.data, j->out.size, &at)) return 0;
    return f2l_cli_usage(&j->cli, "a plan is JSON: the name of --out must be UTF-8");
}

/* Refuses a plan of nothing, and one of too many lines. */
static int check_lines(job *j)
{
    f2l_error err;
    const uint64_t most = j->o.max_lines ? j->o.max_lines : F2L_PLAN_LINES;
    if (j->units == 0) {
        (void)f2l_fail(&err, F2L_EFORMAT, "there is nothing to plan: %zu inputs were left out",
                       j->left_out);
        return f2l_cli_fail(&j->cli, NULL, &err);
    }
    if (j->units <= most) return 0;
    return f2l_cli_usage(
        &j->cli,
        "the plan has %zu lines, more than %llu: --chunk TIME joins short units to "
        "one line, and --max-lines %zu allows them",
        j->units, (unsigned long long)most, j->units);
}

static int print_lines(job *j)
{
    for (size_t i = 0; i < j->units; i++)
        f2l_cli_write(&j->cli, j->unit[i].line.data, j->unit[i].line.size, false);
    return 0;
}

/* Says on standard error how many lines there are for how many inputs. Returns the exit status. */
static int tell_counts(job *j, size_t inputs)
{
    char links[80] = "";
    if (j->links > 0)
        snprintf(links, sizeof links, "; links to folders that were not followed: %zu", j->links);
    if (!j->cli.global.quiet && inputs > 0)
        fprintf(stderr, "fsa2lrnn: %zu lines for %zu inputs, %zu left out%s\n", j->units, inputs,
                j->left_out, links);
    return f2l_plan_tell_left_out(j, NULL, "inputs");
}

static int plan_inputs(job *j, size_t *inputs)
{
    f2l_error err;
    const int code = f2l_plan_find_inputs(j);
    if (code) return code;
    *inputs = j->units + j->left_out;
    return f2l_plan_make_lines(j, &err) == F2L_OK ? 0 : f2l_cli_fail(&j->cli, NULL, &err);
}

static int make_plan(job *j)
{
    f2l_error err;
    size_t inputs = 0;
    int code = f2l_plan_read_command(j);
    if (code == 0) code = name_plan_folder(j);
    if (code) return code;
    code = j->planned.command == &f2l_command_reproduce ? f2l_plan_take_runs(j)
                                                        : plan_inputs(j, &inputs);
    if (code == 0 && f2l_plan_make_chunks(j, &err) != F2L_OK)
        code = f2l_cli_fail(&j->cli, NULL, &err);
    if (code == 0) code = check_lines(j);
    if (code == 0) code = print_lines(j);
    return code ? code : tell_counts(j, inputs);
}

static int run_plan(void *context)
{
    job *j = context;
    if (!j->o.run) return make_plan(j);
    if (j->cli.operands || f2l_given_beside(&j->cli.given, (const char *const[]){"run", NULL}))
        return f2l_cli_usage(&j->cli, "--run PLAN does what the plan says: nothing goes with it");
    return f2l_plan_run(j);
}

const f2l_command f2l_command_plan = {
    .name = "plan",
    .usage = (const char *const[]){"plan [options] -- GRAMMARS [options of the main job]",
                                   "plan [options] -- COMMAND INPUTS [options of COMMAND]",
                                   "plan --run PLAN", NULL},
    .summary = "prints long work as lines, each a command for any machine",
    .description =
        "Prints a line of JSON for each unit of work of the main job, compile, census, classify, "
        "reproduce, starts, compare, horizon, snap, export or check, the longest first: the "
        "command, its input with its SHA-256, its folder below DIR, the estimated seconds, and the "
        "version of the program. Any program that starts commands can do the work: GNU parallel, "
        "Slurm, Ray, Snakemake, or --run (docs/cluster.md). The command of a line begins its "
        "work, goes on with it after a kill, also on another machine that sees the folder, and "
        "does nothing where it is done; its exit status is 0 where the work is done, whatever the "
        "verdict.\n\n"
        "INPUTS are files, folders that are searched (for automata by the endings of their names, "
        "but .txt, or for folders of networks or of runs), and the paths of --list. Automata that "
        "give the "
        "same labels to the same words are one line, which names all their files. An input that "
        "cannot be read is left out with a message, and the exit status is 65 after the plan of "
        "the others.",
    .options = table,
    .no_grammar = "options of the command that is planned come after --",
    .files = {F2L_FILES_NONE},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn plan -- automata/ --label accept > plan.jsonl",
             "a network for every automaton in the folder"},
            {"jq -r .command plan.jsonl | parallel", "the same line goes on after a kill"},
            {"fsa2lrnn plan --chunk 60 --list files.txt -- classify > plan.jsonl",
             "lines of about a minute"},
            {"fsa2lrnn plan -- export main.work --to npz > exports.jsonl",
             "of all networks that were compiled"},
            {"fsa2lrnn plan --run plan.jsonl", "all of it here"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_plan};
