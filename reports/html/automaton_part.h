/* The automaton as a section of a page. */
#ifndef F2L_AUTOMATON_PART_H
#define F2L_AUTOMATON_PART_H

#include "automata/fsa/fsa.h"
#include "reports/page/page.h"

/* Appends the section: letters as buttons; the graph, or of large automata the transition table as
 * a map of colours and the graph of the strongly connected components; the transition table. */
f2l_status f2l_automaton_part(f2l_page *page, const f2l_fsa *fsa, f2l_error *err);

#endif
