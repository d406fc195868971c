/* Single values in JSON's spelling, for the files of a training run. */
#ifndef F2L_TRAIN_JSON_H
#define F2L_TRAIN_JSON_H

#include "numeric/base/text.h"

/* Appends the shortest decimal of 15 to 17 digits that reads back as the same double, or null if
 * the value is not finite. */
void f2l_train_json_number(f2l_buf *out, double value);

/* Appends a string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void f2l_train_json_string(f2l_buf *out, const char *text);

#endif
