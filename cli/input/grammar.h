/* An automaton from the user's file, or from a regular expression: read, made deterministic and
 * total, with the warnings of each step. */
#ifndef F2L_GRAMMAR_H
#define F2L_GRAMMAR_H

#include "automata/import/import.h"
#include "cli/cli.h"
#include "cli/input_options.h"

typedef struct f2l_grammar {
    const char *name;       /* the user's file as messages name it, "stdin" or "regex" */
    f2l_buf bytes, symbols; /* contents of the file, and of the table of symbols */
    char source[65];        /* SHA-256 of the file, or of the regular expression */
    bool joined_to;         /* its automaton becomes a part of another one */
    bool rejects;           /* missing transitions reject by the definition of the syntax */
    f2l_fsa fsa;
    f2l_total_report total;
    char syntax[24]; /* f2l_nfa.source */
    /* Of several grammars that are read as one (cli/input/join.h): */
    struct f2l_grammar *part; /* [parts] owned */
    size_t parts;
    f2l_buf joined; /* the name */
} f2l_grammar;

void f2l_grammar_init(f2l_grammar *grammar);
void f2l_grammar_clear(f2l_grammar *grammar);

/* Returns 0 if the options fit together and exactly one of `path` and --regex is given, otherwise
 * the status of wrong usage, after the message. `path` is NULL where no file was named. */
int f2l_grammar_check(f2l_cli *cli, const f2l_input_options *options, const char *path);

/* Checks the options, sets the name and reads the bytes of the files; "-" is standard input.
 * Returns 0, or the exit status after the message. */
int f2l_grammar_open(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options,
                     const char *path);
/* Reads the automaton as it is written, which need not be deterministic or total, from what
 * f2l_grammar_open read into *out (initialised empty), and sets the syntax. Returns 0, or the exit
 * status after the message. */
int f2l_grammar_parse(f2l_nfa *out, f2l_grammar *grammar, f2l_cli *cli,
                      const f2l_input_options *options);
/* Makes the automaton from what f2l_grammar_open read. Returns 0, or the exit status after the
 * message. */
int f2l_grammar_read(f2l_grammar *out, f2l_cli *cli, const f2l_input_options *options);

/* Makes the automaton of a file in the same way, without messages. Errors have a line and a column
 * where they are about a place in the file. */
f2l_status f2l_grammar_find(f2l_grammar *out, const f2l_input_options *options, const char *path,
                            const f2l_task *task, f2l_error *err);

#endif
