/* What was found about a trained network beside its run: compare.json, horizon.json, snap.json and
 * starts.json. Each is shown where the folder has it. */
#ifndef F2L_STUDY_PART_H
#define F2L_STUDY_PART_H

#include "reports/html/record.h"
#include "reports/page/page.h"

/* Returns whether the folder has one of these files. */
bool f2l_has_study(const char *folder);

/* Appends the sections. */
f2l_status f2l_study_part(f2l_page *page, const char *folder, f2l_error *err);

/* Returns the number of letters up to which horizon.json certifies all words; NAN: there is no such
 * file, or it does not say. */
double f2l_study_horizon(const char *folder);

/* Appends a table of the single values of a record. */
void f2l_page_record(f2l_page *page, const json_t *record, const char *title);
/* Appends a table row for each member that is a single value. */
void f2l_page_members(f2l_page *page, const json_t *object);

#endif
