/* Command-line options as data. One table per command drives parsing, --help, the man page and the
 * completion, so that they always agree with the program. */
#ifndef F2L_OPTIONS_H
#define F2L_OPTIONS_H

#include "numeric/base/option.h"

/* The kind of a file, which says what extensions are offered, besides folders. */
typedef enum f2l_files {
    F2L_FILES_NONE, /* no file; as the kind of an option's file: any */
    F2L_FILES_ANY,
    F2L_FILES_FOLDER, /* folders only */
    F2L_FILES_GRAMMAR,
    F2L_FILES_AUTOMATON, /* .fsa */
    F2L_FILES_NETWORK,
    F2L_FILES_CERTIFICATE,
    F2L_FILES_WEIGHTS,
    F2L_FILES_OUTCOME, /* .json */
    F2L_FILES_CSV
} f2l_files;

struct f2l_work_kind;

/* Returns ending `index` of the names of such files, NULL past the last; "" is the ending of any
 * file, "/" of folders. */
const char *f2l_files_ending(f2l_files files, size_t index);

/* A table of options that several commands include. */
typedef struct f2l_option_group {
    const char *title; /* "Options for the grammar"; "": more of the table before; NULL: past the
                          last group */
    const f2l_option *options;
    size_t offset; /* offset in bytes of the table's record in the command's record */
} f2l_option_group;

/* The values of the options of every command. */
typedef struct f2l_global {
    bool json, quiet, help, version;
    uint64_t jobs;     /* 0: as many as there are processors */
    uint64_t memory;   /* 0: no limit */
    double time_limit; /* seconds; 0: none */
    /* Of commands whose work can be continued (cli/continue.h): */
    bool go_on;
    const char *folder; /* --out where the command has none of its own; NULL: not given */
} f2l_global;

extern const f2l_option f2l_global_options[]; /* NULL-name terminated, as every table */

#define F2L_MAX_GIVEN 128

/* The options that the user gave, each once, in the order given. */
typedef struct f2l_given {
    size_t count;
    const f2l_option *option[F2L_MAX_GIVEN]; /* [count] */
} f2l_given;

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
    f2l_option_group groups[6]; /* further options, NULL-title terminated */
    const char *no_grammar;     /* why it has no options for a grammar, for messages; or NULL */
    const char *no_label;       /* why it refuses --label; NULL: it does not */
    const char *no_sink;        /* why it refuses --sink; NULL: it does not */
    bool no_edges;              /* its --label is of states, not edges */
    const char *list_title;
    f2l_row (*list)(size_t index);        /* NULL: none */
    const char *(*operand)(size_t index); /* returns words that complete the first operand; NULL:
                                             none */
    f2l_files files[3];                   /* kinds of the operands; the last is for all further */
    const struct f2l_work_kind *work;     /* what --continue does (cli/continue.h); NULL: there is
                                             no --continue */
    const f2l_example *examples;          /* NULL-command terminated */
    /* The job of the command, which begins with its f2l_cli (cli/cli.h). */
    size_t job_size;
    size_t values_at;   /* offset in bytes of the command's record in the job */
    size_t values_size; /* bytes of the record; 0 without defaults */
    const void *values; /* the record with its defaults; NULL: all zero */
    void (*init)(void *job), (*clear)(void *job); /* NULL: zeros are the empty job */
    int (*run)(void *job); /* does the work after the options are read; returns the exit status */
} f2l_command;

/* Returns table `index` of the command: its own options, its groups in turn, the options of
 * --continue where it has it, and the global ones; the title is NULL past the last. */
f2l_option_group f2l_command_option_table(const f2l_command *command, size_t index);

/* Returns an option of the command's tables as the command takes it, --label without edges where
 * it reads labels of states; or NULL, where the command refuses it. */
const f2l_option *f2l_command_option(const f2l_command *command, const f2l_option *option);

/* Returns the option that an argument such as --name=value or -ovalue names, with its table in
 * *group and the value in the argument (NULL: there is none) in *value; or NULL. */
const f2l_option *f2l_options_match(const f2l_command *command, const char *argument,
                                    f2l_option_group *group, const char **value);

/* Fills `values` (the command's record, holding its defaults), *global and *given from the
 * arguments, in any order: --name value, --name=value, -o value, -oVALUE, `--` before operands that
 * begin with '-'. Operands are moved to argv[0..*operands). Returns false, with a text that names
 * the error and the nearest option or the commands that have the option, when an argument is
 * wrong. */
bool f2l_options_parse(const f2l_command *command, int argc, char **argv, void *values,
                       f2l_global *global, f2l_given *given, size_t *operands, f2l_error *err);

/* Returns whether an option of this name was given. */
bool f2l_given_has(const f2l_given *given, const char *name);
/* Returns the name of the first option given that is in the table, or NULL. */
const char *f2l_given_in(const f2l_given *given, const f2l_option *table);
/* Returns the name of the first option given that is neither global nor in the list of names, which
 * ends with NULL; or NULL. */
const char *f2l_given_beside(const f2l_given *given, const char *const *names);

/* Reads the decimal number that the text begins with; sets *end to the end of the number, or to
 * `text` when there is no number. */
double f2l_options_decimal(const char *text, const char **end);

/* Returns the number of leading arguments that are global options with their values, which may
 * precede a command's name. */
int f2l_options_leading(int argc, char **argv);

/* The search for the known name that a misspelled one means. */
typedef struct f2l_near {
    const char *name;  /* as the user spelled it; at most 64 characters are compared */
    const char *found; /* NULL: no known name is near */
    size_t distance;   /* number of insertions, deletions, exchanges and swaps of neighbours */
} f2l_near;

/* Takes the known name where it is nearer than the one found before. A name of n letters is near at
 * (n + 1)/3 edits, and where it is a beginning, of three letters or more. */
void f2l_near_try(f2l_near *near, const char *known);

#endif
