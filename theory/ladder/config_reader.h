/* Private to theory/ladder: a text of settings that is read, by one reader for each form. */
#ifndef F2L_THEORY_LADDER_CONFIG_READER_H
#define F2L_THEORY_LADDER_CONFIG_READER_H

#include "theory/ladder/config_text.h"

#define F2L_CONFIG_NAME 128 /* bytes of a name, with its end */

/* The text that is read, and the place in it. */
typedef struct f2l_config_reader {
    f2l_config_text *out;
    size_t at, line, begin; /* `begin`: of the line */
    f2l_error *err;
} f2l_config_reader;

/* Returns F2L_EFORMAT, with the column of `at`, which is in the line of the reader. */
f2l_status f2l_config_refuse_at(const f2l_config_reader *r, size_t at, const char *what);

bool f2l_config_equals(const char *word, size_t size, const char *text);

/* Returns the value that a word is, a new reference: true, false, none, a number, or else a text;
 * NULL if it is no UTF-8, or without memory. */
json_t *f2l_config_make_scalar(const char *word, size_t size);

/* Puts the value, whose reference is taken, under the name; a name that is there already is
 * refused. A NULL is refused as a value that is no UTF-8. */
f2l_status f2l_config_put(f2l_config_reader *r, const char *name, json_t *value, size_t at);

/* Copies a name, which begins at `at` in the text, with underscores for dashes. */
f2l_status f2l_config_copy_name(char name[F2L_CONFIG_NAME], const f2l_config_reader *r,
                                const char *word, size_t size, size_t at);

/* Read all of the text in a form; `list` is one of JSON or Python. */
f2l_status f2l_config_read_arguments(f2l_config_reader *r);
f2l_status f2l_config_read_listed(f2l_config_reader *r, const json_t *list);
f2l_status f2l_config_read_yaml(f2l_config_reader *r);
f2l_status f2l_config_read_python(f2l_config_reader *r);

/* Returns whether the text begins as a call, `Namespace(..`, or as a dict or a list whose first
 * text is in single quotes. */
bool f2l_config_is_python(const char *text, size_t size);

#endif
