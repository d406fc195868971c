/* Parts of the compare report; private to this folder. */
#ifndef F2L_REPORTS_NETWORKS_COMPARE_PARTS_H
#define F2L_REPORTS_NETWORKS_COMPARE_PARTS_H

#include "reports/networks/compare_report.h"
#include "reports/networks/impl.h"

f2l_report_describe f2l_compare_describe;

/* Put `extraction`, `learned_irreps` and `state_maps`. */
void f2l_compare_say_extraction(f2l_fact in, const f2l_compare_report *r);
void f2l_compare_say_irreps(f2l_fact in, const f2l_compare_report *r);
void f2l_compare_say_maps(f2l_fact in, const f2l_compare_report *r);

/* Append the lines on them. */
void f2l_compare_lay_extraction(f2l_buf *out, f2l_fact from);
void f2l_compare_lay_irreps(f2l_buf *out, f2l_fact from);
void f2l_compare_lay_maps(f2l_buf *out, f2l_fact from);

#endif
