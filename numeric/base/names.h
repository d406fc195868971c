/* An ordered set of names (letters, states, labels): index to name and name to index, hashed; names
 * are UTF-8 byte strings without NUL, each stored once in one arena. */
#ifndef F2L_NAMES_H
#define F2L_NAMES_H

#include "numeric/base/index.h"
#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* private: number is index + 1, 0 in an empty slot; the offset is copied here so that a search
 * reads two cold cache lines instead of three */
typedef struct f2l_names_slot {
    uint32_t hash, number;
    size_t offset;
} f2l_names_slot;

typedef struct f2l_names {
    size_t count;
    /* private */
    size_t *offset, offset_capacity; /* arena offset of every name */
    char *arena;
    size_t arena_size, arena_capacity;
    f2l_names_slot *slot; /* open addressing */
    size_t slots;
} f2l_names;

void f2l_names_init(f2l_names *names);
void f2l_names_clear(f2l_names *names);
/* Frees what names are found by, more than half of the memory: they can only be got from now on. */
void f2l_names_seal(f2l_names *names);

/* Returns the index of the name, or F2L_NO_INDEX. */
size_t f2l_names_find(const f2l_names *names, const char *text, size_t size);

/* Adds the name unless present; *index is its index either way. At most 2^32 - 2 names. Fails only
 * for memory. */
f2l_status f2l_names_add(f2l_names *names, const char *text, size_t size, size_t *index,
                         f2l_error *err);

/* Returns the name, NUL-terminated; borrowed, valid until the next add. */
const char *f2l_names_get(const f2l_names *names, size_t index);

/* Returns whether both have the same names in the same order. */
bool f2l_names_equal(const f2l_names *a, const f2l_names *b);

/* Copies the names into *out (initialised empty). */
f2l_status f2l_names_copy(f2l_names *out, const f2l_names *names, f2l_error *err);

#endif
