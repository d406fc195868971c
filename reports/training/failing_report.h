/* The shortest wrong word that is known of a trained network, as facts and text. */
#ifndef F2L_FAILING_REPORT_H
#define F2L_FAILING_REPORT_H

#include "numeric/facts/facts.h"
#include "theory/beside/compare/failing.h"

/* Puts `failing_word`; `random` is the number of random words that were read beside the search. */
void f2l_say_failing(f2l_fact in, const f2l_failing *failing, const f2l_data *data, size_t random);

/* Appends the word with its length, or that none is known, and which words were tried, in lines
 * that begin with `label` and as many blanks. */
void f2l_lay_failing(f2l_buf *out, f2l_fact from, const char *label);

#endif
