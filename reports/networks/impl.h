/* Parts of the readable report. */
#ifndef F2L_REPORTS_NETWORKS_IMPL_H
#define F2L_REPORTS_NETWORKS_IMPL_H

#include "reports/networks/inspect_report.h"

#define F2L_INSPECT_INDENT 13 /* columns of the labels */

/* The letter as the data name it, or its number from 1 on. */
void f2l_inspect_letter_name(f2l_buf *out, const f2l_inspect_report *report, size_t letter);

/* What the letters do in one head, in lines, and how nearly it is an action of the group. */
void f2l_inspect_report_head(f2l_buf *out, const f2l_inspect_report *report, size_t head);
void f2l_inspect_report_action(f2l_buf *out, const f2l_inspect_report *report, size_t head);

#endif
