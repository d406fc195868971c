/* Several grammars that are read as one: --product, --cascade-of, --apart. */
#ifndef F2L_JOIN_H
#define F2L_JOIN_H

#include "cli/input/grammar.h"

typedef struct f2l_join_options {
    bool product, cascade_of, apart;
} f2l_join_options;

#define F2L_JOIN_TITLE "Options for several grammars"

/* The table, which a command includes as a group with the title above. */
extern const f2l_option f2l_join_table[];

/* Returns 0 if the operands after the first `skip`, with --regex as the last one, are one grammar
 * or several that an option joins; otherwise the status of wrong usage, after the message. */
int f2l_join_check(f2l_cli *cli, const f2l_input_options *options, const f2l_join_options *join,
                   size_t skip);

/* Like f2l_grammar_open for all these operands, which f2l_join_check has checked. */
int f2l_join_open(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                  const f2l_join_options *join, size_t skip);
/* Like f2l_grammar_read; joins the automata from the left. */
int f2l_join_read(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                  const f2l_join_options *join);
/* Checks the options, then opens and reads all operands. */
int f2l_join_load(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                  const f2l_join_options *join);

#endif
