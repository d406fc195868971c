/* The matrices A(x) and B(x) of the schedule cast: exact products, each entry rounded once. Column
 * i of A is the image of e_i under the letter's gate and factors, without their values; column j of
 * B is the image of zero under the factors and the bias. */
#include "models/network/net/head.h"
#include "models/network/schedule/float_net.h"
#include "numeric/base/mem.h"
#include <stdlib.h>

void f2l_float_cast_clear(f2l_float_cast *cast)
{
    f2l_free(cast->row_first);
    f2l_free(cast->row);
    f2l_free(cast->entry);
    f2l_free(cast->bias_first);
    f2l_free(cast->bias);
}

/* An entry of a letter's A; entries are found by columns. */
typedef struct found {
    uint32_t row, column;
    double value;
} found;

typedef struct maker {
    const f2l_head *head;
    const f2l_format *format;
    f2l_float_cast *out;
    mpq_t *x; /* [n] a column */
    mpq_t dot, t;
    bool *touched; /* [n] touched by a factor of the letter */
    bool *biased;  /* [n] has an entry in B */
    found *found;  /* entries of the letter */
    size_t founds, found_capacity;
    size_t rows, row_capacity, entries, entry_capacity, biases, bias_capacity;
} maker;

static f2l_status cast_too_large(f2l_error *err)
{
    return f2l_fail(err, F2L_EDOMAIN,
                    "cast has matrices of at most %zu rows, with %zu numbers and columns in a head",
                    F2L_MAX_CAST_KEY, F2L_MAX_CAST);
}

/* Computes x <- x - (beta / |u|^2) u (u^T x - c_j), for all factors; j F2L_NO_INDEX: without
 * values. */
static void apply_factors(maker *m, const f2l_transition *letter, size_t j)
{
    for (size_t f = 0; f < letter->factors; f++) {
        const f2l_factor *factor = &letter->factor[f];
        mpq_set_ui(m->dot, 0, 1);
        for (size_t k = 0; k < factor->u.count; k++) {
            if (mpq_sgn(m->x[factor->u.index[k]]) == 0) continue;
            mpq_mul(m->t, factor->u.value[k], m->x[factor->u.index[k]]);
            mpq_add(m->dot, m->dot, m->t);
        }
        for (size_t k = 0; j != F2L_NO_INDEX && k < factor->c.count; k++)
            if (factor->c.index[k] == j) mpq_sub(m->dot, m->dot, factor->c.value[k]);
        if (mpq_sgn(m->dot) == 0) continue;
        f2l_key_norm2(m->t, m->head, factor);
        mpq_div(m->dot, m->dot, m->t);
        mpq_mul(m->dot, m->dot, factor->beta);
        for (size_t k = 0; k < factor->u.count; k++) {
            mpq_mul(m->t, m->dot, factor->u.value[k]);
            mpq_sub(m->x[factor->u.index[k]], m->x[factor->u.index[k]], m->t);
        }
    }
}

static f2l_status find_entry(maker *m, size_t row, size_t column, double value, f2l_error *err)
{
    if (value == 0) return F2L_OK;
    if (m->entries + m->founds >= F2L_MAX_CAST) return cast_too_large(err);
    if (!f2l_grow((void **)&m->found, &m->found_capacity, m->founds, sizeof *m->found))
        return f2l_fail_memory(err);
    m->found[m->founds++] = (found){(uint32_t)row, (uint32_t)column, value};
    return F2L_OK;
}

static f2l_status find_column(maker *m, const f2l_transition *letter, size_t i, f2l_error *err)
{
    const size_t n = m->head->n;
    if (!m->touched[i])
        return find_entry(m, i, i, f2l_format_round_q(m->format, letter->gate), err);
    for (size_t k = 0; k < n; k++) mpq_set_ui(m->x[k], 0, 1);
    mpq_set(m->x[i], letter->gate);
    apply_factors(m, letter, F2L_NO_INDEX);
    f2l_status status = F2L_OK;
    for (size_t k = 0; k < n && status == F2L_OK; k++)
        if (mpq_sgn(m->x[k]) != 0)
            status = find_entry(m, k, i, f2l_format_round_q(m->format, m->x[k]), err);
    return status;
}

/* Appends column j of B to the result. */
static f2l_status add_cast_bias(maker *m, const f2l_transition *letter, size_t j, f2l_error *err)
{
    const size_t n = m->head->n, d = m->head->d;
    for (size_t k = 0; k < n; k++) mpq_set_ui(m->x[k], 0, 1);
    apply_factors(m, letter, j);
    for (size_t k = 0; k < letter->bias.count; k++)
        if (letter->bias.index[k] % d == j)
            mpq_add(m->x[letter->bias.index[k] / d], m->x[letter->bias.index[k] / d],
                    letter->bias.value[k]);
    for (size_t k = 0; k < n; k++) {
        const double value = mpq_sgn(m->x[k]) ? f2l_format_round_q(m->format, m->x[k]) : 0;
        if (value == 0) continue;
        if (m->biases >= F2L_MAX_CAST) return cast_too_large(err);
        if (!f2l_grow((void **)&m->out->bias, &m->bias_capacity, m->biases, sizeof *m->out->bias))
            return f2l_fail_memory(err);
        m->out->bias[m->biases++] = (f2l_cast_number){(uint32_t)(k * d + j), value};
        m->biased[k] = true;
    }
    return F2L_OK;
}

static f2l_status add_cast_row(maker *m, size_t i, const found *first, size_t count, bool biased,
                               f2l_error *err)
{
    f2l_float_cast *out = m->out;
    const bool identity = count == 1 && first->column == i && first->value == 1;
    if (identity && !biased) return F2L_OK;
    if (!f2l_grow((void **)&out->row, &m->row_capacity, m->rows, sizeof *out->row))
        return f2l_fail_memory(err);
    out->row[m->rows] = (f2l_cast_row){(uint32_t)(i * m->head->d), m->entries, m->entries + count};
    m->rows++;
    for (size_t k = 0; k < count; k++) {
        if (!f2l_grow((void **)&out->entry, &m->entry_capacity, m->entries, sizeof *out->entry))
            return f2l_fail_memory(err);
        out->entry[m->entries++] =
            (f2l_cast_number){(uint32_t)(first[k].column * m->head->d), first[k].value};
    }
    return F2L_OK;
}

static int compare_found_rows(const void *a, const void *b)
{
    const found *x = a, *y = b;
    const int rows = (x->row > y->row) - (x->row < y->row);
    return rows ? rows : (x->column > y->column) - (x->column < y->column);
}

static f2l_status make_letter(maker *m, size_t x, f2l_error *err)
{
    const f2l_transition *letter = &m->head->letter[x];
    const size_t n = m->head->n;
    f2l_status status = F2L_OK;
    m->founds = 0;
    for (size_t i = 0; i < n; i++) m->touched[i] = m->biased[i] = false;
    for (size_t f = 0; f < letter->factors; f++)
        for (size_t k = 0; k < letter->factor[f].u.count; k++)
            m->touched[letter->factor[f].u.index[k]] = true;
    for (size_t i = 0; i < n && status == F2L_OK; i++) status = find_column(m, letter, i, err);
    for (size_t j = 0; j < m->head->d && status == F2L_OK; j++)
        status = add_cast_bias(m, letter, j, err);
    if (m->founds > 1) qsort(m->found, m->founds, sizeof *m->found, compare_found_rows);
    for (size_t i = 0, at = 0; i < n && status == F2L_OK; i++) {
        const size_t first = at;
        while (at < m->founds && m->found[at].row == i) at++;
        status = add_cast_row(m, i, m->found + first, at - first, m->biased[i], err);
    }
    m->out->row_first[x + 1] = m->rows;
    m->out->bias_first[x + 1] = m->biases;
    return status;
}

static f2l_status allocate_cast_maker(maker *m, size_t letters, f2l_error *err)
{
    m->out->row_first = f2l_calloc(letters + 1, sizeof *m->out->row_first);
    m->out->bias_first = f2l_calloc(letters + 1, sizeof *m->out->bias_first);
    m->touched = f2l_calloc(m->head->n, sizeof *m->touched);
    m->biased = f2l_calloc(m->head->n, sizeof *m->biased);
    m->x = f2l_calloc(m->head->n, sizeof *m->x);
    const bool good = m->out->row_first && m->out->bias_first && m->touched && m->biased && m->x;
    for (size_t i = 0; m->x && i < m->head->n; i++) mpq_init(m->x[i]);
    return good ? F2L_OK : f2l_fail_memory(err);
}

f2l_status f2l_float_cast_init(f2l_float_cast *out, const f2l_head *head, size_t letters,
                               const f2l_format *format, f2l_error *err)
{
    if (head->n > F2L_MAX_CAST_KEY || letters > F2L_MAX_CAST / (head->n + head->d))
        return cast_too_large(err);
    maker m = {.head = head, .format = format, .out = out};
    mpq_inits(m.dot, m.t, (mpq_ptr)NULL);
    f2l_status status = allocate_cast_maker(&m, letters, err);
    for (size_t x = 0; x < letters && status == F2L_OK; x++) status = make_letter(&m, x, err);
    for (size_t i = 0; m.x && i < head->n; i++) mpq_clear(m.x[i]);
    mpq_clears(m.dot, m.t, (mpq_ptr)NULL);
    f2l_free(m.x);
    f2l_free(m.touched);
    f2l_free(m.biased);
    f2l_free(m.found);
    return status;
}
