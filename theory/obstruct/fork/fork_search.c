/* The search for a fork with given p and q: backwards from (p, p, q) and from (q, p, q) to the
 * states s of both. */
#include "numeric/base/index.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/fork/impl.h"
#include <stdio.h>
#include <string.h>

#define PHASE "forks"
#define STEPS_PER_NODE 4

/* The most triples of one search; 12 bytes each. A search that would need more leaves its pair
 * open. */
#define MOST_NODES ((size_t)1 << 22)

/* A triple (x, y, z) that leads to the target: x and the place of (y, z) in the component. */
typedef struct node {
    uint32_t x, pair;
    uint32_t letter, after; /* the first letter of the way to the target, and the node after it */
} node;

typedef struct backward {
    f2l_index index;
    node *node; /* [capacity] in the order in which they were met */
    size_t nodes, capacity;
    uint32_t *at; /* [n] 1 + the node that is (x, p, q), 0 where none is */
    bool complete;
} backward;

/* The edges (y, z) -> (y a, z a) within a component, by their ends. */
typedef struct reverse {
    size_t *first;  /* [pairs + 1] */
    uint32_t *edge; /* [first[pairs]] number of the pair that it comes from, times k, plus a */
} reverse;

typedef struct search {
    const f2l_pair_graph *g;
    const uint32_t *pair; /* [pairs] of the component */
    size_t pairs;
    uint32_t component;
    reverse reverse;
    backward to_p, to_q;
    f2l_meter meter;
} search;

static uint64_t hash_node(uint32_t x, uint32_t pair)
{
    return f2l_hash(F2L_HASH, (uint64_t)x << 32 | pair);
}

static uint64_t row_hash(const void *rows, size_t row)
{
    const node *at = (const node *)rows + row;
    return hash_node(at->x, at->pair);
}

static bool row_is(const void *rows, size_t row, const void *key)
{
    const node *a = (const node *)rows + row, *b = key;
    return a->x == b->x && a->pair == b->pair;
}

/* Adds the node unless it is there. Returns false when memory is out. */
static bool meet_backward_node(backward *b, node new)
{
    const uint64_t hash = hash_node(new.x, new.pair);
    if (!f2l_index_grow(&b->index, row_hash, b->node)) return false;
    if (f2l_index_find(&b->index, hash, row_is, b->node, &new) != F2L_NO_INDEX) return true;
    if (!f2l_grow((void **)&b->node, &b->capacity, b->nodes, sizeof *b->node)) return false;
    f2l_index_add(&b->index, hash);
    b->node[b->nodes++] = new;
    return true;
}

/* Adds all triples from which a letter leads to the node. */
static f2l_status expand_backward_node(backward *b, search *s, size_t number, f2l_error *err)
{
    const f2l_pair_graph *g = s->g;
    const node to = b->node[number];
    for (size_t e = s->reverse.first[to.pair]; e < s->reverse.first[to.pair + 1]; e++) {
        const uint32_t from = s->reverse.edge[e] / (uint32_t)g->k;
        const uint32_t letter = s->reverse.edge[e] % (uint32_t)g->k;
        const size_t i = letter * g->n + to.x;
        for (size_t x = g->before_at[i]; x < g->before_at[i + 1]; x++)
            if (!meet_backward_node(b, (node){g->before[x], from, letter, (uint32_t)number}))
                return f2l_fail_memory(err);
    }
    return f2l_meter_spend(
        &s->meter, STEPS_PER_NODE * (1 + s->reverse.first[to.pair + 1] - s->reverse.first[to.pair]),
        0, 0, err);
}

/* Finds the triples that lead to (target, p, q), where (p, q) is pair `place` of the component. */
static f2l_status search_back(backward *b, search *s, uint32_t target, uint32_t place,
                              f2l_error *err)
{
    f2l_status status = F2L_OK;
    f2l_index_empty(&b->index, b->nodes);
    b->nodes = 0;
    b->complete = true;
    memset(b->at, 0, s->g->n * sizeof *b->at);
    if (!meet_backward_node(b, (node){target, place, 0, 0})) return f2l_fail_memory(err);
    for (size_t i = 0; i < b->nodes && status == F2L_OK; i++) {
        if (b->node[i].pair == place) b->at[b->node[i].x] = (uint32_t)i + 1;
        if (b->nodes >= MOST_NODES) b->complete = false;
        if (b->complete) status = expand_backward_node(b, s, i, err);
    }
    return status;
}

/* Returns the number of letters of the way from a node to the target. */
static size_t way_length(const backward *b, uint32_t number)
{
    size_t length = 0;
    for (; number > 0; number = b->node[number].after) length++;
    return length;
}

static f2l_status copy_way(f2l_word *out, const backward *b, uint32_t number, f2l_error *err)
{
    out->length = 0;
    out->letter = f2l_calloc(way_length(b, number), sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    for (; number > 0; number = b->node[number].after)
        out->letter[out->length++] = b->node[number].letter;
    return F2L_OK;
}

/* Takes the state s with the shortest ways to both targets; returns F2L_OK with `found` false when
 * there is none. */
static f2l_status take_shortest_fork(f2l_fork *out, const search *s, uint32_t pair, f2l_error *err)
{
    size_t best = SIZE_MAX;
    for (size_t x = 0; x < s->g->n; x++) {
        const uint32_t p = s->to_p.at[x], q = s->to_q.at[x];
        if (p <= 1 || q <= 1) continue; /* 1: the target itself */
        const size_t length = way_length(&s->to_p, p - 1) + way_length(&s->to_q, q - 1);
        if (length >= best) continue;
        best = length;
        out->s = x;
    }
    if (best == SIZE_MAX) return F2L_OK;
    out->p = pair / s->g->n;
    out->q = pair % s->g->n;
    const f2l_status status = copy_way(&out->u, &s->to_p, s->to_p.at[out->s] - 1, err);
    if (status != F2L_OK) return status;
    out->found = true;
    return copy_way(&out->v, &s->to_q, s->to_q.at[out->s] - 1, err);
}

/* Searches a fork with pair `place` of the component. */
static f2l_status try_pair(f2l_fork *out, search *s, uint32_t place, f2l_error *err)
{
    const uint32_t pair = s->pair[place];
    const uint32_t p = pair / (uint32_t)s->g->n, q = pair % (uint32_t)s->g->n;
    f2l_status status = search_back(&s->to_p, s, p, place, err);
    bool others = false;
    for (size_t x = 0; x < s->g->n; x++) others |= s->to_p.at[x] > 1;
    if (status != F2L_OK || (!others && s->to_p.complete)) return status;
    status = search_back(&s->to_q, s, q, place, err);
    if (status == F2L_OK) status = take_shortest_fork(out, s, pair, err);
    if (!out->found && !(s->to_p.complete && s->to_q.complete)) {
        out->unsearched++;
        if (!out->reason[0])
            snprintf(out->reason, sizeof out->reason,
                     "a pair has more than %zu triples that lead to it", MOST_NODES);
    }
    return status;
}

/* Lists the edges of the component by their ends. */
static f2l_status list_edges(search *s, f2l_error *err)
{
    const f2l_pair_graph *g = s->g;
    reverse *r = &s->reverse;
    r->first = f2l_calloc(s->pairs + 2, sizeof *r->first);
    r->edge = f2l_calloc(s->pairs * g->k, sizeof *r->edge);
    if (!r->first || !r->edge) return f2l_fail_memory(err);
    for (int fill = 0; fill < 2; fill++) {
        size_t *end = r->first + (fill ? 1 : 2);
        for (size_t i = 0; i < s->pairs; i++)
            for (size_t a = 0; a < g->k; a++) {
                const uint32_t y = g->next[s->pair[i] / g->n * g->k + a];
                const uint32_t z = g->next[s->pair[i] % g->n * g->k + a];
                const size_t to = y * g->n + z;
                if (y == z || g->scc.of[to] != s->component) continue;
                size_t *place = &end[g->local[to]];
                if (fill) r->edge[*place] = (uint32_t)(i * g->k + a);
                ++*place;
            }
        for (size_t i = 2; !fill && i <= s->pairs + 1; i++) r->first[i] += r->first[i - 1];
    }
    return F2L_OK;
}

static f2l_status try_fork_pairs(f2l_fork *out, search *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    uint64_t left = 0;
    for (size_t i = 0; i < s->pairs; i++) left += s->pair[i] / s->g->n < s->pair[i] % s->g->n;
    for (uint32_t i = 0; i < s->pairs && status == F2L_OK && !out->found; i++) {
        if (s->pair[i] / s->g->n > s->pair[i] % s->g->n) continue;
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
                .pair = graph->scc.member + graph->scc.first[component],
                .pairs = f2l_pair_graph_size(graph, component),
                .component = (uint32_t)component,
                .meter = {.task = task, .phase = PHASE}};
    s.to_p.at = f2l_calloc(graph->n, sizeof *s.to_p.at);
    s.to_q.at = f2l_calloc(graph->n, sizeof *s.to_q.at);
    f2l_status status = s.to_p.at && s.to_q.at ? list_edges(&s, err) : f2l_fail_memory(err);
    if (status == F2L_OK && s.reverse.first[s.pairs] > 0) status = try_fork_pairs(out, &s, err);
    f2l_free(s.reverse.first);
    f2l_free(s.reverse.edge);
    backward *both[] = {&s.to_p, &s.to_q};
    for (int i = 0; i < 2; i++) {
        f2l_index_clear(&both[i]->index);
        f2l_free(both[i]->node);
        f2l_free(both[i]->at);
    }
    return status;
}
