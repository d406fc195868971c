/* The graph of the strongly connected components of an automaton that is too large for its own. */
#ifndef F2L_COMPONENT_GRAPH_H
#define F2L_COMPONENT_GRAPH_H

#include "automata/fsa/fsa.h"
#include "reports/page/page.h"

/* Says how many components there are, and appends their graph with the numbers of states and of
 * transitions: a box for each component or, where there are more than F2L_DRAWN_STATES of them, for
 * all that are about equally far from the start. */
f2l_status f2l_component_graph(f2l_page *page, const f2l_fsa *fsa, f2l_error *err);

#endif
