/* The search for a pattern by FK.17. It is a fork, or states p, t, r, z and words: e fixes p and t
 * and leads r to t; f leads p to r and t to z, and fixes r and z, which differ. First all p, t, r
 * are found that have an e, backwards from (t, p, t). Then for each r and z the pairs (p, t) that
 * have an f, backwards from (r, z, r, z). */
#include "numeric/base/mem.h"
#include "theory/obstruct/bands/impl.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PHASE "idempotents"
#define MOST_TRIPLES ((size_t)1 << 23)

typedef struct triple {
    uint32_t r, p, t;
} triple;

typedef struct search {
    const f2l_pair_graph *g;
    f2l_pair_edges edges;
    f2l_pair_back one, two; /* with one and with two free states */
    triple *triple;         /* [triples] that have an e; sorted after the first half */
    size_t triples, capacity;
    bool complete;
    f2l_meter meter;
} search;

static int compare_triples(const void *a, const void *b)
{
    const triple *x = a, *y = b;
    if (x->r != y->r) return x->r < y->r ? -1 : 1;
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    return x->t < y->t ? -1 : x->t > y->t;
}

/* Returns the place of the first triple that is not before the key. */
static size_t find_triple(const search *s, triple key)
{
    size_t low = 0, high = s->triples;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_triples(&s->triple[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Opens the component; *any: it has edges. */
static f2l_status open_component(bool *any, search *s, size_t component, f2l_error *err)
{
    const f2l_status status = f2l_pair_edges_list(&s->edges, s->g, component, err);
    *any = status == F2L_OK && s->edges.first[s->edges.pairs] > 0;
    return status;
}

/* Finds the triples (r, p, t) with (p, t) in the open component: s->one. */
static f2l_status find_component_triples(search *s, f2l_error *err)
{
    const f2l_pair_query query = {.second = true, .most = F2L_PAIR_MOST_NODES};
    uint32_t none;
    const f2l_status status = f2l_pair_back_find(&s->one, &none, &s->edges, &query, &s->meter, err);
    s->complete &= s->one.complete;
    return status;
}

/* Appends the triples whose (p, t) is in the component. */
static f2l_status add_triples(search *s, size_t component, f2l_error *err)
{
    const uint32_t n = (uint32_t)s->g->n;
    bool any;
    f2l_status status = open_component(&any, s, component, err);
    if (any) status = find_component_triples(s, err);
    for (size_t i = s->edges.pairs; any && i < s->one.nodes && status == F2L_OK; i++) {
        const uint32_t pair = s->edges.pair[s->one.node[i].place];
        if (s->triples >= MOST_TRIPLES)
            return f2l_fail(err, F2L_UNKNOWN, "there are more than %zu triples of states to try",
                            MOST_TRIPLES);
        if (!f2l_grow((void **)&s->triple, &s->capacity, s->triples, sizeof *s->triple))
            return f2l_fail_memory(err);
        s->triple[s->triples++] = (triple){s->one.node[i].x[0], pair / n, pair % n};
    }
    return status;
}

static triple triple_of(const search *s, const f2l_pair_node *node)
{
    return (triple){s->edges.pair[node->place] / (uint32_t)s->g->n, node->x[0], node->x[1]};
}

/* Returns whether the quadruple (p, t, r, z) has an e. */
static bool has_triple(void *context, const f2l_pair_node *node)
{
    const search *s = context;
    const triple key = triple_of(s, node);
    const size_t at = find_triple(s, key);
    return at < s->triples && compare_triples(&s->triple[at], &key) == 0;
}

/* Sets the pattern to p, t, r and z, where f is the way from node `number` of s->two. */
static f2l_status take_pattern(f2l_band *out, search *s, uint32_t number, f2l_error *err)
{
    const f2l_pair_node *node = &s->two.node[number];
    const triple e = triple_of(s, node);
    const uint32_t n = (uint32_t)s->g->n, z = s->edges.pair[node->place] % n;
    const size_t state[F2L_BAND_STATES] = {e.p, e.r, e.t, z, e.p, e.r}, pair = e.p * n + e.t;
    const f2l_pair_node key = {.x = {e.r}, .place = s->g->local[pair]};
    bool any;
    f2l_status status = f2l_pair_back_word(&out->u, &s->two, number, &s->edges, &s->meter, err);
    if (status == F2L_OK) status = open_component(&any, s, s->g->scc.of[pair], err);
    if (status == F2L_OK) status = find_component_triples(s, err);
    if (status != F2L_OK) return status;
    memcpy(out->state, state, sizeof state);
    out->found = true;
    return f2l_pair_back_word(&out->v, &s->one, (uint32_t)f2l_pair_back_number(&s->one, &key),
                              &s->edges, &s->meter, err);
}

/* Searches a pattern whose pair (r, z) is in the component. */
static f2l_status seek_pattern(f2l_band *out, search *s, size_t component, f2l_error *err)
{
    const f2l_pair_query query = {.most = F2L_PAIR_MOST_NODES, .ends = has_triple, .context = s};
    uint32_t number = F2L_PAIR_NONE;
    bool any;
    f2l_status status = open_component(&any, s, component, err);
    if (!any) return status;
    status = f2l_pair_back_find(&s->two, &number, &s->edges, &query, &s->meter, err);
    if (status != F2L_OK) return status;
    if (number != F2L_PAIR_NONE) return take_pattern(out, s, number, err);
    s->complete &= s->two.complete;
    return F2L_OK;
}

f2l_status f2l_band_search_graph(f2l_band *out, const f2l_pair_graph *graph, bool forkless,
                                 const f2l_task *task, f2l_error *err)
{
    search s = {.g = graph,
                .one = {.free = 1},
                .two = {.free = 2},
                .complete = forkless,
                .meter = {.task = task, .phase = PHASE}};
    size_t *order = f2l_pair_graph_order(graph);
    f2l_status status = order ? F2L_OK : f2l_fail_memory(err);
    for (size_t i = 0; i < graph->scc.count && status == F2L_OK; i++)
        status = add_triples(&s, order[i], err);
    if (s.triples > 0) qsort(s.triple, s.triples, sizeof *s.triple, compare_triples);
    for (size_t i = 0; s.triples > 0 && i < graph->scc.count && status == F2L_OK && !out->found;
         i++)
        status = seek_pattern(out, &s, order[i], err);
    out->decided = status == F2L_OK && (out->found || s.complete);
    if (status == F2L_OK && !out->decided)
        snprintf(out->reason, sizeof out->reason, "%s",
                 forkless ? "pairs have too many tuples of states that lead to them"
                          : "it is not known whether there is a fork");
    f2l_free(order);
    f2l_free(s.triple);
    f2l_pair_edges_clear(&s.edges);
    f2l_pair_back_clear(&s.one);
    f2l_pair_back_clear(&s.two);
    return status;
}
