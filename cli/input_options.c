#include "cli/input_options.h"
#include "automata/fsa/fsa.h"
#include "cli/commands.h"

#define FIELD(name) offsetof(f2l_input_options, name)
const f2l_option f2l_input_table[] = {
    {"label", 0, F2L_OPTION_CHOICE, "KIND", f2l_choice_label, 0, 0, FIELD(label),
     "the labels that follow every letter: states (default), outputs, accept (default of --regex), "
     "or edges, the outputs of a Mealy machine's transitions; networks for the last three are "
     "built from the minimised automaton"},
    {"sink", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(sink),
     "let missing transitions lead to an added rejecting state instead of refusing them; with the "
     "label accept they do so in AT&T, JFLAP, HOA, automata-lib's NFA and allow_partial, and "
     "--regex, whose definitions say it"},
    {"max-states", 0, F2L_OPTION_NUMBER, "N", NULL, 1, 4000000000, FIELD(max_states),
     "most states of the determinised automaton, or elements of a listed group (default: 1000000)"},
    {"regex", 0, F2L_OPTION_TEXT, "RE", NULL, 0, 0, FIELD(regex),
     "a POSIX extended regular expression instead of the grammar's file; each character is a "
     "letter, or with --tokens each name"},
    {"alphabet", 0, F2L_OPTION_TEXT, "LETTERS", NULL, 0, 0, FIELD(alphabet),
     "the letters of --regex (default: those it mentions)"},
    {"tokens", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(tokens),
     "letters of --regex and --alphabet are names with blanks between them, as in 'open read*'"},
    {"symbols", 0, F2L_OPTION_FILE, "FILE", NULL, F2L_FILES_ANY, 0, FIELD(symbols),
     "symbol table of a numeric AT&T file"},
    {"numeric", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(numeric),
     "take the numbers of an AT&T file as letters"},
    {"finite-words", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(finite),
     "take the marked states of an HOA file with Buchi acceptance as accepting finite words"},
    {"read-as", 0, F2L_OPTION_TEXT, "HOW", NULL, 0, 0, FIELD(read_as),
     "how a file's labels are meant: labels=letters, sets, guards or pairs, and epsilon=NAME for "
     "each name of the empty word, with commas between them"},
    {"strict", 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, FIELD(strict),
     "refuse a file where its reading gives a warning"},
    {NULL, 0, F2L_OPTION_FLAG, NULL, NULL, 0, 0, 0, NULL}};

static const char *choose_state_label(size_t index)
{
    return index == F2L_LABEL_EDGES ? NULL : f2l_choice_label(index);
}

const f2l_option f2l_input_state_label = {
    .name = "label",
    .kind = F2L_OPTION_CHOICE,
    .argument = "KIND",
    .choice = choose_state_label,
    .offset = FIELD(label),
    .help = "the labels that follow every letter: states (default), outputs, or accept (default of "
            "--regex)"};

void f2l_input_settle(const f2l_command *command, void *values, const f2l_given *given,
                      size_t operands)
{
    if (operands > 0 || f2l_given_has(given, "label")) return;
    for (const f2l_option_group *group = command->groups; group->title; group++) {
        f2l_input_options *input = (void *)((char *)values + group->offset);
        if (group->options == f2l_input_table && input->regex) input->label = F2L_LABEL_ACCEPT;
    }
}

void f2l_input_split(f2l_input_options *file, f2l_input_options *regex,
                     const f2l_input_options *all, bool files)
{
    *file = *regex = *all;
    file->regex = NULL;
    if (all->regex) {
        file->alphabet = NULL;
        file->tokens = false;
    }
    if (files) {
        regex->symbols = regex->read_as = NULL;
        regex->numeric = regex->finite = false;
    }
}
