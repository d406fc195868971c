/* The options of every command that reads a grammar. */
#ifndef F2L_INPUT_OPTIONS_H
#define F2L_INPUT_OPTIONS_H

#include "cli/options.h"

/* All zero: no option was given. cli/input/grammar.h reads a grammar by them. */
typedef struct f2l_input_options {
    const char *regex, *alphabet, *symbols;
    bool numeric, sink;
    size_t label; /* f2l_label */
    uint64_t max_states;
} f2l_input_options;

#define F2L_INPUT_TITLE "Options for the grammar"

/* The table, which a command includes as a group with the title above. */
extern const f2l_option f2l_input_table[];

#endif
