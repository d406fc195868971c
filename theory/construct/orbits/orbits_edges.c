/* Groups for the edges of a device with several vertices: the states possible at a vertex get
 * points, and the permutation of an edge moves points as the edge moves states, as far as it is
 * one-to-one. So words that return and permute states are seldom taken to 1. */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define POINTS 4
#define MOST_ORDER 24
#define TRIES 2000     /* permutations by states */
#define CYCLE_TRIES 60 /* rotations of two and three points at random */
#define ENOUGH 3       /* groups that are handed on of each kind */
#define NO_POINT UINT8_MAX

typedef struct edge_search {
    f2l_orbits_loops *loops;
    f2l_orbits_group group;
    uint8_t *point;   /* [vertices][states] */
    uint8_t *returns; /* [edges] the edge lies on a loop */
    bool *letter;     /* [letters] true */
    size_t most;      /* states that are possible at one vertex */
    f2l_rng rng;
} edge_search;

static void shuffle_points(uint8_t *point, size_t count, f2l_rng *rng)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = f2l_rng_below(rng, i);
        const uint8_t last = point[i - 1];
        point[i - 1] = point[k];
        point[k] = last;
    }
}

/* Marks the edges from which words lead back to where they begin. */
static f2l_status find_returns(edge_search *s, f2l_error *err)
{
    const f2l_orbits_graph *g = s->loops->graph;
    uint32_t *queue = f2l_calloc(g->vertices, sizeof *queue);
    uint8_t *seen = f2l_calloc(g->vertices, 1);
    for (size_t e = 0; queue && seen && e < g->vertices * g->letters; e++) {
        size_t count = 1;
        memset(seen, 0, g->vertices);
        queue[0] = g->below[e];
        seen[queue[0]] = 1;
        for (size_t i = 0; i < count; i++)
            for (size_t a = 0; a < g->letters; a++) {
                const uint32_t to = g->below[queue[i] * g->letters + a];
                if (!seen[to]) queue[count++] = to;
                seen[to] = 1;
            }
        s->returns[e] = seen[e / g->letters];
    }
    f2l_free(queue);
    f2l_free(seen);
    return queue && seen ? F2L_OK : f2l_fail_memory(err);
}

/* Gives the states that are possible at each vertex points, different ones while there are some. */
static void choose_points(edge_search *s, size_t degree)
{
    const f2l_orbits_graph *g = s->loops->graph;
    for (size_t v = 0; v < g->vertices; v++) {
        uint8_t order[POINTS];
        size_t next = 0;
        for (size_t i = 0; i < degree; i++) order[i] = (uint8_t)i;
        if (f2l_rng_below(&s->rng, 2)) shuffle_points(order, degree, &s->rng);
        for (size_t q = 0; q < g->states; q++) {
            if (!f2l_orbits_possible(s->loops->reach, v, q)) continue;
            s->point[v * g->states + q] =
                next < degree ? order[next++] : (uint8_t)f2l_rng_below(&s->rng, degree);
        }
    }
}

/* Sends the points of states at the edge's vertex where the edge sends the states, in an order by
 * chance, unless the point or its image is taken. */
static void send_states(uint8_t *image, unsigned *taken, edge_search *s, size_t e)
{
    const f2l_orbits_graph *g = s->loops->graph;
    const size_t v = e / g->letters, u = g->below[e];
    uint8_t state[F2L_ORBITS_MAX_STATES];
    size_t count = 0;
    for (size_t q = 0; q < g->states; q++)
        if (f2l_orbits_possible(s->loops->reach, v, q)) state[count++] = (uint8_t)q;
    shuffle_points(state, count, &s->rng);
    for (size_t i = 0; i < count; i++) {
        const size_t to = g->next[state[i] * g->letters + e % g->letters];
        const uint8_t x = s->point[v * g->states + state[i]], y = s->point[u * g->states + to];
        if (image[x] != NO_POINT || *taken >> y & 1U) continue;
        image[x] = y;
        *taken |= 1U << y;
    }
}

/* Sends the other points to themselves where that is free, mostly, and else to any that is. */
static void send_others(uint8_t *image, unsigned taken, size_t degree, f2l_rng *rng)
{
    for (size_t x = 0; x < degree; x++) {
        uint8_t free_point[POINTS];
        size_t count = 0;
        if (image[x] != NO_POINT) continue;
        for (size_t y = 0; y < degree; y++)
            if (!(taken >> y & 1U)) free_point[count++] = (uint8_t)y;
        const bool stays = !(taken >> x & 1U) && f2l_rng_below(rng, 3) > 0;
        image[x] = stays ? (uint8_t)x : free_point[f2l_rng_below(rng, count)];
        taken |= 1U << image[x];
    }
}

static void set_edge_permutations(edge_search *s, size_t degree)
{
    const size_t edges = s->loops->graph->vertices * s->loops->graph->letters;
    choose_points(s, degree);
    s->group.degree = degree;
    s->group.generators = 0;
    for (size_t e = 0; e < edges; e++) {
        uint8_t image[F2L_ORBITS_POINTS];
        unsigned taken = 0;
        for (size_t i = 0; i < degree; i++) image[i] = s->returns[e] ? NO_POINT : (uint8_t)i;
        if (s->returns[e]) {
            send_states(image, &taken, s, e);
            send_others(image, taken, degree, &s->rng);
        }
        s->group.of_edge[e] = f2l_orbits_add_generator(&s->group, image);
    }
}

static void set_edge_rotations(edge_search *s, size_t degree)
{
    const size_t edges = s->loops->graph->vertices * s->loops->graph->letters;
    s->group.degree = degree;
    s->group.generators = 0;
    for (size_t e = 0; e < edges; e++) {
        uint8_t image[F2L_ORBITS_POINTS];
        const size_t by = f2l_rng_below(&s->rng, degree);
        for (size_t i = 0; i < degree; i++) image[i] = (uint8_t)((i + by) % degree);
        s->group.of_edge[e] = f2l_orbits_add_generator(&s->group, image);
    }
}

/* Hands on the group if its loops are idempotent; *count grows then. */
static f2l_status try_edge_group(bool *done, size_t *count, edge_search *s, f2l_orbits_found *found,
                                 void *context, f2l_error *err)
{
    bool all = false;
    const size_t edges = s->loops->graph->vertices * s->loops->graph->letters;
    f2l_status status = f2l_meter_spend(&s->loops->meter, 20 * edges, 0, 0, err);
    if (status != F2L_OK || f2l_orbits_loops_refute(s->loops, &s->group, s->letter) ||
        !f2l_orbits_generate(&s->group) || s->group.order > MOST_ORDER)
        return status;
    status = f2l_orbits_loops_test(&all, s->loops, &s->group, s->letter, err);
    if (status != F2L_OK || !all) return status;
    ++*count;
    return found(done, context, &s->group, err);
}

static f2l_status search_edges(bool *done, edge_search *s, f2l_orbits_found *found, void *context,
                               f2l_error *err)
{
    const size_t most = s->most < POINTS ? s->most : POINTS;
    size_t count = 0;
    f2l_status status = F2L_OK;
    for (size_t t = 0; t < TRIES && count < ENOUGH && status == F2L_OK && !*done; t++) {
        const size_t degree = t % 3 == 2 || most < 2 + t % 3 ? most : 2 + t % 3;
        set_edge_permutations(s, degree);
        status = try_edge_group(done, &count, s, found, context, err);
    }
    count = 0;
    for (size_t t = 0; t < CYCLE_TRIES && count < ENOUGH && status == F2L_OK && !*done; t++) {
        set_edge_rotations(s, 2 + t % 2);
        status = try_edge_group(done, &count, s, found, context, err);
    }
    return status;
}

f2l_status f2l_orbits_edges_search(bool *done, f2l_orbits_loops *loops, f2l_orbits_found *found,
                                   void *context, f2l_error *err)
{
    const f2l_orbits_graph *g = loops->graph;
    const size_t edges = g->vertices * g->letters;
    edge_search *s = f2l_calloc(1, sizeof *s);
    if (!s) return f2l_fail_memory(err);
    s->loops = loops;
    s->group.of_edge = f2l_calloc(edges, 1);
    s->point = f2l_calloc(g->vertices * g->states, 1);
    s->returns = f2l_calloc(edges, 1);
    s->letter = f2l_calloc(g->letters, sizeof *s->letter);
    f2l_rng_init(&s->rng, 2, edges);
    f2l_status status = s->group.of_edge && s->point && s->returns && s->letter
                            ? find_returns(s, err)
                            : f2l_fail_memory(err);
    for (size_t a = 0; s->letter && a < g->letters; a++) s->letter[a] = true;
    for (size_t v = 0; v < g->vertices; v++)
        if (loops->reach->states[v] > s->most) s->most = loops->reach->states[v];
    if (status == F2L_OK) status = search_edges(done, s, found, context, err);
    f2l_free(s->group.of_edge);
    f2l_free(s->point);
    f2l_free(s->returns);
    f2l_free(s->letter);
    f2l_free(s);
    return status;
}
