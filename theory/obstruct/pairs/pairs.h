/* Words that fix two states: searches backwards in tuples (x, .., y, z), where the pair (y, z)
 * stays in one strongly connected component of the graph of pairs. */
#ifndef F2L_OBSTRUCT_PAIRS_H
#define F2L_OBSTRUCT_PAIRS_H

#include "automata/fsa/word.h"
#include "automata/graph/scc.h"
#include "numeric/base/index.h"

/* The strongly connected components of the graph of ordered pairs of states, whose edges are the
 * letters that keep the states of a pair different. The pair (y, z) has the number y n + z; a pair
 * of equal states, or of two parts, is a component of its own without edges. */
typedef struct f2l_pair_graph {
    size_t n, k;
    const uint32_t *next; /* [n][k] borrowed */
    const uint32_t *part; /* [n] borrowed; only states of one part make a tuple; NULL: one part */
    f2l_scc scc;          /* of the n n pairs */
    uint32_t *local;      /* [n n] place of a pair within its component */
    /* The states from which letter a leads to x: before[before_at[a n + x] ..], up to the next. */
    size_t *before_at; /* [k n + 1] */
    uint32_t *before;  /* [k n] */
} f2l_pair_graph;

/* Builds the graph of a table. Each letter leads the states of a part to states of one part. */
f2l_status f2l_pair_graph_build(f2l_pair_graph *out, const uint32_t *next, const uint32_t *part,
                                size_t n, size_t k, const f2l_task *task, f2l_error *err);
void f2l_pair_graph_clear(f2l_pair_graph *graph);

static inline bool f2l_pair_is_one_part(const f2l_pair_graph *g, size_t x, size_t y)
{
    return !g->part || g->part[x] == g->part[y];
}

/* Returns the number of pairs of the component. */
static inline size_t f2l_pair_graph_size(const f2l_pair_graph *g, size_t component)
{
    return g->scc.first[component + 1] - g->scc.first[component];
}

/* The numbers of the components, those with few pairs first: owned by the caller; NULL: no memory.
 */
size_t *f2l_pair_graph_order(const f2l_pair_graph *graph);

/* One component with its edges by their ends. */
typedef struct f2l_pair_edges {
    const f2l_pair_graph *graph;
    const uint32_t *pair; /* [pairs] of the component */
    size_t pairs;
    uint32_t component;
    size_t *first;  /* [pairs + 1] */
    uint32_t *edge; /* [first[pairs]] place of the pair that it comes from, times k, plus a */
} f2l_pair_edges;

f2l_status f2l_pair_edges_list(f2l_pair_edges *out, const f2l_pair_graph *graph, size_t component,
                               f2l_error *err);
void f2l_pair_edges_clear(f2l_pair_edges *edges);

/* A tuple (x, .., y, z) that leads to the target: its one or two free states x, the second one 0
 * where there is one, and the place of (y, z) in the component. */
typedef struct f2l_pair_node {
    uint32_t x[2], place;
    uint32_t letter, after; /* the first letter of the way to the target, and the node after it */
} f2l_pair_node;

/* The most tuples of one search; 20 bytes each. */
#define F2L_PAIR_MOST_NODES ((size_t)1 << 22)

/* The tuples that lead to the target, which is node 0, nearest ones first. */
typedef struct f2l_pair_back {
    size_t free; /* 1 or 2 states beside the pair */
    f2l_index index;
    f2l_pair_node *node; /* [capacity] */
    size_t nodes, capacity;
    bool complete; /* false: there may be more than F2L_PAIR_MOST_NODES */
} f2l_pair_back;

/* Finds the tuples that lead to (target, y, z), where (y, z) is the pair at `place`. *out has
 * `free`, and is zero or as an earlier search left it. */
f2l_status f2l_pair_back_find(f2l_pair_back *out, const f2l_pair_edges *edges,
                              const uint32_t *target, uint32_t place, f2l_meter *meter,
                              f2l_error *err);
void f2l_pair_back_clear(f2l_pair_back *back);

/* Returns the number of letters of the way from a node to the target. */
size_t f2l_pair_back_length(const f2l_pair_back *back, uint32_t number);

/* Sets *out, which is to be empty, to the letters of that way. */
f2l_status f2l_pair_back_word(f2l_word *out, const f2l_pair_back *back, uint32_t number,
                              f2l_error *err);

#endif
