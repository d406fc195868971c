/* Functions that the JSON and the summary share, so that they cannot disagree. */
#ifndef F2L_REPORT_IMPL_H
#define F2L_REPORT_IMPL_H

#include "reports/compile/report.h"
#include "reports/model/shared_facts.h"

/* Puts all facts of report.json. */
f2l_report_describe f2l_report_describe_all;

/* Puts `automaton`, as every report on a compilation has it. */
void f2l_report_say_automaton(f2l_fact in, const f2l_report *r);

/* Put `exact` and `formats`, the verdicts of the network; without witnesses if `letters`, the names
 * of the automaton's letters, is NULL. */
void f2l_say_compiled_exact(f2l_fact in, const f2l_compile_result *c, const f2l_names *letters);
void f2l_say_compiled_formats(f2l_fact in, const f2l_compile_result *c, const f2l_names *letters);

/* Puts the figures; of a network that was not built, only those that are known. */
void f2l_report_say_figures(f2l_fact in, const f2l_compile_figures *figures, bool built);

/* Puts `figures`, `exact`, `exact_states`, `exact_in_bf16` and `formats` of a network that was
 * built. */
void f2l_report_say_network(f2l_fact in, const f2l_compile_entry *e);
/* Appends, of an object with these facts, the formats in which the network is VERIFIED at all
 * lengths, then the other formats, with their `reasons` or without. */
void f2l_report_lay_formats(f2l_buf *out, f2l_fact network, bool reasons);

/* Puts a list of the constructions that were considered; without the best when `best` is false. */
void f2l_report_say_entries(f2l_fact in, const char *name, const f2l_compile_result *c, bool best);
/* Puts the facts of one of them; `equal` has equal figures and formats (NULL: none has). */
void f2l_report_say_entry(f2l_fact in, const f2l_compile_entry *e, const f2l_compile_entry *equal,
                          bool listed);

#define F2L_SUMMARY_INDENT 15 /* columns of the labels of the summary */

/* Puts `search`: its end, its effort, and the first network. */
void f2l_report_say_search(f2l_fact in, const f2l_compile_result *c);

/* Append parts of the summary: the first line, with name, states, letters and hash; the line on the
 * search; and the constructions other than the best, in a few lines, or nothing if there are none.
 */
void f2l_report_headline(f2l_buf *out, f2l_fact from);
void f2l_report_search(f2l_buf *out, f2l_fact from);
void f2l_report_others(f2l_buf *out, f2l_fact from);

#endif
