/* A device grows by components until it is good; then those that are not needed are left out. */
#include "theory/construct/stack/grow.h"
#include "numeric/base/mem.h"
#include "theory/construct/stack/codes.h"
#include "theory/construct/stack/impl.h"
#include <string.h>

#define PHASE "first layers"
#define MOST_COMPONENTS 64 /* of a clock: with 4 letters and 4 places there are 33 */

typedef struct grower {
    f2l_stack_grown device; /* under work; its table has room for all vertices */
    f2l_stack_component component[MOST_COMPONENTS];
    size_t components, places, most; /* places of the clock; most vertices */
    f2l_orbits_graph graph;
    const f2l_orbits_maps *maps;
    f2l_meter meter;
    uint32_t *room;   /* a second table */
    uint16_t *number; /* [F2L_STACK_GROWN_VERTICES][F2L_STACK_CONTENTS] 1 + vertex; 0: not met */
} grower;

/* --- the components of a clock --- */

/* Lets the letters turn the clock, as bits of `turning` say. */
static f2l_stack_component turn_clock(const grower *g, unsigned turning)
{
    f2l_stack_component c = {.slots = (uint8_t)g->places};
    for (size_t a = 0; a < g->graph.letters; a++)
        for (size_t i = 0; i < g->places; i++)
            c.source[a][(i + (turning >> a & 1U)) % g->places] = (uint8_t)i;
    return c;
}

static void write_place(f2l_stack_component *c, const grower *g, unsigned turning, size_t place,
                        size_t letter, uint8_t value)
{
    const size_t to = (place + (turning >> letter & 1U)) % g->places;
    c->source[letter][to] = F2L_STACK_WRITTEN;
    c->value[letter][to] = value;
    c->writes++;
}

static void add_component(grower *g, f2l_stack_component *c)
{
    f2l_stack_find_contents(c, g->graph.letters);
    if (c->states > 1 && g->components < MOST_COMPONENTS) g->component[g->components++] = *c;
}

/* Lists the clock, and for each pair of edges up to a turn slots that tell which was passed last.
 */
static void list_clock(grower *g, unsigned turning)
{
    const size_t letters = g->graph.letters;
    f2l_stack_component c = turn_clock(g, turning);
    g->components = 0;
    c.initial[0] = 1;
    add_component(g, &c);
    for (size_t a = 0; a < letters; a++)
        for (size_t b = a; b < letters; b++)
            for (size_t k = a == b; k < g->places && (a < b || 2 * k <= g->places); k++) {
                c = turn_clock(g, turning);
                memset(c.initial, F2L_STACK_HALF, sizeof c.initial);
                write_place(&c, g, turning, 0, a, 0);
                write_place(&c, g, turning, k, b, 1);
                add_component(g, &c);
            }
}

/* --- devices --- */

/* Makes the table of the device of table `of` and a component, where it has at most `most`
 * vertices; returns their number, or 0. */
static size_t multiply_device(uint32_t *next, const grower *g, const uint32_t *of, size_t vertices,
                              const f2l_stack_component *c, size_t most)
{
    const size_t letters = g->graph.letters;
    uint32_t queue[F2L_STACK_GROWN_VERTICES] = {0};
    size_t count = 1;
    memset(g->number, 0, vertices * c->states * sizeof *g->number);
    g->number[0] = 1;
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < letters; a++) {
            const size_t v = queue[i] / c->states, s = queue[i] % c->states;
            const size_t to = of[v * letters + a] * c->states + c->next[s][a];
            if (!g->number[to]) {
                if (count == most) return 0;
                queue[count++] = (uint32_t)to;
                g->number[to] = (uint16_t)count;
            }
            next[i * letters + a] = g->number[to] - 1U;
        }
    return count;
}

/* Adds a component to the device; returns whether there was room. */
static bool add_part(grower *g, const f2l_stack_component *c)
{
    f2l_stack_grown *d = &g->device;
    if (d->parts == F2L_STACK_GROWN) return false;
    const size_t vertices = multiply_device(g->room, g, d->next, d->vertices, c, g->most);
    if (vertices == 0) return false;
    uint32_t *next = d->next;
    d->next = g->room;
    g->room = next;
    d->vertices = vertices;
    d->part[d->parts++] = *c;
    return true;
}

static void begin_device(grower *g)
{
    g->device.parts = 0;
    g->device.vertices = 1;
    memset(g->device.next, 0, g->graph.letters * sizeof *g->device.next);
}

static f2l_status test_grown(bool *good, f2l_orbits_witness *witness, grower *g, f2l_error *err)
{
    g->graph.vertices = g->device.vertices;
    g->graph.below = g->device.next;
    return f2l_orbits_is_good(good, witness, &g->graph, g->maps, g->meter.task, err);
}

/* --- growing --- */

static size_t follow_component(const f2l_stack_component *c, size_t state, const uint32_t *word,
                               size_t letters)
{
    for (size_t i = 0; i < letters; i++) state = c->next[state][word[i]];
    return state;
}

/* Returns whether one of the loops of the witness is none with the component. */
static bool breaks_witness(const f2l_stack_component *c, const f2l_orbits_witness *x)
{
    const size_t at = follow_component(c, 0, x->to, x->to_letters);
    return follow_component(c, at, x->u, x->u_letters) != at ||
           follow_component(c, at, x->w, x->w_letters) != at;
}

/* Adds the component that breaks the witness and gives the fewest vertices; *added: there is one.
 */
static f2l_status break_witness(bool *added, grower *g, const f2l_orbits_witness *x, f2l_error *err)
{
    size_t best = g->components, least = g->most + 1;
    for (size_t i = 0; i < g->components; i++) {
        const f2l_stack_component *c = &g->component[i];
        if (!breaks_witness(c, x)) continue;
        const size_t vertices =
            multiply_device(g->room, g, g->device.next, g->device.vertices, c, least - 1);
        if (vertices == 0) continue;
        least = vertices;
        best = i;
    }
    *added = best < g->components && add_part(g, &g->component[best]);
    return f2l_meter_spend(&g->meter, g->components * (20 + 2 * g->device.vertices), 0, 0, err);
}

/* Grows the device from one vertex; *good: it became good. */
static f2l_status grow_device(bool *good, grower *g, f2l_error *err)
{
    f2l_status status = F2L_OK;
    bool added = true;
    *good = false;
    begin_device(g);
    while (status == F2L_OK && !*good && added) {
        f2l_orbits_witness witness = {.to = NULL};
        status = test_grown(good, &witness, g, err);
        if (status == F2L_OK && !*good) status = break_witness(&added, g, &witness, err);
        f2l_orbits_witness_clear(&witness);
    }
    return status;
}

/* Makes the device of all parts of `of` but one. */
static void leave_out(grower *g, const f2l_stack_grown *of, size_t without)
{
    begin_device(g);
    for (size_t i = 0; i < of->parts; i++)
        if (i != without) add_part(g, &of->part[i]);
}

/* Leaves out the parts of a good device that are not needed, the first ones first. */
static f2l_status prune_device(grower *g, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t i = 0; status == F2L_OK && i < g->device.parts;) {
        const f2l_stack_grown all = g->device;
        bool good;
        leave_out(g, &all, i);
        status = test_grown(&good, NULL, g, err);
        if (status != F2L_OK || good) continue;
        leave_out(g, &all, all.parts);
        i++;
    }
    return status;
}

/* Tries clocks of g->places places. */
static f2l_status try_clocks(bool *good, grower *g, f2l_error *err)
{
    const unsigned all = (1U << g->graph.letters) - 1;
    f2l_status status = F2L_OK;
    for (unsigned turning = all; status == F2L_OK && !*good && turning > 0; turning--) {
        list_clock(g, turning);
        status = grow_device(good, g, err);
    }
    return status == F2L_OK && *good ? prune_device(g, err) : status;
}

static void close_grower(grower *g)
{
    if (!g) return;
    f2l_free(g->device.next);
    f2l_free(g->room);
    f2l_free(g->number);
    f2l_free(g);
}

/* Returns a grower with room for devices over the graph's letters; NULL: there is no memory. */
static grower *open_grower(const f2l_orbits_graph *graph, const f2l_task *task)
{
    const size_t most = F2L_ORBITS_MAX_EDGES / graph->letters, size = F2L_ORBITS_MAX_EDGES;
    grower *g = f2l_calloc(1, sizeof *g);
    if (!g) return NULL;
    *g = (grower){.most = most < F2L_STACK_GROWN_VERTICES ? most : F2L_STACK_GROWN_VERTICES,
                  .graph = *graph,
                  .meter = {.task = task, .phase = PHASE}};
    g->device.next = f2l_calloc(size, sizeof *g->device.next);
    g->room = f2l_calloc(size, sizeof *g->room);
    g->number = f2l_calloc(F2L_STACK_GROWN_VERTICES * F2L_STACK_CONTENTS, sizeof *g->number);
    if (g->device.next && g->room && g->number) return g;
    close_grower(g);
    return NULL;
}

f2l_status f2l_stack_grow(f2l_stack_grown *out, const f2l_orbits_graph *graph,
                          const f2l_orbits_maps *maps, const f2l_task *task, f2l_error *err)
{
    f2l_status status = F2L_OK;
    bool good = false;
    grower *g = open_grower(graph, task);
    if (!g) return f2l_fail_memory(err);
    g->maps = maps;
    for (g->places = 2; status == F2L_OK && !good && g->places <= F2L_STACK_SLOTS; g->places++)
        status = try_clocks(&good, g, err);
    if (status == F2L_OK && good) {
        *out = g->device;
        g->device.next = NULL;
    }
    close_grower(g);
    return status;
}

/* --- growing once --- */

static f2l_status copy_table(uint32_t **out, const uint32_t *table, size_t size, f2l_error *err)
{
    *out = f2l_calloc(size, sizeof **out);
    if (!*out) return f2l_fail_memory(err);
    memcpy(*out, table, size * sizeof **out);
    return F2L_OK;
}

static f2l_status copy_grown(f2l_stack_grown *out, const f2l_stack_grown *grown, size_t letters,
                             f2l_error *err)
{
    *out = *grown;
    return grown->next ? copy_table(&out->next, grown->next, grown->vertices * letters, err)
                       : F2L_OK;
}

/* Returns what is kept for the automaton, or NULL. */
static const f2l_stack_growth *find_growth(const f2l_stack_lists *lists, const f2l_orbits_graph *g)
{
    for (size_t i = 0; i < lists->growths && i < F2L_STACK_GROWTHS; i++) {
        const f2l_stack_growth *x = &lists->growth[i];
        if (x->letters == g->letters && x->states == g->states && x->start == g->start_state &&
            memcmp(x->next, g->next, g->states * g->letters * sizeof *g->next) == 0)
            return x;
    }
    return NULL;
}

/* Keeps what was found in place of what was kept longest. */
static f2l_status keep_growth(f2l_stack_lists *lists, const f2l_orbits_graph *g,
                              const f2l_stack_grown *grown, uint64_t steps, f2l_error *err)
{
    f2l_stack_growth new = {
        .letters = g->letters, .states = g->states, .start = g->start_state, .steps = steps};
    f2l_status status = copy_table(&new.next, g->next, g->states * g->letters, err);
    if (status == F2L_OK) status = copy_grown(&new.grown, grown, g->letters, err);
    if (status != F2L_OK) {
        f2l_free(new.next);
        return status;
    }
    f2l_stack_growth *to = &lists->growth[lists->growths++ % F2L_STACK_GROWTHS];
    f2l_free(to->next);
    f2l_stack_grown_clear(&to->grown);
    *to = new;
    return F2L_OK;
}

f2l_status f2l_stack_grow_once(f2l_stack_grown *out, f2l_stack_lists *lists,
                               const f2l_orbits_graph *graph, const f2l_orbits_maps *maps,
                               const f2l_task *task, f2l_error *err)
{
    const f2l_stack_growth *known = find_growth(lists, graph);
    f2l_status status;
    if (known) {
        status = f2l_task_spend(task, PHASE, known->steps, err);
        return status == F2L_OK ? copy_grown(out, &known->grown, graph->letters, err) : status;
    }
    f2l_effort effort = {.limit = 0};
    f2l_task counted = *task;
    counted.effort = &effort;
    status = f2l_stack_grow(out, graph, maps, &counted, err);
    if (status == F2L_OK) status = f2l_task_spend(task, PHASE, effort.spent, err);
    if (status == F2L_OK) status = keep_growth(lists, graph, out, effort.spent, err);
    if (status != F2L_OK) f2l_stack_grown_clear(out);
    return status;
}

/* --- refining --- */

/* Tries a component beside the device of table `of`; *above becomes the layer of codes if there are
 * some with fewer than g->most vertices, which are then the most. */
static f2l_status refine_by(bool *found, f2l_orbits *above, grower *g, const f2l_stack_grown *of,
                            const f2l_stack_component *c, f2l_error *err)
{
    f2l_orbits layer = {.rows = 0};
    *found = false;
    f2l_status status = f2l_meter_spend(&g->meter, 20 + 2 * of->vertices, 0, 0, err);
    if (status != F2L_OK) return status;
    const size_t vertices = multiply_device(g->room, g, of->next, of->vertices, c, g->most - 1);
    if (vertices <= of->vertices) return F2L_OK;
    g->graph.vertices = vertices;
    g->graph.below = g->room;
    status = f2l_stack_codes_find(&layer, &g->graph, g->meter.task, err);
    if (status == F2L_EDOMAIN || status == F2L_UNKNOWN)
        return f2l_task_stop(g->meter.task) == F2L_STOP_NONE ? F2L_OK : status;
    if (status != F2L_OK) return status;
    f2l_orbits_clear(above);
    *above = layer;
    *found = true;
    g->most = vertices;
    uint32_t *next = g->device.next;
    g->device.next = g->room;
    g->room = next;
    return F2L_OK;
}

f2l_status f2l_stack_refine(f2l_stack_grown *out, f2l_orbits *above, const f2l_orbits_graph *graph,
                            const f2l_stack_list *list, const f2l_task *task, f2l_error *err)
{
    size_t best = list->components;
    f2l_status status = F2L_OK;
    if (out->parts == F2L_STACK_GROWN) return F2L_OK;
    grower *g = open_grower(graph, task);
    if (!g) return f2l_fail_memory(err);
    for (size_t i = 0; i < list->components && status == F2L_OK; i++) {
        bool found;
        status = refine_by(&found, above, g, out, &list->component[i], err);
        if (found) best = i;
    }
    if (status == F2L_OK && best < list->components) {
        out->part[out->parts++] = list->component[best];
        out->vertices = g->most;
        f2l_free(out->next);
        out->next = g->device.next;
        g->device.next = NULL;
    }
    close_grower(g);
    return status;
}
