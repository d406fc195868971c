/* Outcomes of `reproduce` beside the published numbers. */
#ifndef F2L_OUTCOME_PART_H
#define F2L_OUTCOME_PART_H

#include "reports/html/record.h"
#include "reports/page/page.h"

/* Returns a new array of the rows of all files outcome-*.json of the folder, in the order of their
 * names; each row has the member "file". Empty when there are none. */
f2l_status f2l_outcome_rows(json_t **rows, const char *folder, f2l_error *err);

/* Appends the part: for each preset the accuracies of its rows by length, and the published ones.
 */
f2l_status f2l_outcome_part(f2l_page *page, const char *folder, const json_t *rows, f2l_error *err);

#endif
