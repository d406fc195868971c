/* Groups of order 1 and 2 for the edges of a device, which is decided: each edge has a sign, and a
 * loop that is not idempotent must have an odd number of signs that are 1. A loop that has an even
 * number is an equation that the signs so far do not satisfy, so there are at most as many rounds
 * as edges. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define MOST_SIGNS 128 /* edges */
#define SIGN_WORDS (MOST_SIGNS / 64)
#define NO_PLACE UINT32_MAX

/* An equation: the sum of the signs of these edges is `odd`. */
typedef struct equation {
    uint64_t edge[SIGN_WORDS];
    bool odd;
} equation;

typedef struct signs {
    f2l_orbits_loops *loops;
    size_t edges;
    equation row[MOST_SIGNS]; /* [rows] reduced: the pivot of a row is in no other */
    size_t pivot[MOST_SIGNS], rows;
    bool sign[MOST_SIGNS];
    uint32_t *parent; /* [2 * vertices * maps] place before */
} signs;

static bool has_edge(const equation *x, size_t e)
{
    return x->edge[e / 64] >> (e % 64) & 1U;
}

static void add_equation(equation *to, const equation *x)
{
    for (size_t w = 0; w < SIGN_WORDS; w++) to->edge[w] ^= x->edge[w];
    to->odd ^= x->odd;
}

/* Adds an equation and solves all, with signs 0 where they are free. Returns whether there is a
 * solution. */
static bool solve_with(signs *s, equation x)
{
    size_t pivot = 0;
    for (size_t i = 0; i < s->rows; i++)
        if (has_edge(&x, s->pivot[i])) add_equation(&x, &s->row[i]);
    while (pivot < s->edges && !has_edge(&x, pivot)) pivot++;
    if (pivot == s->edges) return !x.odd;
    for (size_t i = 0; i < s->rows; i++)
        if (has_edge(&s->row[i], pivot)) add_equation(&s->row[i], &x);
    s->row[s->rows] = x;
    s->pivot[s->rows++] = pivot;
    for (size_t i = 0; i < s->rows; i++) s->sign[s->pivot[i]] = s->row[i].odd;
    return true;
}

/* Returns the equation of the loop that ends with edge `last` from the place. */
static equation loop_equation(const signs *s, uint32_t place, size_t last)
{
    const f2l_orbits_graph *g = s->loops->graph;
    equation x = {.odd = true};
    x.edge[last / 64] ^= UINT64_C(1) << (last % 64);
    while (s->parent[place] != NO_PLACE) {
        const uint32_t from = s->parent[place] / (uint32_t)g->letters;
        const size_t vertex = from / 2 / s->loops->maps->count;
        const size_t e = vertex * g->letters + s->parent[place] % g->letters;
        x.edge[e / 64] ^= UINT64_C(1) << (e % 64);
        place = from;
    }
    return x;
}

static bool acts_idempotent_at(const signs *s, size_t vertex, size_t map)
{
    const f2l_orbits_maps *maps = s->loops->maps;
    const uint8_t *image = maps->image + map * maps->states;
    for (size_t q = 0; q < maps->states; q++)
        if (image[image[q]] != image[q] && f2l_orbits_possible(s->loops->reach, vertex, q))
            return false;
    return true;
}

/* Seeks a loop at the vertex that is not idempotent and has an even sum; *odd: its equation. */
static f2l_status seek_even_loop(bool *seen, equation *odd, signs *s, size_t from, f2l_error *err)
{
    const f2l_orbits_graph *g = s->loops->graph;
    const size_t maps = s->loops->maps->count;
    f2l_orbits_loops *l = s->loops;
    size_t count = 1, i = 0;
    l->queue[0] = (uint32_t)(2 * from * maps);
    s->parent[l->queue[0]] = NO_PLACE;
    /* Words that act as the empty one do not become its parents. */
    f2l_orbits_loops_meet(l, l->queue[0]);
    for (; i < count && !*seen; i++) {
        const uint32_t at = l->queue[i];
        const size_t map = at % maps, vertex = at / maps / 2;
        for (size_t a = 0; a < g->letters && !*seen; a++) {
            const size_t e = vertex * g->letters + a, to = g->below[e];
            const size_t next = l->maps->times[map * g->letters + a];
            const size_t sum = (at / maps ^ s->sign[e]) & 1U;
            const size_t place = (2 * to + sum) * maps + next;
            if (to == from && sum == 0 && !acts_idempotent_at(s, from, next)) {
                *seen = true;
                *odd = loop_equation(s, at, e);
            } else if (f2l_orbits_loops_meet(l, place)) {
                l->queue[count++] = (uint32_t)place;
                s->parent[place] = at * (uint32_t)g->letters + (uint32_t)a;
            }
        }
    }
    f2l_orbits_loops_forget(l, count, 2 * g->vertices * maps);
    return f2l_meter_spend(&l->meter, 3 * i * g->letters, (double)from, (double)g->vertices, err);
}

/* Sets *all to whether there are signs that every loop passes. */
static f2l_status find_signs(bool *all, signs *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    *all = true;
    for (size_t v = 0; v < s->loops->graph->vertices && *all && status == F2L_OK;) {
        bool seen = false;
        equation odd = {.odd = false};
        if (s->loops->reach->states[v] > 1) status = seek_even_loop(&seen, &odd, s, v, err);
        if (seen) *all = solve_with(s, odd);
        v = seen ? 0 : v + 1;
    }
    return status;
}

static void make_sign_group(f2l_orbits_group *group, const signs *s)
{
    static const uint8_t image[2][F2L_ORBITS_POINTS] = {{0, 1}, {1, 0}};
    group->degree = s->rows > 0 ? 2 : 1;
    group->generators = 0;
    for (size_t e = 0; e < s->edges; e++)
        group->of_edge[e] = f2l_orbits_add_generator(group, image[s->sign[e]]);
    f2l_orbits_generate(group);
}

f2l_status f2l_orbits_signs_search(bool *done, f2l_orbits_loops *loops, f2l_orbits_found *found,
                                   void *context, f2l_error *err)
{
    const size_t edges = loops->graph->vertices * loops->graph->letters;
    const size_t places = 2 * loops->graph->vertices * loops->maps->count;
    bool all = false;
    if (edges > MOST_SIGNS || places > loops->limit || places > NO_PLACE / loops->graph->letters)
        return F2L_OK;
    signs *s = f2l_calloc(1, sizeof *s);
    f2l_orbits_group *group = f2l_calloc(1, sizeof *group);
    uint32_t *parent = f2l_calloc(places, sizeof *parent);
    uint8_t *of_edge = f2l_calloc(edges, 1);
    f2l_status status = s && group && parent && of_edge ? F2L_OK : f2l_fail_memory(err);
    if (status == F2L_OK) {
        *s = (signs){.loops = loops, .edges = edges, .parent = parent};
        group->of_edge = of_edge;
        status = find_signs(&all, s, err);
    }
    if (status == F2L_OK && all) {
        make_sign_group(group, s);
        status = found(done, context, group, err);
    }
    f2l_free(s);
    f2l_free(group);
    f2l_free(parent);
    f2l_free(of_edge);
    return status;
}
