/* Where words z u^t lead a trained network, as facts and text. */
#ifndef F2L_SETTLE_REPORT_H
#define F2L_SETTLE_REPORT_H

#include "automata/fsa/fsa.h"
#include "numeric/facts/facts.h"
#include "theory/beside/horizon/learned_settle.h"

/* Puts `settles`; with a reason why there is no search, which the network or its task has, nothing
 * else is read. */
void f2l_say_settle(f2l_fact in, const f2l_settle *settle, const f2l_fsa *fsa,
                    const char *no_search);

/* Appends the verdict, the shortest wrong word that was met, and what was looked at, in lines with
 * a label of `width` columns. */
void f2l_lay_settle(f2l_buf *out, f2l_fact from, int width);

#endif
