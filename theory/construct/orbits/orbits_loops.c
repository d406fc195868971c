/* Whether a group takes only idempotents among the loops to 1 (theory/pages/one-layer.md, OL.7). A
 * loop that is none refutes every group that takes it to 1, and most groups are refuted by a loop
 * that refuted one before: these are kept, and looked at before the walk through all. */
#include "theory/construct/orbits/impl.h"

static void meet_triple(f2l_orbits_loops *l, size_t *count, size_t at)
{
    if (f2l_orbits_loops_meet(l, at)) l->queue[(*count)++] = (uint32_t)at;
}

void f2l_orbits_loops_forget(f2l_orbits_loops *loops, size_t count, size_t places)
{
    if (count > places / 64)
        memset(loops->met, 0, (places / 64 + 1) * sizeof *loops->met);
    else
        for (size_t i = 0; i < count; i++) loops->met[loops->queue[i] / 64] = 0;
}

static bool acts_idempotent(const f2l_orbits_loops *l, size_t vertex, size_t map)
{
    const uint8_t *image = l->maps->image + map * l->maps->states;
    for (size_t q = 0; q < l->maps->states; q++)
        if (image[image[q]] != image[q] && f2l_orbits_possible(l->reach, vertex, q)) return false;
    return true;
}

/* --- loops that are kept --- */

/* Returns whether the group takes the loop to 1. */
static bool is_taken_to_one(const f2l_orbits_group *g, const f2l_orbits_loop *loop)
{
    for (size_t p = 0; p < g->degree; p++) {
        size_t at = p;
        for (size_t i = 0; i < loop->edges; i++) at = g->generator[g->of_edge[loop->edge[i]]][at];
        if (at != p) return false;
    }
    return true;
}

static bool has_letters(const f2l_orbits_loop *loop, size_t letters, const bool *letter)
{
    for (size_t i = 0; i < loop->edges; i++)
        if (!letter[loop->edge[i] % letters]) return false;
    return true;
}

bool f2l_orbits_loops_refute(f2l_orbits_loops *l, const f2l_orbits_group *g, const bool *letter)
{
    for (size_t i = 0; i < l->kept; i++) {
        const f2l_orbits_loop loop = l->loop[i];
        if (!is_taken_to_one(g, &loop) || !has_letters(&loop, l->graph->letters, letter)) continue;
        /* What refuted last is looked at first. */
        memmove(&l->loop[1], &l->loop[0], i * sizeof *l->loop);
        l->loop[0] = loop;
        return true;
    }
    return false;
}

/* Returns the place after the letter. */
static size_t place_after(const f2l_orbits_loops *l, const f2l_orbits_group *g, size_t at, size_t a)
{
    const size_t letters = l->graph->letters, maps = l->maps->count;
    const size_t edge = at / maps / g->order * letters + a;
    const size_t by = g->step[at / maps % g->order][g->of_edge[edge]];
    return (l->graph->below[edge] * g->order + by) * maps + l->maps->times[at % maps * letters + a];
}

/* Returns the place in the queue from which number i was met, and sets *letter. */
static size_t met_from(size_t *letter, const f2l_orbits_loops *l, const f2l_orbits_group *g,
                       const bool *chosen, size_t i)
{
    for (size_t k = 0; k < i; k++)
        for (*letter = 0; *letter < l->graph->letters; ++*letter)
            if (chosen[*letter] && place_after(l, g, l->queue[k], *letter) == l->queue[i]) return k;
    return 0;
}

/* Keeps the loop that ends with letter `last` from number i of the queue, before all others; the
 * one that refuted longest ago gives way. Long ones are not kept. */
static void keep_loop(f2l_orbits_loops *l, const f2l_orbits_group *g, const bool *letter, size_t i,
                      size_t last)
{
    f2l_orbits_loop loop = {.edges = 0};
    for (size_t a = last;; i = met_from(&a, l, g, letter, i)) {
        const size_t vertex = l->queue[i] / l->maps->count / g->order;
        if (loop.edges == F2L_ORBITS_LOOP_EDGES) return;
        loop.edge[loop.edges++] = (uint16_t)(vertex * l->graph->letters + a);
        if (i == 0) break;
    }
    for (size_t k = 0; k < loop.edges / 2; k++) {
        const uint16_t edge = loop.edge[k];
        loop.edge[k] = loop.edge[loop.edges - 1 - k];
        loop.edge[loop.edges - 1 - k] = edge;
    }
    if (l->kept < F2L_ORBITS_LOOPS) l->kept++;
    memmove(&l->loop[1], &l->loop[0], (l->kept - 1) * sizeof *l->loop);
    l->loop[0] = loop;
}

/* --- all loops --- */

/* Walks through vertices, elements and maps that words from `from` lead to. */
static f2l_status test_loops_at(bool *all, f2l_orbits_loops *l, const f2l_orbits_group *g,
                                const bool *letter, size_t from, f2l_error *err)
{
    const size_t letters = l->graph->letters, maps = l->maps->count;
    const size_t base = from * g->order * maps;
    size_t count = 1;
    f2l_status status = F2L_OK;
    l->queue[0] = (uint32_t)base; /* the empty word, which is no loop: it is met again */
    for (size_t i = 0; status == F2L_OK && *all && i < count; i++) {
        /* Numbers of 32 bits are divided much faster. */
        const uint32_t at = l->queue[i], pair = at / (uint32_t)maps;
        const size_t map = at - pair * (uint32_t)maps, vertex = pair / (uint32_t)g->order;
        const size_t element = pair - vertex * g->order;
        status =
            f2l_meter_spend(&l->meter, 3 * letters, (double)from, (double)l->graph->vertices, err);
        for (size_t a = 0; a < letters; a++) {
            if (!letter[a]) continue;
            const size_t edge = vertex * letters + a, to = l->maps->times[map * letters + a];
            const size_t at_vertex = l->graph->below[edge];
            const size_t by = g->step[element][g->of_edge[edge]];
            if (*all && at_vertex == from && by == 0 && !acts_idempotent(l, from, to)) {
                *all = false;
                keep_loop(l, g, letter, i, a);
            }
            meet_triple(l, &count, (at_vertex * g->order + by) * maps + to);
        }
    }
    f2l_orbits_loops_forget(l, count, l->graph->vertices * g->order * maps);
    return status;
}

f2l_status f2l_orbits_loops_test(bool *all, f2l_orbits_loops *l, const f2l_orbits_group *g,
                                 const bool *letter, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *all = l->graph->vertices * g->order * l->maps->count <= l->limit;
    for (size_t v = 0; status == F2L_OK && *all && v < l->graph->vertices; v++)
        if (l->reach->states[v] > 1) status = test_loops_at(all, l, g, letter, v, err);
    return status;
}
