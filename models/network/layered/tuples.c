#include "models/network/layered/impl.h"
#include "numeric/base/mem.h"
#include <string.h>

static uint64_t hash_key(const f2l_wire_tuples *tuples, const uint32_t *key)
{
    return f2l_hash_bytes(F2L_HASH, key, tuples->length * sizeof *key);
}

static uint64_t hash_of_wire_tuple(const void *tuples, size_t row)
{
    return hash_key(tuples, f2l_wire_tuples_at(tuples, row));
}

static bool is_equal_wire_tuple(const void *of, size_t row, const void *key)
{
    const f2l_wire_tuples *tuples = of;
    return tuples->length == 0 || memcmp(f2l_wire_tuples_at(tuples, row), key,
                                         tuples->length * sizeof *tuples->value) == 0;
}

f2l_status f2l_wire_tuples_add(uint32_t *number, f2l_wire_tuples *tuples, const uint32_t *key,
                               f2l_error *err)
{
    const size_t size = tuples->length > 0 ? tuples->length * sizeof *key : 1;
    if (!f2l_grow((void **)&tuples->value, &tuples->capacity, tuples->count, size) ||
        !f2l_index_grow(&tuples->index, hash_of_wire_tuple, tuples))
        return f2l_fail_memory(err);
    *number = (uint32_t)f2l_index_find_or_add(&tuples->index, hash_key(tuples, key),
                                              is_equal_wire_tuple, tuples, key);
    if (*number < tuples->count) return F2L_OK;
    if (tuples->length > 0) memcpy(tuples->value + tuples->count * tuples->length, key, size);
    tuples->count++;
    return F2L_OK;
}

void f2l_wire_tuples_clear(f2l_wire_tuples *tuples)
{
    f2l_free(tuples->value);
    f2l_index_clear(&tuples->index);
    *tuples = (f2l_wire_tuples){0};
}
