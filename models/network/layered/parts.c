#include "models/network/layered/impl.h"
#include "numeric/base/mem.h"

void f2l_parts_clear(f2l_parts *parts)
{
    f2l_free(parts->of);
    f2l_free(parts->at);
    f2l_free(parts->size);
    *parts = (f2l_parts){0};
}

static size_t find_root(const uint32_t *up, size_t row)
{
    while (up[row] != row) row = up[row];
    return row;
}

/* Puts the rows of a key under one root, the least row. */
static void join_rows_of_key(uint32_t *up, const f2l_qvec *u)
{
    for (size_t i = 1; i < u->count; i++) {
        const size_t a = find_root(up, u->index[i - 1]), b = find_root(up, u->index[i]);
        up[a < b ? b : a] = (uint32_t)(a < b ? a : b);
    }
}

/* Numbers the parts by their first rows, and the rows of each. */
static void number_parts(f2l_parts *out, const uint32_t *up, size_t rows)
{
    for (size_t row = 0; row < rows; row++) {
        const size_t root = find_root(up, row);
        out->of[row] = root == row ? (uint32_t)out->count++ : out->of[root];
        out->at[row] = out->size[out->of[row]]++;
    }
}

f2l_status f2l_parts_find(f2l_parts *out, const f2l_head *head, size_t letters, f2l_error *err)
{
    uint32_t *up = f2l_calloc(head->n, sizeof *up);
    out->of = f2l_calloc(head->n, sizeof *out->of);
    out->at = f2l_calloc(head->n, sizeof *out->at);
    out->size = f2l_calloc(head->n, sizeof *out->size);
    const bool room = up && out->of && out->at && out->size;
    if (room) {
        for (size_t row = 0; row < head->n; row++) up[row] = (uint32_t)row;
        for (size_t x = 0; x < letters; x++)
            for (size_t f = 0; f < head->letter[x].factors; f++)
                join_rows_of_key(up, &head->letter[x].factor[f].u);
        number_parts(out, up, head->n);
    }
    f2l_free(up);
    return room ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_parts_copy(f2l_qvec *out, const f2l_qvec *from, const f2l_parts *parts, size_t part,
                          size_t first, size_t d, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t k = 0; k < from->count && status == F2L_OK; k++) {
        const size_t row = first + from->index[k] / d;
        if (parts->of[row] != part) continue;
        const size_t index = parts->at[row] * d + from->index[k] % d;
        status = f2l_qvec_push(out, (uint32_t)index, from->value[k], err);
    }
    return status;
}
