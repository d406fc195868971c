#include "numeric/base/names.h"
#include "numeric/base/hash.h"
#include "numeric/base/mem.h"
#include <stdbool.h>
#include <string.h>

void f2l_names_init(f2l_names *names)
{
    *names = (f2l_names){0};
}

void f2l_names_clear(f2l_names *names)
{
    f2l_free(names->offset);
    f2l_free(names->arena);
    f2l_free(names->slot);
    *names = (f2l_names){0};
}

void f2l_names_seal(f2l_names *names)
{
    f2l_free(names->slot);
    names->slot = NULL;
    names->slots = 0;
}

/* Returns the hash. This is a table of its own rather than an f2l_index: a slot that holds the
 * name's offset saves a cold cache line a look-up, which is a sixth of the time of reading a large
 * automaton. */
static uint32_t hash_of_name(const char *text, size_t size)
{
    return (uint32_t)(f2l_hash_bytes(f2l_hash(F2L_HASH, size), text, size) >> 32);
}

/* Returns the slot of the name, or the empty one where it belongs; there is always an empty one. */
static size_t probe(const f2l_names *names, const char *text, size_t size, uint32_t hash)
{
    size_t mask = names->slots - 1, at = hash & mask;
    for (; names->slot[at].number != 0; at = (at + 1) & mask) {
        if (names->slot[at].hash != hash) continue;
        const char *name = names->arena + names->slot[at].offset;
        if (strnlen(name, size + 1) == size && memcmp(name, text, size) == 0) break;
    }
    return at;
}

size_t f2l_names_find(const f2l_names *names, const char *text, size_t size)
{
    if (names->slots == 0) return F2L_NO_INDEX;
    const uint32_t number = names->slot[probe(names, text, size, hash_of_name(text, size))].number;
    return number == 0 ? F2L_NO_INDEX : number - 1;
}

/* Keeps the table at most half full, so that probes stay short. */
static bool grow_name_slots(f2l_names *names)
{
    if (names->count + 1 <= names->slots / 2) return true;
    size_t slots = names->slots == 0 ? 32 : names->slots * 2;
    f2l_names_slot *slot = f2l_calloc(slots, sizeof *slot);
    if (!slot) return false;
    for (size_t i = 0; i < names->slots; i++) {
        if (names->slot[i].number == 0) continue;
        size_t at = names->slot[i].hash & (slots - 1);
        while (slot[at].number != 0) at = (at + 1) & (slots - 1);
        slot[at] = names->slot[i];
    }
    f2l_free(names->slot);
    names->slot = slot;
    names->slots = slots;
    return true;
}

static bool grow_arena(f2l_names *names, size_t size)
{
    size_t needed;
    if (!f2l_add_size(&needed, names->arena_size, size) || !f2l_add_size(&needed, needed, 1))
        return false;
    if (needed <= names->arena_capacity) return true;
    size_t wanted = names->arena_capacity < 64 ? 64 : names->arena_capacity;
    if (!f2l_mul_size(&wanted, wanted, 2)) return false;
    if (wanted < needed) wanted = needed;
    char *arena = f2l_realloc(names->arena, wanted, 1);
    if (!arena) return false;
    names->arena = arena;
    names->arena_capacity = wanted;
    return true;
}

f2l_status f2l_names_add(f2l_names *names, const char *text, size_t size, size_t *index,
                         f2l_error *err)
{
    uint32_t hash = hash_of_name(text, size);
    if (names->slots > 0) {
        const uint32_t number = names->slot[probe(names, text, size, hash)].number;
        if (number != 0) {
            *index = number - 1;
            return F2L_OK;
        }
    }
    if (names->count >= UINT32_MAX - 1 || !grow_name_slots(names) || !grow_arena(names, size) ||
        !f2l_grow((void **)&names->offset, &names->offset_capacity, names->count,
                  sizeof *names->offset))
        return f2l_fail_memory(err);
    if (size > 0) memcpy(names->arena + names->arena_size, text, size);
    names->arena[names->arena_size + size] = '\0';
    names->offset[names->count] = names->arena_size;
    /* Found again rather than kept: the table may have moved. */
    f2l_names_slot *slot = &names->slot[probe(names, text, size, hash)];
    *index = names->count++;
    *slot = (f2l_names_slot){hash, (uint32_t)names->count, names->arena_size};
    names->arena_size += size + 1;
    return F2L_OK;
}

const char *f2l_names_get(const f2l_names *names, size_t index)
{
    return names->arena + names->offset[index];
}

bool f2l_names_equal(const f2l_names *a, const f2l_names *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(f2l_names_get(a, i), f2l_names_get(b, i)) == 0;
    return same;
}

f2l_status f2l_names_copy(f2l_names *out, const f2l_names *names, f2l_error *err)
{
    f2l_names copy = {0};
    if (names->count > 0) {
        copy = *names;
        copy.offset_capacity = names->count;
        copy.arena_capacity = names->arena_size;
        copy.offset = f2l_realloc(NULL, names->count, sizeof *copy.offset);
        copy.arena = f2l_realloc(NULL, names->arena_size, 1);
        copy.slot = f2l_realloc(NULL, names->slots, sizeof *copy.slot);
        if (!copy.offset || !copy.arena || !copy.slot) {
            f2l_names_clear(&copy);
            return f2l_fail_memory(err);
        }
        memcpy(copy.offset, names->offset, names->count * sizeof *copy.offset);
        memcpy(copy.arena, names->arena, names->arena_size);
        memcpy(copy.slot, names->slot, names->slots * sizeof *copy.slot);
    }
    f2l_names_clear(out);
    *out = copy;
    return F2L_OK;
}
