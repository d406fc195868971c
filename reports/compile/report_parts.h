/* Functions that the JSON and the summary share, so that they cannot disagree. */
#ifndef F2L_REPORT_IMPL_H
#define F2L_REPORT_IMPL_H

#include "reports/compile/report.h"
#include <jansson.h>

/* Returns "VERIFIED", "REFUTED" or "UNKNOWN". */
const char *f2l_report_verdict(f2l_status verdict);

/* Returns the grammar's name without folders. */
const char *f2l_report_name(const f2l_report *report);

/* Appends f2l_t3_report.representation, with a note when the search for a smaller representation
 * stopped early. */
void f2l_report_representation(f2l_buf *out, const f2l_t3_report *t3);

/* Return parts of every report, owned by the caller. */
json_t *f2l_report_tool(const f2l_report *r);
json_t *f2l_report_automaton(const f2l_report *r);
/* Writes the document, which may be NULL where memory was out, and releases it. */
f2l_status f2l_report_dump(f2l_buf *out, json_t *document, f2l_error *err);

/* Returns the constructions that were considered; without the best when `best` is false. */
json_t *f2l_report_entries_json(const f2l_compile_result *c, bool best);

/* Appends the details of Z, D1, D2, T5, R1 and R2 beside the sizes; every line begins with `indent`
 * blanks. */
void f2l_report_details(f2l_buf *out, const f2l_compile_result *c, int indent);

/* Appends the constructions other than the best in a few lines, each beginning with its label or
 * `indent` blanks; nothing if there are none. */
void f2l_report_others(f2l_buf *out, const f2l_compile_result *c, int indent);

/* The end of the search, the effort spent, and the first network: the name of the end, a JSON
 * object, and a line of the summary. */
const char *f2l_report_search_end(f2l_compile_end end);
json_t *f2l_report_search_json(const f2l_compile_result *c);
void f2l_report_search(f2l_buf *out, const f2l_compile_result *c, int indent);

/* Appends the summary's first line: name, states, letters, hash. */
void f2l_report_headline(f2l_buf *out, const f2l_report *report);

/* Appends the name of the construction, such as "T3 dyadic keys". */
void f2l_report_entry_name(f2l_buf *out, const f2l_compile_entry *entry);

/* Computes the figures of one layer, as f2l_net_measure does for networks. */
void f2l_report_layer(f2l_net_size *out, const f2l_net *net, size_t layer);

/* Computes the figures of the whole network of either kind; `codes` is 0 for a wired network. */
void f2l_report_size(f2l_net_size *out, const f2l_compile_result *c);

/* Computes the figures of one stage of a wired network. */
void f2l_report_stage(f2l_wired_size *out, const f2l_wired *net, size_t stage);

/* Returns the number of pairs of the local closure that proves the network exactly; 0 when no
 * closure does. */
size_t f2l_report_pairs(const f2l_compile_result *c);

/* Returns one sentence without a full stop on how the gap in T4's published proof is closed. */
const char *f2l_report_repair(const f2l_compile_t4 *t4);

/* Return the cascade of a T4 result as JSON, and append it to the summary: every line ends with a
 * line break and begins with `indent` blanks; the line on the repair begins with its label. */
json_t *f2l_report_t4_json(const f2l_compile_result *c);
void f2l_report_t4_summary(f2l_buf *out, const f2l_compile_result *c, int indent);

#endif
