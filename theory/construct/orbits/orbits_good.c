/* Whether one more layer can follow a device (theory/pages/one-layer.md, OL.10). */
#include "numeric/base/mem.h"
#include "theory/construct/orbits/impl.h"

#define MOST_CELLS ((size_t)1 << 24) /* vertices and maps, multiplied */

/* The walk through pairs of a vertex and a map, from one vertex. */
typedef struct walk {
    const f2l_orbits_graph *graph;
    const f2l_orbits_maps *maps;
    f2l_orbits_reach reach;
    f2l_meter meter;
    uint32_t *from; /* [vertices][maps] 1 + letter for a first letter; letters + 1 + the pair before
                       and the letter; 0: not met */
    uint32_t *queue; /* [vertices][maps] */
    size_t count;    /* in the queue */
    size_t vertex;
    f2l_orbits_rows idempotent; /* at the vertex, where states that are not possible have 0 */
    uint32_t *map;              /* [idempotents] a map that acts like it */
    size_t capacity;
} walk;

static void meet_pair(walk *w, size_t vertex, size_t map, size_t from)
{
    const size_t at = vertex * w->maps->count + map;
    if (w->from[at]) return;
    w->from[at] = (uint32_t)from;
    w->queue[w->count++] = (uint32_t)at;
}

/* Walks through all pairs that words from the vertex lead to. */
static f2l_status walk_from(walk *w, f2l_error *err)
{
    const size_t letters = w->graph->letters, maps = w->maps->count;
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < w->count; i++) w->from[w->queue[i]] = 0;
    w->count = 0;
    for (size_t a = 0; a < letters; a++)
        meet_pair(w, w->graph->below[w->vertex * letters + a], w->maps->times[a], 1 + a);
    for (size_t i = 0; status == F2L_OK && i < w->count; i++) {
        /* Numbers of 32 bits are divided much faster. */
        const uint32_t at = w->queue[i], vertex = at / (uint32_t)maps;
        const size_t map = at - vertex * (uint32_t)maps;
        status = f2l_meter_spend(&w->meter, 3 * letters, (double)w->vertex,
                                 (double)w->graph->vertices, err);
        for (size_t a = 0; a < letters; a++)
            meet_pair(w, w->graph->below[vertex * letters + a], w->maps->times[map * letters + a],
                      letters + 1 + at * letters + a);
    }
    return status;
}

/* Returns whether the map leads all states that are possible to one: then efe = fe beside any other
 * idempotent. */
static bool is_constant(const walk *w, const uint8_t *image)
{
    uint32_t first = F2L_ORBITS_NONE;
    for (size_t q = 0; q < w->graph->states; q++) {
        if (!f2l_orbits_possible(&w->reach, w->vertex, q)) continue;
        if (first != F2L_ORBITS_NONE && image[q] != first) return false;
        first = image[q];
    }
    return true;
}

/* Lists the idempotents among the loops at the vertex, each once, but for constant ones. */
static f2l_status list_idempotents(walk *w, f2l_error *err)
{
    const size_t n = w->graph->states;
    uint8_t row[F2L_ORBITS_MAX_STATES] = {0};
    f2l_status status = F2L_OK;
    f2l_orbits_rows_clear(&w->idempotent);
    for (size_t t = 0; status == F2L_OK && t < w->maps->count; t++) {
        const uint8_t *image = w->maps->image + t * n;
        bool idempotent = w->from[w->vertex * w->maps->count + t] != 0;
        for (size_t q = 0; idempotent && q < n; q++) {
            const bool possible = f2l_orbits_possible(&w->reach, w->vertex, q);
            idempotent = !possible || image[image[q]] == image[q];
            row[q] = possible ? image[q] : 0;
        }
        if (!idempotent || is_constant(w, image)) continue;
        const size_t count = w->idempotent.count;
        size_t number;
        if (!f2l_grow((void **)&w->map, &w->capacity, count, sizeof *w->map))
            return f2l_fail_memory(err);
        status = f2l_orbits_rows_add(&number, &w->idempotent, row, err);
        if (status == F2L_OK && number == count) w->map[number] = (uint32_t)t;
    }
    return status;
}

/* Returns a state possible at the vertex on which efe and fe differ, or F2L_ORBITS_NONE. */
static uint32_t differing_state(const walk *w, size_t e, size_t f)
{
    const size_t n = w->graph->states;
    const uint8_t *by_e = w->idempotent.byte + e * n, *by_f = w->idempotent.byte + f * n;
    for (size_t q = 0; q < n; q++)
        if (f2l_orbits_possible(&w->reach, w->vertex, q) && by_e[by_f[by_e[q]]] != by_e[by_f[q]])
            return (uint32_t)q;
    return F2L_ORBITS_NONE;
}

/* --- words --- */

/* Sets *word, owned, to the loop that makes the map. */
static f2l_status spell_loop(uint32_t **word, size_t *count, const walk *w, size_t map,
                             f2l_error *err)
{
    const size_t letters = w->graph->letters, last = w->vertex * w->maps->count + map;
    size_t at = last;
    for (*count = 1; w->from[at] > letters; ++*count) at = (w->from[at] - letters - 1) / letters;
    *word = f2l_calloc(*count, sizeof **word);
    if (!*word) return f2l_fail_memory(err);
    at = last;
    for (size_t i = *count; i-- > 0;) {
        const size_t from = w->from[at] - 1;
        (*word)[i] = (uint32_t)(i > 0 ? (from - letters) % letters : from);
        at = i > 0 ? (from - letters) / letters : 0;
    }
    return F2L_OK;
}

/* Sets *word, owned, to a word that leads to the vertex and the state. */
static f2l_status spell_pair(f2l_orbits_witness *out, const walk *w, f2l_error *err)
{
    const f2l_orbits_pair *pair = w->reach.pair;
    size_t at = 0;
    while (pair[at].vertex != out->vertex || pair[at].state != out->state) at++;
    for (size_t i = at; i > 0; i = pair[i].before) out->to_letters++;
    out->to = f2l_calloc(out->to_letters, sizeof *out->to);
    if (!out->to) return f2l_fail_memory(err);
    for (size_t i = at, k = out->to_letters; i > 0; i = pair[i].before)
        out->to[--k] = pair[i].letter;
    return F2L_OK;
}

void f2l_orbits_witness_clear(f2l_orbits_witness *witness)
{
    f2l_free(witness->to);
    f2l_free(witness->u);
    f2l_free(witness->w);
    *witness = (f2l_orbits_witness){0};
}

static f2l_status fill_witness(f2l_orbits_witness *out, const walk *w, size_t e, size_t f,
                               uint32_t state, f2l_error *err)
{
    *out = (f2l_orbits_witness){.vertex = w->vertex, .state = state};
    f2l_status status = spell_pair(out, w, err);
    if (status == F2L_OK) status = spell_loop(&out->u, &out->u_letters, w, w->map[e], err);
    if (status == F2L_OK) status = spell_loop(&out->w, &out->w_letters, w, w->map[f], err);
    if (status != F2L_OK) f2l_orbits_witness_clear(out);
    return status;
}

/* --- the test --- */

/* Compares the idempotent number `count` with those before it, in both orders: what short words do
 * comes first. */
static f2l_status compare_with_earlier(bool *good, f2l_orbits_witness *witness, walk *w,
                                       size_t count, f2l_error *err)
{
    for (size_t k = 0; *good && k < 2 * count; k++) {
        const size_t e = k % 2 ? k / 2 : count, f = k % 2 ? count : k / 2;
        const uint32_t state = differing_state(w, e, f);
        if (state == F2L_ORBITS_NONE) continue;
        *good = false;
        if (witness) return fill_witness(witness, w, e, f, state, err);
    }
    return F2L_OK;
}

static f2l_status compare_idempotents(bool *good, f2l_orbits_witness *witness, walk *w,
                                      f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t e = 1; status == F2L_OK && *good && e < w->idempotent.count; e++) {
        status = f2l_meter_spend(&w->meter, 2 * e * w->graph->states, (double)w->vertex,
                                 (double)w->graph->vertices, err);
        if (status == F2L_OK) status = compare_with_earlier(good, witness, w, e, err);
    }
    return status;
}

static f2l_status open_walk(walk *w, f2l_error *err)
{
    const size_t cells = w->graph->vertices * w->maps->count;
    f2l_status status = f2l_orbits_reach_find(&w->reach, w->graph, w->meter.task, err);
    if (status != F2L_OK) return status;
    if (cells > MOST_CELLS || cells > UINT32_MAX / (w->graph->letters + 2))
        return f2l_fail(err, F2L_UNKNOWN, "loops make too many maps of the states");
    status = f2l_task_table(w->meter.task, "loops", 2 * cells * sizeof *w->from, err);
    if (status != F2L_OK) return status;
    w->from = f2l_calloc(cells, sizeof *w->from);
    w->queue = f2l_calloc(cells, sizeof *w->queue);
    return w->from && w->queue ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_orbits_is_good(bool *good, f2l_orbits_witness *witness,
                              const f2l_orbits_graph *graph, const f2l_orbits_maps *maps,
                              const f2l_task *task, f2l_error *err)
{
    walk w = {.graph = graph,
              .maps = maps,
              .meter = {.task = task, .phase = "loops"},
              .idempotent.width = graph->states};
    f2l_status status = open_walk(&w, err);
    *good = true;
    for (; status == F2L_OK && *good && w.vertex < graph->vertices; w.vertex++) {
        if (w.reach.states[w.vertex] < 2) continue;
        status = walk_from(&w, err);
        if (status == F2L_OK) status = list_idempotents(&w, err);
        if (status == F2L_OK) status = compare_idempotents(good, witness, &w, err);
        if (!*good) break;
    }
    f2l_orbits_reach_clear(&w.reach);
    f2l_orbits_rows_clear(&w.idempotent);
    f2l_free(w.from);
    f2l_free(w.queue);
    f2l_free(w.map);
    return status;
}
