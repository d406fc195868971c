/* Sets of sparse vectors. */
#include "numeric/base/mem.h"
#include "theory/certify/unrounded/impl.h"

void f2l_vectors_clear(f2l_vectors *v)
{
    for (size_t i = 0; i < v->count; i++) f2l_qvec_clear(&v->vector[i]);
    f2l_free(v->vector);
    f2l_free(v->column);
    f2l_index_clear(&v->index);
    *v = (f2l_vectors){0};
}

typedef struct key {
    const f2l_qvec *vector;
    uint32_t column;
} key;

static uint64_t hash_vector_of_column(const f2l_qvec *vector, uint32_t column)
{
    return f2l_hash(f2l_qvec_hash(vector), column);
}

static uint64_t hash_of_vector(const void *vectors, size_t i)
{
    const f2l_vectors *v = vectors;
    return hash_vector_of_column(&v->vector[i], v->column[i]);
}

static bool is_vector(const void *vectors, size_t i, const void *of)
{
    const f2l_vectors *v = vectors;
    const key *k = of;
    return v->column[i] == k->column && f2l_qvec_compare(&v->vector[i], k->vector) == 0;
}

f2l_status f2l_vectors_add(f2l_vectors *v, const f2l_qvec *vector, uint32_t column, f2l_error *err)
{
    if (!f2l_index_grow(&v->index, hash_of_vector, v)) return f2l_fail_memory(err);
    const key k = {vector, column};
    const uint64_t number = hash_vector_of_column(vector, column);
    if (f2l_index_find(&v->index, number, is_vector, v, &k) != F2L_NO_INDEX) return F2L_OK;
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
    f2l_index_add(&v->index, number);
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
