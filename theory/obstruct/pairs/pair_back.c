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

/* Returns the states of the part of the pair from which the letter leads to x. */
static const uint32_t *list_states_before(size_t *count, const f2l_pair_graph *g, uint32_t letter,
                                          uint32_t x)
{
    const size_t i = letter * g->n + x;
    *count = g->before_at[i + 1] - g->before_at[i];
    return g->before + g->before_at[i];
}

/* Adds all tuples whose pair is at `from` and that the letter leads to node `number`. */
static f2l_status meet_tuples_before(f2l_pair_back *b, const f2l_pair_edges *e, uint32_t number,
                                     uint32_t from, uint32_t letter, f2l_error *err)
{
    static const uint32_t nothing[] = {0};
    const f2l_pair_graph *g = e->graph;
    const f2l_pair_node to = b->node[number];
    const size_t y = e->pair[from] / g->n;
    size_t count[2] = {1, 1};
    const uint32_t *before[2] = {nothing, nothing};
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < b->free; i++)
        before[i] = list_states_before(&count[i], g, letter, to.x[i]);
    for (size_t i = 0; i < count[0]; i++)
        for (size_t j = 0; j < count[1] && status == F2L_OK; j++) {
            const f2l_pair_node new = {{before[0][i], before[1][j]}, from, letter, number};
            if (!f2l_pair_is_one_part(g, y, new.x[0])) continue;
            if (b->free == 2 && !f2l_pair_is_one_part(g, y, new.x[1])) continue;
            status = meet_tuple(b, new, err);
        }
    return status;
}

f2l_status f2l_pair_back_find(f2l_pair_back *out, const f2l_pair_edges *edges,
                              const uint32_t *target, uint32_t place, f2l_meter *meter,
                              f2l_error *err)
{
    const size_t k = edges->graph->k;
    f2l_index_empty(&out->index, out->nodes);
    out->nodes = 0;
    out->complete = true;
    const f2l_pair_node first = {{target[0], out->free == 2 ? target[1] : 0}, place, 0, 0};
    f2l_status status = meet_tuple(out, first, err);
    for (uint32_t i = 0; i < out->nodes && status == F2L_OK; i++) {
        const size_t at = edges->first[out->node[i].place];
        const size_t end = edges->first[out->node[i].place + 1];
        const size_t before = out->nodes;
        if (out->nodes >= F2L_PAIR_MOST_NODES) {
            out->complete = false;
            break;
        }
        for (size_t e = at; e < end && status == F2L_OK; e++)
            status = meet_tuples_before(out, edges, i, edges->edge[e] / (uint32_t)k,
                                        edges->edge[e] % (uint32_t)k, err);
        if (status == F2L_OK)
            status = f2l_meter_spend(meter, STEPS_PER_NODE * (1 + end - at + out->nodes - before),
                                     0, 0, err);
    }
    return status;
}

void f2l_pair_back_clear(f2l_pair_back *back)
{
    f2l_index_clear(&back->index);
    f2l_free(back->node);
    *back = (f2l_pair_back){.free = back->free};
}

size_t f2l_pair_back_length(const f2l_pair_back *back, uint32_t number)
{
    size_t length = 0;
    for (; number > 0; number = back->node[number].after) length++;
    return length;
}

f2l_status f2l_pair_back_word(f2l_word *out, const f2l_pair_back *back, uint32_t number,
                              f2l_error *err)
{
    out->length = 0;
    out->letter = f2l_calloc(f2l_pair_back_length(back, number), sizeof *out->letter);
    if (!out->letter) return f2l_fail_memory(err);
    for (; number > 0; number = back->node[number].after)
        out->letter[out->length++] = back->node[number].letter;
    return F2L_OK;
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
                if (!f2l_pair_is_one_part(g, y, z) || to / g->n == to % g->n ||
                    g->scc.of[to] != component)
                    continue;
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
