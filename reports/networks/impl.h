/* Parts of the text report. */
#ifndef F2L_REPORTS_NETWORKS_IMPL_H
#define F2L_REPORTS_NETWORKS_IMPL_H

#include "reports/networks/inspect_report.h"

#define F2L_INSPECT_INDENT 13 /* columns of the labels */

/* Appends the name of the letter in the data, or its 1-based number. */
void f2l_inspect_letter_name(f2l_buf *out, const f2l_inspect_report *report, size_t letter);

/* Append the lines on the letters of one head, and on its distance from an action of the group. */
void f2l_inspect_report_head(f2l_buf *out, const f2l_inspect_report *report, size_t head);
void f2l_inspect_report_action(f2l_buf *out, const f2l_inspect_report *report, size_t head);

#endif
