/* Parsing JSON, and single values in JSON's spelling. */
#ifndef F2L_JSON_H
#define F2L_JSON_H

#include "numeric/base/text.h"
#include <jansson.h>

/* Parses a text, in which no object may have a member twice, and returns the value, owned by the
 * caller; NULL with F2L_EFORMAT, with line and column, or F2L_ENOMEM. `what` names the text: "WHAT
 * is no JSON: ..". */
json_t *f2l_json_load(f2l_status *status, const char *text, size_t size, const char *what,
                      f2l_error *err);

/* Appends the shortest decimal of 15 to 17 digits that reads back as the same double, or null if
 * the value is not finite. */
void f2l_json_number(f2l_buf *out, double value);

/* Appends a string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void f2l_json_text(f2l_buf *out, const char *text);

#endif
