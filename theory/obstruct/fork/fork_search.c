/* The search for a fork with given p and q: backwards from (p, p, q) and from (q, p, q) to the
 * states s of both. */
#include "numeric/base/mem.h"
#include "theory/obstruct/fork/impl.h"
#include <stdio.h>
#include <string.h>

#define PHASE "forks"

typedef struct search {
    const f2l_pair_graph *g;
    f2l_pair_edges edges;
    f2l_pair_back to_p, to_q;
    uint32_t *p_at, *q_at; /* [n] 1 + the node that is (x, p, q), 0 where none is */
    f2l_meter meter;
} search;

/* Finds the triples that lead to (target, p, q), where (p, q) is pair `place` of the component. */
static f2l_status search_back(f2l_pair_back *b, uint32_t *at, search *s, uint32_t target,
                              uint32_t place, f2l_error *err)
{
    const f2l_status status = f2l_pair_back_find(b, &s->edges, &target, place, &s->meter, err);
    memset(at, 0, s->g->n * sizeof *at);
    for (uint32_t i = 0; i < b->nodes && status == F2L_OK; i++)
        if (b->node[i].place == place) at[b->node[i].x[0]] = i + 1;
    return status;
}

/* Takes the state s with the shortest ways to both targets; returns F2L_OK with `found` false when
 * there is none. */
static f2l_status take_shortest_fork(f2l_fork *out, const search *s, uint32_t pair, f2l_error *err)
{
    size_t best = SIZE_MAX;
    for (size_t x = 0; x < s->g->n; x++) {
        const uint32_t p = s->p_at[x], q = s->q_at[x];
        if (p <= 1 || q <= 1) continue; /* 1: the target itself */
        const size_t length =
            f2l_pair_back_length(&s->to_p, p - 1) + f2l_pair_back_length(&s->to_q, q - 1);
        if (length >= best) continue;
        best = length;
        out->s = x;
    }
    if (best == SIZE_MAX) return F2L_OK;
    out->p = pair / s->g->n;
    out->q = pair % s->g->n;
    const f2l_status status = f2l_pair_back_word(&out->u, &s->to_p, s->p_at[out->s] - 1, err);
    if (status != F2L_OK) return status;
    out->found = true;
    return f2l_pair_back_word(&out->v, &s->to_q, s->q_at[out->s] - 1, err);
}

/* Searches a fork with pair `place` of the component. */
static f2l_status try_pair(f2l_fork *out, search *s, uint32_t place, f2l_error *err)
{
    const uint32_t pair = s->edges.pair[place];
    const uint32_t p = pair / (uint32_t)s->g->n, q = pair % (uint32_t)s->g->n;
    f2l_status status = search_back(&s->to_p, s->p_at, s, p, place, err);
    bool others = false;
    for (size_t x = 0; x < s->g->n; x++) others |= s->p_at[x] > 1;
    if (status != F2L_OK || (!others && s->to_p.complete)) return status;
    status = search_back(&s->to_q, s->q_at, s, q, place, err);
    if (status == F2L_OK) status = take_shortest_fork(out, s, pair, err);
    if (!out->found && !(s->to_p.complete && s->to_q.complete)) {
        out->unsearched++;
        if (!out->reason[0])
            snprintf(out->reason, sizeof out->reason,
                     "a pair has more than %zu triples that lead to it", F2L_PAIR_MOST_NODES);
    }
    return status;
}

static f2l_status try_fork_pairs(f2l_fork *out, search *s, f2l_error *err)
{
    const f2l_pair_edges *e = &s->edges;
    f2l_status status = F2L_OK;
    uint64_t left = 0;
    for (size_t i = 0; i < e->pairs; i++) left += e->pair[i] / s->g->n < e->pair[i] % s->g->n;
    for (uint32_t i = 0; i < e->pairs && status == F2L_OK && !out->found; i++) {
        if (e->pair[i] / s->g->n > e->pair[i] % s->g->n) continue;
        status = try_pair(out, s, i, err);
        if (status == F2L_OK) left--;
    }
    if (!out->found) out->unsearched += left;
    return status;
}

f2l_status f2l_fork_search(f2l_fork *out, const f2l_pair_graph *graph, size_t component,
                           const f2l_task *task, f2l_error *err)
{
    search s = {.g = graph,
                .to_p = {.free = 1},
                .to_q = {.free = 1},
                .meter = {.task = task, .phase = PHASE}};
    s.p_at = f2l_calloc(graph->n, sizeof *s.p_at);
    s.q_at = f2l_calloc(graph->n, sizeof *s.q_at);
    f2l_status status = s.p_at && s.q_at ? f2l_pair_edges_list(&s.edges, graph, component, err)
                                         : f2l_fail_memory(err);
    if (status == F2L_OK && s.edges.first[s.edges.pairs] > 0) status = try_fork_pairs(out, &s, err);
    f2l_pair_edges_clear(&s.edges);
    f2l_pair_back_clear(&s.to_p);
    f2l_pair_back_clear(&s.to_q);
    f2l_free(s.p_at);
    f2l_free(s.q_at);
    return status;
}
