/* Command-line options as data. One table per command drives parsing, --help, the man page and the
 * completion, so that they always agree with the program. */
#ifndef F2L_OPTIONS_H
#define F2L_OPTIONS_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of an --effort that was not given; numeric/base/task.h has its unit and its default. */
#define F2L_NO_EFFORT UINT64_MAX

#define F2L_NO_CHOICE SIZE_MAX
#define F2L_MAX_CHOICES 16

/* The syntax of the argument, and the type of the field at `offset`. */
typedef enum f2l_option_kind {
    F2L_OPTION_FLAG,    /* no argument; bool */
    F2L_OPTION_TEXT,    /* const char * */
    F2L_OPTION_FILE,    /* const char *, completed as a file name */
    F2L_OPTION_NUMBER,  /* uint64_t within minimum..maximum */
    F2L_OPTION_SIZE,    /* uint64_t bytes: 500M, 2G (powers of 1,024) */
    F2L_OPTION_SECONDS, /* double: 90, 10m, 1.5h */
    F2L_OPTION_REAL,    /* double within minimum..maximum: 0.01, 1e-3 */
    F2L_OPTION_CHOICE,  /* size_t, an index into the choices */
    F2L_OPTION_CHOICES  /* f2l_chosen: several choices, separated by commas */
} f2l_option_kind;

typedef struct f2l_chosen {
    size_t count;
    size_t index[F2L_MAX_CHOICES]; /* [count] indices of choices, in the order given, without
                                      repetition */
} f2l_chosen;

typedef struct f2l_option {
    const char *name; /* "label" is given as --label */
    char letter;      /* 'o' is given as -o; 0: none */
    f2l_option_kind kind;
    const char *argument; /* name of the argument in help texts, "FILE"; NULL for flags */
    const char *(*choice)(size_t index); /* returns choice `index`, NULL past the last */
    uint64_t minimum, maximum;
    size_t offset; /* offset in bytes of the field in the command's (or the global) record */
    const char *help;
} f2l_option;

/* The values of the options of every command. */
typedef struct f2l_global {
    bool json, quiet, help, version;
    uint64_t jobs;     /* 0: as many as there are processors */
    uint64_t memory;   /* 0: no limit */
    double time_limit; /* seconds; 0: none */
} f2l_global;

extern const f2l_option f2l_global_options[]; /* NULL-name terminated, as every table */

typedef struct f2l_example {
    const char *command, *comment;
} f2l_example;

/* A row of the list that a command may add to its help, such as the kinds of `new`. */
typedef struct f2l_row {
    const char *term, *argument, *text; /* term NULL: past the last */
} f2l_row;

typedef struct f2l_command {
    const char *name;         /* "run"; "" for the main job */
    const char *const *usage; /* usage lines without the program's name, NULL-terminated */
    const char *summary;      /* one line */
    const char *description;  /* paragraphs separated by an empty line */
    const f2l_option *options;
    const f2l_option *shared; /* the options of another command that this command accepts, too; its
                                 record begins with the record of the other command. NULL: none */
    const char *shared_title; /* "Options of the main job" */
    const char *list_title;
    f2l_row (*list)(size_t index);        /* NULL: none */
    const char *(*operand)(size_t index); /* returns words that complete the first operand besides
                                             file names; NULL: none */
    const f2l_example *examples;          /* NULL-command terminated */
    int (*run)(int argc, char **argv);    /* arguments after the command's name; returns the exit
                                             status */
} f2l_command;

/* Fills `values` (the command's record, holding its defaults) and *global from the arguments, in
 * any order: --name value, --name=value, -o value, -oVALUE, `--` before operands that begin with
 * '-'. Operands are moved to argv[0..*operands). Returns false, with a text that names the error
 * and the nearest option, when an argument is wrong. */
bool f2l_options_parse(const f2l_command *command, int argc, char **argv, void *values,
                       f2l_global *global, size_t *operands, f2l_error *err);

/* Reads a decimal number that is the whole text; returns false for any other text. */
bool f2l_options_number(uint64_t *out, const char *text);

/* Returns the number of leading arguments that are global options with their values, which may
 * precede a command's name. */
int f2l_options_leading(int argc, char **argv);

/* Returns the number of single-character edits (insertion, deletion, exchange) between two short
 * names, of which at most 64 characters are compared. */
size_t f2l_options_distance(const char *a, const char *b);

#endif
