/* Strongly connected components of pairs of states, and the states before each state. */
#include "numeric/base/mem.h"
#include "theory/obstruct/pairs/pairs.h"
#include <stdlib.h>

#define PHASE "components of pairs"
#define BYTES_PER_PAIR (F2L_SCC_BYTES + sizeof(uint32_t)) /* with f2l_pair_graph.local */
#define STEPS_PER_EDGE 4

static uint32_t next_pair(const f2l_graph *graph, uint32_t pair, size_t letter)
{
    const f2l_pair_graph *g = graph->context;
    const uint32_t n = (uint32_t)g->n;
    const uint32_t y = g->next[pair / n * g->k + letter], z = g->next[pair % n * g->k + letter];
    return y == z ? F2L_NO_NODE : y * n + z;
}

static f2l_status find_pair_components(f2l_pair_graph *g, const f2l_task *task, f2l_error *err)
{
    const f2l_graph graph = {.nodes = g->n * g->n,
                             .letters = g->k,
                             .next = next_pair,
                             .context = g,
                             .steps = STEPS_PER_EDGE * (g->letters + 1)};
    f2l_meter meter = {.task = task, .phase = PHASE};
    f2l_status status = f2l_task_table(task, PHASE, BYTES_PER_PAIR * graph.nodes, err);
    if (status == F2L_OK) status = f2l_scc_build(&g->scc, &graph, &meter, err);
    if (status != F2L_OK) return status;
    g->local = f2l_calloc(graph.nodes, sizeof *g->local);
    if (!g->local) return f2l_fail_memory(err);
    for (uint32_t i = 0; i < graph.nodes; i++) {
        const uint32_t pair = g->scc.member[i];
        g->local[pair] = i - g->scc.first[g->scc.of[pair]];
    }
    return F2L_OK;
}

/* Divides the letters into kinds, which have a column each: words of a large alphabet have often
 * few. */
static f2l_status find_kinds(f2l_pair_graph *g, const uint32_t *next, f2l_error *err)
{
    const f2l_fsa table = {
        .states.count = g->n, .letters.count = g->letters, .next = (uint32_t *)next};
    uint32_t *kind;
    f2l_status status = f2l_fsa_letter_classes(&kind, &g->k, &table, NULL, err);
    if (status != F2L_OK) return status;
    g->next = f2l_calloc(g->n * g->k, sizeof *g->next);
    g->first = f2l_calloc(g->k, sizeof *g->first);
    g->alike = f2l_calloc(g->k, sizeof *g->alike);
    if (!g->next || !g->first || !g->alike) status = f2l_fail_memory(err);
    for (uint32_t a = 0; a < g->letters && status == F2L_OK; a++)
        if (g->alike[kind[a]]++ == 0) g->first[kind[a]] = a;
    for (size_t i = 0; i < g->n * g->k && status == F2L_OK; i++)
        g->next[i] = next[i / g->k * g->letters + g->first[i % g->k]];
    f2l_free(kind);
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

f2l_status f2l_pair_graph_build(f2l_pair_graph *out, const uint32_t *next, size_t n, size_t letters,
                                const f2l_task *task, f2l_error *err)
{
    *out = (f2l_pair_graph){.n = n, .letters = letters};
    f2l_status status = find_kinds(out, next, err);
    if (status == F2L_OK) status = find_pair_components(out, task, err);
    return status == F2L_OK ? list_before(out, err) : status;
}

void f2l_pair_graph_clear(f2l_pair_graph *graph)
{
    f2l_scc_clear(&graph->scc);
    f2l_free(graph->next);
    f2l_free(graph->first);
    f2l_free(graph->alike);
    f2l_free(graph->local);
    f2l_free(graph->before_at);
    f2l_free(graph->before);
    *graph = (f2l_pair_graph){0};
}

typedef struct sized {
    size_t component, size;
} sized;

static int compare_sizes(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->component < y->component ? -1 : x->component > y->component;
}

/* Most components have one pair, and are not sorted. */
size_t *f2l_pair_graph_order(const f2l_pair_graph *graph)
{
    const size_t count = graph->scc.count;
    size_t single = 0, large = 0;
    size_t *out = f2l_calloc(count, sizeof *out);
    for (size_t c = 0; out && c < count; c++)
        if (f2l_pair_graph_size(graph, c) == 1) out[single++] = c;
    sized *order = f2l_calloc(count - single, sizeof *order);
    for (size_t c = 0; order && out && c < count; c++)
        if (f2l_pair_graph_size(graph, c) > 1)
            order[large++] = (sized){c, f2l_pair_graph_size(graph, c)};
    if (large > 1) qsort(order, large, sizeof *order, compare_sizes);
    for (size_t i = 0; i < large; i++) out[single + i] = order[i].component;
    if (!order) {
        f2l_free(out);
        out = NULL;
    }
    f2l_free(order);
    return out;
}
