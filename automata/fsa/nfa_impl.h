/* The edges of an automaton in the order in which making it deterministic and total walks them. */
#ifndef F2L_NFA_IMPL_H
#define F2L_NFA_IMPL_H

#include "automata/fsa/nfa.h"

/* Edges sorted by (from, letter, to), each once, epsilon after the letters; only those of reachable states.
 */
typedef struct f2l_edge_index {
    f2l_edge *edge;
    size_t edges;
    size_t *first;    /* [states + 1] first edge of every state */
    uint32_t *number; /* [states] number among the reachable states, in order; UINT32_MAX when unreachable */
    size_t reachable;
} f2l_edge_index;

/* *index (zeroed) is built; the automaton must have passed f2l_nfa_close_states. */
f2l_status f2l_edge_index_build(f2l_edge_index *index, const f2l_nfa *nfa, f2l_error *err);
void f2l_edge_index_clear(f2l_edge_index *index);

/* The subset construction from all start states. out->next has UINT32_MAX where the successor is the empty
 * set. Sets letters, states ({p,q}), next, accept, outputs and output of *out; the start is state 0. */
f2l_status f2l_nfa_subsets(f2l_fsa *out, const f2l_nfa *nfa, const f2l_edge_index *index, size_t max_states,
                           const f2l_task *task, f2l_error *err);

#endif
