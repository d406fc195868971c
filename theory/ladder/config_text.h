/* Settings of a model as one object of JSON, from the texts in which libraries keep them. */
#ifndef F2L_LADDER_CONFIG_TEXT_H
#define F2L_LADDER_CONFIG_TEXT_H

#include "numeric/json/json.h"

/* The most bytes of a text, and the most settings of one. */
#define F2L_CONFIG_BYTES ((size_t)4 << 20)
#define F2L_CONFIG_MOST 20000

typedef struct f2l_config_text {
    json_t *object;   /* owned; NULL: empty */
    const char *form; /* "JSON", "YAML" or "arguments" */
    const char *text; /* borrowed */
    size_t size;
} f2l_config_text;

void f2l_config_text_init(f2l_config_text *s);
void f2l_config_text_clear(f2l_config_text *s);

/* Reads a text, which must live as long as *out, in the form that its first characters show: an
 * object of JSON, in which Infinity is a number; a list of JSON or a text of `--name value ..`, of
 * lines `name ..... value` as Megatron-LM prints them; `Namespace(name=value, ..)`, a dict or a
 * list of texts as Python prints them; or YAML of scalars, lists of scalars and objects, whose
 * members become members of the whole. Dashes in names of arguments become underscores. Of Python's
 * names with dots, calls and objects in angle brackets the text is kept: nothing is evaluated.
 * F2L_EFORMAT with line and column: another text, another class, or a name that is there twice. */
f2l_status f2l_config_text_read(f2l_config_text *out, const char *text, size_t size,
                                f2l_error *err);

/* Sets line and column, from 1 on, of the first place where the text has the name; of the text's
 * beginning if it has it nowhere. */
void f2l_config_text_find(const f2l_config_text *s, const char *name, size_t *line, size_t *column);

#endif
