/* The applying head of a level: how it holds points, and what its factors do to them
 * (theory/pages/blocks.md, BL.4). */
#include "theory/construct/blocks/impl.h"

/* Returns whether a map of two points or more is a permutation other than the identity, if maps are
 * permutations or constant. */
static bool permutes(const uint32_t *map, size_t m)
{
    bool moves = false;
    for (size_t p = 0; p < m; p++) moves = moves || map[p] != p;
    return moves && map[0] != map[1];
}

void f2l_blocks_choose_form(f2l_blocks_level *v)
{
    bool permuted = false;
    for (size_t a = 0; a < v->act.count; a++)
        permuted = permuted || permutes(f2l_rowset_get(&v->act, a, NULL), v->m);
    v->form = v->m == 2 ? F2L_BLOCKS_SCALAR : !permuted ? F2L_BLOCKS_WRITE : F2L_BLOCKS_DOUBLED;
    v->n = v->form == F2L_BLOCKS_DOUBLED ? 2 * v->m : 1;
    v->d = v->form == F2L_BLOCKS_WRITE ? v->m : 1;
}

size_t f2l_blocks_erases(const f2l_blocks_level *v)
{
    return v->form == F2L_BLOCKS_DOUBLED ? v->m + v->m % 2 : 1;
}

uint32_t f2l_blocks_swap(const f2l_blocks_level *v, size_t i, size_t j)
{
    return (uint32_t)(1 + (i < j ? i * v->m + j : j * v->m + i));
}

uint32_t f2l_blocks_erase(const f2l_blocks_level *v, size_t step, size_t point)
{
    return (uint32_t)(1 + (v->m + step) * v->m + point);
}

/* An operation with doubled points: the rows of its key and their signs. */
typedef struct key {
    size_t row[4];
    long sign[4];
    size_t rows;
    bool erases;
    size_t target; /* erases: the point that is written */
} key;

static key operation_key_of(const f2l_blocks_level *v, uint32_t operation)
{
    const size_t high = (operation - 1) / v->m, low = (operation - 1) % v->m;
    if (high < v->m)
        return (key){{2 * high, 2 * high + 1, 2 * low, 2 * low + 1}, {1, 1, -1, -1}, 4, false, 0};
    const size_t step = high - v->m, first = 4 * (step / 2);
    const long sign = step % 2 ? -1 : 1;
    if (first + 2 == v->n) return (key){{first + step % 2}, {1}, 1, true, low};
    return (key){{first, first + 1, first + 2, first + 3}, {1, 1, sign, sign}, 4, true, low};
}

/* Returns twice the number of a point in a row of doubled points. */
static long twice(size_t point, size_t row)
{
    return row / 2 == point ? 2 : 0;
}

void f2l_blocks_put_point(f2l_blocks_level *v, size_t point)
{
    const size_t numbers = v->n * v->d;
    for (size_t i = 0; i < numbers; i++)
        v->state[i] = v->form == F2L_BLOCKS_SCALAR  ? (point ? -2 : 2)
                      : v->form == F2L_BLOCKS_WRITE ? (i == point ? 2 : 0)
                                                    : twice(point, i);
}

void f2l_blocks_apply(f2l_blocks_level *v, uint32_t operation)
{
    if (operation == 0) return;
    const key k = operation_key_of(v, operation);
    long sum = 0;
    if (v->form != F2L_BLOCKS_DOUBLED) {
        if (k.erases)
            f2l_blocks_put_point(v, k.target);
        else
            v->state[0] = -v->state[0];
        return;
    }
    for (size_t i = 0; i < k.rows; i++)
        sum += k.sign[i] * (v->state[k.row[i]] - (k.erases ? twice(k.target, k.row[i]) : 0));
    sum = (k.erases ? 1 : 2) * sum / (long)k.rows;
    for (size_t i = 0; i < k.rows; i++) v->state[k.row[i]] -= k.sign[i] * sum;
}

/* Writes a factor with one row: a sign is changed or written, or a one-hot row is written. */
static f2l_status one_row(f2l_factor *out, const f2l_blocks_level *v, const key *k, f2l_error *err)
{
    f2l_status status = f2l_qvec_push_si(&out->u, 0, 1, 1, err);
    if (status != F2L_OK || !k->erases) return status;
    if (v->form == F2L_BLOCKS_WRITE)
        return f2l_qvec_push_si(&out->c, (uint32_t)k->target, 1, 1, err);
    return f2l_qvec_push_si(&out->c, 0, k->target ? -1 : 1, 1, err);
}

f2l_status f2l_blocks_factor(f2l_factor *out, const f2l_blocks_level *v, uint32_t operation,
                             f2l_error *err)
{
    const key k = operation_key_of(v, operation);
    f2l_status status = F2L_OK;
    long written = 0;
    mpq_set_ui(out->beta, k.erases ? 1 : 2, 1);
    if (v->form != F2L_BLOCKS_DOUBLED) return one_row(out, v, &k, err);
    for (size_t i = 0; status == F2L_OK && i < k.rows; i++) {
        status = f2l_qvec_push_si(&out->u, (uint32_t)k.row[i], k.sign[i], 1, err);
        written += k.erases ? k.sign[i] * twice(k.target, k.row[i]) / 2 : 0;
    }
    return status == F2L_OK && written ? f2l_qvec_push_si(&out->c, 0, written, 1, err) : status;
}
