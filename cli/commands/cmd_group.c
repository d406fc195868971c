/* `group`: the transition group of a permutation automaton, and the fewest Householder factors it
 * needs. */
#include "automata/group/group_name.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/join.h"
#include "reports/automata/group_report.h"
#include "theory/construct/r1/r1.h"
#include "theory/rep/householders/householders_certificate.h"

typedef struct group_options {
    bool elements;
    const char *certificate;
    uint64_t max_order, kernel;
    f2l_input_options input;
    f2l_join_options join;
} group_options;

#define FIELD(name) offsetof(group_options, name)
static const f2l_option table[] = {
    {"elements", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(elements),
     "take all elements of the group as letters, not only the automaton's"},
    {"certificate", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_ANY, 0, FIELD(certificate),
     "write a proof that fewer factors do not suffice; rep-check verifies it"},
    {"kernel", 0, F2L_OPTION_NUMBER, "N", NULL, 2, 8, FIELD(kernel),
     "search covers whose kernel has at most this order (default: 4)"},
    {"max-order", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000, FIELD(max_order),
     "most elements of the group (default: 400000)"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

typedef struct job {
    f2l_cli cli;
    group_options o;
    f2l_grammar grammar;
    f2l_r1 r1;
    f2l_structure structure;
    f2l_householders elements; /* for all elements; used with --elements */
    f2l_dyadic dyadic;
    f2l_cover cover;
    f2l_buf name;
    f2l_error no_cover;
} job;

#define PARTS(part, clear) \
    part(f2l_buf, name), part(f2l_cover, cover), part(f2l_dyadic, dyadic), \
        part(f2l_householders, elements), part(f2l_r1, r1), part(f2l_grammar, grammar)
F2L_JOB(PARTS)

static const f2l_householders *householders(const job *j)
{
    return j->o.elements ? &j->elements : &j->r1.tables.householders;
}

/* Searches covers; a limit ends only the search, with a reason. */
static f2l_status find_cover(job *j, f2l_error *err)
{
    const f2l_r1_tables *t = &j->r1.tables;
    const f2l_cover_options options = {.limit = (size_t)j->o.kernel};
    f2l_status status = f2l_cover_build(
        &j->cover, &t->group, &t->classes, householders(j), j->o.elements ? NULL : t->letter,
        j->o.elements ? 0 : t->group.generators, &options, &j->cli.task, &j->no_cover);
    return status == F2L_UNKNOWN ? F2L_OK
           : status == F2L_OK    ? F2L_OK
                                 : f2l_fail(err, status, "%s", j->no_cover.text);
}

static f2l_status analyse_joined_group(job *j, f2l_error *err)
{
    const f2l_task *task = &j->cli.task;
    const size_t max_order = j->o.max_order ? (size_t)j->o.max_order : 400000;
    f2l_r1_tables *t = &j->r1.tables;
    f2l_status status = f2l_r1_analyse(&j->r1, &j->grammar.fsa, max_order, task, err);
    if (status == F2L_OK)
        status = f2l_structure_build(&j->structure, &t->group, &t->classes, task, err);
    if (status == F2L_OK)
        status = f2l_group_name_listed(&j->name, &t->group, &t->classes, &j->structure, task, err);
    if (status == F2L_OK && j->o.elements)
        status = f2l_householders_build(&j->elements, &t->classes, &t->characters, NULL, 0, 0, task,
                                        err);
    if (status == F2L_OK)
        status = f2l_dyadic_build(&j->dyadic, &t->group, &t->classes, &t->characters,
                                  householders(j), 0, task, err);
    return status == F2L_OK ? find_cover(j, err) : status;
}

static f2l_status write_certificate(job *j, f2l_error *err)
{
    const f2l_r1_tables *t = &j->r1.tables;
    f2l_buf text;
    f2l_buf_init(&text);
    f2l_status status =
        f2l_householders_certificate(&text, &j->grammar.fsa, &t->group, &t->classes, &t->characters,
                                     householders(j), j->o.elements, &j->cli.task, err);
    if (status == F2L_OK) status = f2l_buf_status(&text, err);
    if (status == F2L_OK) status = f2l_write_file(j->o.certificate, text.data, text.size, err);
    f2l_buf_clear(&text);
    return status;
}

static int print_group(job *j)
{
    const f2l_r1_tables *t = &j->r1.tables;
    const bool searched = j->no_cover.status == F2L_OK;
    const f2l_group_report report = {.grammar = j->grammar.name,
                                     .name = j->name.data,
                                     .all_letters = j->o.elements,
                                     .group = &t->group,
                                     .classes = &t->classes,
                                     .structure = &j->structure,
                                     .characters = &t->characters,
                                     .householders = householders(j),
                                     .dyadic = &j->dyadic,
                                     .cover = searched ? &j->cover : NULL,
                                     .cover_reason = j->no_cover.text};
    return f2l_cli_report(&j->cli, &f2l_group_report_kind, &report);
}

static int run_group(void *context)
{
    job *j = context;
    f2l_error err;
    const int code = f2l_join_load(&j->grammar, &j->cli, &j->o.input, &j->o.join);
    if (code) return code;
    f2l_status status = analyse_joined_group(j, &err);
    if (status != F2L_OK) return f2l_cli_fail(&j->cli, j->grammar.name, &err);
    if (j->o.certificate && write_certificate(j, &err) != F2L_OK)
        return f2l_cli_fail(&j->cli, j->o.certificate, &err);
    return print_group(j);
}

const f2l_command f2l_command_group = {
    .name = "group",
    .usage = (const char *const[]){"group GRAMMAR [--elements] [--certificate FILE] [options]",
                                   "group --regex RE [options]", NULL},
    .summary =
        "prints the transition group of a permutation automaton and the fewest factors it needs",
    .description =
        "Prints the group that the letters generate: name, order, series, conjugacy classes, "
        "the complex character table, the real irreducible representations, and the fewest "
        "Householder factors per letter (n_h) over all one-layer networks whose transitions "
        "are orthogonal and generate the group itself; also the number of factors with exactly "
        "dyadic keys, and whether a larger group that maps onto this one (a cover) was found to "
        "need fewer.\n\n"
        "The certificate names the automaton by its hash and its letters, holds the class "
        "constants' characters, and is verified by rep-check, which shares no code with this "
        "program; given the automaton as this program writes it (`new`, OUT/automaton.fsa), "
        "rep-check verifies that the certificate is about this automaton. Character values are "
        "printed rounded; --json has them exactly.",
    .options = table,
    .groups = {{F2L_INPUT_TITLE, f2l_input_table, FIELD(input)},
               {F2L_JOIN_TITLE, f2l_join_table, FIELD(join)}},
    .no_label = "the group is of the transitions, and labels are not read",
    .files = {F2L_FILES_GRAMMAR},
    .examples =
        (const f2l_example[]){
            {"fsa2lrnn group s4.fsa", "n_h = 2, where the permutations of four points take 3"},
            {"fsa2lrnn group s4.fsa --certificate s4.rep && rep-check s4.fsa s4.rep",
             "the same with a proof, which rep-check verifies"},
            {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_group};
