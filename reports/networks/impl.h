/* Parts of the inspect report. */
#ifndef F2L_REPORTS_NETWORKS_IMPL_H
#define F2L_REPORTS_NETWORKS_IMPL_H

#include "reports/model/shared_facts.h"
#include "reports/networks/inspect_report.h"

f2l_report_describe f2l_inspect_report_describe;

/* Append the lines on one head, and on its distance from an action of the group; at most `rows`
 * letters. */
void f2l_inspect_lay_head(f2l_buf *out, f2l_fact from, size_t head, size_t rows);
void f2l_inspect_lay_action(f2l_buf *out, f2l_fact from, size_t head);

#endif
