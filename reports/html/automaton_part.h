/* The automaton as a section of a page. */
#ifndef F2L_AUTOMATON_PART_H
#define F2L_AUTOMATON_PART_H

#include "automata/fsa/fsa.h"
#include "reports/page/page.h"

/* Limits of drawings of automata: states, and edges after parallel ones were merged. */
#define F2L_DRAWN_STATES ((size_t)60)
#define F2L_DRAWN_EDGES ((size_t)400)

/* Appends the section: the graph, or for large automata the transition table as a heat map with the
 * graph of the strongly connected components; letters as buttons; the transition table. */
f2l_status f2l_automaton_part(f2l_page *page, const f2l_fsa *fsa, f2l_error *err);

/* Appends the names of letters as buttons, which highlight what belongs to a letter. */
void f2l_letter_buttons(f2l_page *page, const f2l_names *letters);

/* Appends the automaton's graph in the DOT language, parallel edges merged. */
void f2l_automaton_dot(f2l_buf *dot, const f2l_fsa *fsa, size_t part, size_t figure);

#endif
