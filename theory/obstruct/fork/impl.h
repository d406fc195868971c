/* Private to theory/obstruct/fork. */
#ifndef F2L_THEORY_OBSTRUCT_FORK_IMPL_H
#define F2L_THEORY_OBSTRUCT_FORK_IMPL_H

#include "automata/graph/scc.h"
#include "theory/obstruct/fork/fork.h"

/* The strongly connected components of the graph of ordered pairs of states, whose edges are the
 * letters that keep the states of a pair different. The pair (y, z) has the number y n + z; a pair
 * of equal states is a component of its own without edges. */
typedef struct f2l_pair_graph {
    size_t n, k;
    const uint32_t *next; /* [n][k] borrowed */
    f2l_scc scc;          /* of the n n pairs */
    uint32_t *local;      /* [n n] place of a pair within its component */
    /* The states from which letter a leads to x: before[before_at[a n + x] ..], up to the next. */
    size_t *before_at; /* [k n + 1] */
    uint32_t *before;  /* [k n] */
} f2l_pair_graph;

/* Builds the graph of a table. */
f2l_status f2l_pair_graph_build(f2l_pair_graph *out, const uint32_t *next, size_t n, size_t k,
                                const f2l_task *task, f2l_error *err);
void f2l_pair_graph_clear(f2l_pair_graph *graph);

/* Returns the number of pairs of the component. */
static inline size_t f2l_pair_graph_size(const f2l_pair_graph *g, size_t component)
{
    return g->scc.first[component + 1] - g->scc.first[component];
}

/* Searches forks with a pair of the component; adds the pairs that it leaves open to
 * out->unsearched. */
f2l_status f2l_fork_search(f2l_fork *out, const f2l_pair_graph *graph, size_t component,
                           const f2l_task *task, f2l_error *err);

/* Finds the other words of the fork whose s, p, q, u, v are set. */
f2l_status f2l_fork_words(f2l_fork *out, const f2l_fsa *minimal, f2l_label label,
                          const f2l_task *task, f2l_error *err);

#endif
