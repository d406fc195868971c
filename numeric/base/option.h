/* Options as rows of a table: a name, what texts it takes, and the field that gets the value.
 * Tables end with a row without a name. cli/options.h makes parsing, help and completion of them.
 */
#ifndef F2L_OPTION_H
#define F2L_OPTION_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define F2L_NO_CHOICE SIZE_MAX
#define F2L_MAX_CHOICES 16

/* The syntax of the argument, and the type of the field at `offset`. */
typedef enum f2l_option_kind {
    F2L_OPTION_FLAG,    /* no argument; bool */
    F2L_OPTION_TEXT,    /* const char *; a choice is only offered */
    F2L_OPTION_TEXTS,   /* const char *, separated by commas; choices are only offered */
    F2L_OPTION_FILE,    /* const char *, the name of a file; its f2l_files is the minimum */
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
    size_t offset; /* offset in bytes of the field in the record of the table */
    const char *help;
} f2l_option;

/* Returns the option by its name, of `size` bytes, or where the name is NULL by its letter; or
 * NULL.
 */
const f2l_option *f2l_option_find(const f2l_option *table, const char *name, size_t size,
                                  char letter);

/* Sets the field of the record to the value that the text says; a flag to true. F2L_EDOMAIN, with a
 * text that says what the option takes, for another text. */
f2l_status f2l_option_set(const f2l_option *option, void *record, const char *text, f2l_error *err);

/* Returns the index of the text in a list of choices, or F2L_NO_CHOICE. */
size_t f2l_choice_find(const char *(*choice)(size_t index), const char *text, size_t size);

/* Reads a decimal number that is the whole text; returns false for any other text. */
bool f2l_options_number(uint64_t *out, const char *text);

#endif
