/* The report on a cascade: levels, components with their groups, and the homomorphism, as text,
 * JSON or Graphviz. All pointers are borrowed. Points, coordinates and levels are numbered from 1.
 */
#ifndef F2L_CASCADE_REPORT_H
#define F2L_CASCADE_REPORT_H

#include "automata/cascade/cascade_group.h"
#include "reports/model/shared_facts.h"

typedef enum f2l_answer { F2L_NO, F2L_YES, F2L_UNDECIDED } f2l_answer;

typedef struct f2l_cascade_report {
    const char *grammar; /* the user's name; the report shows the base name */
    const f2l_cascade *cascade;
    const f2l_components *components;
    f2l_answer aperiodic;     /* whether the automaton is aperiodic, by its holonomy groups */
    const f2l_cascade *other; /* the larger decomposition; NULL: none was built */
    const char *other_reason; /* the reason why `other` could not be built; NULL: it was built, or
                                 not requested */
} f2l_cascade_report;

/* Appends the text, in which long lists are cut, with a count. */
f2l_status f2l_cascade_report_text(f2l_buf *out, const f2l_cascade_report *report, f2l_error *err);

/* The JSON, with all lists complete. */
extern const f2l_report_kind f2l_cascade_report_kind;

/* Appends a Graphviz graph: one node for each component, ranked by levels, and one for the states;
 * edges lead to the components of the members of a cover. At most 400 components; the label of the
 * graph gives the number of those left out. */
f2l_status f2l_cascade_report_dot(f2l_buf *out, const f2l_cascade_report *report, f2l_error *err);

#endif
