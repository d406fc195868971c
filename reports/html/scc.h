/* Strongly connected components of an automaton's graph. */
#ifndef F2L_SCC_H
#define F2L_SCC_H

#include "automata/fsa/fsa.h"

/* Sets *of to an owned array [states], the component of every state, and *count to their number. A
 * component has a number above those that it leads to. */
f2l_status f2l_strong_components(uint32_t **of, size_t *count, const f2l_fsa *fsa, f2l_error *err);

#endif
