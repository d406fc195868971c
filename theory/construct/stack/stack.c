/* The search for two layers: devices from small to large, and for those that are good slots above.
 */
#include "theory/construct/stack/stack.h"
#include "numeric/base/mem.h"
#include "theory/construct/stack/codes.h"
#include "theory/construct/stack/grow.h"
#include "theory/construct/stack/impl.h"
#include <string.h>

#define PHASE "two layers"
#define MOST_ROWS 20000   /* of the first layer by itself */
#define MOST_GOOD 100     /* good devices above which slots with signs are sought */
#define MOST_FIRST 3      /* good devices above which slots with any group are sought */
#define MORE_DEVICES 2000 /* that are visited after the first one with codes, for fewer factors */
#define MORE_SOON 500
/* Steps of all, and of them for signs; steps of a search for slots above one device. */
#define MOST_STEPS (300 * (uint64_t)F2L_STEPS)
#define SIGN_STEPS (220 * (uint64_t)F2L_STEPS)
#define EACH (200 * (uint64_t)F2L_STEPS)
/* Steps that the test of a device and the search for slots count for one of ours: their tables are
 * small, and stay in the cache. */
#define RATIO 4

void f2l_stack_clear(f2l_stack *stack)
{
    if (stack->lower) f2l_stack_clear(stack->lower);
    f2l_free(stack->lower);
    f2l_free(stack->next);
    f2l_orbits_cover_clear(&stack->cover);
    f2l_orbits_clear(&stack->below);
    f2l_orbits_clear(&stack->above);
    *stack = (f2l_stack){.vertices = 0};
}

#define WITNESSES 32 /* that are kept */

/* The search. */
typedef struct seeker {
    f2l_stack *out;
    f2l_stack_lists *lists;
    const f2l_stack_list *list; /* of them */
    f2l_orbits_maps maps;
    f2l_orbits_graph graph; /* the device under work */
    f2l_meter meter;
    uint64_t spent;           /* steps of searches above devices */
    uint32_t good[MOST_GOOD]; /* [count] devices */
    f2l_stack best;           /* the network with fewest factors; vertices 0: none */
    size_t best_place, more;  /* of its device; devices visited since there is one */
    size_t count;
    bool found;
    f2l_stack_aim aim;
    f2l_orbits_witness witness[WITNESSES]; /* of devices that are not good, [witnesses] */
    size_t witnesses, replaced;
} seeker;

/* Runs one step of the search with a count of its own, of which a part is charged. */
static f2l_task open_count(f2l_effort *effort, const seeker *s)
{
    f2l_task task = s->meter.task ? *s->meter.task : (f2l_task){.jobs = 1};
    *effort = (f2l_effort){.limit = 0};
    task.effort = effort;
    return task;
}

static f2l_status close_count(seeker *s, const f2l_effort *effort, f2l_error *err)
{
    return f2l_meter_spend(&s->meter, 1 + effort->spent / RATIO, 0, 0, err);
}

static uint32_t follow_word(const seeker *s, uint32_t vertex, const uint32_t *word, size_t count)
{
    for (size_t i = 0; i < count; i++) vertex = s->graph.below[vertex * s->graph.letters + word[i]];
    return vertex;
}

/* Returns whether the witness of another device is one of this device: the loops are loops here,
 * too, and powers of them act as idempotents on the states that are possible here. */
static bool is_refuted_by(const seeker *s, const f2l_orbits_witness *x)
{
    const uint32_t v = follow_word(s, 0, x->to, x->to_letters);
    return follow_word(s, v, x->u, x->u_letters) == v && follow_word(s, v, x->w, x->w_letters) == v;
}

static f2l_status test_device(bool *good, seeker *s, f2l_error *err)
{
    f2l_effort effort;
    const f2l_task task = open_count(&effort, s);
    f2l_orbits_witness witness = {.to = NULL};
    for (size_t i = 0; i < s->witnesses; i++)
        if (is_refuted_by(s, &s->witness[i])) {
            *good = false;
            effort.spent = 8 * i;
            return close_count(s, &effort, err);
        }
    f2l_status status = f2l_orbits_is_good(good, &witness, &s->graph, &s->maps, &task, err);
    if (status != F2L_OK) return status;
    if (!*good) {
        const size_t at = s->witnesses < WITNESSES ? s->witnesses++ : s->replaced++ % WITNESSES;
        f2l_orbits_witness_clear(&s->witness[at]);
        s->witness[at] = witness;
    }
    return close_count(s, &effort, err);
}

/* Keeps the device as the one of *out. */
static f2l_status keep_device(seeker *s, const f2l_stack_device *device, f2l_error *err)
{
    f2l_stack *out = s->out;
    const size_t size = device->vertices * s->list->letters;
    uint32_t *next = f2l_calloc(size, sizeof *next);
    if (!next) return f2l_fail_memory(err);
    memcpy(next, s->graph.below, size * sizeof *next);
    f2l_free(out->next);
    out->next = next;
    out->parts = device->parts;
    out->vertices = device->vertices;
    out->letters = s->list->letters;
    for (size_t i = 0; i < device->parts; i++) out->part[i] = s->list->component[device->part[i]];
    return F2L_OK;
}

/* Returns the steps of a search of which all that is left of ours, and one more, pays a part. */
static uint64_t steps_left(const seeker *s, uint64_t most)
{
    const f2l_effort *own = s->meter.task ? s->meter.task->effort : NULL;
    if (!own || own->limit == 0) return most;
    const uint64_t left = own->limit > own->spent ? own->limit - own->spent : 0;
    return left + 1 < most / RATIO ? (left + 1) * RATIO : most;
}

/* Seeks what is sought above the device; s->found: it is there. */
static f2l_status seek_above(seeker *s, uint64_t most, f2l_error *err)
{
    const uint64_t steps = steps_left(s, most);
    f2l_effort effort;
    const f2l_task task = open_count(&effort, s);
    f2l_error why;
    f2l_status status =
        s->aim >= F2L_STACK_AIM_NETWORK
            ? f2l_orbits_find(&s->out->above, &s->graph, &s->maps, steps, &task, &why)
            : f2l_orbits_cover_find(&s->out->cover, &s->graph, &s->maps, steps, &task, &why);
    s->spent += effort.spent / RATIO;
    s->found = status == F2L_OK;
    if (status != F2L_OK && status != F2L_UNKNOWN) return f2l_fail(err, status, "%s", why.text);
    return close_count(s, &effort, err);
}

/* --- the first layer --- */

/* Sets the slots of the first layer, and *initial, owned by the caller. */
static f2l_status wire_below(f2l_stack *out, uint8_t **initial, f2l_error *err)
{
    f2l_slots *slots = &out->below.slots;
    slots->letters = out->letters;
    for (size_t i = 0; i < out->parts; i++) slots->slots += out->part[i].slots;
    slots->source = f2l_calloc(slots->letters * slots->slots, sizeof *slots->source);
    slots->flip = f2l_calloc(slots->letters * slots->slots, sizeof *slots->flip);
    *initial = f2l_calloc(slots->slots, 1);
    if (!slots->source || !slots->flip || !*initial) return f2l_fail_memory(err);
    for (size_t i = 0, first = 0; i < out->parts; first += out->part[i++].slots) {
        const f2l_stack_component *c = &out->part[i];
        memcpy(*initial + first, c->initial, c->slots);
        for (size_t a = 0; a < slots->letters; a++)
            for (size_t k = 0; k < c->slots; k++) {
                const size_t at = a * slots->slots + first + k;
                const bool written = c->source[a][k] == F2L_STACK_WRITTEN;
                slots->source[at] = written ? F2L_SLOTS_WRITTEN : (uint32_t)first + c->source[a][k];
                slots->flip[at] = written ? c->value[a][k] : 0;
            }
    }
    return F2L_OK;
}

f2l_status f2l_stack_tell_edges(bool *registers, f2l_orbits *layer, f2l_orbits_graph graph,
                                uint8_t **initial, const f2l_task *task, f2l_error *err)
{
    const size_t edges = graph.states * graph.letters;
    uint32_t *edge = f2l_calloc(edges, sizeof *edge);
    if (!edge) return f2l_fail_memory(err);
    for (uint32_t e = 0; e < edges; e++) edge[e] = e;
    graph.targets = edges;
    graph.target = edge;
    f2l_status status = f2l_orbits_close(layer, &graph, *initial, MOST_ROWS, task, err);
    *registers = status == F2L_EDOMAIN;
    if (*registers) {
        status = f2l_orbits_add_registers(layer, initial, err);
        if (status == F2L_OK)
            status = f2l_orbits_close(layer, &graph, *initial, MOST_ROWS, task, err);
    }
    f2l_free(edge);
    return status;
}

/* Makes the first layer: its slots, and registers where letter and contents do not tell the vertex
 * before. */
static f2l_status make_below(f2l_stack *out, const f2l_task *task, f2l_error *err)
{
    uint32_t *nothing = f2l_calloc(out->letters, sizeof *nothing);
    uint8_t *initial = NULL;
    const f2l_orbits_graph graph = {.letters = out->letters,
                                    .vertices = 1,
                                    .below = nothing,
                                    .states = out->vertices,
                                    .next = out->next};
    f2l_status status = nothing ? wire_below(out, &initial, err) : f2l_fail_memory(err);
    if (status == F2L_OK)
        status = f2l_stack_tell_edges(&out->registers, &out->below, graph, &initial, task, err);
    f2l_free(nothing);
    f2l_free(initial);
    return status;
}

/* --- all devices --- */

/* Opens the device at a place of the order, which is the same in all lists. */
static const f2l_stack_device *open_device(seeker *s, size_t place)
{
    const uint32_t at = s->list->order[place];
    const f2l_stack_device *device = &s->list->device[at];
    s->graph.vertices = device->vertices;
    s->graph.below = f2l_rowset_get(&s->list->table, at, NULL);
    return device;
}

/* Seeks slots above the device at a place of the order, which is good. */
static f2l_status try_device(seeker *s, size_t place, uint64_t steps, f2l_error *err)
{
    const f2l_stack_device *device = open_device(s, place);
    f2l_status status = seek_above(s, steps, err);
    if (status != F2L_OK || !s->found) return status;
    status = keep_device(s, device, err);
    return status == F2L_OK && s->aim >= F2L_STACK_AIM_NETWORK
               ? make_below(s->out, s->meter.task, err)
               : status;
}

/* Seeks codes above the device, as the layer of the network. */
static f2l_status seek_codes(seeker *s, f2l_error *err)
{
    f2l_effort effort;
    const f2l_task task = open_count(&effort, s);
    f2l_error why;
    f2l_status status = f2l_stack_codes_find(&s->out->above, &s->graph, &task, &why);
    s->found = status == F2L_OK;
    if (status != F2L_OK && status != F2L_EDOMAIN && status != F2L_UNKNOWN)
        return f2l_fail(err, status, "%s", why.text);
    return close_count(s, &effort, err);
}

static size_t count_factors(const f2l_stack *stack)
{
    return stack->below.slots.factors + stack->above.slots.factors;
}

/* Makes the network of *out the best one if it has fewer factors, and clears *out. */
static void prefer_network(seeker *s, size_t place)
{
    if (s->best.vertices == 0 || count_factors(s->out) < count_factors(&s->best)) {
        f2l_stack_clear(&s->best);
        s->best = *s->out;
        s->best_place = place;
        *s->out = (f2l_stack){.vertices = 0};
    }
    f2l_stack_clear(s->out);
    s->found = false;
}

/* Seeks codes above the device at a place of the order, which is good, and compares the network
 * with the best one. */
static f2l_status try_codes(seeker *s, size_t place, f2l_error *err)
{
    const f2l_stack_device *device = open_device(s, place);
    f2l_status status = seek_codes(s, err);
    if (status != F2L_OK || !s->found) return status;
    status = keep_device(s, device, err);
    if (status == F2L_OK) status = make_below(s->out, s->meter.task, err);
    if (status == F2L_OK) prefer_network(s, place);
    return status;
}

/* Tests the device at a place of the order; if it is good, keeps it in mind, and seeks what is
 * sought above it. */
static f2l_status visit_device(seeker *s, size_t place, f2l_error *err)
{
    const f2l_stack_device *device = open_device(s, place);
    bool good = false;
    f2l_status status = test_device(&good, s, err);
    if (s->best.vertices > 0) s->more++;
    if (status != F2L_OK || !good) return status;
    if (s->count < MOST_GOOD) s->good[s->count++] = (uint32_t)place;
    if (!s->out->next) status = keep_device(s, device, err);
    if (status != F2L_OK || s->aim == F2L_STACK_AIM_DEVICE) return status;
    return s->aim == F2L_STACK_AIM_COVER ? try_device(s, place, EACH, err)
                                         : try_codes(s, place, err);
}

static bool has_visited_enough(const seeker *s)
{
    if (s->aim == F2L_STACK_AIM_DEVICE) return s->count > 0;
    if (s->aim == F2L_STACK_AIM_COVER)
        return s->found || s->count == MOST_GOOD || s->spent >= SIGN_STEPS;
    return s->more >= (s->aim == F2L_STACK_AIM_SOON ? MORE_SOON : MORE_DEVICES);
}

/* Returns whether the next longer list is to be visited, too, after all devices of this one. */
static bool goes_on(const seeker *s)
{
    if (s->list->size == F2L_STACK_FEWEST) return !has_visited_enough(s);
    return s->list->is_short && !s->found && s->best.vertices == 0 && s->aim != F2L_STACK_AIM_SOON;
}

/* Visits all devices, those with few vertices first. */
static f2l_status visit_devices(seeker *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    size_t place = 0;
    s->graph.signs = true;
    while (status == F2L_OK) {
        for (; place < s->list->devices && status == F2L_OK; place++) {
            if (has_visited_enough(s)) return F2L_OK;
            status = visit_device(s, place, err);
        }
        if (status != F2L_OK || !goes_on(s)) break;
        status = f2l_stack_lists_get(&s->list, s->lists, s->graph.letters, s->list->size + 1,
                                     s->meter.task, err);
    }
    return status;
}

/* --- a grown device --- */

/* Keeps a grown device as the one of *out, and opens it. */
static void keep_grown(seeker *s, const f2l_stack_grown *grown)
{
    f2l_stack *out = s->out;
    f2l_free(out->next);
    out->next = grown->next;
    out->parts = grown->parts;
    out->vertices = grown->vertices;
    out->letters = s->graph.letters;
    memcpy(out->part, grown->part, sizeof out->part);
    s->graph.vertices = out->vertices;
    s->graph.below = out->next;
}

/* Grows a device, and keeps it if it is good. */
static f2l_status grow_and_keep(seeker *s, f2l_error *err)
{
    f2l_effort effort;
    const f2l_task task = open_count(&effort, s);
    f2l_stack_grown grown = {.vertices = 0};
    f2l_status status = f2l_stack_grow_once(&grown, s->lists, &s->graph, &s->maps, &task, err);
    if (status == F2L_OK && grown.vertices > 0)
        keep_grown(s, &grown);
    else
        f2l_stack_grown_clear(&grown);
    return status == F2L_OK ? close_count(s, &effort, err) : status;
}

/* Seeks a component beside the device of *out that gives it codes. */
static f2l_status refine_device(seeker *s, f2l_error *err)
{
    f2l_effort effort;
    const f2l_task task = open_count(&effort, s);
    f2l_stack *out = s->out;
    f2l_stack_grown device = {.parts = out->parts, .vertices = out->vertices, .next = out->next};
    memcpy(device.part, out->part, sizeof device.part);
    f2l_status status = f2l_stack_refine(&device, &out->above, &s->graph, s->list, &task, err);
    s->found = out->above.slots.states > 0;
    out->next = NULL;
    keep_grown(s, &device);
    return status == F2L_OK ? close_count(s, &effort, err) : status;
}

/* Seeks codes with a component more beside the first good device. */
static f2l_status refine_first(seeker *s, f2l_error *err)
{
    open_device(s, s->good[0]);
    f2l_status status = refine_device(s, err);
    return status == F2L_OK && s->found ? make_below(s->out, s->meter.task, err) : status;
}

/* Seeks slots above the device of *out: with signs, then with any group. */
static f2l_status seek_above_grown(seeker *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (int signs = 1; signs >= 0 && status == F2L_OK && !s->found; signs--) {
        s->graph.signs = signs;
        status = seek_above(s, 2 * EACH, err);
    }
    return status;
}

/* Seeks what is sought above a grown device. */
static f2l_status seek_grown(seeker *s, f2l_error *err)
{
    const bool network = s->aim >= F2L_STACK_AIM_NETWORK;
    f2l_status status = grow_and_keep(s, err);
    if (status != F2L_OK || s->out->vertices == 0 || s->aim == F2L_STACK_AIM_DEVICE) return status;
    if (network) status = seek_codes(s, err);
    if (network && status == F2L_OK && !s->found) status = refine_device(s, err);
    if (status == F2L_OK) status = seek_above_grown(s, err);
    return status == F2L_OK && s->found && network ? make_below(s->out, s->meter.task, err)
                                                   : status;
}

/* Seeks signs above the good devices, and then any group above the first ones. */
static f2l_status seek_slots(seeker *s, f2l_error *err)
{
    f2l_status status = F2L_OK;
    s->graph.signs = true;
    if (s->aim >= F2L_STACK_AIM_NETWORK)
        for (size_t i = 0; i < s->count && status == F2L_OK && !s->found; i++)
            if (s->spent < SIGN_STEPS) status = try_device(s, s->good[i], EACH, err);
    s->graph.signs = false;
    for (size_t i = 0; i < s->count && i < MOST_FIRST && status == F2L_OK && !s->found; i++)
        if (s->spent < MOST_STEPS) status = try_device(s, s->good[i], 2 * EACH, err);
    return status;
}

/* Takes the best network, after signs above its device and the first good one were tried if they
 * can have fewer factors. */
static f2l_status take_best_network(seeker *s, f2l_error *err)
{
    const size_t place[] = {s->best_place, s->good[0]};
    f2l_status status = F2L_OK;
    s->graph.signs = true;
    for (size_t i = 0; i < 2 && status == F2L_OK && s->best.above.slots.factors > 1; i++) {
        status = try_device(s, place[i], EACH, err);
        if (status == F2L_OK && s->found) prefer_network(s, place[i]);
        s->found = false;
    }
    f2l_stack_clear(s->out);
    *s->out = s->best;
    s->best = (f2l_stack){.vertices = 0};
    const bool limited = status == F2L_UNKNOWN && f2l_task_stop(s->meter.task) == F2L_STOP_NONE;
    return limited ? F2L_OK : status;
}

static f2l_status seek_devices(seeker *s, f2l_error *err)
{
    f2l_status status = visit_devices(s, err);
    const bool limited = status == F2L_UNKNOWN && f2l_task_stop(s->meter.task) == F2L_STOP_NONE;
    if ((status == F2L_OK || limited) && s->best.vertices > 0) return take_best_network(s, err);
    if (status == F2L_OK && s->aim == F2L_STACK_AIM_NETWORK && s->count > 0)
        status = refine_first(s, err);
    if (status == F2L_OK && s->aim != F2L_STACK_AIM_DEVICE && !s->found)
        status = seek_slots(s, err);
    if (status == F2L_OK && s->count == 0 && s->aim != F2L_STACK_AIM_SOON && !s->found)
        status = seek_grown(s, err);
    if (status != F2L_OK || s->found || s->aim < F2L_STACK_AIM_NETWORK) return status;
    if (s->out->vertices > 0)
        return f2l_fail(err, F2L_UNKNOWN, "two layers are enough (LL.2), but no slots were found");
    return f2l_fail(err, s->spent < SIGN_STEPS ? F2L_EDOMAIN : F2L_UNKNOWN,
                    "no small first layer was found above which one more is enough");
}

f2l_status f2l_stack_seek(f2l_stack *out, f2l_stack_aim aim, f2l_stack_lists *lists,
                          const f2l_fsa *fsa, const f2l_task *task, f2l_error *err)
{
    seeker s = {.out = out,
                .lists = lists,
                .aim = aim,
                .graph = {.letters = fsa->letters.count,
                          .vertices = 1,
                          .states = fsa->states.count,
                          .start_state = fsa->start,
                          .next = fsa->next,
                          .targets = fsa->states.count,
                          .target = fsa->next},
                .meter = {.task = task, .phase = PHASE}};
    if (fsa->states.count > F2L_STACK_STATES || fsa->letters.count > F2L_STACK_LETTERS)
        return f2l_fail(err, F2L_EDOMAIN,
                        "first layers are sought for at most %d states and %d letters",
                        F2L_STACK_STATES, F2L_STACK_LETTERS);
    f2l_status status = f2l_orbits_maps_list(&s.maps, &s.graph, task, err);
    if (status == F2L_OK && s.maps.count > F2L_STACK_MAPS)
        status = f2l_fail(err, F2L_EDOMAIN, "words make more than %d maps of the states",
                          F2L_STACK_MAPS);
    if (status == F2L_OK)
        status =
            f2l_stack_lists_get(&s.list, s.lists, fsa->letters.count, F2L_STACK_FEWEST, task, err);
    if (status == F2L_OK) status = seek_devices(&s, err);
    f2l_stack_clear(&s.best);
    f2l_orbits_maps_clear(&s.maps);
    for (size_t i = 0; i < s.witnesses; i++) f2l_orbits_witness_clear(&s.witness[i]);
    return status;
}
