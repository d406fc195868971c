#include "numeric/base/mem.h"
#include "theory/certify/stock/impl.h"
#include <string.h>

/* What a lookup needs: the rows and their length. */
static uint64_t hash_of_numbers(const double *row, size_t length)
{
    return f2l_hash_bytes(F2L_HASH, row, length * sizeof *row);
}

static uint64_t hash_of_written_row(const void *rows, size_t row)
{
    const f2l_written_rows *r = rows;
    return hash_of_numbers(r->number + row * r->length, r->length);
}

static bool row_equal(const void *rows, size_t row, const void *key)
{
    const f2l_written_rows *r = rows;
    return r->length == 0 ||
           memcmp(r->number + row * r->length, key, r->length * sizeof(double)) == 0;
}

const double *f2l_written_row(const f2l_written_rows *rows, uint32_t id)
{
    return rows->number + id * rows->length;
}

f2l_status f2l_written_rows_add(uint32_t *id, f2l_written_rows *rows, const double *row,
                                const f2l_task *task, f2l_error *err)
{
    const uint64_t hash = hash_of_numbers(row, rows->length);
    const size_t found = f2l_index_find(&rows->index, hash, row_equal, rows, row);
    *id = (uint32_t)found;
    if (found != F2L_NO_INDEX) return F2L_OK;
    const size_t bytes = rows->length * sizeof *row;
    f2l_status status = f2l_task_spend(task, "states", bytes, err);
    if (status != F2L_OK) return status;
    if (!f2l_index_grow(&rows->index, hash_of_written_row, rows) ||
        !f2l_grow((void **)&rows->number, &rows->capacity, rows->index.count, bytes ? bytes : 1))
        return f2l_fail_memory(err);
    if (bytes) memcpy(rows->number + rows->index.count * rows->length, row, bytes);
    *id = (uint32_t)f2l_index_add(&rows->index, hash);
    return F2L_OK;
}

void f2l_written_rows_clear(f2l_written_rows *rows)
{
    f2l_index_clear(&rows->index);
    f2l_free(rows->number);
    *rows = (f2l_written_rows){0};
}
