/* Where words z u^t lead a trained network, as facts and text. */
#ifndef F2L_SETTLE_REPORT_H
#define F2L_SETTLE_REPORT_H

#include "automata/fsa/fsa.h"
#include "numeric/facts/facts.h"
#include "theory/beside/horizon/learned_settle.h"

typedef struct f2l_settle_report {
    f2l_settle settle;
    const f2l_fsa *fsa; /* borrowed */
    f2l_error why;      /* why there is no search; an empty text: there is one */
} f2l_settle_report;

/* Puts `settles`. */
void f2l_say_settle(f2l_fact in, const f2l_settle_report *report);

/* Appends the verdict, the shortest wrong word that was met, and what was looked at, in lines with
 * a label of `width` columns; nothing where there was no search. */
void f2l_lay_settle(f2l_buf *out, f2l_fact from, int width);

#endif
