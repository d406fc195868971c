/* What `compare` found, from compare.json. */
#ifndef F2L_COMPARE_PART_H
#define F2L_COMPARE_PART_H

#include "reports/html/record.h"
#include "reports/page/page.h"

/* Appends the section: the automaton of the learned states, accuracy by length of both networks,
 * learned representations, and linear maps between the states. A record of another shape gives its
 * single values. */
f2l_status f2l_compare_part(f2l_page *page, const json_t *record, f2l_error *err);

#endif
