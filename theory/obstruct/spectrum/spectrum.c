#include "theory/obstruct/spectrum/spectrum.h"
#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"
#include "theory/obstruct/spectrum/impl.h"
#include <stdlib.h>

void f2l_spectrum_init(f2l_spectrum *s)
{
    *s = (f2l_spectrum){0};
}

void f2l_spectrum_clear(f2l_spectrum *s)
{
    f2l_free(s->value);
    f2l_spectrum_init(s);
}

const char *f2l_spectrum_kind_name(f2l_spectrum_kind kind)
{
    switch (kind) {
    case F2L_SPECTRUM_NONNEGATIVE:
        return "non-negative";
    case F2L_SPECTRUM_REAL:
        return "real";
    case F2L_SPECTRUM_COMPLEX:
        break;
    }
    return "not real";
}

static int compare_eigenvalues(const void *a, const void *b)
{
    const f2l_eigenvalue *x = a, *y = b;
    if (x->re_high != y->re_high) return x->re_high > y->re_high ? -1 : 1;
    return (x->im_high < y->im_high) - (x->im_high > y->im_high);
}

/* The eigenvalue g `extra` times, 0, and the roots of p: its factors x - g and x are removed first,
 * so that these two are exact. */
typedef struct roots {
    size_t gates, zeros; /* multiplicities; 0: no such eigenvalue */
    mpq_t gate;
    f2l_kfactors others;
} roots;

static f2l_status find_eigenvalues(f2l_spectrum *out, const roots *r, const f2l_field *k,
                                   f2l_error *err)
{
    size_t at = 0;
    mpq_t zero;
    f2l_status status = F2L_OK;
    out->value = f2l_calloc(out->distinct, sizeof *out->value);
    if (!out->value) return f2l_fail_memory(err);
    mpq_init(zero);
    if (r->gates) f2l_eigenvalue_set_q(&out->value[at++], r->gate, r->gates);
    if (r->zeros) f2l_eigenvalue_set_q(&out->value[at++], zero, r->zeros);
    mpq_clear(zero);
    for (size_t i = 0; i < r->others.count && status == F2L_OK; i++) {
        const f2l_kfactor *f = &r->others.factor[i];
        status = f2l_kfactor_roots(&out->value[at], f, k, err);
        at += f->p.size - 1;
    }
    if (status == F2L_OK) qsort(out->value, out->distinct, sizeof *out->value, compare_eigenvalues);
    return status;
}

static f2l_status judge_polynomial(f2l_spectrum *out, f2l_kpoly *p, const mpq_t gate, size_t extra,
                                   const f2l_field *k, bool values, bool general, f2l_error *err)
{
    roots r = {.gates = extra};
    mpq_t zero;
    mpq_init(r.gate);
    mpq_init(zero);
    mpq_set(r.gate, gate);
    r.gates += f2l_kpoly_strip(p, gate, k);
    if (mpq_sgn(gate) != 0) r.zeros = f2l_kpoly_strip(p, zero, k);
    mpq_clear(zero);
    f2l_status status = f2l_kfactors_find(&r.others, p, k, general, err);
    out->distinct = out->real = (r.gates > 0) + (r.zeros > 0);
    out->negative = r.gates > 0 && mpq_sgn(gate) < 0;
    for (size_t i = 0; i < r.others.count; i++) {
        out->distinct += r.others.factor[i].p.size - 1;
        out->real += r.others.factor[i].real;
        out->negative += r.others.factor[i].negative;
    }
    out->kind = out->real < out->distinct ? F2L_SPECTRUM_COMPLEX
                : out->negative           ? F2L_SPECTRUM_REAL
                                          : F2L_SPECTRUM_NONNEGATIVE;
    if (status == F2L_OK && values) status = find_eigenvalues(out, &r, k, err);
    f2l_kfactors_clear(&r.others);
    mpq_clear(r.gate);
    if (status != F2L_OK) f2l_spectrum_clear(out);
    return status;
}

/* Finds the spectrum of a matrix of n rows from m, which has the same eigenvalues except for
 * `gate`, which the larger matrix has n - m->rows times more. */
static f2l_status find_matrix_spectrum(f2l_spectrum *out, const f2l_matrix *m, size_t n,
                                       const mpq_t gate, const f2l_field *k, bool values,
                                       bool general, f2l_error *err)
{
    const size_t most = k->degree == 1 ? F2L_SPECTRUM_MAX_ROWS : F2L_SPECTRUM_MAX_FIELD_ROWS;
    f2l_kpoly p = {0};
    f2l_spectrum_clear(out);
    if (m->rows > most)
        return f2l_fail(err, F2L_EDOMAIN, "a spectrum of %zu rows, at most %zu are done", m->rows,
                        most);
    out->n = n;
    f2l_status status = f2l_kpoly_characteristic(&p, m, k, general, err);
    if (status == F2L_OK)
        status = judge_polynomial(out, &p, gate, n - m->rows, k, values, general, err);
    f2l_kpoly_clear(&p);
    return status;
}

f2l_status f2l_spectrum_of_matrix(f2l_spectrum *out, const f2l_matrix *m, const f2l_field *k,
                                  bool values, bool general, f2l_error *err)
{
    mpq_t one;
    mpq_init(one);
    mpq_set_ui(one, 1, 1);
    f2l_status status = find_matrix_spectrum(out, m, m->rows, one, k, values, general, err);
    mpq_clear(one);
    return status;
}

/* A product of factors as a matrix: in the coordinates of the head, or in coordinates of the span
 * of the keys (OB.1). */
typedef struct product {
    const f2l_head *head;
    f2l_field rational;
    const f2l_field *field;
    size_t rows;
    bool spanned;
    size_t factors;
    const f2l_factor **factor; /* [factors] in the order in which they are applied */
    f2l_number *dual;          /* [factors][n] G u */
    f2l_matrix form, matrix;
    mpq_t gate;
} product;

static void product_clear(product *p)
{
    f2l_matrix_clear(&p->form);
    f2l_matrix_clear(&p->matrix);
    if (p->dual) f2l_numbers_free(p->dual, p->factors * p->head->n);
    f2l_free(p->factor);
    f2l_field_clear(&p->rational);
    mpq_clear(p->gate);
}

/* Sets out to x^T y, x stored as in the head, y dense. */
static void dot_with_dense(f2l_number *out, const f2l_qvec *x, const f2l_number *y,
                           const product *p)
{
    const size_t degree = f2l_head_degree(p->head);
    f2l_number a;
    f2l_number_init(&a);
    fmpq_poly_zero(out);
    for (size_t at = 0, i; at < x->count;) {
        f2l_take_number(&a, &i, &at, x, degree);
        fmpq_poly_neg(&a, &a);
        f2l_field_submul(out, &a, &y[i], p->field);
    }
    f2l_number_clear(&a);
}

static f2l_status make_duals(product *p, f2l_error *err)
{
    const size_t n = p->head->n, degree = f2l_head_degree(p->head);
    size_t count;
    f2l_status status = F2L_OK;
    if (p->factors == 0) return F2L_OK;
    if (!f2l_mul_size(&count, p->factors, n) || !(p->dual = f2l_numbers_new(count)))
        return f2l_fail_memory(err);
    f2l_number *key = p->head->form.count > 0 ? f2l_numbers_new(n) : NULL;
    if (p->head->form.count > 0)
        status = key ? f2l_head_form(&p->form, p->head, err) : f2l_fail_memory(err);
    for (size_t f = 0; f < p->factors && status == F2L_OK; f++) {
        f2l_vector_numbers(key ? key : &p->dual[f * n], n, &p->factor[f]->u, degree);
        if (key) f2l_matrix_apply(&p->dual[f * n], &p->form, key, p->field);
    }
    f2l_numbers_free(key, n);
    return status;
}

/* Sets out to s in S <- S - s u u^T G S. */
static void factor_scale(f2l_number *out, const product *p, size_t f)
{
    f2l_number norm, beta;
    f2l_number_init(&norm);
    f2l_number_init(&beta);
    f2l_number_put(&beta, 0, p->factor[f]->beta);
    if (p->head->raw) {
        fmpq_poly_set(out, &beta);
    } else {
        dot_with_dense(&norm, &p->factor[f]->u, &p->dual[f * p->head->n], p);
        f2l_field_invert(&norm, &norm, p->field);
        f2l_field_multiply(out, &beta, &norm, p->field);
    }
    f2l_number_clear(&norm);
    f2l_number_clear(&beta);
}

/* Applies a factor in the span: row f of C loses s (u_f^T G U) C. */
static void push_spanned(product *p, size_t f, f2l_number *row, const f2l_number *s)
{
    f2l_number inner;
    f2l_number_init(&inner);
    for (size_t j = 0; j < p->rows; j++) fmpq_poly_zero(&row[j]);
    for (size_t i = 0; i < p->rows; i++) {
        dot_with_dense(&inner, &p->factor[i]->u, &p->dual[f * p->head->n], p);
        fmpq_poly_neg(&inner, &inner);
        for (size_t j = 0; j < p->rows; j++)
            f2l_field_submul(&row[j], &inner, f2l_matrix_at(&p->matrix, i, j), p->field);
    }
    for (size_t j = 0; j < p->rows; j++)
        f2l_field_submul(f2l_matrix_at(&p->matrix, f, j), s, &row[j], p->field);
    f2l_number_clear(&inner);
}

/* Applies a factor in the head's coordinates: A loses s u (u^T G A). */
static void push_plain(product *p, size_t f, f2l_number *row, const f2l_number *s)
{
    const size_t degree = f2l_head_degree(p->head);
    const f2l_qvec *u = &p->factor[f]->u;
    f2l_number a;
    f2l_number_init(&a);
    for (size_t j = 0; j < p->rows; j++) {
        fmpq_poly_zero(&row[j]);
        for (size_t i = 0; i < p->rows; i++) {
            fmpq_poly_neg(&a, &p->dual[f * p->rows + i]);
            f2l_field_submul(&row[j], &a, f2l_matrix_at(&p->matrix, i, j), p->field);
        }
    }
    for (size_t at = 0, i; at < u->count;) {
        f2l_take_number(&a, &i, &at, u, degree);
        f2l_field_multiply(&a, &a, s, p->field);
        for (size_t j = 0; j < p->rows; j++)
            f2l_field_submul(f2l_matrix_at(&p->matrix, i, j), &a, &row[j], p->field);
    }
    f2l_number_clear(&a);
}

static f2l_status make_matrix(product *p, f2l_error *err)
{
    f2l_number s, *row = f2l_numbers_new(p->rows + 1);
    if (!row) return f2l_fail_memory(err);
    f2l_number_init(&s);
    f2l_matrix_one(&p->matrix);
    for (size_t f = 0; f < p->factors; f++) {
        factor_scale(&s, p, f);
        (p->spanned ? push_spanned : push_plain)(p, f, row, &s);
    }
    fmpq_poly_zero(&s);
    f2l_number_put(&s, 0, p->gate);
    for (size_t i = 0; i < p->rows * p->rows; i++)
        f2l_field_multiply(&p->matrix.entry[i], &p->matrix.entry[i], &s, p->field);
    f2l_number_clear(&s);
    f2l_numbers_free(row, p->rows + 1);
    return F2L_OK;
}

/* Lists the factors. Gates commute with everything; if one gate is 0 the product is 0, and factors
 * do not matter. */
static f2l_status list_factors(product *p, const f2l_transition *const *step, size_t steps,
                               f2l_error *err)
{
    size_t count = 0, at = 0;
    mpq_set_ui(p->gate, 1, 1);
    for (size_t i = 0; i < steps; i++) mpq_mul(p->gate, p->gate, step[i]->gate);
    for (size_t i = 0; mpq_sgn(p->gate) != 0 && i < steps; i++) count += step[i]->factors;
    p->factor = f2l_calloc(count + 1, sizeof(void *));
    if (!p->factor) return f2l_fail_memory(err);
    for (size_t i = 0; count > 0 && i < steps; i++)
        for (size_t f = 0; f < step[i]->factors; f++)
            if (mpq_sgn(step[i]->factor[f].beta) != 0 && step[i]->factor[f].u.count > 0)
                p->factor[at++] = &step[i]->factor[f];
    p->factors = at;
    return F2L_OK;
}

f2l_status f2l_spectrum_of_product(f2l_spectrum *out, const f2l_head *head,
                                   const f2l_transition *const *step, size_t steps, bool values,
                                   f2l_error *err)
{
    product p = {.head = head};
    f2l_field_init(&p.rational);
    mpq_init(p.gate);
    p.field = f2l_head_over(head, &p.rational);
    f2l_status status = list_factors(&p, step, steps, err);
    p.spanned = p.factors <= head->n;
    p.rows = p.spanned ? p.factors : head->n;
    if (status == F2L_OK && p.rows > F2L_SPECTRUM_MAX_ROWS)
        status = f2l_fail(err, F2L_EDOMAIN, "a spectrum of %zu rows, at most %zu are done", p.rows,
                          F2L_SPECTRUM_MAX_ROWS);
    if (status == F2L_OK) status = make_duals(&p, err);
    if (status == F2L_OK) status = f2l_matrix_init(&p.matrix, p.rows, p.rows, err);
    if (status == F2L_OK) status = make_matrix(&p, err);
    if (status == F2L_OK)
        status = find_matrix_spectrum(out, &p.matrix, head->n, p.gate, p.field, values, false, err);
    product_clear(&p);
    return status;
}
