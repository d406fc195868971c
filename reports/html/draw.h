/* report.html and report.md: what a folder holds, for people.
 *
 * The pages are made from the files of the folder alone: report.json of the main job, config.json
 * and log.jsonl of a training run, outcome-*.json of reproduce. They name no time, so that equal
 * files give equal pages. report.html has no other files and needs no network. */
#ifndef F2L_DRAW_H
#define F2L_DRAW_H

#include "numeric/base/text.h"

#define F2L_REPORT_HTML "report.html"
#define F2L_REPORT_MD "report.md"

/* Sets *html and *md, which are empty, to the pages about the folders, together on one page. `tool`
 * is the program's name with version and commit. F2L_EDOMAIN, with the folder, when one of them
 * holds nothing to show. */
f2l_status f2l_report_pages(f2l_buf *html, f2l_buf *md, const char *const *folder, size_t folders,
                            const char *tool, f2l_error *err);

/* Writes the pages about one folder into it, each whole or not at all. */
f2l_status f2l_report_draw(const char *folder, const char *tool, f2l_error *err);

/* Writes a page with `path` as its name: a page of ours that is there is replaced, and with `force`
 * every file; otherwise F2L_EEXIST. */
f2l_status f2l_report_put(const char *path, const f2l_buf *text, bool force, f2l_error *err);

#endif
