/* An automaton from the user's file, or from a regular expression: read, made deterministic and
 * total, with the warnings of each step. */
#ifndef F2L_GRAMMAR_H
#define F2L_GRAMMAR_H

#include "automata/import/import.h"
#include "cli/cli.h"

typedef struct f2l_grammar_options {
    f2l_import_options import;
    f2l_total_options total;
} f2l_grammar_options;

typedef struct f2l_grammar {
    f2l_fsa fsa;
    f2l_total_report total;
    char syntax[24]; /* f2l_nfa.source */
} f2l_grammar;

void f2l_grammar_init(f2l_grammar *grammar);
void f2l_grammar_clear(f2l_grammar *grammar);

/* Reads the bytes of a file; `name` is its name in messages. Returns 0, or the exit status after
 * the message. */
int f2l_grammar_read(f2l_grammar *out, f2l_cli *cli, const char *name, const f2l_buf *bytes,
                     const f2l_grammar_options *options);

/* Reads the file, "-" being standard input. Returns 0, or the exit status after the message. */
int f2l_grammar_open(f2l_grammar *out, f2l_cli *cli, const char *path,
                     const f2l_grammar_options *options);

/* Reads a POSIX extended regular expression; alphabet may be NULL. Returns 0, or the exit status
 * after the message. */
int f2l_grammar_regex(f2l_grammar *out, f2l_cli *cli, const char *regex, const char *alphabet,
                      const f2l_grammar_options *options);

#endif
