/* Functions that the text of all reports shares. */
#ifndef F2L_REPORTS_TEXT_H
#define F2L_REPORTS_TEXT_H

#include "numeric/base/text.h"
#include "numeric/facts/layout.h"

/* Begins a line: appends the label, or blanks for a continuation, up to column `width`; a label
 * that is wider than that is followed by one blank. */
void f2l_report_label(f2l_buf *out, const char *label, int width);

/* Appends text broken at blanks, and a line break: the first word goes to column `at`, where the
 * line ends now, further lines begin with `indent` blanks and end before column `width`. A word
 * that is wider than the line gets a line of its own. */
void f2l_report_wrap(f2l_buf *out, const char *text, size_t at, size_t indent, size_t width);

/* Appends the label and the line, wrapped from column `indent` on, and clears the line. */
void f2l_report_line(f2l_buf *out, const char *label, f2l_buf *line, size_t indent, size_t width);

/* Appends the label and the template's text, wrapped likewise. */
void f2l_report_template(f2l_buf *out, const char *label, f2l_fact from, const char *text,
                         size_t indent, size_t width);

/* Appends a field of a line of comma-separated values, in quotes where RFC 4180 wants them. */
void f2l_report_csv_field(f2l_buf *out, const char *text);

#endif
