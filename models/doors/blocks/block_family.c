/* The columns that a head may have so that all of its numbers are 0 or 1: EB.28. */
#include "models/doors/blocks/packed.h"
#include "numeric/base/mem.h"

const mpq_t *f2l_block_code_entry(const f2l_layer *layer, size_t head, size_t row, size_t column,
                                  size_t code)
{
    return f2l_block_entry(&layer->code[code * layer->heads + head],
                           row * layer->head[head].d + column);
}

int f2l_block_compare(const mpq_t *a, const mpq_t *b)
{
    if (a && b) return mpq_cmp(*a, *b);
    return a ? mpq_sgn(*a) : b ? -mpq_sgn(*b) : 0;
}

bool f2l_block_row_varies(const f2l_layer *layer, size_t head, size_t row)
{
    for (size_t j = 0; j < layer->head[head].d; j++)
        for (size_t c = 1; c < layer->codes; c++)
            if (f2l_block_compare(f2l_block_code_entry(layer, head, row, j, c),
                                  f2l_block_code_entry(layer, head, row, j, 0)) != 0)
                return true;
    return false;
}

bool f2l_block_quotient_fits(const f2l_format *format, const mpq_t x, const f2l_qvec *u)
{
    mpq_t norm;
    if (mpq_sgn(x) == 0) return true;
    mpq_init(norm);
    f2l_qvec_norm2(norm, u);
    bool fits = mpz_perfect_square_p(mpq_numref(norm)) && mpz_perfect_square_p(mpq_denref(norm));
    if (fits) {
        mpz_sqrt(mpq_numref(norm), mpq_numref(norm));
        mpz_sqrt(mpq_denref(norm), mpq_denref(norm));
        mpq_div(norm, x, norm);
        fits = f2l_format_holds(format, norm);
    }
    mpq_clear(norm);
    return fits;
}

typedef struct values {
    const mpq_t *low, *high; /* NULL: zero */
    size_t count;            /* of different values: 0, 1, 2 or more */
    bool one_hot;            /* no row of a code has two numbers that are not zero */
    bool none;               /* some row of a code is zero */
} values;

static void add_value(values *v, const mpq_t *x)
{
    if (v->count == 0) v->low = v->high = x;
    if (v->count == 1 && f2l_block_compare(x, v->low) != 0) {
        if (f2l_block_compare(x, v->low) < 0)
            v->low = x;
        else
            v->high = x;
    } else if (v->count > 0) {
        if (f2l_block_compare(x, v->low) == 0 || f2l_block_compare(x, v->high) == 0) return;
    }
    v->count++;
}

/* Returns the values that the rows that differ between codes have. */
static values find_values(const f2l_block_source *p, size_t head)
{
    values v = {.one_hot = true};
    for (size_t r = 0; r < p->layer->head[head].n; r++) {
        if (!f2l_block_row_varies(p->layer, head, r)) continue;
        for (size_t c = 0; c < p->layer->codes; c++) {
            size_t used = 0;
            for (size_t j = 0; j < p->layer->head[head].d; j++) {
                const mpq_t *x = f2l_block_code_entry(p->layer, head, r, j, c);
                used += x && mpq_sgn(*x) != 0;
                add_value(&v, x);
            }
            v.one_hot = v.one_hot && used <= 1;
            v.none = v.none || used == 0;
        }
    }
    return v;
}

/* Makes the columns digits of the number of the column that is not zero. */
static f2l_status set_digit_columns(f2l_block_head *head, size_t d, const values *v, f2l_error *err)
{
    size_t digits = 0;
    while (d - 1 + v->none >= (size_t)1 << digits) digits++;
    uint32_t *of = f2l_calloc(d, sizeof *of);
    f2l_status status = of ? f2l_block_head_set_columns(head, digits, err) : f2l_fail_memory(err);
    for (size_t k = 0; status == F2L_OK && k < digits; k++) {
        size_t count = 0;
        for (size_t j = 0; j < d; j++)
            if ((j + v->none) >> k & 1) of[count++] = (uint32_t)j;
        status = f2l_block_column_set(&head->column[k], of, count, err);
        if (status == F2L_OK) mpq_inv(head->column[k].factor, *v->high);
    }
    f2l_free(of);
    return status;
}

/* Makes every column one of its own, whose two values become 0 and 1. */
static f2l_status set_plain_columns(f2l_block_head *head, size_t d, const values *v, f2l_error *err)
{
    f2l_status status = f2l_block_head_set_columns(head, d, err);
    for (size_t j = 0; status == F2L_OK && j < d; j++) {
        const uint32_t of = (uint32_t)j;
        f2l_block_column *column = &head->column[j];
        status = f2l_block_column_set(column, &of, 1, err);
        if (status != F2L_OK) break;
        if (v->high) mpq_set(column->factor, *v->high);
        if (!v->high) mpq_set_ui(column->factor, 0, 1);
        if (v->low) mpq_sub(column->factor, column->factor, *v->low);
        mpq_inv(column->factor, column->factor);
        if (v->low) mpq_mul(column->shift, column->factor, *v->low);
        mpq_neg(column->shift, column->shift);
    }
    return status;
}

/* Returns whether the column writes and begins with numbers of the format, which beside other
 * columns must not be negative: a factor has one sign for all. */
static bool column_fits(const f2l_block_source *p, size_t head, const f2l_block_column *column,
                        bool alone)
{
    const f2l_head *from = &p->layer->head[head];
    const int least = alone ? -1 : 0;
    bool fits = true;
    mpq_t x;
    mpq_init(x);
    for (size_t a = 0; a < p->made->acts; a++) {
        const f2l_transition *t = &from->letter[p->made->of_act[a]];
        for (size_t f = 0; fits && f < t->factors; f++) {
            f2l_block_written(x, column, &t->factor[f]);
            fits = mpq_sgn(x) >= least && f2l_block_quotient_fits(p->format, x, &t->factor[f].u);
        }
    }
    for (size_t r = 0; fits && r < from->n; r++) {
        f2l_block_number(x, column, &from->initial, from->d, r);
        fits = mpq_sgn(x) >= least && f2l_format_holds(p->format, x);
    }
    mpq_clear(x);
    return fits;
}

f2l_status f2l_block_family_choose(f2l_block_head *family, const f2l_block_source *p, size_t head,
                                   f2l_error *err)
{
    const size_t d = p->layer->head[head].d;
    const values v = find_values(p, head);
    f2l_status status = F2L_OK;
    family->from = head;
    if (v.count != 2) return F2L_OK;
    if (p->digits && d > 1 && v.one_hot &&
        (v.low ? mpq_sgn(*v.low) == 0 : v.high && mpq_sgn(*v.high) > 0))
        status = set_digit_columns(family, d, &v, err);
    else
        status = set_plain_columns(family, d, &v, err);
    bool fits = true;
    for (size_t j = 0; status == F2L_OK && fits && j < family->columns; j++)
        fits = column_fits(p, head, &family->column[j], family->columns == 1);
    if (!fits) f2l_block_head_clear(family);
    return status;
}
