/* Building JSON: every maker returns NULL when memory is out, and putting NULL fails, so that one
 * test at the end suffices. */
#ifndef F2L_REPORT_JSON_IMPL_H
#define F2L_REPORT_JSON_IMPL_H

#include "numeric/base/text.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A JSON string of any bytes: file names need not be UTF-8, and bytes that are not become U+FFFD.
 */
json_t *f2l_json_text(const char *bytes);

static inline json_t *f2l_json_number(size_t value)
{
    return json_integer((json_int_t)value);
}

/* Takes `value`; false when it is NULL or memory is out. */
static inline bool f2l_json_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static inline bool f2l_json_append(json_t *array, json_t *value)
{
    return json_array_append_new(array, value) == 0;
}

/* The object if everything that was put into it got there. */
static inline json_t *f2l_json_finish(json_t *object, bool complete)
{
    if (complete) return object;
    json_decref(object);
    return NULL;
}

/* Appends the document, as jansson's flags say, and a newline; releases it. NULL: memory was out
 * when it was made. Names are UTF-8 by then and numbers finite, so that only memory can be missing.
 */
f2l_status f2l_json_write(f2l_buf *out, json_t *document, size_t flags, f2l_error *err);

#endif
