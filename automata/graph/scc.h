/* Strongly connected components of graphs in which a node has at most one edge for each letter, by
 * the algorithm of Tarjan (1972) without recursion. As in Pearce (2016), the least number that a
 * node reaches lies where its component comes later. */
#ifndef F2L_AUTOMATA_GRAPH_SCC_H
#define F2L_AUTOMATA_GRAPH_SCC_H

#include "numeric/base/status.h"
#include "numeric/base/task.h"

#define F2L_NO_NODE UINT32_MAX

/* A graph with the nodes 0 .. nodes - 1, at most INT32_MAX of them; all is borrowed. */
typedef struct f2l_graph f2l_graph;
struct f2l_graph {
    size_t nodes, letters;
    /* Returns the node to which the letter leads; F2L_NO_NODE: the node has no such edge. */
    uint32_t (*next)(const f2l_graph *graph, uint32_t node, size_t letter);
    const void *context;
    uint64_t steps; /* of work for a node with its edges, at least 1 (numeric/base/task.h) */
};

/* Returns the graph with the edges of a table [nodes][letters], which is borrowed. */
f2l_graph f2l_graph_of_table(const uint32_t *table, size_t nodes, size_t letters);

/* A component has a number above those that it leads to. Within a component, the nodes come in the
 * opposite of the order in which a depth-first search meets them that begins at the least nodes and
 * takes the letters in order. */
typedef struct f2l_scc {
    size_t count;
    uint32_t *of;     /* [nodes] component of each node */
    uint32_t *member; /* [nodes] the nodes, component by component */
    uint32_t *first;  /* [count + 1] place in `member` of the first node of each component */
} f2l_scc;

/* Bytes of the tables of the search and of its result, for each node. */
#define F2L_SCC_BYTES 24

/* Sets *out, owned, to the components. Counts the graph's steps on the meter, but not the bytes. On
 * failure *out is empty. */
f2l_status f2l_scc_build(f2l_scc *out, const f2l_graph *graph, f2l_meter *meter, f2l_error *err);
void f2l_scc_clear(f2l_scc *scc);

#endif
