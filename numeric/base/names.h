/* An ordered set of names (letters, states, labels): index to name and name to index, hashed; names
 * are UTF-8 byte strings without NUL, each stored once in one arena. */
#ifndef F2L_NAMES_H
#define F2L_NAMES_H

#include "numeric/base/index.h"
#include "numeric/base/status.h"
#include <stddef.h>
#include <stdint.h>

/* private: a name's offset in the arena */
typedef struct f2l_names_entry {
    size_t offset;
    uint64_t hash;
} f2l_names_entry;

typedef struct f2l_names {
    size_t count;
    /* private */
    f2l_names_entry *entry; /* [count] */
    size_t entry_capacity;
    char *arena;
    size_t arena_size, arena_capacity;
    f2l_index index;
} f2l_names;

void f2l_names_init(f2l_names *names);
void f2l_names_clear(f2l_names *names);

/* The index of the name, or F2L_NO_INDEX. */
size_t f2l_names_find(const f2l_names *names, const char *text, size_t size);

/* Adds the name unless present; *index is its index either way. At most 2^32 - 2 names. Fails only
 * for memory; *index is F2L_NO_INDEX then. */
f2l_status f2l_names_add(f2l_names *names, const char *text, size_t size, size_t *index,
                         f2l_error *err);

/* NUL-terminated; valid until the next add. */
const char *f2l_names_get(const f2l_names *names, size_t index);

/* The same names in the same order. */
bool f2l_names_equal(const f2l_names *a, const f2l_names *b);

/* *out (initialised empty) becomes a copy. */
f2l_status f2l_names_copy(f2l_names *out, const f2l_names *names, f2l_error *err);

#endif
