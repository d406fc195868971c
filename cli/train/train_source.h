/* The data on which a network is trained or evaluated, from the command line: a grammar, a task
 * without a file, or a list of words, the weights of the letters, and the answers that count.
 * Shared by `train`, `evaluate` and `reproduce`. */
#ifndef F2L_TRAIN_SOURCE_H
#define F2L_TRAIN_SOURCE_H

#include "cli/input/grammar.h"
#include "models/learn/data/data.h"

/* Numbers and choices that were not given. */
#define F2L_NOT_GIVEN UINT64_MAX

typedef enum f2l_train_task {
    F2L_TASK_PARITY,
    F2L_TASK_ARITHMETIC,
    F2L_TASK_BRACKETS,
    F2L_TASK_EVEN_PAIRS,
    F2L_TASK_CYCLE_NAVIGATION,
    F2L_TASK_RECALL,
    F2L_TASKS
} f2l_train_task;

typedef struct f2l_source_arguments {
    size_t task; /* F2L_NO_CHOICE: not given */
    size_t when; /* f2l_data_when */
    uint64_t modulus, tokens, pairs, keys;
    const char *weights, *words, *test;
    double held_out; /* below 0: not given */
    bool times, equals, begin;
    f2l_input_options input;
} f2l_source_arguments;

/* What the options are where none is given, for an initialiser. */
#define F2L_SOURCE_USUAL \
    { \
        .task = F2L_NO_CHOICE, .modulus = 5, .tokens = 1, .pairs = 4, .keys = 128, .held_out = -1 \
    }

const char *f2l_choice_task(size_t index);
/* Returns a format of words as --data takes it, "csv:". */
const char *f2l_choice_words(size_t index);

#define F2L_SOURCE_TITLE "Options for the data"

/* The table of f2l_source_arguments, which commands include besides f2l_input_table. */
extern const f2l_option f2l_source_table[];

typedef struct f2l_train_source {
    f2l_grammar grammar;       /* the automaton of the data, if there is one */
    const f2l_fsa *fsa;        /* &grammar.fsa; NULL: not an automaton */
    double *weight;            /* [letters]; NULL: uniform */
    f2l_word_list words, test; /* of --data and --test; empty: none */
    f2l_data_options options;
    f2l_data data;   /* the source of letters, labels and lengths */
    f2l_data tested; /* words of the test stream; empty where words are drawn */
    char name[64];   /* "s5.fsa", "parity", "arithmetic modulo 5"; a long file name is cut */
} f2l_train_source;

void f2l_train_source_init(f2l_train_source *source);
void f2l_train_source_clear(f2l_train_source *source);

/* Opens the data of the grammar `path` (NULL: --regex or a task must be given). Returns 0, or the
 * exit status after the message. *source must not move afterwards. */
int f2l_train_source_open(f2l_train_source *source, f2l_cli *cli, const f2l_source_arguments *o,
                          const char *path);

/* Imports the words of --data or --test, with names that are known (NULL: any) and labels that are
 * checked against an automaton (NULL: not checked). Returns 0, or the exit status after the
 * message.
 */
int f2l_train_words_read(f2l_word_list *out, f2l_cli *cli, const char *source,
                         const f2l_names *letters, const f2l_names *labels, const f2l_fsa *fsa,
                         f2l_label label);

/* Imports the words of --test, or, where `look` says so and there is no --test, the test words that
 * the format of `words` keeps beside them; with the names of `words`, and otherwise like
 * f2l_train_words_read. */
int f2l_train_words_test(f2l_word_list *out, f2l_cli *cli, const char *test, bool look,
                         const f2l_word_list *words, const f2l_fsa *fsa, f2l_label label);

/* Returns the data that give possible lengths of an evaluation. */
const f2l_data *f2l_train_tested(const f2l_train_source *source);

/* Sets the usual lengths that the data have, ascending, and of words the greatest one; *length is
 * owned by the caller. Returns 0, or the exit status after the message. */
int f2l_train_usual_lengths(size_t **length, size_t *lengths, f2l_cli *cli, const f2l_data *data);

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
