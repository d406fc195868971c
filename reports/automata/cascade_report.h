/* A cascade for a mathematician: levels, components with their groups, and the homomorphism, as
 * text, JSON or Graphviz. Points, coordinates and levels are numbered from 1. */
#ifndef F2L_CASCADE_REPORT_H
#define F2L_CASCADE_REPORT_H

#include "automata/cascade/cascade_group.h"
#include "numeric/base/text.h"

typedef enum f2l_answer { F2L_NO, F2L_YES, F2L_UNDECIDED } f2l_answer;

typedef struct f2l_cascade_report {
    const char *grammar; /* the name the user gave; only what follows the last slash is shown */
    const f2l_cascade *cascade;
    const f2l_components *components;
    f2l_answer aperiodic;     /* of the automaton, by its holonomy groups */
    const f2l_cascade *other; /* the decomposition that was larger; NULL: none was built */
    const char *other_reason; /* why the other could not be built; NULL: it was, or was not asked
                                 for */
} f2l_cascade_report;

/* Long lists are cut with a count. */
f2l_status f2l_cascade_report_text(f2l_buf *out, const f2l_cascade_report *report, f2l_error *err);

/* `schema` 1; nothing is cut. */
f2l_status f2l_cascade_report_json(f2l_buf *out, const f2l_cascade_report *report, f2l_error *err);

/* One node for each component, ranked by levels, and one for the states; edges lead to the
 * components of the members of a cover. At most 400 components; what was left out is said in the
 * graph's label. */
f2l_status f2l_cascade_report_dot(f2l_buf *out, const f2l_cascade_report *report, f2l_error *err);

#endif
