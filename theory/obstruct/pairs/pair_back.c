/* The searches backwards from a tuple whose last two states a word fixes. */
#include "numeric/base/mem.h"
#include "theory/obstruct/pairs/pairs.h"

#define STEPS_PER_NODE 4

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

/* Returns the states from which the letter leads to x. */
static const uint32_t *list_states_before(size_t *count, const f2l_pair_graph *g, uint32_t letter,
                                          uint32_t x)
{
    const size_t i = letter * g->n + x;
    *count = g->before_at[i + 1] - g->before_at[i];
    return g->before + g->before_at[i];
}

/* Adds all tuples whose pair is at `from` and that the letter leads to node `number`. */
static f2l_status meet_tuples_before(f2l_pair_back *b, const f2l_pair_graph *g, uint32_t number,
                                     uint32_t from, uint32_t letter, f2l_error *err)
{
    static const uint32_t nothing[] = {0};
    const f2l_pair_node to = b->node[number];
    size_t count[2] = {1, 1};
    const uint32_t *before[2] = {nothing, nothing};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < b->free; i++)
        before[i] = list_states_before(&count[i], g, letter, to.x[i]);
    for (size_t i = 0; i < count[0]; i++)
        for (size_t j = 0; j < count[1] && status == F2L_OK; j++)
            status = meet_tuple(
                b, (f2l_pair_node){{before[0][i], before[1][j]}, from, letter, number}, err);
    return status;
}

/* Adds the tuples that a letter leads to node `number`. */
static f2l_status extend_back(f2l_pair_back *b, const f2l_pair_edges *edges, uint32_t number,
                              f2l_meter *meter, f2l_error *err)
{
    const uint32_t k = (uint32_t)edges->graph->k, place = b->node[number].place;
    const size_t at = edges->first[place], end = edges->first[place + 1], before = b->nodes;
    f2l_status status = F2L_OK;
    for (size_t e = at; e < end && status == F2L_OK; e++)
        status = meet_tuples_before(b, edges->graph, number, edges->edge[e] / k, edges->edge[e] % k,
                                    err);
    if (status != F2L_OK) return status;
    return f2l_meter_spend(meter, STEPS_PER_NODE * (1 + end - at + b->nodes - before), 0, 0, err);
}

/* Forgets all tuples. */
static void empty_back(f2l_pair_back *b)
{
    f2l_index_empty(&b->index, b->nodes);
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

f2l_status f2l_pair_edges_list(f2l_pair_edges *out, const f2l_pair_graph *graph, size_t component,
                               f2l_error *err)
{
    const f2l_pair_graph *g = graph;
    const size_t pairs = f2l_pair_graph_size(g, component);
    *out = (f2l_pair_edges){.graph = g,
                            .pair = g->scc.member + g->scc.first[component],
                            .pairs = pairs,
                            .component = (uint32_t)component};
    out->first = f2l_calloc(pairs + 2, sizeof *out->first);
    out->edge = f2l_calloc(pairs * g->k, sizeof *out->edge);
    if (!out->first || !out->edge) return f2l_fail_memory(err);
    for (int fill = 0; fill < 2; fill++) {
        size_t *end = out->first + (fill ? 1 : 2);
        for (size_t i = 0; i < pairs; i++)
            for (size_t a = 0; a < g->k; a++) {
                const size_t y = out->pair[i] / g->n, z = out->pair[i] % g->n;
                const size_t to = g->next[y * g->k + a] * g->n + g->next[z * g->k + a];
                if (to / g->n == to % g->n || g->scc.of[to] != component) continue;
                size_t *place = &end[g->local[to]];
                if (fill) out->edge[*place] = (uint32_t)(i * g->k + a);
                ++*place;
            }
        for (size_t i = 2; !fill && i <= pairs + 1; i++) out->first[i] += out->first[i - 1];
    }
    return F2L_OK;
}

void f2l_pair_edges_clear(f2l_pair_edges *edges)
{
    f2l_free(edges->first);
    f2l_free(edges->edge);
    *edges = (f2l_pair_edges){0};
}
