/* Growing a family of subsets with images, transports and covers. */
#include "automata/cascade/impl.h"
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SETS 2000000
#define DEFAULT_BYTES ((size_t)1 << 30)

/* Returns the bytes that a set of the family takes, apart from cover and transport. */
static size_t bytes_per_set(const f2l_cascade *c)
{
    return c->sets.words * sizeof *c->sets.bits + c->fsa->letters.count * sizeof *c->image +
           sizeof *c->class_of + sizeof *c->lambda + sizeof *c->cover_count + sizeof *c->cover_at +
           sizeof *c->tau_at;
}

/* Steps of making a set of this number of points and looking it up. */
static uint64_t set_steps(const f2l_cascade *c, size_t points)
{
    return 8 + c->sets.words / 2 + points / 2;
}

f2l_status f2l_builder_memory(const f2l_builder *b, size_t more, f2l_error *err)
{
    const f2l_cascade *c = b->c;
    const size_t bytes = f2l_subsets_bytes(&c->sets) +
                         b->room * (bytes_per_set(c) - c->sets.words * sizeof *c->sets.bits) +
                         b->cover_capacity * sizeof *c->cover + b->tau_capacity * sizeof *c->tau;
    return f2l_task_memory(b->task, "the family of subsets", bytes + more, err);
}

f2l_status f2l_builder_init(f2l_builder *b, f2l_cascade *c, const f2l_fsa *fsa, size_t max_sets,
                            const f2l_task *task, f2l_error *err)
{
    memset(b, 0, sizeof *b);
    b->c = c;
    b->task = task;
    b->meter = (f2l_meter){.task = task, .phase = "the family of subsets"};
    c->fsa = fsa;
    f2l_subsets_init(&c->sets, fsa->states.count);
    const size_t most = DEFAULT_BYTES / bytes_per_set(c);
    b->max_sets = max_sets ? max_sets : most < DEFAULT_SETS ? most : DEFAULT_SETS;
    b->scratch = f2l_calloc(c->sets.words + 1, sizeof *b->scratch);
    b->position = f2l_calloc(fsa->states.count + 1, sizeof *b->position);
    return b->scratch && b->position ? F2L_OK : f2l_fail_memory(err);
}

void f2l_builder_clear(f2l_builder *b)
{
    f2l_free(b->scratch);
    f2l_free(b->position);
    memset(b, 0, sizeof *b);
}

/* Resizes the array at *array, a T * and not a void *: copying the bytes of the pointer keeps to
 * the aliasing rules. */
static bool resize_array(void *array, size_t count, size_t size)
{
    void *old;
    memcpy(&old, array, sizeof old);
    void *grown = f2l_realloc(old, count, size);
    if (grown) memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

static f2l_status make_room_for_sets(f2l_builder *b, f2l_error *err)
{
    f2l_cascade *c = b->c;
    size_t letters = c->fsa->letters.count, images;
    if (c->sets.count > b->room) {
        size_t room = b->room ? 2 * b->room : 64;
        if (room < c->sets.count) room = c->sets.count;
        f2l_status status = f2l_builder_memory(b, 0, err);
        if (status != F2L_OK) return status;
        if (!f2l_mul_size(&images, room, letters) ||
            !resize_array(&c->image, images, sizeof *c->image) ||
            !resize_array(&c->class_of, room, sizeof *c->class_of) ||
            !resize_array(&c->lambda, room, sizeof *c->lambda) ||
            !resize_array(&c->cover_count, room, sizeof *c->cover_count) ||
            !resize_array(&c->cover_at, room, sizeof *c->cover_at) ||
            !resize_array(&c->tau_at, room, sizeof *c->tau_at))
            return f2l_fail_memory(err);
        b->room = room;
    }
    for (; b->filled < c->sets.count; b->filled++) {
        for (size_t a = 0; a < letters; a++) c->image[b->filled * letters + a] = F2L_NO_SET;
        c->class_of[b->filled] = F2L_NO_SET;
        c->lambda[b->filled] = 0;
        c->cover_count[b->filled] = 0;
        c->cover_at[b->filled] = 0;
        c->tau_at[b->filled] = SIZE_MAX;
    }
    return F2L_OK;
}

f2l_status f2l_builder_add(f2l_builder *b, const uint64_t *set, uint32_t *id, f2l_error *err)
{
    const size_t before = b->c->sets.count;
    f2l_status status = f2l_subsets_add(&b->c->sets, set, id, err);
    if (status != F2L_OK || b->c->sets.count == before) return status;
    status = f2l_meter_spend(&b->meter, bytes_per_set(b->c), (double)before, 0, err);
    if (status != F2L_OK) return status;
    if (b->c->sets.count > b->max_sets)
        return f2l_fail(err, F2L_UNKNOWN, "the %s cascade passed its limit of %zu subsets",
                        f2l_cascade_kind_name(b->c->kind), b->max_sets);
    return make_room_for_sets(b, err);
}

f2l_status f2l_builder_add_all_states(f2l_builder *b, uint32_t *id, f2l_error *err)
{
    memset(b->scratch, 0, b->c->sets.words * sizeof *b->scratch);
    for (size_t q = 0; q < b->c->sets.states; q++) f2l_set_put(b->scratch, q);
    return f2l_builder_add(b, b->scratch, id, err);
}

f2l_status f2l_builder_add_singleton(f2l_builder *b, size_t state, uint32_t *id, f2l_error *err)
{
    memset(b->scratch, 0, b->c->sets.words * sizeof *b->scratch);
    f2l_set_put(b->scratch, state);
    return f2l_builder_add(b, b->scratch, id, err);
}

f2l_status f2l_builder_image(f2l_builder *b, uint32_t set, size_t letter, uint32_t *id,
                             f2l_error *err)
{
    f2l_cascade *c = b->c;
    size_t letters = c->fsa->letters.count, at = (size_t)set * letters + letter;
    if (c->image[at] == F2L_NO_SET) {
        f2l_status status = f2l_meter_spend(&b->meter, set_steps(c, c->sets.size[set]),
                                            (double)c->sets.count, 0, err);
        if (status != F2L_OK) return status;
        memset(b->scratch, 0, c->sets.words * sizeof *b->scratch);
        F2L_SET_EACH(q, f2l_subsets_get(&c->sets, set), c->sets.words)
        f2l_set_put(b->scratch, c->fsa->next[q * letters + letter]);
        status = f2l_builder_add(b, b->scratch, id, err);
        if (status != F2L_OK) return status;
        c->image[at] = *id;
    }
    *id = c->image[at];
    return F2L_OK;
}

/* Makes room for the transport of one set. */
static f2l_status tau_new(f2l_builder *b, uint32_t set, f2l_error *err)
{
    f2l_cascade *c = b->c;
    size_t n = c->sets.size[set];
    f2l_status status =
        f2l_meter_spend(&b->meter, 4 + n * sizeof *c->tau, (double)c->sets.count, 0, err);
    if (status != F2L_OK) return status;
    if (b->taus + n > b->tau_capacity) {
        size_t capacity = 2 * b->tau_capacity + n + 256;
        status = f2l_builder_memory(b, capacity * sizeof *c->tau, err);
        if (status != F2L_OK) return status;
        if (!resize_array(&c->tau, capacity, sizeof *c->tau)) return f2l_fail_memory(err);
        b->tau_capacity = capacity;
    }
    c->tau_at[set] = b->taus;
    b->taus += n;
    return F2L_OK;
}

f2l_status f2l_builder_tau_identity(f2l_builder *b, uint32_t set, f2l_error *err)
{
    f2l_status status = tau_new(b, set, err);
    if (status != F2L_OK) return status;
    uint32_t *tau = b->c->tau + b->c->tau_at[set];
    F2L_SET_EACH(q, f2l_subsets_get(&b->c->sets, set), b->c->sets.words) *tau++ = (uint32_t)q;
    return F2L_OK;
}

f2l_status f2l_builder_tau_forward(f2l_builder *b, uint32_t from, size_t letter, uint32_t to,
                                   f2l_error *err)
{
    f2l_status status = tau_new(b, to, err);
    if (status != F2L_OK) return status;
    f2l_cascade *c = b->c;
    for (size_t i = 0; i < c->sets.size[to]; i++)
        c->tau[c->tau_at[to] + i] =
            c->fsa->next[(size_t)c->tau[c->tau_at[from] + i] * c->fsa->letters.count + letter];
    return F2L_OK;
}

f2l_status f2l_builder_tau_back(f2l_builder *b, uint32_t from, size_t letter, uint32_t to,
                                f2l_error *err)
{
    f2l_status status = tau_new(b, to, err);
    if (status != F2L_OK) return status;
    f2l_cascade *c = b->c;
    F2L_SET_EACH(q, f2l_subsets_get(&c->sets, to), c->sets.words)
    b->position[c->fsa->next[q * c->fsa->letters.count + letter]] = (uint32_t)q;
    for (size_t i = 0; i < c->sets.size[to]; i++)
        c->tau[c->tau_at[to] + i] = b->position[c->tau[c->tau_at[from] + i]];
    return F2L_OK;
}

void f2l_builder_positions(f2l_builder *b, uint32_t set)
{
    const uint32_t *tau = b->c->tau + b->c->tau_at[set];
    for (size_t i = 0; i < b->c->sets.size[set]; i++) b->position[tau[i]] = (uint32_t)i;
}

f2l_status f2l_builder_cover(f2l_builder *b, uint32_t set, const f2l_subsets *masks, f2l_error *err)
{
    f2l_cascade *c = b->c;
    const uint32_t count = (uint32_t)masks->count;
    const uint64_t steps = f2l_steps_of(count, sizeof *c->cover + set_steps(c, c->sets.size[set]));
    f2l_status status = f2l_meter_spend(&b->meter, steps, (double)c->sets.count, 0, err);
    if (status != F2L_OK) return status;
    if (b->covers + count > b->cover_capacity) {
        size_t capacity = 2 * b->cover_capacity + count + 256;
        status = f2l_builder_memory(b, capacity * sizeof *c->cover, err);
        if (status != F2L_OK) return status;
        if (!resize_array(&c->cover, capacity, sizeof *c->cover)) return f2l_fail_memory(err);
        b->cover_capacity = capacity;
    }
    c->cover_at[set] = b->covers;
    c->cover_count[set] = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id;
        memset(b->scratch, 0, c->sets.words * sizeof *b->scratch);
        F2L_SET_EACH(p, f2l_subsets_get(masks, i), masks->words)
        f2l_set_put(b->scratch, c->tau[c->tau_at[set] + p]);
        status = f2l_builder_add(b, b->scratch, &id, err);
        if (status != F2L_OK) return status;
        c->cover[b->covers++] = id;
    }
    return F2L_OK;
}

typedef struct keyed {
    uint32_t id, size;
    uint64_t word;
} keyed;

static int larger_word_first(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    if (x->word != y->word) return x->word < y->word ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

f2l_status f2l_maximal_masks(const f2l_subsets *masks, uint32_t *order, size_t *count,
                             f2l_meter *meter, f2l_error *err)
{
    f2l_status status = f2l_meter_spend(meter, masks->count * sizeof(keyed), 0, 0, err);
    if (status != F2L_OK) return status;
    keyed *key = f2l_calloc(masks->count, sizeof *key);
    if (!key) return f2l_fail_memory(err);
    for (uint32_t i = 0; i < masks->count; i++)
        key[i] = (keyed){i, masks->size[i], f2l_subsets_get(masks, i)[0]};
    qsort(key, masks->count, sizeof *key, larger_word_first);
    *count = 0;
    size_t larger = 0; /* number of kept masks with more members: masks of one size do not contain
                          each other */
    for (size_t i = 0; status == F2L_OK && i < masks->count; i++) {
        const uint64_t *mask = f2l_subsets_get(masks, key[i].id);
        bool inside = false;
        if (i && key[i].size != key[i - 1].size) larger = *count;
        status = f2l_meter_spend(meter, 1 + larger / 4, (double)i, (double)masks->count, err);
        for (size_t j = 0; j < larger && !inside; j++)
            inside = f2l_set_inside(mask, f2l_subsets_get(masks, order[j]), masks->words);
        if (!inside) order[(*count)++] = key[i].id;
    }
    f2l_free(key);
    return status;
}
