/* A tree of named facts, from which both the JSON and the text of a report are made.
 *
 * A tree remembers its first error: after it, calls change nothing and return empty values, and
 * f2l_facts_status reports it at the end. So neither a put nor a get needs a check. Memory that ran
 * out is F2L_ENOMEM; a fact that is put twice, or read but missing or of another type, is
 * F2L_EDOMAIN, and the text names it. */
#ifndef F2L_FACTS_H
#define F2L_FACTS_H

#include "numeric/base/text.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct f2l_facts {
    json_t *root;
    f2l_error error; /* status F2L_OK: none yet */
} f2l_facts;

/* An object, a list or a single value in a tree, valid until the tree is cleared; passed by value.
 */
typedef struct f2l_fact {
    f2l_facts *tree;
    json_t *json; /* NULL after an error */
} f2l_fact;

/* Makes the tree an empty object. */
void f2l_facts_init(f2l_facts *facts);
void f2l_facts_clear(f2l_facts *facts);
f2l_fact f2l_facts_root(f2l_facts *facts);

/* Makes the error the tree's, unless it has one or err->status is F2L_OK. */
void f2l_facts_fail(f2l_fact at, const f2l_error *err);

/* Returns the first error of the tree, or F2L_OK. */
f2l_status f2l_facts_status(const f2l_facts *facts, f2l_error *err);

/* Returns the status of a text laid out from the tree, and clears the tree. */
f2l_status f2l_facts_end(f2l_facts *facts, const f2l_buf *text, f2l_error *err);

/* How a document is printed. */
typedef struct f2l_facts_style {
    bool indent; /* one line for each fact */
    bool lines;  /* one line for each fact of the root; neither: all in one line */
    int digits;  /* significant digits of numbers, 1 .. 17 */
} f2l_facts_style;

/* Appends the tree as JSON and a newline, unless there was an error; names keep the order in which
 * they were put, so that equal trees give equal bytes. */
f2l_status f2l_facts_write(f2l_buf *out, const f2l_facts *facts, f2l_facts_style style,
                           f2l_error *err);

/* --- writing ---
 * `in` is an object, or a list to which the value is appended; then `name` is NULL. */

/* Return the new object or list, which is empty. */
f2l_fact f2l_say_object(f2l_fact in, const char *name);
f2l_fact f2l_say_list(f2l_fact in, const char *name);
/* Puts a copy of the text; bytes that are not UTF-8 become U+FFFD; NULL puts null. */
void f2l_say_text(f2l_fact in, const char *name, const char *text);
/* Puts the text that `text` has, and clears it. */
void f2l_say_buf(f2l_fact in, const char *name, f2l_buf *text);
void f2l_say_count(f2l_fact in, const char *name, uint64_t count);
void f2l_say_integer(f2l_fact in, const char *name, int64_t value);
/* Puts the number; null when it is not finite. */
void f2l_say_number(f2l_fact in, const char *name, double value);
void f2l_say_truth(f2l_fact in, const char *name, bool value);
void f2l_say_null(f2l_fact in, const char *name);
/* Puts a JSON value, which the tree then owns; NULL means that memory was out. */
void f2l_say_json(f2l_fact in, const char *name, json_t *value);

/* Puts the count, or null when it is not known. */
static inline void f2l_say_known(f2l_fact in, const char *name, bool known, uint64_t count)
{
    if (known)
        f2l_say_count(in, name, count);
    else
        f2l_say_null(in, name);
}

/* Puts a text; null when it is empty. */
static inline void f2l_say_reason(f2l_fact in, const char *name, const char *text)
{
    f2l_say_text(in, name, text[0] ? text : NULL);
}

/* --- reading ---
 * `path` is a name, or names joined by dots: "exact.verdict"; "." or "" is the fact itself. */

f2l_fact f2l_get(f2l_fact in, const char *path);
/* Returns the number of items of a list, and item `i` < that number. */
size_t f2l_get_size(f2l_fact in, const char *path);
f2l_fact f2l_get_item(f2l_fact list, size_t i);
/* Return a value; a text is borrowed. null reads as "", 0, 0, NAN and false. */
const char *f2l_get_text(f2l_fact in, const char *path);
uint64_t f2l_get_count(f2l_fact in, const char *path);
int64_t f2l_get_integer(f2l_fact in, const char *path);
double f2l_get_number(f2l_fact in, const char *path);
bool f2l_get_truth(f2l_fact in, const char *path);
/* Returns whether the fact, which must be there, is not null. */
bool f2l_is_known(f2l_fact in, const char *path);
/* Returns whether the object has the fact. */
bool f2l_has(f2l_fact in, const char *name);
/* Returns whether the fact is a text that equals `text`. */
bool f2l_is(f2l_fact in, const char *path, const char *text);

#endif
