/* Names of formats that are not read, for the text of errors. */
#ifndef F2L_FOREIGN_H
#define F2L_FOREIGN_H

#include "numeric/base/status.h"

#include <stdbool.h>

/* Where a text that no reader took looks like a format that is not read, puts its name and how to
 * convert it before the text of *err (NULL: does nothing), whose place remains. */
void f2l_foreign_name(f2l_error *err, const char *bytes, size_t size);

/* Returns whether the first line is like the header of a table of states and letters: `state`,
 * `from` or a like word, and a separator. */
bool f2l_foreign_is_table(const char *bytes, size_t size);

#endif
