#include "numeric/base/names.h"
#include "numeric/base/mem.h"
#include <stdbool.h>
#include <string.h>

void f2l_names_init(f2l_names *names)
{
    *names = (f2l_names){0};
}

void f2l_names_clear(f2l_names *names)
{
    f2l_free(names->entry);
    f2l_free(names->arena);
    f2l_index_clear(&names->index);
    *names = (f2l_names){0};
}

typedef struct key {
    const char *text;
    size_t size;
} key;

static uint64_t hash_of(const void *names, size_t row)
{
    return ((const f2l_names *)names)->entry[row].hash;
}

static bool is_name(const void *names, size_t row, const void *of)
{
    const f2l_names *n = names;
    const key *k = of;
    const char *name = n->arena + n->entry[row].offset;
    return strnlen(name, k->size + 1) == k->size && memcmp(name, k->text, k->size) == 0;
}

static uint64_t hash_text(const key *k)
{
    return f2l_hash_bytes(f2l_hash(F2L_HASH, k->size), k->text, k->size);
}

size_t f2l_names_find(const f2l_names *names, const char *text, size_t size)
{
    const key k = {text, size};
    return f2l_index_find(&names->index, hash_text(&k), is_name, names, &k);
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
    const key k = {text, size};
    const uint64_t hash = hash_text(&k);
    *index = f2l_index_find(&names->index, hash, is_name, names, &k);
    if (*index != F2L_NO_INDEX) return F2L_OK;
    if (!f2l_index_grow(&names->index, hash_of, names) || !grow_arena(names, size) ||
        !f2l_grow((void **)&names->entry, &names->entry_capacity, names->count,
                  sizeof *names->entry))
        return f2l_fail_memory(err);
    if (size > 0) memcpy(names->arena + names->arena_size, text, size);
    names->arena[names->arena_size + size] = '\0';
    names->entry[names->count] = (f2l_names_entry){names->arena_size, hash};
    names->arena_size += size + 1;
    *index = f2l_index_add(&names->index, hash);
    names->count = names->index.count;
    return F2L_OK;
}

const char *f2l_names_get(const f2l_names *names, size_t index)
{
    return names->arena + names->entry[index].offset;
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
        copy.entry_capacity = names->count;
        copy.arena_capacity = names->arena_size;
        copy.entry = f2l_realloc(NULL, names->count, sizeof *copy.entry);
        copy.arena = f2l_realloc(NULL, names->arena_size, 1);
        if (!f2l_index_copy(&copy.index, &names->index) || !copy.entry || !copy.arena) {
            f2l_names_clear(&copy);
            return f2l_fail_memory(err);
        }
        memcpy(copy.entry, names->entry, names->count * sizeof *copy.entry);
        memcpy(copy.arena, names->arena, names->arena_size);
    }
    f2l_names_clear(out);
    *out = copy;
    return F2L_OK;
}
