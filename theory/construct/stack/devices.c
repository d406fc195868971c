/* The list of small devices: components alone, in pairs, and three of one slot. */
#include "theory/construct/stack/devices.h"
#include "numeric/base/mem.h"
#include "theory/construct/stack/impl.h"
#include <string.h>

/* Most vertices of a listed device, by letters: with more letters there are more devices. Most
 * networks that are found have few. */
static const size_t most_vertices[F2L_STACK_LETTERS + 1] = {0, F2L_STACK_VERTICES,
                                                            F2L_STACK_VERTICES, 8, 4};
static const size_t few_vertices[F2L_STACK_LETTERS + 1] = {0, 8, 8, 6, 4};

/* Steps of a pair or triple of components, by letters, for all devices and for those with few
 * vertices: with more letters most are found to be too large at once. */
static const uint64_t device_steps[2][F2L_STACK_LETTERS + 1] = {{0, 25, 30, 10, 5},
                                                                {0, 25, 10, 5, 5}};

#define PHASE "first layers"
#define PAIR_SLOTS 6       /* of a pair of components */
#define PAIR_WRITES 2      /* most writes of a component of two slots, with more than two letters */
#define MOST_TRIPLES 60000 /* triples of components of one slot */

void f2l_stack_list_clear(f2l_stack_list *list)
{
    f2l_free(list->component);
    f2l_free(list->device);
    f2l_free(list->order);
    f2l_rowset_clear(&list->table);
    *list = (f2l_stack_list){0};
}

/* --- pairs that are not too large --- */

#define OUTLINE_WORDS 32
#define OUTLINE_MOST 8 /* with more vertices words as short as these tell little */

typedef uint32_t four __attribute__((vector_size(16)));
#define FOURS (OUTLINE_MOST / 4)

/* What is asked of a component in each of its pairs: components are far apart in memory. */
typedef struct outline {
    uint8_t slots, states, writes; /* states 0: more than there may be */
    /* For each state the words that lead to it, of the first ones in the order of their lengths. */
    union {
        uint32_t state[OUTLINE_MOST];
        four states[FOURS];
    } words;
} outline;

static void draw_outline(outline *out, const f2l_stack_component *c, size_t letters, size_t most)
{
    uint8_t state[OUTLINE_WORDS] = {0}; /* that each word leads to */
    *out = (outline){c->slots, c->states <= most ? c->states : 0, c->writes, {{0}}};
    for (size_t w = 0; out->states > 0 && most <= OUTLINE_MOST && w < OUTLINE_WORDS; w++) {
        if (w > 0) state[w] = c->next[state[(w - 1) / letters]][(w - 1) % letters];
        out->words.state[state[w]] |= UINT32_C(1) << w;
    }
}

/* Returns the outlines of all components, owned; NULL: memory is out. */
static outline *draw_outlines(const f2l_stack_list *list)
{
    outline *out = f2l_calloc(list->components, sizeof *out);
    for (size_t i = 0; out && i < list->components; i++)
        draw_outline(&out[i], &list->component[i], list->letters, list->most_vertices);
    return out;
}

/* Returns whether two components may be a pair: they have few slots together and, where many
 * letters make many components, few writes. */
static bool may_pair(const outline *x, const outline *y, size_t letters)
{
    return x->slots + y->slots <= PAIR_SLOTS &&
           (letters <= 2 || x->slots == 1 ||
            (x->writes <= PAIR_WRITES && y->writes <= PAIR_WRITES));
}

/* Returns whether two components may have at most `most` vertices together: their words lead to no
 * more pairs of states. */
static inline bool may_join(const outline *x, const outline *y, size_t most)
{
    const size_t fours = most <= 4 ? 1 : FOURS;
    four none = {0}, zeros = {0}; /* zeros: less the pairs in which no word ends */
    if (x->states == 0 || y->states == 0) return false;
    if (most > OUTLINE_MOST || (size_t)x->states * y->states <= most) return true;
    for (size_t p = 0; p < x->states; p++) {
        const four at = none + x->words.state[p];
        for (size_t q = 0; q < fours; q++) zeros += (four)((at & y->words.states[q]) == none);
    }
    const size_t all = 4 * fours * x->states;
    return (uint32_t)all + zeros[0] + zeros[1] + zeros[2] + zeros[3] <= most;
}

/* --- devices --- */

/* The most states of the components of a device together: two of three slots, or three of one. */
#define MOST_JOINT (F2L_STACK_CONTENTS * F2L_STACK_CONTENTS)

/* Does find_vertices for that number of parts: where it is a constant, loops over parts are none.
 */
static inline bool join_parts(uint32_t *next, f2l_stack_device *device, const f2l_stack_list *list,
                              size_t parts)
{
    uint8_t state[F2L_STACK_VERTICES][F2L_STACK_PARTS], number[MOST_JOINT];
    const f2l_stack_component *part[F2L_STACK_PARTS] = {NULL};
    size_t joint = 1;
    for (size_t i = 0; i < parts; i++) {
        part[i] = &list->component[device->part[i]];
        if (part[i]->states > list->most_vertices) return false;
        joint *= part[i]->states;
    }
    memset(number, 0, joint); /* 1 + the vertex */
    memset(state[0], 0, sizeof state[0]);
    number[0] = 1;
    device->vertices = 1;
    for (size_t v = 0; v < device->vertices; v++)
        for (size_t a = 0; a < list->letters; a++) {
            uint8_t to[F2L_STACK_PARTS] = {0};
            size_t at = 0;
            for (size_t i = 0; i < parts; i++) {
                to[i] = part[i]->next[state[v][i]][a];
                at = at * part[i]->states + to[i];
            }
            if (!number[at]) {
                if (device->vertices == list->most_vertices) return false;
                memcpy(state[device->vertices], to, sizeof to);
                number[at] = (uint8_t)++device->vertices;
            }
            next[v * list->letters + a] = number[at] - 1U;
        }
    return true;
}

/* Sets next[device->vertices][letters] to the transitions of the components together; returns false
 * where there are more than list->most_vertices. */
static bool find_vertices(uint32_t *next, f2l_stack_device *device, const f2l_stack_list *list)
{
    if (device->parts == 1) return join_parts(next, device, list, 1);
    if (device->parts == 2) return join_parts(next, device, list, 2);
    return join_parts(next, device, list, F2L_STACK_PARTS);
}

/* Adds the device of these components, unless it is large or its transitions are known. */
static f2l_status add_device(f2l_stack_list *list, size_t parts, const uint32_t *part,
                             f2l_error *err)
{
    f2l_stack_device device = {.parts = parts};
    uint32_t next[F2L_STACK_VERTICES * F2L_STACK_LETTERS];
    size_t index;
    for (size_t i = 0; i < parts; i++) {
        /* All states of a component are reached. */
        if (list->component[part[i]].states > most_vertices[list->letters]) return F2L_OK;
        device.part[i] = part[i];
        device.cost += list->component[part[i]].cost;
    }
    if (!find_vertices(next, &device, list)) return F2L_OK;
    f2l_status status =
        f2l_rowset_add(&list->table, next, device.vertices * list->letters, &index, err);
    if (status != F2L_OK) return status;
    if (index < list->devices) {
        if (device.cost < list->device[index].cost) list->device[index] = device;
        return F2L_OK;
    }
    if (!f2l_grow((void **)&list->device, &list->device_capacity, list->devices,
                  sizeof *list->device))
        return f2l_fail_memory(err);
    list->device[list->devices++] = device;
    return F2L_OK;
}

/* Spends the steps of devices. */
static f2l_status spend_on_devices(f2l_stack_list *list, size_t devices, f2l_meter *meter,
                                   f2l_error *err)
{
    const uint64_t steps = devices * device_steps[list->few][list->letters];
    list->steps += steps;
    return f2l_meter_spend(meter, steps, (double)list->devices, 0, err);
}

/* Adds the pairs of component i with later ones, whose number is *pairs. */
static f2l_status add_pairs_of(size_t *pairs, f2l_stack_list *list, uint32_t i, const outline *of,
                               f2l_error *err)
{
    f2l_status status = F2L_OK;
    *pairs = 0;
    for (uint32_t j = i + 1; j < list->components && status == F2L_OK; j++) {
        if (!may_pair(&of[i], &of[j], list->letters)) continue;
        ++*pairs;
        if (may_join(&of[i], &of[j], list->most_vertices))
            status = add_device(list, 2, (const uint32_t[]){i, j}, err);
    }
    return status;
}

static f2l_status add_pairs(f2l_stack_list *list, f2l_meter *meter, f2l_error *err)
{
    outline *of = draw_outlines(list);
    f2l_status status = of ? F2L_OK : f2l_fail_memory(err);
    for (uint32_t i = 0; i < list->of_slots[3] && status == F2L_OK; i++) {
        size_t pairs;
        status = add_pairs_of(&pairs, list, i, of, err);
        if (status == F2L_OK) status = spend_on_devices(list, pairs, meter, err);
    }
    f2l_free(of);
    return status;
}

static f2l_status add_triples(f2l_stack_list *list, f2l_meter *meter, f2l_error *err)
{
    const size_t n = list->of_slots[2];
    f2l_status status = F2L_OK;
    if (n > 2 && n * (n - 1) / 2 * (n - 2) / 3 > MOST_TRIPLES) return F2L_OK;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            for (uint32_t k = j + 1; k < n && status == F2L_OK; k++) {
                status = spend_on_devices(list, 1, meter, err);
                if (status == F2L_OK)
                    status = add_device(list, 3, (const uint32_t[]){i, j, k}, err);
            }
    return status;
}

/* Returns the place of a device's vertices and cost among all of them. */
static size_t rank_device(const f2l_stack_device *device, size_t costs)
{
    return device->vertices * costs + device->cost;
}

/* Orders the devices by vertices, then by cost, and equal ones as they are listed. */
static f2l_status order_devices(f2l_stack_list *list, f2l_error *err)
{
    size_t costs = 1;
    for (size_t i = 0; i < list->devices; i++)
        if (list->device[i].cost >= costs) costs = list->device[i].cost + 1;
    const size_t ranks = (list->most_vertices + 1) * costs;
    uint32_t *at = f2l_calloc(ranks + 1, sizeof *at); /* place of the next device of a rank */
    list->order = f2l_calloc(list->devices, sizeof *list->order);
    const bool fits = at && list->order;
    for (size_t i = 0; fits && i < list->devices; i++)
        at[rank_device(&list->device[i], costs) + 1]++;
    for (size_t r = 0; fits && r < ranks; r++) at[r + 1] += at[r];
    for (uint32_t i = 0; fits && i < list->devices; i++)
        list->order[at[rank_device(&list->device[i], costs)]++] = i;
    f2l_free(at);
    return fits ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_stack_list_make(f2l_stack_list *out, size_t letters, bool few, const f2l_task *task,
                               f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = PHASE};
    *out = (f2l_stack_list){.letters = letters,
                            .few = few && few_vertices[letters] < most_vertices[letters]};
    out->most_vertices = out->few ? few_vertices[letters] : most_vertices[letters];
    f2l_rowset_init(&out->table);
    f2l_status status = f2l_stack_components(out, err);
    for (uint32_t i = 0; i < out->components && status == F2L_OK; i++)
        status = add_device(out, 1, &i, err);
    if (status == F2L_OK) status = add_pairs(out, &meter, err);
    if (status == F2L_OK) status = add_triples(out, &meter, err);
    if (status == F2L_OK) status = order_devices(out, err);
    if (status != F2L_OK) f2l_stack_list_clear(out);
    return status;
}

f2l_status f2l_stack_lists_get(const f2l_stack_list **out, f2l_stack_lists *lists, size_t letters,
                               bool few, const f2l_task *task, f2l_error *err)
{
    f2l_stack_list *list = &lists->list[few][letters];
    *out = list;
    if (list->letters > 0) return f2l_task_spend(task, PHASE, list->steps, err);
    return f2l_stack_list_make(list, letters, few, task, err);
}

void f2l_stack_lists_clear(f2l_stack_lists *lists)
{
    for (int few = 0; few < 2; few++)
        for (size_t k = 0; k <= F2L_STACK_LETTERS; k++) f2l_stack_list_clear(&lists->list[few][k]);
}
