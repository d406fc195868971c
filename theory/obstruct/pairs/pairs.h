/* Words that fix two states: searches backwards in tuples (x, .., y, z), where the pair (y, z)
 * stays in one strongly connected component of the graph of pairs. */
#ifndef F2L_OBSTRUCT_PAIRS_H
#define F2L_OBSTRUCT_PAIRS_H

#include "automata/fsa/word.h"
#include "automata/graph/scc.h"
#include "numeric/base/index.h"

/* The strongly connected components of the graph of ordered pairs of states, whose edges are the
 * letters that keep the states of a pair different. The pair (y, z) has the number y n + z; a pair
 * of equal states is a component of its own without edges. */
typedef struct f2l_pair_graph {
    size_t n, k;     /* k: kinds of letters; letters that act alike are of one kind */
    size_t letters;  /* of all kinds: searches count their steps by letters */
    uint32_t *next;  /* [n][k] */
    uint32_t *first; /* [k] the first letter of a kind, by which words are written */
    uint32_t *alike; /* [k] letters of a kind */
    f2l_scc scc;     /* of the n n pairs */
    uint32_t *local; /* [n n] place of a pair within its component */
    /* The states from which kind a leads to x: before[before_at[a n + x] ..], up to the next. */
    size_t *before_at; /* [k n + 1] */
    uint32_t *before;  /* [k n] */
} f2l_pair_graph;

/* Builds the graph of a table next[n][letters]. */
f2l_status f2l_pair_graph_build(f2l_pair_graph *out, const uint32_t *next, size_t n, size_t letters,
                                const f2l_task *task, f2l_error *err);
void f2l_pair_graph_clear(f2l_pair_graph *graph);

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
    size_t *first;        /* [pairs + 1] */
    uint32_t *edge;       /* [first[pairs]] place of the pair that it comes from, times k, plus a */
    size_t firsts, edges; /* that there is room for */
} f2l_pair_edges;

/* Lists the edges of a component. *out is zero or has the edges of another one. */
f2l_status f2l_pair_edges_list(f2l_pair_edges *out, const f2l_pair_graph *graph, size_t component,
                               f2l_error *err);
void f2l_pair_edges_clear(f2l_pair_edges *edges);

/* A tuple (x, .., y, z) that leads to a target: its free states x, of which there are none, one or
 * two, 0 in other places, and the place of (y, z) in the component. */
typedef struct f2l_pair_node {
    uint32_t x[2], place;
    uint32_t letter, after; /* the first letter of the way to a target, and the node after it; of a
                               target itself its own number */
} f2l_pair_node;

/* The most tuples of one search; 20 bytes each. */
#define F2L_PAIR_MOST_NODES ((size_t)1 << 22)

/* The tuples that lead to the targets, nearest ones first, after the targets. */
typedef struct f2l_pair_back {
    size_t free; /* 0, 1 or 2 states beside the pair */
    f2l_index index;
    f2l_pair_node *node; /* [capacity] */
    size_t nodes, capacity;
    bool complete; /* false: the search ended with more of them to find */
} f2l_pair_back;

/* What is sought in one component. As it is strongly connected, a tuple that leads to the target of
 * one of its pairs leads to the targets of all. */
typedef struct f2l_pair_query {
    bool second; /* targets are, with one free state, all (y, y, z), or with `second` all (z, y, z);
                    with two free states all (y, z, y, z) */
    size_t most; /* tuples with the targets at which the search ends */
    /* Returns whether a tuple that leads to a target ends the search. NULL: none does. */
    bool (*ends)(void *context, const f2l_pair_node *node);
    void *context; /* for `ends` */
} f2l_pair_query;

#define F2L_PAIR_NONE UINT32_MAX

/* Finds tuples, and sets *ended to the number of the one that ended the search, or to
 * F2L_PAIR_NONE. *out has `free`, and is zero or as an earlier search left it. */
f2l_status f2l_pair_back_find(f2l_pair_back *out, uint32_t *ended, const f2l_pair_edges *edges,
                              const f2l_pair_query *query, f2l_meter *meter, f2l_error *err);
void f2l_pair_back_clear(f2l_pair_back *back);

/* Returns the number of the tuple with the states and the place of `key`, or F2L_NO_INDEX. */
size_t f2l_pair_back_number(const f2l_pair_back *back, const f2l_pair_node *key);

/* Sets *out, which is to be empty, to a word that leads a tuple to the target of its own pair: a
 * shortest one to any target, and from there a shortest one. */
f2l_status f2l_pair_back_word(f2l_word *out, const f2l_pair_back *back, uint32_t number,
                              const f2l_pair_edges *edges, f2l_meter *meter, f2l_error *err);

#endif
