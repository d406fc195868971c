/* The list of small devices: components alone, in pairs, and three of one slot. */
#include "theory/construct/stack/devices.h"
#include "numeric/base/mem.h"
#include "theory/construct/stack/impl.h"
#include <string.h>

/* Most vertices of a listed device, by letters: with more letters there are more devices. Most
 * networks that are found have few. */
static const size_t most_vertices[F2L_STACK_SIZES][F2L_STACK_LETTERS + 1] = {
    {0, 8, 5, 4, 3}, {0, 8, 8, 6, 4}, {0, F2L_STACK_VERTICES, F2L_STACK_VERTICES, 8, 4}};

/* Steps of a pair or triple of components, by letters: with more letters most are found to be too
 * large at once. The fewest devices count the steps of the few, so that a search for few ends at
 * the same place wherever the fewest end. */
static const uint64_t device_steps[F2L_STACK_SIZES][F2L_STACK_LETTERS + 1] = {
    {0, 25, 10, 5, 5}, {0}, {0, 25, 30, 10, 5}};

#define PHASE "first layers"
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
#define KIND_WORDS 7   /* that tell of many pairs at once that they are too large */

typedef uint32_t four __attribute__((vector_size(16)));
#define FOURS (OUTLINE_MOST / 4)

/* For each state of a component, the words that lead to it, of the first ones in the order of their
 * lengths. States are numbered as these words come to them. */
typedef struct outline {
    size_t states;
    union {
        uint32_t state[OUTLINE_MOST];
        four states[FOURS];
    } words;
} outline;

/* What is asked of a component in each of its pairs: components are far apart in memory. */
typedef struct partner {
    uint32_t component, kind; /* components of a kind have the same states after KIND_WORDS */
    bool is_light;
    outline all;
} partner;

/* The components that are not too large alone, and their kinds. */
typedef struct partners {
    partner *one; /* [count], owned */
    size_t count, kinds, words;
    bool *may_join;  /* [kinds][kinds], owned */
    uint64_t *among; /* [kinds][words], owned: bit i: partner i may join one of the kind */
} partners;

static void clear_partners(partners *of)
{
    f2l_free(of->one);
    f2l_free(of->may_join);
    f2l_free(of->among);
}

/* Sets *out to what the first `words` words lead to in a component with at most `most` states. */
static void draw_outline(outline *out, const f2l_stack_component *c, size_t letters, size_t words)
{
    uint8_t state[OUTLINE_WORDS] = {0}; /* that each word leads to */
    *out = (outline){.states = 1};
    for (size_t w = 0; w < words; w++) {
        if (w > 0) state[w] = c->next[state[(w - 1) / letters]][(w - 1) % letters];
        out->words.state[state[w]] |= UINT32_C(1) << w;
        if (state[w] >= out->states) out->states = state[w] + 1U;
    }
}

/* Returns whether two components may have at most `most` vertices together: their words lead to no
 * more pairs of states. */
static inline bool may_join(const outline *x, const outline *y, size_t most)
{
    const size_t fours = most <= 4 ? 1 : FOURS;
    four none = {0}, zeros = {0}; /* zeros: less the pairs in which no word ends */
    if (x->states * y->states <= most) return true;
    for (size_t p = 0; p < x->states; p++) {
        const four at = none + x->words.state[p];
        for (size_t q = 0; q < fours; q++) zeros += (four)((at & y->words.states[q]) == none);
    }
    const size_t all = 4 * fours * x->states;
    return (uint32_t)all + zeros[0] + zeros[1] + zeros[2] + zeros[3] <= most;
}

static bool is_light(const f2l_stack_component *c)
{
    return c->writes <= PAIR_WRITES;
}

/* Returns whether a component makes pairs with all later ones, which have as many slots or more;
 * otherwise only light ones are pairs: many letters make many components. */
static bool pairs_with_all(const f2l_stack_component *c, size_t letters)
{
    return letters <= 2 || c->slots == 1;
}

/* Adds the component; `kinds` are the outlines of the kinds so far. */
static f2l_status add_partner(partners *of, f2l_rowset *kinds, const f2l_stack_list *list,
                              uint32_t component, f2l_error *err)
{
    const f2l_stack_component *c = &list->component[component];
    const bool drawn = list->most_vertices <= OUTLINE_MOST;
    partner *out = &of->one[of->count++];
    outline kind;
    size_t index;
    draw_outline(&out->all, c, list->letters, drawn ? OUTLINE_WORDS : 0);
    draw_outline(&kind, c, list->letters, drawn ? KIND_WORDS : 0);
    const f2l_status status = f2l_rowset_add(kinds, kind.words.state, OUTLINE_MOST, &index, err);
    out->component = component;
    out->kind = (uint32_t)index;
    out->is_light = is_light(c);
    return status;
}

/* Sets of->may_join for all pairs of kinds, whose outlines are the rows of `kinds`. */
static f2l_status join_kinds(partners *of, const f2l_rowset *kinds, size_t most, f2l_error *err)
{
    of->kinds = kinds->count;
    of->may_join = f2l_calloc(of->kinds * of->kinds, sizeof *of->may_join);
    outline *kind = f2l_calloc(of->kinds, sizeof *kind);
    const bool fits = of->may_join && kind;
    for (size_t i = 0; fits && i < of->kinds; i++) {
        memcpy(kind[i].words.state, f2l_rowset_get(kinds, i, NULL), sizeof kind->words);
        while (kind[i].states < OUTLINE_MOST && kind[i].words.state[kind[i].states])
            kind[i].states++;
        for (size_t k = 0; k <= i; k++)
            of->may_join[i * of->kinds + k] = of->may_join[k * of->kinds + i] =
                may_join(&kind[i], &kind[k], most);
    }
    f2l_free(kind);
    return fits ? F2L_OK : f2l_fail_memory(err);
}

/* Sets of->among: most pairs are of kinds that may not join, and are not looked at one by one. */
static f2l_status list_among(partners *of, f2l_error *err)
{
    of->words = (of->count + 63) / 64;
    of->among = f2l_calloc(of->kinds * of->words + 1, sizeof *of->among);
    if (!of->among) return f2l_fail_memory(err);
    for (size_t k = 0; k < of->kinds; k++)
        for (size_t i = 0; i < of->count; i++)
            of->among[k * of->words + i / 64] |=
                (uint64_t)of->may_join[k * of->kinds + of->one[i].kind] << i % 64;
    return F2L_OK;
}

static f2l_status find_partners(partners *out, const f2l_stack_list *list, f2l_error *err)
{
    f2l_rowset kinds;
    f2l_rowset_init(&kinds);
    out->one = f2l_calloc(list->components, sizeof *out->one);
    f2l_status status = out->one ? F2L_OK : f2l_fail_memory(err);
    for (uint32_t i = 0; i < list->components && status == F2L_OK; i++)
        if (list->component[i].states <= list->most_vertices)
            status = add_partner(out, &kinds, list, i, err);
    if (status == F2L_OK) status = join_kinds(out, &kinds, list->most_vertices, err);
    if (status == F2L_OK) status = list_among(out, err);
    f2l_rowset_clear(&kinds);
    return status;
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
        if (list->component[part[i]].states > list->most_vertices) return F2L_OK;
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
    const uint64_t steps = devices * device_steps[list->size][list->letters];
    list->steps += steps;
    return f2l_meter_spend(meter, steps, (double)list->devices, 0, err);
}

/* Adds the pairs of a partner with later ones. */
static f2l_status add_pairs_of(f2l_stack_list *list, const partners *of, size_t first,
                               f2l_error *err)
{
    const partner *x = &of->one[first];
    const uint64_t *among = of->among + x->kind * of->words;
    const bool all = pairs_with_all(&list->component[x->component], list->letters);
    f2l_status status = F2L_OK;
    if (!all && !x->is_light) return F2L_OK;
    for (size_t w = (first + 1) / 64; w < of->words; w++) {
        uint64_t rest = among[w];
        if (w == (first + 1) / 64) rest &= UINT64_MAX << (first + 1) % 64;
        for (; rest && status == F2L_OK; rest &= rest - 1) {
            const partner *y = &of->one[64 * w + (size_t)__builtin_ctzll(rest)];
            if ((all || y->is_light) && may_join(&x->all, &y->all, list->most_vertices))
                status = add_device(list, 2, (const uint32_t[]){x->component, y->component}, err);
        }
    }
    return status;
}

/* Adds the pairs of which one has at most two slots; pairs of too large components are counted,
 * too. */
static f2l_status add_pairs(f2l_stack_list *list, f2l_meter *meter, f2l_error *err)
{
    partners of = {.one = NULL};
    size_t light = 0, next = 0; /* light components to come, and the next partner */
    f2l_status status = find_partners(&of, list, err);
    for (size_t i = 0; i < list->components; i++) light += is_light(&list->component[i]);
    for (size_t i = 0; i < list->of_slots[3] && status == F2L_OK; i++) {
        const f2l_stack_component *c = &list->component[i];
        const bool all = pairs_with_all(c, list->letters);
        light -= is_light(c);
        if (next < of.count && of.one[next].component == i)
            status = add_pairs_of(list, &of, next++, err);
        const size_t pairs = all ? list->components - i - 1 : is_light(c) ? light : 0;
        if (status == F2L_OK) status = spend_on_devices(list, pairs, meter, err);
    }
    clear_partners(&of);
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

f2l_status f2l_stack_list_make(f2l_stack_list *out, size_t letters, f2l_stack_size size,
                               const f2l_task *task, f2l_error *err)
{
    f2l_meter meter = {.task = task, .phase = PHASE};
    *out = (f2l_stack_list){.letters = letters,
                            .size = size,
                            .most_vertices = most_vertices[size][letters],
                            .is_short = most_vertices[size][letters] <
                                        most_vertices[F2L_STACK_ALL][letters]};
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
                               f2l_stack_size size, const f2l_task *task, f2l_error *err)
{
    f2l_stack_list *list = &lists->list[size][letters];
    *out = list;
    if (list->letters > 0) return f2l_task_spend(task, PHASE, list->steps, err);
    return f2l_stack_list_make(list, letters, size, task, err);
}

void f2l_stack_grown_clear(f2l_stack_grown *grown)
{
    f2l_free(grown->next);
    *grown = (f2l_stack_grown){.vertices = 0};
}

void f2l_stack_lists_clear(f2l_stack_lists *lists)
{
    for (size_t i = 0; i < F2L_STACK_SIZES; i++)
        for (size_t k = 0; k <= F2L_STACK_LETTERS; k++) f2l_stack_list_clear(&lists->list[i][k]);
    for (size_t i = 0; i < F2L_STACK_GROWTHS; i++) {
        f2l_free(lists->growth[i].next);
        f2l_stack_grown_clear(&lists->growth[i].grown);
    }
    *lists = (f2l_stack_lists){.growths = 0};
}
