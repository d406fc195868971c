#include "numeric/exact/matrix.h"
#include "numeric/base/mem.h"
#include <assert.h>

f2l_status f2l_matrix_init(f2l_matrix *m, size_t rows, size_t columns, f2l_error *err)
{
    size_t count;
    *m = (f2l_matrix){.rows = rows, .columns = columns};
    if (f2l_mul_size(&count, rows, columns)) m->entry = f2l_numbers_new(count);
    if (m->entry) return F2L_OK;
    *m = (f2l_matrix){0};
    return f2l_fail_memory(err);
}

void f2l_matrix_clear(f2l_matrix *m)
{
    f2l_numbers_free(m->entry, m->rows * m->columns);
    *m = (f2l_matrix){0};
}

f2l_number *f2l_matrix_at(const f2l_matrix *m, size_t row, size_t column)
{
    assert(row < m->rows && column < m->columns);
    return &m->entry[row * m->columns + column];
}

void f2l_matrix_one(f2l_matrix *m)
{
    assert(m->rows == m->columns);
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->columns; j++) fmpq_poly_set_si(f2l_matrix_at(m, i, j), i == j);
}

bool f2l_matrix_is_one(const f2l_matrix *m)
{
    if (m->rows != m->columns) return false;
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->columns; j++) {
            const f2l_number *entry = f2l_matrix_at(m, i, j);
            if (!(i == j ? fmpq_poly_is_one(entry) : fmpq_poly_is_zero(entry))) return false;
        }
    return true;
}

bool f2l_matrix_equal(const f2l_matrix *a, const f2l_matrix *b)
{
    if (a->rows != b->rows || a->columns != b->columns) return false;
    for (size_t i = 0; i < a->rows * a->columns; i++)
        if (!fmpq_poly_equal(&a->entry[i], &b->entry[i])) return false;
    return true;
}

/* Adds a b to out. */
static void add_number_product(f2l_number *out, const f2l_number *a, const f2l_number *b,
                               f2l_number *scratch, const f2l_field *k)
{
    if (fmpq_poly_is_zero(a) || fmpq_poly_is_zero(b)) return;
    f2l_field_multiply(scratch, a, b, k);
    fmpq_poly_add(out, out, scratch);
}

/* Sets out to a b, or to the transpose of a times b. */
static void multiply_matrices(f2l_matrix *out, const f2l_matrix *a, bool transposed,
                              const f2l_matrix *b, const f2l_field *k)
{
    f2l_number product;
    fmpq_poly_init(&product);
    for (size_t i = 0; i < out->rows; i++)
        for (size_t j = 0; j < out->columns; j++) {
            f2l_number *to = f2l_matrix_at(out, i, j);
            fmpq_poly_zero(to);
            for (size_t l = 0; l < b->rows; l++)
                add_number_product(to, f2l_matrix_at(a, transposed ? l : i, transposed ? i : l),
                                   f2l_matrix_at(b, l, j), &product, k);
        }
    fmpq_poly_clear(&product);
}

void f2l_matrix_multiply(f2l_matrix *out, const f2l_matrix *a, const f2l_matrix *b,
                         const f2l_field *k)
{
    assert(a->columns == b->rows && out->rows == a->rows && out->columns == b->columns);
    multiply_matrices(out, a, false, b, k);
}

void f2l_matrix_transposed_multiply(f2l_matrix *out, const f2l_matrix *a, const f2l_matrix *b,
                                    const f2l_field *k)
{
    assert(a->rows == b->rows && out->rows == a->columns && out->columns == b->columns);
    multiply_matrices(out, a, true, b, k);
}

void f2l_matrix_apply(f2l_number *out, const f2l_matrix *m, const f2l_number *x, const f2l_field *k)
{
    for (size_t i = 0; i < m->rows; i++)
        f2l_dot(&out[i], &m->entry[i * m->columns], x, m->columns, k);
}

void f2l_dot(f2l_number *out, const f2l_number *x, const f2l_number *y, size_t n,
             const f2l_field *k)
{
    f2l_number product, sum;
    fmpq_poly_init(&product), fmpq_poly_init(&sum);
    for (size_t i = 0; i < n; i++) add_number_product(&sum, &x[i], &y[i], &product, k);
    fmpq_poly_swap(out, &sum);
    fmpq_poly_clear(&product), fmpq_poly_clear(&sum);
}

f2l_status f2l_matrix_preserves(bool *yes, const f2l_matrix *m, const f2l_matrix *g,
                                const f2l_field *k, f2l_error *err)
{
    f2l_matrix half, all = {0};
    f2l_status status = f2l_matrix_init(&half, g->rows, m->columns, err);
    if (status == F2L_OK) status = f2l_matrix_init(&all, m->columns, m->columns, err);
    if (status == F2L_OK) {
        f2l_matrix_multiply(&half, g, m, k);
        f2l_matrix_transposed_multiply(&all, m, &half, k);
        *yes = f2l_matrix_equal(&all, g);
    }
    f2l_matrix_clear(&half);
    f2l_matrix_clear(&all);
    return status;
}

void f2l_ldl_clear(f2l_ldl *l)
{
    f2l_numbers_free(l->pivot, l->lower.rows);
    f2l_numbers_free(l->inverse, l->lower.rows);
    f2l_matrix_clear(&l->lower);
    *l = (f2l_ldl){0};
}

static bool is_symmetric(const f2l_matrix *g)
{
    if (g->rows != g->columns) return false;
    for (size_t i = 0; i < g->rows; i++)
        for (size_t j = 0; j < i; j++)
            if (!fmpq_poly_equal(f2l_matrix_at(g, i, j), f2l_matrix_at(g, j, i))) return false;
    return true;
}

/* Computes row i: with y_j = g_ij - sum over l < j of L_jl y_l, L_ij = y_j / D_j and D_i = g_ii -
 * sum of L_ij y_j. g is positive definite iff every D_i is positive (Sylvester: their products are
 * the leading minors). */
static bool factor_ldl_row(f2l_ldl *out, size_t i, f2l_number *y, const f2l_matrix *g,
                           const f2l_field *k)
{
    f2l_number *pivot = &out->pivot[i];
    fmpq_poly_set(pivot, f2l_matrix_at(g, i, i));
    for (size_t j = 0; j < i; j++) {
        f2l_number *lower = f2l_matrix_at(&out->lower, i, j);
        fmpq_poly_set(&y[j], f2l_matrix_at(g, i, j));
        for (size_t l = 0; l < j; l++)
            f2l_field_submul(&y[j], f2l_matrix_at(&out->lower, j, l), &y[l], k);
        f2l_field_multiply(lower, &y[j], &out->inverse[j], k);
        f2l_field_submul(pivot, lower, &y[j], k);
    }
    if (f2l_field_sign(pivot, k) <= 0) return false;
    f2l_field_invert(&out->inverse[i], pivot, k);
    fmpq_poly_one(f2l_matrix_at(&out->lower, i, i));
    return true;
}

f2l_status f2l_ldl_build(f2l_ldl *out, const f2l_matrix *g, const f2l_field *k, f2l_error *err)
{
    const size_t n = g->rows;
    *out = (f2l_ldl){0};
    if (!is_symmetric(g)) return f2l_fail(err, F2L_EDOMAIN, "the form is not symmetric");
    f2l_status status = f2l_matrix_init(&out->lower, n, n, err);
    if (status != F2L_OK) return status;
    f2l_number *y = f2l_numbers_new(n);
    out->pivot = f2l_numbers_new(n);
    out->inverse = f2l_numbers_new(n);
    if (!y || !out->pivot || !out->inverse) status = f2l_fail_memory(err);
    for (size_t i = 0; i < n && status == F2L_OK; i++)
        if (!factor_ldl_row(out, i, y, g, k))
            status = f2l_fail(err, F2L_EDOMAIN,
                              "the form is not positive definite (leading minor %zu)", i + 1);
    f2l_numbers_free(y, n);
    if (status != F2L_OK) f2l_ldl_clear(out);
    return status;
}

void f2l_ldl_solve(f2l_number *x, const f2l_ldl *l, const f2l_field *k)
{
    const size_t n = l->lower.rows;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            f2l_field_submul(&x[i], f2l_matrix_at(&l->lower, i, j), &x[j], k);
    for (size_t i = 0; i < n; i++) f2l_field_multiply(&x[i], &x[i], &l->inverse[i], k);
    for (size_t i = n; i-- > 0;)
        for (size_t j = i + 1; j < n; j++)
            f2l_field_submul(&x[i], f2l_matrix_at(&l->lower, j, i), &x[j], k);
}
