/* The search for a pattern by FK.17. It is a fork, or states p, t, r, z and words: e fixes p and t
 * and leads r to t; f leads p to r and t to z, and fixes r and z, which differ. First all p, t, r
 * are found that have an e, backwards from (t, p, t). Then for each r and z the pairs (p, t) that
 * have an f, backwards from (r, z, r, z). */
#include "numeric/base/mem.h"
#include "theory/obstruct/bands/impl.h"
#include <stdio.h>
#include <stdlib.h>

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

/* Appends the triples of the pair (p, t) at `place`. */
static f2l_status add_triples(search *s, uint32_t place, f2l_error *err)
{
    const uint32_t n = (uint32_t)s->g->n;
    const uint32_t p = s->edges.pair[place] / n, t = s->edges.pair[place] % n;
    f2l_status status = f2l_pair_back_find(&s->one, &s->edges, &t, place, &s->meter, err);
    s->complete &= s->one.complete;
    for (size_t i = 1; i < s->one.nodes && status == F2L_OK; i++) {
        if (s->one.node[i].place != place || s->one.node[i].x[0] == t) continue;
        if (s->triples >= MOST_TRIPLES)
            return f2l_fail(err, F2L_UNKNOWN, "there are more than %zu triples of states to try",
                            MOST_TRIPLES);
        if (!f2l_grow((void **)&s->triple, &s->capacity, s->triples, sizeof *s->triple))
            return f2l_fail_memory(err);
        s->triple[s->triples++] = (triple){s->one.node[i].x[0], p, t};
    }
    return status;
}

/* Finds the place of a pair in its component, whose edges become s->edges. */
static f2l_status open_component_of(search *s, size_t pair, uint32_t *place, f2l_error *err)
{
    f2l_pair_edges_clear(&s->edges);
    *place = s->g->local[pair];
    return f2l_pair_edges_list(&s->edges, s->g, s->g->scc.of[pair], err);
}

/* Sets the pattern to p, t, r and z, where f is the way from node `number` of s->two. */
static f2l_status take_pattern(f2l_band *out, search *s, triple e, uint32_t z, uint32_t number,
                               f2l_error *err)
{
    const size_t state[F2L_BAND_STATES] = {e.p, e.r, e.t, z, e.p, e.r};
    uint32_t place = 0;
    f2l_status status = f2l_pair_back_word(&out->u, &s->two, number, err);
    if (status == F2L_OK) status = open_component_of(s, (size_t)e.p * s->g->n + e.t, &place, err);
    if (status == F2L_OK)
        status = f2l_pair_back_find(&s->one, &s->edges, &e.t, place, &s->meter, err);
    for (uint32_t i = 1; i < s->one.nodes && status == F2L_OK; i++)
        if (s->one.node[i].place == place && s->one.node[i].x[0] == e.r) {
            for (int j = 0; j < F2L_BAND_STATES; j++) out->state[j] = state[j];
            out->found = true;
            return f2l_pair_back_word(&out->v, &s->one, i, err);
        }
    return status;
}

/* Searches a pattern whose r and z are the pair at `place`. */
static f2l_status try_r_and_z(f2l_band *out, search *s, uint32_t place, f2l_error *err)
{
    const uint32_t n = (uint32_t)s->g->n;
    const uint32_t target[] = {s->edges.pair[place] / n, s->edges.pair[place] % n};
    const size_t first = find_triple(s, (triple){target[0], 0, 0});
    if (first == s->triples || s->triple[first].r != target[0]) return F2L_OK;
    f2l_status status = f2l_pair_back_find(&s->two, &s->edges, target, place, &s->meter, err);
    s->complete &= s->two.complete;
    for (uint32_t i = 1; i < s->two.nodes && status == F2L_OK; i++) {
        const f2l_pair_node *at = &s->two.node[i];
        const triple key = {target[0], at->x[0], at->x[1]};
        if (at->place != place) continue;
        const size_t found = find_triple(s, key);
        if (found == s->triples || compare_triples(&s->triple[found], &key) != 0) continue;
        return take_pattern(out, s, key, target[1], i, err);
    }
    return status;
}

/* Goes through the pairs of all components, small ones first: the first time for the triples, the
 * second time, with `out`, for a pattern. */
static f2l_status visit_pairs(f2l_band *out, search *s, const size_t *order, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t c = 0; c < s->g->scc.count && status == F2L_OK; c++) {
        f2l_pair_edges_clear(&s->edges);
        status = f2l_pair_edges_list(&s->edges, s->g, order[c], err);
        const size_t pairs = s->edges.pairs;
        if (status != F2L_OK || s->edges.first[pairs] == 0) continue;
        for (uint32_t i = 0; i < pairs && status == F2L_OK; i++) {
            status = out ? try_r_and_z(out, s, i, err) : add_triples(s, i, err);
            if (out && out->found) return status;
        }
    }
    return status;
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
    f2l_status status = order ? visit_pairs(NULL, &s, order, err) : f2l_fail_memory(err);
    if (status == F2L_OK && s.triples > 0) {
        qsort(s.triple, s.triples, sizeof *s.triple, compare_triples);
        status = visit_pairs(out, &s, order, err);
    }
    out->decided = status == F2L_OK && (out->found || s.complete);
    if (status == F2L_OK && !out->decided)
        snprintf(out->reason, sizeof out->reason, "%s",
                 forkless ? "a pair has too many tuples of states that lead to it"
                          : "it is not known whether there is a fork");
    f2l_free(order);
    f2l_free(s.triple);
    f2l_pair_edges_clear(&s.edges);
    f2l_pair_back_clear(&s.one);
    f2l_pair_back_clear(&s.two);
    return status;
}
