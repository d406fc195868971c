/* `new`: the named automata, to standard output. */
#include "automata/family/family.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/input/grammar.h"
#include <string.h>

#define MAX_NUMBERS 8

typedef struct new_options {
    bool generators;
    f2l_input_options input;
} new_options;

static const f2l_option table[] = {{"generators", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0,
                                    offsetof(new_options, generators),
                                    "few letters instead of every element, for the kinds that are "
                                    "groups"},
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

static int read_automaton(f2l_cli *cli, const f2l_input_options *o, const char *path,
                          f2l_grammar *out)
{
    const int status = f2l_grammar_open(out, cli, o, path);
    return status ? status : f2l_grammar_read(out, cli, o);
}

/* Joins two files; --regex takes the place of the second one. */
static int build_product(f2l_cli *cli, const f2l_input_options *o, f2l_fsa *out)
{
    f2l_error err;
    f2l_grammar a, b;
    f2l_input_options first = *o;
    if (cli->operands != (o->regex ? 2 : 3))
        return f2l_cli_usage(cli, "product takes two files, or one and --regex");
    first.regex = first.alphabet = NULL;
    f2l_grammar_init(&a);
    f2l_grammar_init(&b);
    int status = read_automaton(cli, &first, cli->operand[1], &a);
    if (status == 0) status = read_automaton(cli, o, o->regex ? NULL : cli->operand[2], &b);
    if (status == 0 && f2l_family_product(out, &a.fsa, &b.fsa, &err) != F2L_OK) {
        status = f2l_cli_fail(cli, "product", &err);
    }
    f2l_grammar_clear(&a);
    f2l_grammar_clear(&b);
    return status;
}

static int build_family(f2l_cli *cli, bool generators, f2l_fsa *out)
{
    f2l_error err;
    uint64_t number[MAX_NUMBERS];
    size_t numbers = cli->operands - 1;
    const char *input = f2l_given_in(&cli->given, f2l_input_table);
    if (input)
        return f2l_cli_usage(cli, "--%s is for product: '%s' reads no grammar", input,
                             cli->operand[0]);
    if (numbers > MAX_NUMBERS)
        return f2l_cli_usage(cli, "'%s' takes fewer numbers", cli->operand[0]);
    for (size_t i = 0; i < numbers; i++) {
        const char *text = cli->operand[i + 1];
        if (!f2l_options_number(&number[i], text))
            return f2l_cli_usage(cli, "'%s' is not a number", text);
    }
    /* The user typed what the library refuses here: the command line is wrong, not a file. */
    f2l_status status = f2l_family_build(out, cli->operand[0], number, numbers, generators, &err);
    if (status == F2L_EDOMAIN) return f2l_cli_usage(cli, "%s", err.text);
    return status == F2L_OK ? 0 : f2l_cli_fail(cli, NULL, &err);
}

static int run(int argc, char **argv)
{
    new_options o = {.generators = false};
    f2l_cli cli;
    f2l_error err;
    int status;
    if (!f2l_cli_begin(&cli, &f2l_command_new, argc, argv, &o, &status)) return status;
    if (cli.operands == 0) return f2l_cli_usage(&cli, "a kind of automaton is expected");
    f2l_fsa fsa;
    f2l_buf text;
    f2l_fsa_init(&fsa);
    f2l_buf_init(&text);
    bool product = strcmp(cli.operand[0], "product") == 0;
    status = product ? build_product(&cli, &o.input, &fsa) : build_family(&cli, o.generators, &fsa);
    if (status == 0 && f2l_fsa_write(&text, &fsa, &err) != F2L_OK)
        status = f2l_cli_fail(&cli, NULL, &err);
    if (status == 0) status = f2l_cli_print_named(&cli, "fsa", &text);
    f2l_buf_clear(&text);
    f2l_fsa_clear(&fsa);
    return f2l_cli_end(&cli, status);
}

const f2l_command f2l_command_new = {
    .name = "new",
    .usage =
        (const char *const[]){"new KIND [NUMBERS] [--generators]", "new product FILE FILE", NULL},
    .summary = "writes a named automaton to standard output",
    .description = "Writes an automaton of a known family as canonical .fsa text to standard "
                   "output. `product` joins two automata that read the same word; a letter unknown "
                   "to one of them leaves it where it is.",
    .options = table,
    .groups = {{"Options for the grammars of product", f2l_input_table,
                offsetof(new_options, input)}},
    .no_label = "a product has the states of both automata, whatever their labels",
    .files = {F2L_FILES_NONE, F2L_FILES_GRAMMAR, F2L_FILES_GRAMMAR},
    .list_title = "Kinds",
    .list = kind_row,
    .operand = kind_name,
    .examples = (const f2l_example[]){{"fsa2lrnn new symmetric 5 > s5.fsa",
                                       "the word problem of S5: 120 states, 120 letters"},
                                      {"fsa2lrnn new product a.fsa b.fsa > ab.fsa",
                                       "both automata at once"},
                                      {NULL, NULL}},
    .run = run};
