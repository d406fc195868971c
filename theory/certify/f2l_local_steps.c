#include "f2l_alike.h"
#include "f2l_local_steps_impl.h"
#include "f2l_mem.h"

/* Rounded states can be as many as pairs: then next to none is met again. */
#define MOST_STATES ((size_t)1 << 14)
#define MOST_ENTRIES ((size_t)1 << 24)

f2l_status f2l_local_steps_init(f2l_local_steps *steps, const f2l_layer *layer, size_t at, size_t width,
                                f2l_error *err)
{
    *steps = (f2l_local_steps){.at = at, .width = width};
    f2l_pairs_init(&steps->states, width, F2L_PAIRS_LIMIT);
    steps->class_of = f2l_calloc(layer->letters, sizeof *steps->class_of);
    if (!steps->class_of) return f2l_fail_memory(err);
    steps->bytes = layer->letters * sizeof *steps->class_of;
    return f2l_layer_alike(steps->class_of, &steps->classes, layer, err);
}

void f2l_local_steps_clear(f2l_local_steps *steps)
{
    for (size_t i = 0; i < steps->states.count && steps->next; i++) f2l_free(steps->next[i]);
    f2l_pairs_clear(&steps->states);
    f2l_free(steps->code);
    f2l_free(steps->class_of);
    f2l_free(steps->next);
    *steps = (f2l_local_steps){0};
}

/* Room for one more state. */
static f2l_status make_room(f2l_local_steps *steps, f2l_error *err)
{
    const size_t count = steps->states.count;
    if (count < steps->capacity) return F2L_OK;
    const size_t room = steps->capacity ? 2 * steps->capacity : 64;
    size_t *code = f2l_realloc(steps->code, room, sizeof *code);
    if (code) steps->code = code;
    uint32_t **next = f2l_realloc(steps->next, room, sizeof *next);
    if (next) steps->next = next;
    if (!code || !next) return f2l_fail_memory(err);
    for (size_t i = count; i < room; i++) next[i] = NULL;
    steps->bytes += (room - steps->capacity) * (sizeof *code + sizeof *next);
    steps->capacity = room;
    return F2L_OK;
}

f2l_status f2l_local_steps_find(f2l_local_steps *steps, const unsigned char *row, size_t code, size_t *id,
                                f2l_error *err)
{
    const size_t before = steps->states.count;
    *id = F2L_NO_INDEX;
    if (before >= MOST_STATES) return F2L_OK;
    f2l_status status = make_room(steps, err);
    if (status == F2L_OK) status = f2l_pairs_add(&steps->states, row + steps->at, id, NULL, "", err);
    if (status == F2L_OK && steps->states.count > before) {
        steps->code[*id] = code;
        steps->bytes += steps->width + F2L_PAIRS_ROW_BYTES;
    }
    return status;
}

uint32_t *f2l_local_steps_next(f2l_local_steps *steps, size_t id, size_t letter)
{
    if (!steps->next[id]) {
        const size_t bytes = steps->classes * sizeof **steps->next;
        if (steps->bytes + bytes > MOST_ENTRIES * sizeof **steps->next) return NULL;
        steps->next[id] = f2l_calloc(steps->classes, sizeof **steps->next);
        if (!steps->next[id]) return NULL;
        steps->bytes += bytes;
    }
    return &steps->next[id][steps->class_of[letter]];
}
