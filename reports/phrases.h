/* Functions that the text of all reports shares. */
#ifndef F2L_REPORTS_TEXT_H
#define F2L_REPORTS_TEXT_H

#include "numeric/base/text.h"

/* Begins a line: appends the label, or blanks for a continuation, up to column `width`; a label
 * that is wider than that is followed by one blank. */
void f2l_report_label(f2l_buf *out, const char *label, int width);

/* Appends a number with its noun: "1 state", "2 states". */
void f2l_report_count(f2l_buf *out, size_t n, const char *noun);

#endif
