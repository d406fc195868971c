/* Single values as JSON spells them, for the files of a training run. */
#ifndef F2L_TRAIN_JSON_H
#define F2L_TRAIN_JSON_H

#include "numeric/base/text.h"

/* The shortest decimal of 15 to 17 digits that reads back as the same double; null where it is not
 * finite. */
void f2l_train_json_number(f2l_buf *out, double value);

/* A string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void f2l_train_json_string(f2l_buf *out, const char *text);

#endif
