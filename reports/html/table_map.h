/* The transition table of an automaton as a map of colours. */
#ifndef F2L_TABLE_MAP_H
#define F2L_TABLE_MAP_H

#include "automata/fsa/fsa.h"
#include "reports/page/page.h"

/* Appends the figure: a column for a state, a row for a letter, the colour is the next state. Only
 * the first states and letters of a large automaton are drawn, and a line says so. */
void f2l_table_map(f2l_page *page, const f2l_fsa *fsa);

#endif
