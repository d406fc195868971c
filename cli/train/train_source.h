/* The data on which a network is trained or evaluated, from the command line: a grammar or a task
 * without a file, the weights of the letters, and the answers that count. Shared by `train`,
 * `evaluate` and `reproduce`. */
#ifndef F2L_TRAIN_SOURCE_H
#define F2L_TRAIN_SOURCE_H

#include "cli/input/grammar.h"
#include "models/data/data.h"

/* Numbers and choices that were not given. */
#define F2L_NOT_GIVEN UINT64_MAX

typedef enum f2l_train_task {
    F2L_TASK_PARITY,
    F2L_TASK_ARITHMETIC,
    F2L_TASK_BRACKETS,
    F2L_TASKS
} f2l_train_task;

typedef struct f2l_source_arguments {
    size_t task, when, label; /* F2L_NO_CHOICE: not given */
    uint64_t modulus, tokens; /* F2L_NOT_GIVEN */
    const char *weights;
    bool times, equals, sink;
} f2l_source_arguments;

const char *f2l_choice_task(size_t index);
const char *f2l_choice_when(size_t index);
void f2l_source_arguments_init(f2l_source_arguments *o);

/* Rows of an option table for the field `part` (an f2l_source_arguments) of the record. */
#define F2L_SOURCE_ROW(name, kind, argument, choice, least, most, record, field, help) \
    { \
        name, 0, F2L_OPTION_##kind, argument, choice, least, most, offsetof(record, field), help \
    }
#define F2L_SOURCE_OPTIONS(record, part) \
    F2L_SOURCE_ROW( \
        "task", CHOICE, "NAME", f2l_choice_task, 0, 0, record, part.task, \
        "instead of a grammar: parity; arithmetic, d op d op .. d with digits and operators; or " \
        "brackets, the same with brackets, which is context-free"), \
        F2L_SOURCE_ROW("modulus", NUMBER, "M", NULL, 2, 1000, record, part.modulus, \
                       "modulus of arithmetic and brackets (default: 5)"), \
        F2L_SOURCE_ROW("times", FLAG, NULL, NULL, 0, 0, record, part.times, \
                       "add the operator * to arithmetic and brackets; it binds before + and -"), \
        F2L_SOURCE_ROW("equals", FLAG, NULL, NULL, 0, 0, record, part.equals, \
                       "a letter = ends every expression"), \
        F2L_SOURCE_ROW( \
            "answers", CHOICE, "WHEN", f2l_choice_when, 0, 0, record, part.when, \
            "which answers count: after every letter (default; for arithmetic after every " \
            "digit), " \
            "or after the last one (brackets: always)"), \
        F2L_SOURCE_ROW("label", CHOICE, "KIND", f2l_choice_label, 0, 0, record, part.label, \
                       "labels of the network: states (default), outputs or accept"), \
        F2L_SOURCE_ROW( \
            "weights", TEXT, "WEIGHTS", NULL, 0, 0, record, part.weights, \
            "weights of the letters (default: all equal): swaps or cycles:N of a permutation " \
            "group (letters that are one cycle of 2, or of 2 to N points; with +identity also " \
            "the " \
            "identity), 'LETTER WEIGHT ..', or file:FILE with such pairs; a letter that is not " \
            "named never comes"), \
        F2L_SOURCE_ROW( \
            "tokens", NUMBER, "K", NULL, 1, 1000, record, part.tokens, \
            "tokens for each transition: the letter and K - 1 padding letters, answered after " \
            "the last (default: 1)"), \
        F2L_SOURCE_ROW( \
            "sink", FLAG, NULL, NULL, 0, 0, record, part.sink, \
            "let missing transitions lead to an added rejecting state instead of refusing them")

typedef struct f2l_train_source {
    f2l_grammar grammar; /* the automaton of the data, if there is one */
    const f2l_fsa *fsa;  /* &grammar.fsa; NULL: not an automaton */
    double *weight;      /* [letters]; NULL: uniform */
    f2l_data_options options;
    f2l_data data; /* the source of letters, labels and lengths */
    char name[64]; /* "s5.fsa", "parity", "arithmetic modulo 5"; a long file name is cut */
} f2l_train_source;

void f2l_train_source_init(f2l_train_source *source);
void f2l_train_source_clear(f2l_train_source *source);

/* Opens the data of the grammar `path` (NULL: a task must be given). Returns 0, or the exit status
 * after the message. *source must not move afterwards. */
int f2l_train_source_open(f2l_train_source *source, f2l_cli *cli, const f2l_source_arguments *o,
                          const char *path);

/* Appends the letters of an automaton that `data` never draws and `now` does (NULL: any other
 * data), as "a, b and 3 more"; returns false when there are none. */
bool f2l_train_undrawn(f2l_buf *out, const f2l_data *data, const f2l_data *now);

/* Reads ascending numbers, "64,128,256", into *length (owned by the caller, f2l_free) and *lengths.
 * Returns 0, or 64 after the message. */
int f2l_train_lengths_read(size_t **length, size_t *lengths, f2l_cli *cli, const char *text);

/* Checks that all lengths are possible for the data; returns 0, or 64 after the message, which
 * names possible lengths. */
int f2l_train_lengths_check(f2l_cli *cli, const f2l_data *data, const size_t *length,
                            size_t lengths);

#endif
