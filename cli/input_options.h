/* The options of every command that reads a grammar. */
#ifndef F2L_INPUT_OPTIONS_H
#define F2L_INPUT_OPTIONS_H

#include "cli/options.h"

/* All zero: no option was given. cli/input/grammar.h reads a grammar by them. */
typedef struct f2l_input_options {
    const char *regex, *alphabet, *symbols, *read_as;
    bool numeric, sink, finite, tokens, strict;
    size_t label; /* f2l_label */
    uint64_t max_states;
} f2l_input_options;

#define F2L_INPUT_TITLE "Options for the grammar"

/* The table, which a command includes as a group with the title above. */
extern const f2l_option f2l_input_table[];
/* Its --label for commands that read labels of states. */
extern const f2l_option f2l_input_state_label;

/* Lets the label be accept where --regex is the only grammar, no operand, and --label was not
 * given: an expression says which words are accepted. `values` is the command's record. */
void f2l_input_settle(const f2l_command *command, void *values, const f2l_given *given,
                      size_t operands);

/* Sets *file to the options that concern files, and *regex to those that concern --regex, for a
 * command that reads both. Options of a kind of input that is not there (`files`: there is one)
 * stay with the other, so that f2l_grammar_check refuses them. */
void f2l_input_split(f2l_input_options *file, f2l_input_options *regex,
                     const f2l_input_options *all, bool files);

#endif
