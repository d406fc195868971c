/* What the JSON and the summary have in common, so that they cannot disagree. */
#ifndef F2L_REPORT_IMPL_H
#define F2L_REPORT_IMPL_H

#include "reports/compile/report.h"
#include <jansson.h>

/* "VERIFIED", "REFUTED" or "UNKNOWN". */
const char *f2l_report_verdict(f2l_status verdict);

/* The grammar's name without folders. */
const char *f2l_report_name(const f2l_report *report);

/* f2l_t3_report.representation, with a note when the search for a smaller one stopped early. */
void f2l_report_representation(f2l_buf *out, const f2l_t3_report *t3);

/* Parts of every report. */
json_t *f2l_report_tool(const f2l_report *r);
json_t *f2l_report_automaton(const f2l_report *r);
/* Writes the document, which may be NULL where memory was out, and releases it. */
f2l_status f2l_report_dump(f2l_buf *out, json_t *document, f2l_error *err);

/* The constructions that were considered, all or all but the best. */
json_t *f2l_report_entries_json(const f2l_compile_result *c, bool best);

/* What Z, D1, D2, T5, R1 and R2 say beside the sizes, every line beginning with `indent` blanks. */
void f2l_report_details(f2l_buf *out, const f2l_compile_result *c, int indent);

/* Those but the best in a few lines, each beginning with its label or `indent` blanks; nothing for
 * none. */
void f2l_report_others(f2l_buf *out, const f2l_compile_result *c, int indent);

/* How the search ended, what it spent, and its first network: an object, and a line of the summary.
 */
const char *f2l_report_search_end(f2l_compile_end end);
json_t *f2l_report_search_json(const f2l_compile_result *c);
void f2l_report_search(f2l_buf *out, const f2l_compile_result *c, int indent);

/* The summary's first line: name, states, letters, hash. */
void f2l_report_headline(f2l_buf *out, const f2l_report *report);

/* "T3 dyadic keys" */
void f2l_report_entry_name(f2l_buf *out, const f2l_compile_entry *entry);

/* Figures of one layer, as f2l_net_measure gives them for networks. */
void f2l_report_layer(f2l_net_size *out, const f2l_net *net, size_t layer);

/* Figures of the whole network of either kind; `codes` is 0 for a wired one. */
void f2l_report_size(f2l_net_size *out, const f2l_compile_result *c);

/* Figures of one stage of a wired network. */
void f2l_report_stage(f2l_wired_size *out, const f2l_wired *net, size_t stage);

/* Pairs of the local closure that proves the network exactly; 0 when none does. */
size_t f2l_report_pairs(const f2l_compile_result *c);

/* How the gap in T4's published proof is closed, in one sentence without a full stop. */
const char *f2l_report_repair(const f2l_compile_t4 *t4);

/* A cascade's part of the construction, for results of T4. In the summary every line ends with a
 * line break and begins with `indent` blanks, but the one on the repair with its label. */
json_t *f2l_report_t4_json(const f2l_compile_result *c);
void f2l_report_t4_summary(f2l_buf *out, const f2l_compile_result *c, int indent);

#endif
