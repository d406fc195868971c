/* Functions that the files of a report share. */
#ifndef F2L_REPORTS_AUTOMATA_IMPL_H
#define F2L_REPORTS_AUTOMATA_IMPL_H

#include "reports/automata/cascade_report.h"
#include "reports/model/shared_facts.h"

/* The facts of the reports. */
f2l_report_describe f2l_classify_report_describe, f2l_obstruct_report_describe;

/* The facts of a cascade in three parts, because the text shows only the beginning of long lists:
 * everything but the levels and the homomorphism; one level (1-based), with its first components
 * and the first sets of their covers; and the coordinates of the first states. */
void f2l_cascade_say_head(f2l_fact out, const f2l_cascade_report *report);
void f2l_cascade_say_level(f2l_fact in, const f2l_cascade_report *report, size_t level,
                           size_t most_components, size_t most_sets);
void f2l_cascade_say_homomorphism(f2l_fact in, const f2l_cascade *cascade, size_t most);

#endif
