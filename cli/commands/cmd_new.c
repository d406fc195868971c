/* `new`: the named automata, to standard output. */
#include "automata/family/family.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/join.h"
#include <string.h>

#define MAX_NUMBERS 8

typedef struct new_options {
    bool generators, apart;
    f2l_input_options input;
} new_options;

static const f2l_option table[] = {
    {"generators", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, offsetof(new_options, generators),
     "few letters instead of every element, for the kinds that are groups"},
    {"apart", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, offsetof(new_options, apart),
     "with product: keep the letters of the files apart; a letter x of the second one becomes x.2, "
     "of the third one x.3"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static f2l_row kind_row(size_t index)
{
    const f2l_family *f = &f2l_families[index];
    f2l_row row = {f->name, f->arguments, f->summary};
    return row;
}

static const char *kind_name(size_t index)
{
    return f2l_families[index].name;
}

/* Reads the automata of the operands after the kind, --regex as the last one, and joins them. */
static int build_joined(f2l_cli *cli, const new_options *o, bool cascade, f2l_fsa *out)
{
    const f2l_join_options join = {!cascade, cascade, o->apart};
    f2l_grammar g;
    if (o->generators) return f2l_cli_usage(cli, "--generators is for groups");
    f2l_grammar_init(&g);
    int code = f2l_join_check(cli, &o->input, &join, 1);
    if (code == 0) code = f2l_join_open(&g, cli, &o->input, &join, 1);
    if (code == 0) code = f2l_join_read(&g, cli, &o->input, &join);
    *out = g.fsa;
    f2l_fsa_init(&g.fsa);
    f2l_grammar_clear(&g);
    return code;
}

/* What the user typed is wrong where the library refuses it: the command line, not a file. */
static int end_building(f2l_cli *cli, f2l_status status, const f2l_error *err)
{
    if (status == F2L_EDOMAIN) return f2l_cli_usage(cli, "%s", err->text);
    return status == F2L_OK ? 0 : f2l_cli_fail(cli, NULL, err);
}

static int build_family(f2l_cli *cli, const new_options *o, f2l_fsa *out)
{
    f2l_error err;
    uint64_t number[MAX_NUMBERS];
    size_t numbers = cli->operands - 1;
    const char *input = f2l_given_in(&cli->given, f2l_input_table);
    if (input || o->apart)
        return f2l_cli_usage(cli, "--%s is for product%s: '%s' reads no grammar",
                             input ? input : "apart", input ? " and cascade" : "", cli->operand[0]);
    if (strcmp(cli->operand[0], "direct") == 0) {
        const char *const *groups = (const char *const *)cli->operand + 1;
        const f2l_status status = f2l_family_direct(out, groups, numbers, o->generators, &err);
        return end_building(cli, status, &err);
    }
    if (numbers > MAX_NUMBERS)
        return f2l_cli_usage(cli, "'%s' takes fewer numbers", cli->operand[0]);
    for (size_t i = 0; i < numbers; i++) {
        const char *text = cli->operand[i + 1];
        if (!f2l_options_number(&number[i], text))
            return f2l_cli_usage(cli, "'%s' is not a number", text);
    }
    const f2l_status status =
        f2l_family_build(out, cli->operand[0], number, numbers, o->generators, &err);
    return end_building(cli, status, &err);
}

typedef struct job {
    f2l_cli cli;
    new_options o;
    f2l_fsa fsa;
    f2l_buf text;
} job;

#define PARTS(part, clear) part(f2l_buf, text), part(f2l_fsa, fsa)
F2L_JOB(PARTS)

static int run_new(void *context)
{
    job *j = context;
    f2l_error err;
    f2l_cli *cli = &j->cli;
    if (cli->operands == 0) return f2l_cli_usage(cli, "a kind of automaton is expected");
    const bool cascade = strcmp(cli->operand[0], "cascade") == 0;
    const bool joined = cascade || strcmp(cli->operand[0], "product") == 0;
    const int code =
        joined ? build_joined(cli, &j->o, cascade, &j->fsa) : build_family(cli, &j->o, &j->fsa);
    if (code) return code;
    return f2l_fsa_write(&j->text, &j->fsa, &err) == F2L_OK
               ? f2l_cli_print_named(cli, "fsa", &j->text)
               : f2l_cli_fail(cli, NULL, &err);
}

const f2l_command f2l_command_new = {
    .name = "new",
    .usage = (const char *const[]){"new KIND [NUMBERS] [--generators]",
                                   "new direct GROUP GROUP .. [--generators]",
                                   "new product FILE FILE .. [--apart]", "new cascade FILE FILE ..",
                                   NULL},
    .summary = "writes a named automaton to standard output",
    .description =
        "Writes an automaton of a known family as canonical .fsa text to standard "
        "output. `direct` is the direct product of groups: S and A on as many points as the number "
        "says, Z of that number of elements, D of a polygon with that number of corners, and Q8. "
        "With --generators its letters are the generators of each factor with the factor's number: "
        "a1, b1, a2.\n\n"
        "`product` joins automata that read the same word; a letter unknown to one "
        "of them leaves it where it is. `cascade` feeds each automaton to the next one, "
        "which reads the letter (state,letter), the state of those before it before the "
        "letter; where it has no such letter it reads the letter alone, and where it has "
        "not that one either it stays where it is. The last automaton gives the "
        "accepting states and outputs.",
    .options = table,
    .groups = {{"Options for the grammars of product and cascade", f2l_input_table,
                offsetof(new_options, input)}},
    .no_label = "a product has the states of all its automata, whatever their labels",
    .files = {F2L_FILES_NONE, F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR},
    .list_title = "Kinds",
    .list = kind_row,
    .operand = kind_name,
    .examples = (const f2l_example[]){{"fsa2lrnn new symmetric 5 > s5.fsa",
                                       "the word problem of S5: 120 states, 120 letters"},
                                      {"fsa2lrnn new product a.fsa b.fsa > ab.fsa",
                                       "both automata at once"},
                                      {"fsa2lrnn new product tcp.fsa tcp.fsa --apart > two.fsa",
                                       "two connections, each with its own letters"},
                                      {NULL, NULL}},
    F2L_JOB_ROW,
    .run = run_new};
