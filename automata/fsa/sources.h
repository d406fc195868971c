/* The states that letters lead from, listed by the state that they lead to. */
#ifndef F2L_SOURCES_H
#define F2L_SOURCES_H

#include "automata/fsa/fsa.h"

/* For every state y the increasing list of the states that some letter sends to y: node first[y],
 * then its link[], until F2L_NO_SOURCE; a node's state is from[node]. */
typedef struct f2l_sources {
    uint32_t *first;       /* [states] */
    uint32_t *link, *from; /* [states * letters], as many as there are nodes */
    size_t nodes;          /* number of pairs x, y such that a letter sends x to y */
    size_t empty;          /* number of states that no letter leads to */
} f2l_sources;

#define F2L_NO_SOURCE UINT32_MAX

/* Lists the sources of all states; the work is counted by the caller. *out is all zero after a
 * failure, and cleared by the caller otherwise. */
f2l_status f2l_sources_init(f2l_sources *out, const f2l_fsa *fsa, f2l_error *err);
void f2l_sources_clear(f2l_sources *s);

#endif
