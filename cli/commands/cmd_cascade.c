/* `cascade`: the decomposition of an automaton into permutation-reset levels. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/join.h"
#include "reports/automata/cascade_report.h"

typedef struct cascade_options {
    size_t cascade; /* F2L_NO_CHOICE: the smaller of holonomy and capped */
    bool dot;
    uint64_t limit;
    f2l_input_options input;
    f2l_join_options join;
} cascade_options;

#define FIELD(name) offsetof(cascade_options, name)
static const f2l_option table[] = {
    {"cascade", 0, F2L_OPTION_CHOICE, "KIND", f2l_choice_cascade, 0, 0, FIELD(cascade),
     "holonomy, capped or zeiger; pure: holonomy even where it is larger (default: the smaller of "
     "holonomy and capped)"},
    {"dot", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(dot),
     "print a Graphviz drawing instead of text"},
    {"limit", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(limit),
     "most subsets of states (default: 2000000, fewer for automata of thousands of states)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    cascade_options o;
    f2l_grammar grammar;
    f2l_cascade cascade, other;
    f2l_components components;
    f2l_error reason;
} job;

#define PARTS(part, clear) \
    part(f2l_components, components), part(f2l_cascade, other), part(f2l_cascade, cascade), \
        part(f2l_grammar, grammar)
F2L_JOB(PARTS)

static f2l_status build_cascade(job *j, f2l_error *err)
{
    const f2l_fsa *fsa = &j->grammar.fsa;
    const size_t limit = (size_t)j->o.limit;
    if (j->o.cascade == F2L_NO_CHOICE)
        return f2l_cascade_build_smaller(&j->cascade, &j->other, &j->reason, fsa, limit,
                                         &j->cli.task, err);
    const f2l_cascade_kind kind =
        j->o.cascade == 3 ? F2L_CASCADE_HOLONOMY : (f2l_cascade_kind)j->o.cascade;
    return f2l_cascade_build(&j->cascade, fsa, kind, limit, &j->cli.task, err);
}

/* Decides whether the automaton is aperiodic: trivial groups of any cascade show that it is, groups
 * of holonomy show that it is not. */
static f2l_status decide_aperiodic(job *j, f2l_answer *answer, f2l_error *err)
{
    *answer = j->components.trivial ? F2L_YES : F2L_UNDECIDED;
    if (j->cascade.kind == F2L_CASCADE_HOLONOMY && j->components.nontrivial) *answer = F2L_NO;
    if (*answer != F2L_UNDECIDED || !j->other.fsa || j->other.kind != F2L_CASCADE_HOLONOMY)
        return F2L_OK;
    f2l_components pure;
    f2l_status status = f2l_components_find(&pure, &j->other, &j->cli.task, err);
    if (status == F2L_OK)
        *answer = pure.trivial ? F2L_YES : pure.nontrivial ? F2L_NO : F2L_UNDECIDED;
    f2l_components_clear(&pure);
    return status;
}

/* Prints the report, or with --dot the drawing. */
static int print(job *j, const f2l_cascade_report *report)
{
    f2l_error err;
    f2l_buf text;
    const bool json = j->cli.global.json;
    f2l_buf_init(&text);
    const f2l_status status =
        j->o.dot ? f2l_cascade_report_dot(&text, report, &err)
        : json   ? f2l_report_as_json(&text, &f2l_cascade_report_kind, report, &err)
                 : f2l_cascade_report_text(&text, report, &err);
    int code = status == F2L_OK ? 0 : f2l_cli_fail(&j->cli, j->grammar.name, &err);
    if (code == 0)
        code =
            j->o.dot ? f2l_cli_print_named(&j->cli, "dot", &text) : f2l_cli_print(&j->cli, &text);
    f2l_buf_clear(&text);
    return code;
}

static int decompose(job *j)
{
    f2l_error err;
    f2l_cascade_report report = {
        .grammar = j->grammar.name, .cascade = &j->cascade, .components = &j->components};
    f2l_status status = build_cascade(j, &err);
    if (status == F2L_OK)
        status = f2l_components_find(&j->components, &j->cascade, &j->cli.task, &err);
    if (status == F2L_OK) status = decide_aperiodic(j, &report.aperiodic, &err);
    if (j->other.fsa) report.other = &j->other;
    if (j->reason.text[0]) report.other_reason = j->reason.text;
    return status == F2L_OK ? print(j, &report) : f2l_cli_fail(&j->cli, j->grammar.name, &err);
}

static int run_cascade(void *context)
{
    job *j = context;
    const int status = f2l_join_load(&j->grammar, &j->cli, &j->o.input, &j->o.join);
    return status ? status : decompose(j);
}

const f2l_command f2l_command_cascade = {
    .name = "cascade",
    .usage = (const char *const[]){"cascade GRAMMAR [--cascade KIND] [--dot] [options]",
                                   "cascade --regex RE [options]", NULL},
    .summary = "decomposes an automaton into permutation-reset levels",
    .description = "Prints the Krohn-Rhodes cascade that the compiler would lower to layers: its "
                   "levels, the components of every level with their groups, resets, and the "
                   "homomorphism onto the states. The table of all contexts is a complete proof of "
                   "the cascade and is always checked.\n"
                   "\n"
                   "holonomy is pure: its groups divide the transition monoid, but it may need "
                   "more than |Q|-1 levels. capped needs at most |Q|-1 levels of at most |Q| "
                   "states. zeiger takes all subsets and always has |Q|-1 levels.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, FIELD(input)},
               {F2L_JOIN_TITLE, f2l_join_table, FIELD(join)}},
    .no_label = "a cascade is of the transitions, and labels are not read",
    .files = {F2L_FILES_GRAMMAR},
    .examples = (const f2l_example[]){{"fsa2lrnn cascade becks.fsa", "levels, components, groups"},
                                      {"fsa2lrnn cascade becks.fsa --dot | dot -Tsvg > becks.svg",
                                       "a drawing"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .values = &(const cascade_options){.cascade = F2L_NO_CHOICE},
    .run = run_cascade};
