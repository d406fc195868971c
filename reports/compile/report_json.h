/* Functions that build JSON. Every function that makes a value returns NULL when memory is out, and
 * adding NULL fails, so that one test at the end suffices. */
#ifndef F2L_REPORT_JSON_IMPL_H
#define F2L_REPORT_JSON_IMPL_H

#include "numeric/base/text.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns a JSON string, owned by the caller, of any bytes: file names need not be UTF-8, and
 * invalid bytes become U+FFFD. */
json_t *f2l_json_text(const char *bytes);

static inline json_t *f2l_json_number(size_t value)
{
    return json_integer((json_int_t)value);
}

/* Adds `value`, which the object then owns; returns false when `value` is NULL or memory is out. */
static inline bool f2l_json_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static inline bool f2l_json_append(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0;
}

/* Returns the object if it is complete; otherwise releases it and returns NULL. */
static inline json_t *f2l_json_finish(json_t *object, bool complete)
{
    if (complete) return object;
    json_decref(object);
    return NULL;
}

/* Appends the document, formatted by jansson's flags, and a newline; releases the document. NULL
 * means that memory was out when it was made. Names are UTF-8 and numbers finite, so that
 * F2L_ENOMEM is the only error. */
f2l_status f2l_json_write(f2l_buf *out, json_t *document, size_t flags, f2l_error *err);

#endif
