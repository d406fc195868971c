/* A compiled network: the folder of the main job. */
#ifndef F2L_COMPILE_PART_H
#define F2L_COMPILE_PART_H

#include "reports/html/record.h"
#include "reports/page/page.h"

/* Returns whether the record is a report.json of the main job. */
bool f2l_is_compile(const json_t *report);

/* Appends the part of the folder, whose report.json is `report`. */
f2l_status f2l_compile_part(f2l_page *page, const char *folder, const json_t *report,
                            f2l_error *err);

/* Append the parts that the pages of other folders have as well: the verdict with its scope, and
 * figures as tiles (pairs of a number and what it counts). */
void f2l_page_title(f2l_page *page, const char *kind, const char *title);
void f2l_page_hero(f2l_page *page, const char *verdict, const char *headline, const char *scope);
void f2l_page_tile(f2l_page *page, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
