/* A program that draws, as a child process. */
#ifndef F2L_CHILD_H
#define F2L_CHILD_H

#include "numeric/base/text.h"

/* Runs argv[0], found on PATH, with `input` as standard input, and appends its standard output.
 * Standard error goes nowhere. F2L_UNKNOWN, with the reason, when there is no such program, when it
 * fails, or when it has not ended after `seconds`: it is then killed. F2L_EDOMAIN when it writes
 * more than `limit` bytes. */
f2l_status f2l_child_run(f2l_buf *out, const char *const *argv, const f2l_buf *input,
                         double seconds, size_t limit, f2l_error *err);

#endif
