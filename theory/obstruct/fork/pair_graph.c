/* Strongly connected components of pairs of states, by Tarjan's algorithm without recursion. */
#include "numeric/base/mem.h"
#include "theory/obstruct/fork/impl.h"
#include <string.h>

#define PHASE "components of pairs"
#define BYTES_PER_PAIR 37 /* of all arrays below */

/* The search for components. `index` is 0 for pairs that were not met, else 1 + the order in which
 * they were; a pair leaves the stack when its component is known. */
typedef struct tarjan {
    f2l_pair_graph *g;
    uint32_t *index, *low, *stack, *path; /* [n n] */
    uint8_t *letter; /* [n n] the next letter to follow from a pair of `path` */
    size_t met, stacked, depth, placed;
    f2l_meter meter;
} tarjan;

static uint32_t step(const f2l_pair_graph *g, uint32_t pair, size_t letter)
{
    const uint32_t y = g->next[pair / g->n * g->k + letter];
    const uint32_t z = g->next[pair % g->n * g->k + letter];
    return y == z ? F2L_NO_PAIR : (uint32_t)(y * g->n + z);
}

static void enter(tarjan *t, uint32_t pair)
{
    t->index[pair] = t->low[pair] = (uint32_t)++t->met;
    t->letter[pair] = 0;
    t->stack[t->stacked++] = pair;
    t->path[t->depth++] = pair;
}

/* Ends a component: its pairs are those on the stack from `root` on. */
static void close_component(tarjan *t, uint32_t root)
{
    f2l_pair_graph *g = t->g;
    uint32_t pair;
    g->first[g->components] = t->placed;
    do {
        pair = t->stack[--t->stacked];
        g->component_of[pair] = (uint32_t)g->components;
        g->local[pair] = (uint32_t)(t->placed - g->first[g->components]);
        g->pair[t->placed++] = pair;
    } while (pair != root);
    g->first[++g->components] = t->placed;
}

/* Follows the next letter of the last pair of the path, or leaves the pair. */
static void walk(tarjan *t)
{
    f2l_pair_graph *g = t->g;
    const uint32_t pair = t->path[t->depth - 1];
    if (t->letter[pair] < g->k) {
        const uint32_t to = step(g, pair, t->letter[pair]++);
        if (to == F2L_NO_PAIR) return;
        if (t->index[to] == 0)
            enter(t, to);
        else if (g->component_of[to] == F2L_NO_PAIR && t->index[to] < t->low[pair])
            t->low[pair] = t->index[to];
        return;
    }
    t->depth--;
    if (t->low[pair] == t->index[pair]) close_component(t, pair);
    if (t->depth > 0) {
        const uint32_t below = t->path[t->depth - 1];
        if (t->low[pair] < t->low[below]) t->low[below] = t->low[pair];
    }
}

static f2l_status find_components(tarjan *t, f2l_error *err)
{
    f2l_pair_graph *g = t->g;
    f2l_status status = F2L_OK;
    for (size_t pair = 0; pair < g->n * g->n && status == F2L_OK; pair++) {
        if (t->index[pair] > 0 || pair / g->n == pair % g->n) continue;
        enter(t, (uint32_t)pair);
        while (t->depth > 0 && status == F2L_OK) {
            walk(t);
            status = f2l_meter_spend(&t->meter, 4, (double)t->placed, (double)(g->n * g->n), err);
        }
    }
    return status;
}

/* Lists the states before each state. */
static f2l_status list_before(f2l_pair_graph *g, f2l_error *err)
{
    const size_t n = g->n, k = g->k;
    g->before_at = f2l_calloc(k * n + 2, sizeof *g->before_at);
    g->before = f2l_calloc(k * n, sizeof *g->before);
    if (!g->before_at || !g->before) return f2l_fail_memory(err);
    size_t *end = g->before_at + 1; /* end[i] counts, then is where the next one of i goes */
    for (size_t x = 0; x < n; x++)
        for (size_t a = 0; a < k; a++) end[a * n + g->next[x * k + a] + 1]++;
    for (size_t i = 1; i <= k * n; i++) end[i] += end[i - 1];
    for (size_t x = 0; x < n; x++)
        for (size_t a = 0; a < k; a++) g->before[end[a * n + g->next[x * k + a]]++] = (uint32_t)x;
    return F2L_OK;
}

f2l_status f2l_pair_graph_build(f2l_pair_graph *out, const uint32_t *next, size_t n, size_t k,
                                const f2l_task *task, f2l_error *err)
{
    const size_t pairs = n * n;
    tarjan t = {.g = out};
    *out = (f2l_pair_graph){.n = n, .k = k, .next = next};
    f2l_status status = f2l_task_table(task, PHASE, BYTES_PER_PAIR * pairs, err);
    if (status != F2L_OK) return status;
    t.meter = (f2l_meter){.task = task, .phase = PHASE};
    out->component_of = f2l_calloc(pairs, sizeof *out->component_of);
    out->local = f2l_calloc(pairs, sizeof *out->local);
    out->pair = f2l_calloc(pairs, sizeof *out->pair);
    out->first = f2l_calloc(pairs + 1, sizeof *out->first);
    t.index = f2l_calloc(pairs, sizeof *t.index);
    t.low = f2l_calloc(pairs, sizeof *t.low);
    t.stack = f2l_calloc(pairs, sizeof *t.stack);
    t.path = f2l_calloc(pairs, sizeof *t.path);
    t.letter = f2l_calloc(pairs, 1);
    if (!out->component_of || !out->local || !out->pair || !out->first || !t.index || !t.low ||
        !t.stack || !t.path || !t.letter)
        status = f2l_fail_memory(err);
    if (status == F2L_OK) {
        memset(out->component_of, 0xff, pairs * sizeof *out->component_of);
        status = find_components(&t, err);
    }
    if (status == F2L_OK) status = list_before(out, err);
    f2l_free(t.index);
    f2l_free(t.low);
    f2l_free(t.stack);
    f2l_free(t.path);
    f2l_free(t.letter);
    return status;
}

void f2l_pair_graph_clear(f2l_pair_graph *graph)
{
    f2l_free(graph->component_of);
    f2l_free(graph->local);
    f2l_free(graph->pair);
    f2l_free(graph->first);
    f2l_free(graph->before_at);
    f2l_free(graph->before);
    *graph = (f2l_pair_graph){0};
}
