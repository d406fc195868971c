/* The searches backwards from a tuple whose last two states a word fixes. */
#include "numeric/base/mem.h"
#include "theory/obstruct/pairs/pairs.h"
#include <string.h>

#define STEPS_PER_NODE 4
#define FEW_NODES 128 /* for which there is room in any case */

static uint64_t hash_tuple(const f2l_pair_node *at)
{
    return f2l_hash(f2l_hash(F2L_HASH, (uint64_t)at->x[0] << 32 | at->place), at->x[1]);
}

static uint64_t row_hash(const void *rows, size_t row)
{
    return hash_tuple((const f2l_pair_node *)rows + row);
}

static bool row_is(const void *rows, size_t row, const void *key)
{
    const f2l_pair_node *a = (const f2l_pair_node *)rows + row, *b = key;
    return a->x[0] == b->x[0] && a->x[1] == b->x[1] && a->place == b->place;
}

/* Adds the node unless it is there. */
static f2l_status meet_tuple(f2l_pair_back *b, f2l_pair_node new, f2l_error *err)
{
    const uint64_t hash = hash_tuple(&new);
    if (!f2l_index_grow(&b->index, row_hash, b->node)) return f2l_fail_memory(err);
    if (f2l_index_find(&b->index, hash, row_is, b->node, &new) != F2L_NO_INDEX) return F2L_OK;
    if (!f2l_grow((void **)&b->node, &b->capacity, b->nodes, sizeof *b->node))
        return f2l_fail_memory(err);
    f2l_index_add(&b->index, hash);
    b->node[b->nodes++] = new;
    return F2L_OK;
}

/* Returns the states from which letters of the kind lead to x. */
static const uint32_t *list_states_before(size_t *count, const f2l_pair_graph *g, uint32_t kind,
                                          uint32_t x)
{
    const size_t i = kind * g->n + x;
    *count = g->before_at[i + 1] - g->before_at[i];
    return g->before + g->before_at[i];
}

/* Adds all tuples whose pair is at `from` and that letters of the kind lead to node `number`. */
static f2l_status meet_tuples_before(f2l_pair_back *b, const f2l_pair_graph *g, uint32_t number,
                                     uint32_t from, uint32_t kind, f2l_error *err)
{
    static const uint32_t nothing[] = {0};
    const f2l_pair_node to = b->node[number];
    size_t count[2] = {1, 1};
    const uint32_t *before[2] = {nothing, nothing};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < b->free; i++)
        before[i] = list_states_before(&count[i], g, kind, to.x[i]);
    for (size_t i = 0; i < count[0]; i++)
        for (size_t j = 0; j < count[1] && status == F2L_OK; j++)
            status = meet_tuple(
                b, (f2l_pair_node){{before[0][i], before[1][j]}, from, g->first[kind], number},
                err);
    return status;
}

/* Adds the tuples that a letter leads to node `number`. */
static f2l_status extend_back(f2l_pair_back *b, const f2l_pair_edges *edges, uint32_t number,
                              f2l_meter *meter, f2l_error *err)
{
    const uint32_t k = (uint32_t)edges->graph->k, place = b->node[number].place;
    const size_t before = b->nodes;
    size_t letters = 0; /* of the edges: steps do not depend on how many act alike */
    f2l_status status = F2L_OK;
    for (size_t e = edges->first[place]; e < edges->first[place + 1] && status == F2L_OK; e++) {
        const uint32_t from = edges->edge[e] / k, kind = edges->edge[e] - from * k;
        letters += edges->graph->alike[kind];
        status = meet_tuples_before(b, edges->graph, number, from, kind, err);
    }
    if (status != F2L_OK) return status;
    return f2l_meter_spend(meter, STEPS_PER_NODE * (1 + letters + b->nodes - before), 0, 0, err);
}

/* Forgets all tuples, of which the next component has few, too, or more. */
static void empty_back(f2l_pair_back *b)
{
    f2l_index_empty(&b->index, b->nodes < FEW_NODES ? FEW_NODES : b->nodes);
    b->nodes = 0;
}

/* Makes the targets the only tuples. */
static f2l_status aim_at_targets(f2l_pair_back *b, const f2l_pair_edges *edges, bool second,
                                 f2l_error *err)
{
    const uint32_t n = (uint32_t)edges->graph->n;
    f2l_status status = F2L_OK;
    empty_back(b);
    for (uint32_t i = 0; i < edges->pairs && status == F2L_OK; i++) {
        const uint32_t y = edges->pair[i] / n, z = edges->pair[i] % n;
        const f2l_pair_node target = {{second ? z : y, b->free == 2 ? z : 0}, i, 0, i};
        status = meet_tuple(b, target, err);
    }
    return status;
}

f2l_status f2l_pair_back_find(f2l_pair_back *out, uint32_t *ended, const f2l_pair_edges *edges,
                              const f2l_pair_query *query, f2l_meter *meter, f2l_error *err)
{
    f2l_status status = aim_at_targets(out, edges, query->second, err);
    uint32_t i = 0, seen = (uint32_t)out->nodes;
    *ended = F2L_PAIR_NONE;
    for (; i < out->nodes && out->nodes < query->most && status == F2L_OK; i++) {
        status = extend_back(out, edges, i, meter, err);
        for (; query->ends && seen < out->nodes && status == F2L_OK; seen++) {
            if (!query->ends(query->context, &out->node[seen])) continue;
            *ended = seen;
            return F2L_OK;
        }
    }
    out->complete = i == out->nodes;
    return status;
}

void f2l_pair_back_clear(f2l_pair_back *back)
{
    f2l_index_clear(&back->index);
    f2l_free(back->node);
    *back = (f2l_pair_back){.free = back->free};
}

size_t f2l_pair_back_number(const f2l_pair_back *back, const f2l_pair_node *key)
{
    return f2l_index_find(&back->index, hash_tuple(key), row_is, back->node, key);
}

/* Follows the way from a node to its target: counts its letters, which *letter gets unless it is
 * NULL, and sets *number to the target. */
static size_t follow_way(uint32_t *letter, uint32_t *number, const f2l_pair_back *b)
{
    size_t length = 0;
    for (; b->node[*number].after != *number; *number = b->node[*number].after) {
        if (letter) letter[length] = b->node[*number].letter;
        length++;
    }
    return length;
}

/* Finds the pairs that lead to the pair at `place`, until the one at `from` is met: *number. */
static f2l_status find_pairs_before(f2l_pair_back *out, uint32_t *number, uint32_t place,
                                    uint32_t from, const f2l_pair_edges *edges, f2l_meter *meter,
                                    f2l_error *err)
{
    const f2l_pair_node to = {.place = place}, key = {.place = from};
    f2l_status status = meet_tuple(out, to, err);
    size_t at = f2l_pair_back_number(out, &key);
    for (uint32_t i = 0; i < out->nodes && at == F2L_NO_INDEX && status == F2L_OK; i++) {
        status = extend_back(out, edges, i, meter, err);
        at = f2l_pair_back_number(out, &key);
    }
    *number = (uint32_t)at;
    return status;
}

f2l_status f2l_pair_back_word(f2l_word *out, const f2l_pair_back *back, uint32_t number,
                              const f2l_pair_edges *edges, f2l_meter *meter, f2l_error *err)
{
    const uint32_t place = back->node[number].place;
    uint32_t target = number, rest = 0;
    const size_t first = follow_way(NULL, &target, back);
    f2l_pair_back way = {.free = 0};
    f2l_status status =
        find_pairs_before(&way, &rest, place, back->node[target].place, edges, meter, err);
    if (status == F2L_OK) {
        uint32_t end = rest;
        out->length = first + follow_way(NULL, &end, &way);
        out->letter = f2l_calloc(out->length, sizeof *out->letter);
        if (!out->letter) status = f2l_fail_memory(err);
    }
    if (status == F2L_OK) {
        follow_way(out->letter, &number, back);
        follow_way(out->letter + first, &rest, &way);
    }
    f2l_pair_back_clear(&way);
    return status;
}

/* Makes room for the edges of `pairs` pairs, and sets all of first[pairs + 2] to 0. */
static f2l_status reserve_edges(f2l_pair_edges *out, size_t pairs, size_t edges, f2l_error *err)
{
    if (out->firsts < pairs + 2) {
        f2l_free(out->first);
        out->first = f2l_calloc(pairs + 2, sizeof *out->first);
        out->firsts = out->first ? pairs + 2 : 0;
    } else {
        memset(out->first, 0, (pairs + 2) * sizeof *out->first);
    }
    if (out->edges < edges) {
        f2l_free(out->edge);
        out->edge = f2l_calloc(edges, sizeof *out->edge);
        out->edges = out->edge ? edges : 0;
    }
    return out->first && out->edge ? F2L_OK : f2l_fail_memory(err);
}

/* Counts the edges that end at each place, in end[place], or lists them from there on. */
static void pass_edges(f2l_pair_edges *out, size_t *end, bool fill)
{
    const f2l_pair_graph *g = out->graph;
    const size_t k = g->k;
    for (size_t i = 0; i < out->pairs; i++) {
        const uint32_t *y = g->next + out->pair[i] / g->n * k;
        const uint32_t *z = g->next + out->pair[i] % g->n * k;
        for (size_t a = 0; a < k; a++) {
            const size_t to = y[a] * g->n + z[a];
            if (y[a] == z[a] || g->scc.of[to] != out->component) continue;
            size_t *place = &end[g->local[to]];
            if (fill) out->edge[*place] = (uint32_t)(i * k + a);
            ++*place;
        }
    }
}

f2l_status f2l_pair_edges_list(f2l_pair_edges *out, const f2l_pair_graph *graph, size_t component,
                               f2l_error *err)
{
    const size_t pairs = f2l_pair_graph_size(graph, component);
    out->graph = graph;
    out->pair = graph->scc.member + graph->scc.first[component];
    out->pairs = pairs;
    out->component = (uint32_t)component;
    const f2l_status status = reserve_edges(out, pairs, pairs * graph->k, err);
    if (status != F2L_OK) return status;
    pass_edges(out, out->first + 2, false);
    for (size_t i = 2; i <= pairs + 1; i++) out->first[i] += out->first[i - 1];
    pass_edges(out, out->first + 1, true);
    return F2L_OK;
}

void f2l_pair_edges_clear(f2l_pair_edges *edges)
{
    f2l_free(edges->first);
    f2l_free(edges->edge);
    *edges = (f2l_pair_edges){0};
}
