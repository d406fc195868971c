/* The contents that words lead to, and pairs of words that they do not tell apart. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

/* A vertex, contents and a state. */
typedef struct node {
    uint32_t vertex, content, state;
} node;

/* An edge and the contents after it. */
typedef struct cell {
    uint32_t edge, content;
} cell;

/* How a node or a cell was first met. */
typedef struct origin {
    uint32_t node, letter;
} origin;

typedef struct closing {
    const f2l_orbits *orbits;
    const f2l_orbits_graph *graph;
    f2l_orbits_report *report;
    f2l_meter meter;
    f2l_orbits_rows contents, nodes, cells;
    origin *node_from, *cell_from;
    uint32_t *target; /* [cells]; F2L_ORBITS_NONE: of a conflict that was reported */
    size_t node_capacity, cell_capacity, target_capacity;
} closing;

static node node_at(const closing *c, size_t i)
{
    node n;
    memcpy(&n, c->nodes.byte + i * sizeof n, sizeof n);
    return n;
}

static f2l_status add_node(closing *c, const node *n, origin from, f2l_error *err)
{
    size_t number;
    if (!f2l_grow((void **)&c->node_from, &c->node_capacity, c->nodes.count, sizeof from))
        return f2l_fail_memory(err);
    c->node_from[c->nodes.count] = from;
    return f2l_orbits_rows_add(&number, &c->nodes, n, err);
}

/* --- conflicts --- */

/* Sets *word, owned, to the edges of the first path that ends as `last` says. */
static f2l_status spell_word(uint32_t **word, size_t *count, const closing *c, origin last,
                             f2l_error *err)
{
    *count = 1;
    for (size_t i = last.node; i > 0; i = c->node_from[i].node) ++*count;
    *word = f2l_calloc(*count, sizeof **word);
    if (!*word) return f2l_fail_memory(err);
    for (size_t k = *count; k-- > 0; last = c->node_from[last.node])
        (*word)[k] = node_at(c, last.node).vertex * (uint32_t)c->graph->letters + last.letter;
    return F2L_OK;
}

static f2l_status report_conflict(closing *c, size_t at, origin second, f2l_error *err)
{
    f2l_orbits_conflict conflict = {0};
    if (!c->report)
        return f2l_fail(err, F2L_EDOMAIN, "the slots do not tell what the layer has to tell");
    c->target[at] = F2L_ORBITS_NONE;
    c->report->found++;
    f2l_status status =
        spell_word(&conflict.word[0], &conflict.letters[0], c, c->cell_from[at], err);
    if (status == F2L_OK)
        status = spell_word(&conflict.word[1], &conflict.letters[1], c, second, err);
    if (status == F2L_OK) status = c->report->add(c->report->context, &conflict, err);
    f2l_free(conflict.word[0]);
    f2l_free(conflict.word[1]);
    return status;
}

/* Notes the target of an edge and the contents after it. */
static f2l_status add_cell(closing *c, const cell *x, uint32_t target, origin from, f2l_error *err)
{
    const size_t count = c->cells.count;
    size_t at;
    if (!f2l_grow((void **)&c->cell_from, &c->cell_capacity, count, sizeof from) ||
        !f2l_grow((void **)&c->target, &c->target_capacity, count, sizeof target))
        return f2l_fail_memory(err);
    f2l_status status = f2l_orbits_rows_add(&at, &c->cells, x, err);
    if (status != F2L_OK) return status;
    if (at == count) {
        c->cell_from[at] = from;
        c->target[at] = target;
        return F2L_OK;
    }
    if (c->target[at] == target || c->target[at] == F2L_ORBITS_NONE) return F2L_OK;
    return report_conflict(c, at, from, err);
}

/* --- the closure --- */

static void step_contents(uint8_t *out, const f2l_slots *slots, const uint8_t *before, size_t edge)
{
    const uint32_t *source = slots->source + edge * slots->slots;
    const uint8_t *flip = slots->flip + edge * slots->slots;
    for (size_t i = 0; i < slots->slots; i++) {
        out[i] = source[i] == F2L_SLOTS_WRITTEN ? flip[i] : before[source[i]];
        if (source[i] != F2L_SLOTS_WRITTEN && flip[i] && out[i] != F2L_ORBITS_HALF) out[i] ^= 1U;
    }
}

static f2l_status step_node(closing *c, size_t i, size_t a, f2l_error *err)
{
    const f2l_orbits_graph *g = c->graph;
    const f2l_slots *slots = &c->orbits->slots;
    const node n = node_at(c, i);
    const uint32_t edge = (uint32_t)(n.vertex * g->letters + a);
    const origin from = {(uint32_t)i, (uint32_t)a};
    uint8_t contents[F2L_SLOTS_MAX];
    size_t content;
    step_contents(contents, slots, c->contents.byte + n.content * slots->slots, edge);
    f2l_status status = f2l_orbits_rows_add(&content, &c->contents, contents, err);
    if (status != F2L_OK) return status;
    const node next = {g->below[edge], (uint32_t)content, g->next[n.state * g->letters + a]};
    const cell at = {edge, (uint32_t)content};
    status = add_cell(c, &at, g->target[n.state * g->letters + a], from, err);
    return status == F2L_OK ? add_node(c, &next, from, err) : status;
}

static bool has_enough(const closing *c)
{
    return c->report && c->report->found >= c->report->most;
}

static f2l_status walk_nodes(closing *c, const uint8_t *initial, size_t most, f2l_error *err)
{
    const size_t slots = c->orbits->slots.slots, letters = c->graph->letters;
    const node start = {(uint32_t)c->graph->start, 0, (uint32_t)c->graph->start_state};
    size_t content;
    f2l_status status = f2l_orbits_rows_add(&content, &c->contents, initial, err);
    if (status == F2L_OK) status = add_node(c, &start, (origin){0, 0}, err);
    for (size_t i = 0; status == F2L_OK && i < c->nodes.count && !has_enough(c); i++) {
        status = f2l_meter_spend(&c->meter, letters * (30 + slots), (double)i,
                                 (double)c->nodes.count, err);
        if (status == F2L_OK && c->nodes.count > most) {
            if (c->report && c->report->found > 0) return F2L_OK;
            return f2l_fail(err, F2L_UNKNOWN, "the contents of the slots are more than %zu", most);
        }
        for (size_t a = 0; status == F2L_OK && a < letters; a++) status = step_node(c, i, a, err);
    }
    return status;
}

/* Moves what was found to *out. */
static f2l_status take_contents(f2l_orbits *out, closing *c, f2l_error *err)
{
    const size_t count = c->contents.count, edges = c->graph->vertices * c->graph->letters;
    const size_t size = edges * count;
    f2l_status status =
        f2l_task_table(c->meter.task, "table of contents", size * sizeof *out->tells, err);
    if (status != F2L_OK) return status;
    f2l_free(out->tells);
    f2l_free(out->slots.value);
    f2l_free(out->slots.row);
    out->slots.value = c->contents.byte;
    c->contents.byte = NULL;
    out->slots.states = count;
    out->rows = c->nodes.count;
    out->slots.row = f2l_calloc(out->slots.slots + 1, sizeof *out->slots.row);
    out->tells = f2l_calloc(size, sizeof *out->tells);
    if (!out->slots.row || !out->tells) return f2l_fail_memory(err);
    for (size_t i = 0; i < size; i++) out->tells[i] = F2L_ORBITS_NONE;
    for (size_t i = 0; i < c->cells.count; i++) {
        cell x;
        memcpy(&x, c->cells.byte + i * sizeof x, sizeof x);
        out->tells[x.edge * count + x.content] = c->target[i];
    }
    f2l_slots_count_rows(&out->slots);
    return F2L_OK;
}

f2l_status f2l_orbits_close_with(f2l_orbits *out, const f2l_orbits_graph *graph,
                                 const uint8_t *initial, size_t most, f2l_orbits_report *report,
                                 const f2l_task *task, f2l_error *err)
{
    closing c = {.orbits = out,
                 .graph = graph,
                 .report = report,
                 .meter = {.task = task, .phase = "contents of slots"},
                 .contents.width = out->slots.slots,
                 .nodes.width = sizeof(node),
                 .cells.width = sizeof(cell)};
    f2l_status status = walk_nodes(&c, initial, most, err);
    if (status == F2L_OK && (!report || report->found == 0)) status = take_contents(out, &c, err);
    f2l_orbits_rows_clear(&c.contents);
    f2l_orbits_rows_clear(&c.nodes);
    f2l_orbits_rows_clear(&c.cells);
    f2l_free(c.node_from);
    f2l_free(c.cell_from);
    f2l_free(c.target);
    return status;
}

f2l_status f2l_orbits_close(f2l_orbits *out, const f2l_orbits_graph *graph, const uint8_t *initial,
                            size_t most, const f2l_task *task, f2l_error *err)
{
    return f2l_orbits_close_with(out, graph, initial, most, NULL, task, err);
}
