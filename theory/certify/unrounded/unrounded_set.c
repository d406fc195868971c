/* Sets of sparse vectors. */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"

void f2l_vectors_clear(f2l_vectors *v)
{
    for (size_t i = 0; i < v->count; i++) f2l_qvec_clear(&v->vector[i]);
    f2l_free(v->vector);
    f2l_free(v->column);
    f2l_free(v->slot);
    *v = (f2l_vectors){0};
}

static size_t slot_of(const f2l_vectors *v, const f2l_qvec *vector, uint32_t column)
{
    return (size_t)(f2l_qvec_hash(vector) ^ ((uint64_t)column * UINT64_C(0x9e3779b97f4a7c15))) &
           (v->slots - 1);
}

/* Returns the slot of the vector, or the empty slot where it belongs. */
static size_t find(const f2l_vectors *v, const f2l_qvec *vector, uint32_t column)
{
    size_t at = slot_of(v, vector, column);
    while (v->slot[at] != 0) {
        const size_t i = v->slot[at] - 1;
        if (v->column[i] == column && f2l_qvec_compare(&v->vector[i], vector) == 0) break;
        at = (at + 1) & (v->slots - 1);
    }
    return at;
}

static f2l_status widen(f2l_vectors *v, f2l_error *err)
{
    const size_t slots = v->slots == 0 ? 64 : 2 * v->slots;
    uint32_t *slot = f2l_calloc(slots, sizeof *slot);
    if (slot == NULL) return f2l_fail_memory(err);
    f2l_free(v->slot);
    v->slot = slot;
    v->slots = slots;
    for (size_t i = 0; i < v->count; i++)
        v->slot[find(v, &v->vector[i], v->column[i])] = (uint32_t)i + 1;
    return F2L_OK;
}

f2l_status f2l_vectors_add(f2l_vectors *v, const f2l_qvec *vector, uint32_t column, f2l_error *err)
{
    if (2 * v->count >= v->slots) {
        f2l_status status = widen(v, err);
        if (status != F2L_OK) return status;
    }
    const size_t at = find(v, vector, column);
    if (v->slot[at] != 0) return F2L_OK;
    if (v->count == F2L_UNROUNDED_VECTORS)
        return f2l_fail(err, F2L_UNKNOWN, "the vectors of one kind of one head are more than %zu",
                        v->count);
    if (!f2l_grow((void **)&v->vector, &v->room_vector, v->count, sizeof *v->vector) ||
        !f2l_grow((void **)&v->column, &v->room_column, v->count, sizeof *v->column))
        return f2l_fail_memory(err);
    f2l_qvec_init(&v->vector[v->count]);
    f2l_status status = f2l_qvec_copy(&v->vector[v->count], vector, err);
    if (status != F2L_OK) return status;
    v->entries += vector->count;
    v->column[v->count++] = column;
    v->slot[at] = (uint32_t)v->count;
    return F2L_OK;
}

f2l_status f2l_vectors_add_dense(f2l_vectors *v, const f2l_step_room *room, uint32_t column,
                                 f2l_error *err)
{
    f2l_qvec vector;
    f2l_qvec_init(&vector);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < room->n && status == F2L_OK; i++)
        status = f2l_qvec_push(&vector, (uint32_t)i, room->s[i], err);
    if (status == F2L_OK) status = f2l_vectors_add(v, &vector, column, err);
    f2l_qvec_clear(&vector);
    return status;
}

f2l_status f2l_vectors_add_state(f2l_vectors *v, const f2l_qvec *state, size_t d, size_t row,
                                 f2l_error *err)
{
    f2l_qvec *column = f2l_calloc(d, sizeof *column);
    if (column == NULL) return f2l_fail_memory(err);
    f2l_status status = F2L_OK;
    for (size_t i = 0; i < state->count && status == F2L_OK; i++)
        status = f2l_qvec_push(&column[state->index[i] % d], (uint32_t)(state->index[i] / d + row),
                               state->value[i], err);
    for (size_t j = 0; j < d && status == F2L_OK; j++)
        status = f2l_vectors_add(v, &column[j], (uint32_t)j, err);
    for (size_t j = 0; j < d; j++) f2l_qvec_clear(&column[j]);
    f2l_free(column);
    return status;
}
