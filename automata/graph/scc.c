#include "automata/graph/scc.h"
#include "numeric/base/mem.h"

static uint32_t graph_entry(const f2l_graph *graph, uint32_t node, size_t letter)
{
    const uint32_t *table = graph->context;
    return table[node * graph->letters + letter];
}

f2l_graph f2l_graph_of_table(const uint32_t *table, size_t nodes, size_t letters)
{
    return (f2l_graph){.nodes = nodes,
                       .letters = letters,
                       .next = graph_entry,
                       .context = table,
                       .steps = 2 + letters / 2};
}

/* A node on the way from the root of the search to where it is. */
typedef struct step {
    uint32_t node;
    uint32_t number; /* 1 + the number of nodes that were met before it */
    uint32_t letter; /* the next one to follow */
} step;

/* While the search runs, of[v] is 0 for a node that was not met, the least number that v is known
 * to reach while its component is open, and then ~c for the component c, which is above all
 * numbers. The nodes of open components lie at the end of `member`, the last one first. */
typedef struct search {
    const f2l_graph *graph;
    f2l_scc *out;
    step *way; /* [nodes] */
    size_t length, open, placed;
    uint32_t met;
} search;

static void enter_node(search *s, uint32_t node)
{
    s->out->of[node] = ++s->met;
    s->way[s->length++] = (step){node, s->met, 0};
    s->out->member[s->graph->nodes - ++s->open] = node;
}

/* Ends the component whose nodes were opened from `root` on. */
static void close_component(search *s, uint32_t root)
{
    uint32_t node;
    do {
        node = s->out->member[s->graph->nodes - s->open--];
        s->out->of[node] = ~(uint32_t)s->out->count;
        s->out->member[s->placed++] = node;
    } while (node != root);
    s->out->count++;
}

static void reach_node(search *s, uint32_t node, uint32_t least)
{
    if (least < s->out->of[node]) s->out->of[node] = least;
}

static void leave_node(search *s)
{
    const step last = s->way[--s->length];
    const uint32_t least = s->out->of[last.node];
    if (least == last.number)
        close_component(s, last.node);
    else
        reach_node(s, s->way[s->length - 1].node, least);
}

/* Meets all nodes that the node reaches. */
static f2l_status search_from_node(search *s, uint32_t root, f2l_meter *meter, f2l_error *err)
{
    const f2l_graph *g = s->graph;
    enter_node(s, root);
    while (s->length > 0) {
        step *at = &s->way[s->length - 1];
        if (at->letter == g->letters) {
            leave_node(s);
            const f2l_status status =
                f2l_meter_spend(meter, g->steps, (double)s->placed, (double)g->nodes, err);
            if (status != F2L_OK) return status;
            continue;
        }
        const uint32_t to = g->next(g, at->node, at->letter++);
        if (to == F2L_NO_NODE) continue;
        if (s->out->of[to] == 0)
            enter_node(s, to);
        else
            reach_node(s, at->node, s->out->of[to]);
    }
    return F2L_OK;
}

/* Gives the nodes the numbers of their components, and finds where each component begins. */
static f2l_status number_components(f2l_scc *c, size_t nodes, f2l_error *err)
{
    c->first = f2l_calloc(c->count + 1, sizeof *c->first);
    if (!c->first) return f2l_fail_memory(err);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t *of = &c->of[c->member[i]];
        *of = ~*of;
        c->first[*of + 1] = i + 1;
    }
    return F2L_OK;
}

f2l_status f2l_scc_build(f2l_scc *out, const f2l_graph *graph, f2l_meter *meter, f2l_error *err)
{
    *out = (f2l_scc){0};
    if (graph->nodes > INT32_MAX || graph->letters > UINT32_MAX)
        return f2l_fail(err, F2L_EDOMAIN, "a graph of more than %d nodes or 2^32 letters",
                        INT32_MAX);
    search s = {.graph = graph, .out = out};
    out->of = f2l_calloc(graph->nodes, sizeof *out->of);
    out->member = f2l_calloc(graph->nodes, sizeof *out->member);
    s.way = f2l_calloc(graph->nodes, sizeof *s.way);
    f2l_status status = out->of && out->member && s.way ? F2L_OK : f2l_fail_memory(err);
    for (uint32_t root = 0; root < graph->nodes && status == F2L_OK; root++)
        if (out->of[root] == 0) status = search_from_node(&s, root, meter, err);
    f2l_free(s.way);
    if (status == F2L_OK) status = number_components(out, graph->nodes, err);
    if (status != F2L_OK) f2l_scc_clear(out);
    return status;
}

void f2l_scc_clear(f2l_scc *scc)
{
    f2l_free(scc->of);
    f2l_free(scc->member);
    f2l_free(scc->first);
    *scc = (f2l_scc){0};
}
