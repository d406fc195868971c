/* The search for forks in the graph of pairs: backwards from the triples (p, p, q) and from (q, p,
 * q) of all pairs of a component at once. A triple (s, p, q) that leads to some (y, y, z) of its
 * component leads on to (p, p, q), as the component is strongly connected. So a triple that leads
 * to triples of both kinds is a fork, and there are no others. */
#include "numeric/base/mem.h"
#include "theory/obstruct/fork/impl.h"
#include <stdio.h>

#define PHASE "forks"
/* Triples beside the targets at which a first try ends: in large components words of few letters
 * make forks. */
#define FIRST_TRIPLES ((size_t)1 << 18)
/* Up to this many triples of a component all forks are found, and the first pair's is taken. */
#define FEW_TRIPLES ((size_t)1 << 16)

typedef struct search {
    const f2l_pair_graph *g;
    f2l_pair_edges edges;     /* of the component under work */
    f2l_pair_back to_p, to_q; /* triples that lead to some (y, y, z), and to some (z, y, z) */
    f2l_meter meter;
} search;

/* Returns the number of pairs {p, q} that are in the component or, as (q, p), in its mirror image;
 * 0 where the mirror image is another component with a smaller number, which comes before it. */
static uint64_t count_pairs(const f2l_pair_graph *g, size_t component)
{
    const uint32_t pair = g->scc.member[g->scc.first[component]];
    const size_t mirror = g->scc.of[pair % g->n * g->n + pair / g->n];
    const uint64_t size = f2l_pair_graph_size(g, component);
    return mirror < component ? 0 : mirror == component ? size / 2 : size;
}

/* The fork that is taken: the first that is met, or with `all` one of the first pair p < q. */
typedef struct choice {
    const search *s;
    bool all;
    f2l_pair_node first; /* place F2L_PAIR_NONE: none was met */
} choice;

/* Notes the triple if it is a fork; returns whether it is the one to take. */
static bool note_fork(void *context, const f2l_pair_node *node)
{
    choice *c = context;
    const uint32_t n = (uint32_t)c->s->g->n, pair = c->s->edges.pair[node->place];
    if (f2l_pair_back_number(&c->s->to_p, node) == F2L_NO_INDEX) return false;
    if (!c->all) return true;
    const uint32_t first = c->first.place;
    const bool swapped =
        first != F2L_PAIR_NONE && c->s->edges.pair[first] / n > c->s->edges.pair[first] % n;
    if (first == F2L_PAIR_NONE || (pair / n < pair % n && (swapped || node->place < first)))
        c->first = *node;
    return false;
}

/* Takes the fork of triple `number` of s->to_q. */
static f2l_status take_fork(f2l_fork *out, search *s, uint32_t number, f2l_error *err)
{
    const f2l_pair_node triple = s->to_q.node[number];
    const uint32_t pair = s->edges.pair[triple.place];
    const uint32_t same = (uint32_t)f2l_pair_back_number(&s->to_p, &triple);
    f2l_status status = f2l_pair_back_word(&out->u, &s->to_p, same, &s->edges, &s->meter, err);
    if (status == F2L_OK)
        status = f2l_pair_back_word(&out->v, &s->to_q, number, &s->edges, &s->meter, err);
    out->s = triple.x[0];
    out->p = pair / s->g->n;
    out->q = pair % s->g->n;
    out->found = status == F2L_OK;
    return status;
}

/* Searches a fork with a pair of the component. */
static f2l_status search_component(f2l_fork *out, search *s, size_t component, f2l_error *err)
{
    choice c = {.s = s, .first.place = F2L_PAIR_NONE};
    bool complete = false;
    uint32_t number;
    f2l_status status = f2l_pair_edges_list(&s->edges, s->g, component, err);
    if (status != F2L_OK || s->edges.first[s->edges.pairs] == 0) return status;
    c.all = s->edges.pairs * s->g->n <= FEW_TRIPLES;
    const size_t pairs = s->edges.pairs, most[] = {pairs + FIRST_TRIPLES, F2L_PAIR_MOST_NODES};
    for (size_t i = 0; i < 2 && !complete && status == F2L_OK; i++) {
        f2l_pair_query query = {.most = most[i]};
        status = f2l_pair_back_find(&s->to_p, &number, &s->edges, &query, &s->meter, err);
        if (status != F2L_OK || s->to_p.nodes == pairs) return status;
        query = (f2l_pair_query){true, most[i], note_fork, &c};
        status = f2l_pair_back_find(&s->to_q, &number, &s->edges, &query, &s->meter, err);
        if (c.first.place != F2L_PAIR_NONE)
            number = (uint32_t)f2l_pair_back_number(&s->to_q, &c.first);
        if (status == F2L_OK && number != F2L_PAIR_NONE) return take_fork(out, s, number, err);
        complete = s->to_p.complete && s->to_q.complete;
    }
    if (status != F2L_OK || complete) return status;
    out->unsearched += count_pairs(s->g, component);
    snprintf(out->reason, sizeof out->reason, "pairs have more than %zu triples that lead to them",
             F2L_PAIR_MOST_NODES);
    return F2L_OK;
}

f2l_status f2l_fork_search(f2l_fork *out, const f2l_pair_graph *graph, const f2l_task *task,
                           f2l_error *err)
{
    search s = {.g = graph,
                .to_p = {.free = 1},
                .to_q = {.free = 1},
                .meter = {.task = task, .phase = PHASE}};
    size_t *order = f2l_pair_graph_order(graph), i = 0;
    f2l_status status = order ? F2L_OK : f2l_fail_memory(err);
    for (; i < graph->scc.count && status == F2L_OK && !out->found; i++) {
        if (count_pairs(graph, order[i]) == 0) continue;
        status = search_component(out, &s, order[i], err);
        if (status != F2L_OK) break;
    }
    for (; order && i < graph->scc.count && !out->found; i++)
        out->unsearched += count_pairs(graph, order[i]);
    f2l_pair_edges_clear(&s.edges);
    f2l_pair_back_clear(&s.to_p);
    f2l_pair_back_clear(&s.to_q);
    f2l_free(order);
    return status;
}
