/* Parts of the inspect report. */
#ifndef F2L_REPORTS_NETWORKS_IMPL_H
#define F2L_REPORTS_NETWORKS_IMPL_H

#include "reports/model/shared_facts.h"
#include "reports/networks/inspect_report.h"

f2l_report_describe f2l_inspect_report_describe;
f2l_report_describe f2l_token_losses_describe, f2l_token_heads_describe;

/* Append the lines on one head, and on its distance from an action of the group; at most `rows`
 * letters. */
void f2l_inspect_lay_head(f2l_buf *out, f2l_fact from, size_t head, size_t rows);
void f2l_inspect_lay_action(f2l_buf *out, f2l_fact from, size_t head);

/* Appends the numbers of a letter and the end of the line. */
void f2l_inspect_lay_letter(f2l_buf *out, f2l_fact action, bool gated);

/* Put the facts of an inspect report that a comparison has, too: `per_letter`, `relations`, a
 * histogram, and the matrix of a letter, with its key vectors if `keys`. */
void f2l_inspect_say_letters(f2l_fact in, const f2l_inspect_report *r);
void f2l_inspect_say_relations(f2l_fact in, const f2l_inspect_report *r);
void f2l_inspect_say_spread(f2l_fact in, const char *name, const f2l_inspect_spread *s);
void f2l_inspect_say_letter(f2l_fact list, const f2l_inspect *x, const f2l_inspect_head *h,
                            size_t letter, bool keys);

#endif
