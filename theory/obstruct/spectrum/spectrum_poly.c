#include "numeric/base/mem.h"
#include "theory/obstruct/spectrum/impl.h"
#include <flint/fmpq_mat.h>
#include <string.h>

f2l_status f2l_kpoly_init(f2l_kpoly *p, size_t room, f2l_error *err)
{
    *p = (f2l_kpoly){.room = room + 1};
    p->c = f2l_numbers_new(p->room);
    if (p->c) return F2L_OK;
    *p = (f2l_kpoly){0};
    return f2l_fail_memory(err);
}

void f2l_kpoly_clear(f2l_kpoly *p)
{
    f2l_numbers_free(p->c, p->room);
    *p = (f2l_kpoly){0};
}

static void trim_polynomial(f2l_kpoly *p)
{
    while (p->size > 0 && fmpq_poly_is_zero(&p->c[p->size - 1])) p->size--;
}

static f2l_status copy_polynomial(f2l_kpoly *out, const f2l_kpoly *p, f2l_error *err)
{
    f2l_status status = f2l_kpoly_init(out, p->size, err);
    for (size_t i = 0; status == F2L_OK && i < p->size; i++) fmpq_poly_set(&out->c[i], &p->c[i]);
    out->size = status == F2L_OK ? p->size : 0;
    return status;
}

static f2l_status derive_polynomial(f2l_kpoly *out, const f2l_kpoly *p, f2l_error *err)
{
    f2l_status status = f2l_kpoly_init(out, p->size, err);
    if (status != F2L_OK) return status;
    for (size_t i = 1; i < p->size; i++) fmpq_poly_scalar_mul_ui(&out->c[i - 1], &p->c[i], i);
    out->size = p->size > 0 ? p->size - 1 : 0;
    return F2L_OK;
}

/* Divides p by |leading coefficient|, or by its leading coefficient. */
static void scale_polynomial(f2l_kpoly *p, bool keep_sign, const f2l_field *k)
{
    if (p->size == 0) return;
    f2l_number inverse;
    f2l_number_init(&inverse);
    f2l_field_invert(&inverse, &p->c[p->size - 1], k);
    if (keep_sign && f2l_field_sign(&inverse, k) < 0) fmpq_poly_neg(&inverse, &inverse);
    for (size_t i = 0; i < p->size; i++) f2l_field_multiply(&p->c[i], &p->c[i], &inverse, k);
    f2l_number_clear(&inverse);
}

/* Replaces a by a mod b, b != 0; quotient (NULL: not wanted) has room for it and is zero before. */
static void divide_polynomial(f2l_kpoly *a, const f2l_kpoly *b, f2l_kpoly *quotient,
                              const f2l_field *k)
{
    f2l_number inverse, q;
    f2l_number_init(&inverse);
    f2l_number_init(&q);
    f2l_field_invert(&inverse, &b->c[b->size - 1], k);
    while (a->size >= b->size) {
        const size_t shift = a->size - b->size;
        f2l_field_multiply(&q, &a->c[a->size - 1], &inverse, k);
        for (size_t i = 0; i < b->size; i++) f2l_field_submul(&a->c[shift + i], &q, &b->c[i], k);
        if (quotient) fmpq_poly_set(&quotient->c[shift], &q);
        if (quotient && quotient->size <= shift) quotient->size = shift + 1;
        trim_polynomial(a);
    }
    f2l_number_clear(&inverse);
    f2l_number_clear(&q);
}

/* Sets out to the monic greatest common divisor; a != 0. */
static f2l_status divisor(f2l_kpoly *out, const f2l_kpoly *a, const f2l_kpoly *b,
                          const f2l_field *k, f2l_error *err)
{
    f2l_kpoly rest = {0};
    f2l_status status = copy_polynomial(out, a, err);
    if (status == F2L_OK) status = copy_polynomial(&rest, b, err);
    while (status == F2L_OK && rest.size > 0) {
        divide_polynomial(out, &rest, NULL, k);
        scale_polynomial(out, false, k);
        const f2l_kpoly swap = *out;
        *out = rest;
        rest = swap;
    }
    if (status == F2L_OK) scale_polynomial(out, false, k);
    f2l_kpoly_clear(&rest);
    return status;
}

/* Sets out to a / b, which has no remainder; out is not a. */
static f2l_status quotient_of(f2l_kpoly *out, const f2l_kpoly *a, const f2l_kpoly *b,
                              const f2l_field *k, f2l_error *err)
{
    f2l_kpoly rest = {0};
    f2l_status status = copy_polynomial(&rest, a, err);
    if (status == F2L_OK) status = f2l_kpoly_init(out, a->size, err);
    if (status == F2L_OK) divide_polynomial(&rest, b, out, k);
    f2l_kpoly_clear(&rest);
    return status;
}

size_t f2l_kpoly_strip(f2l_kpoly *p, const mpq_t g, const f2l_field *k)
{
    size_t times = 0;
    f2l_number root, carry;
    f2l_number_init(&root);
    f2l_number_init(&carry);
    f2l_number_put(&root, 0, g);
    for (;; times++) {
        fmpq_poly_zero(&carry);
        for (size_t i = p->size; i-- > 0;) { /* Horner */
            f2l_field_multiply(&carry, &carry, &root, k);
            fmpq_poly_add(&carry, &carry, &p->c[i]);
        }
        if (p->size < 2 || !fmpq_poly_is_zero(&carry)) break;
        for (size_t i = p->size; i-- > 0;) { /* again, keeping the quotient, from the top */
            f2l_field_multiply(&carry, &carry, &root, k);
            fmpq_poly_add(&carry, &carry, &p->c[i]);
            fmpq_poly_set(&p->c[i], &carry);
        }
        for (size_t i = 1; i < p->size; i++) fmpq_poly_swap(&p->c[i - 1], &p->c[i]);
        p->size--;
    }
    f2l_number_clear(&root);
    f2l_number_clear(&carry);
    return times;
}

static f2l_status characteristic_q(f2l_kpoly *out, const f2l_matrix *m)
{
    const size_t n = m->rows;
    fmpq_mat_t a;
    fmpq_poly_t p;
    fmpq_t value;
    fmpq_mat_init(a, (slong)n, (slong)n);
    fmpq_poly_init(p);
    fmpq_init(value);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            fmpq_poly_get_coeff_fmpq(fmpq_mat_entry(a, (slong)i, (slong)j), f2l_matrix_at(m, i, j),
                                     0);
    fmpq_mat_charpoly(p, a);
    for (size_t i = 0; i <= n; i++) {
        fmpq_poly_get_coeff_fmpq(value, p, (slong)i);
        fmpq_poly_set_fmpq(&out->c[i], value);
    }
    fmpq_clear(value);
    fmpq_poly_clear(p);
    fmpq_mat_clear(a);
    return F2L_OK;
}

/* Uses Faddeev and Le Verrier: M_1 = I, c_{n-i} = -tr(m M_i) / i, M_{i+1} = m M_i + c_{n-i} I. */
static f2l_status characteristic_k(f2l_kpoly *out, const f2l_matrix *m, const f2l_field *k,
                                   f2l_error *err)
{
    const size_t n = m->rows;
    f2l_matrix power, next = {0};
    f2l_status status = f2l_matrix_init(&power, n, n, err);
    if (status == F2L_OK) status = f2l_matrix_init(&next, n, n, err);
    if (status == F2L_OK) f2l_matrix_one(&power);
    if (status == F2L_OK) fmpq_poly_set_si(&out->c[n], 1);
    for (size_t i = 1; status == F2L_OK && i <= n; i++) {
        f2l_number *c = &out->c[n - i];
        f2l_matrix_multiply(&next, m, &power, k);
        fmpq_poly_zero(c);
        for (size_t j = 0; j < n; j++) fmpq_poly_sub(c, c, f2l_matrix_at(&next, j, j));
        fmpq_poly_scalar_div_ui(c, c, i);
        for (size_t j = 0; j < n; j++) {
            f2l_number *at = f2l_matrix_at(&next, j, j);
            fmpq_poly_add(at, at, c);
        }
        const f2l_matrix swap = power;
        power = next;
        next = swap;
    }
    f2l_matrix_clear(&power);
    f2l_matrix_clear(&next);
    return status;
}

f2l_status f2l_kpoly_characteristic(f2l_kpoly *out, const f2l_matrix *m, const f2l_field *k,
                                    bool general, f2l_error *err)
{
    f2l_status status = f2l_kpoly_init(out, m->rows, err);
    if (status != F2L_OK) return status;
    status =
        k->degree == 1 && !general ? characteristic_q(out, m) : characteristic_k(out, m, k, err);
    out->size = m->rows + 1;
    if (status != F2L_OK) f2l_kpoly_clear(out);
    return status;
}

void f2l_kfactors_clear(f2l_kfactors *f)
{
    for (size_t i = 0; i < f->count; i++) f2l_kpoly_clear(&f->factor[i].p);
    f2l_free(f->factor);
    *f = (f2l_kfactors){0};
}

f2l_status f2l_kfactors_add(f2l_kfactors *f, size_t room, size_t multiplicity, f2l_error *err)
{
    if (!f2l_grow((void **)&f->factor, &f->room, f->count, sizeof *f->factor))
        return f2l_fail_memory(err);
    f->factor[f->count] = (f2l_kfactor){.multiplicity = multiplicity};
    f2l_status status = f2l_kpoly_init(&f->factor[f->count].p, room, err);
    if (status == F2L_OK) f->count++;
    return status;
}

/* Signs of the chain at -infinity, at 0, at +infinity. */
typedef struct changes {
    int last[3];
    size_t count[3];
} changes;

static void note_signs(changes *c, const f2l_kpoly *p, const f2l_field *k)
{
    const int top = f2l_field_sign(&p->c[p->size - 1], k);
    const int sign[3] = {p->size % 2 ? top : -top, f2l_field_sign(&p->c[0], k), top};
    for (size_t i = 0; i < 3; i++) {
        if (sign[i] == 0) continue;
        c->count[i] += c->last[i] != 0 && c->last[i] != sign[i];
        c->last[i] = sign[i];
    }
}

/* Counts roots by Sturm's theorem; p is squarefree and p(0) != 0, so (-infinity, 0] has no root at
 * its end. */
static f2l_status count_roots(f2l_kfactor *f, const f2l_field *k, f2l_error *err)
{
    f2l_kpoly a = {0}, b = {0};
    changes c = {.last = {0}};
    f2l_status status = copy_polynomial(&a, &f->p, err);
    if (status == F2L_OK) status = derive_polynomial(&b, &f->p, err);
    if (status == F2L_OK) note_signs(&c, &a, k);
    while (status == F2L_OK && b.size > 0) {
        note_signs(&c, &b, k);
        divide_polynomial(&a, &b, NULL, k);
        for (size_t i = 0; i < a.size; i++) fmpq_poly_neg(&a.c[i], &a.c[i]);
        scale_polynomial(&a, true, k);
        const f2l_kpoly swap = a;
        a = b;
        b = swap;
    }
    f->real = c.count[0] - c.count[2];
    f->negative = c.count[0] - c.count[1];
    f2l_kpoly_clear(&a);
    f2l_kpoly_clear(&b);
    return status;
}

static f2l_status add_polynomial_factor(f2l_kfactors *out, const f2l_kpoly *p, size_t multiplicity,
                                        const f2l_field *k, f2l_error *err)
{
    if (p->size < 2) return F2L_OK;
    f2l_status status = f2l_kfactors_add(out, p->size, multiplicity, err);
    if (status != F2L_OK) return status;
    f2l_kfactor *f = &out->factor[out->count - 1];
    for (size_t i = 0; i < p->size; i++) fmpq_poly_set(&f->p.c[i], &p->c[i]);
    f->p.size = p->size;
    scale_polynomial(&f->p, false, k);
    return count_roots(f, k, err);
}

/* Does one turn of Yun's loop: w and g are p's part of multiplicity >= i without repetition, and
 * the remaining part. */
static f2l_status peel(f2l_kfactors *out, f2l_kpoly *w, f2l_kpoly *g, size_t i, const f2l_field *k,
                       f2l_error *err)
{
    f2l_kpoly y = {0}, z = {0}, rest = {0};
    f2l_status status = divisor(&y, w, g, k, err);
    if (status == F2L_OK) status = quotient_of(&z, w, &y, k, err);
    if (status == F2L_OK) status = add_polynomial_factor(out, &z, i, k, err);
    if (status == F2L_OK) status = quotient_of(&rest, g, &y, k, err);
    if (status == F2L_OK) {
        f2l_kpoly_clear(w);
        f2l_kpoly_clear(g);
        *w = y;
        *g = rest;
        y = rest = (f2l_kpoly){0};
    }
    f2l_kpoly_clear(&y);
    f2l_kpoly_clear(&z);
    f2l_kpoly_clear(&rest);
    return status;
}

static f2l_status find_general(f2l_kfactors *out, const f2l_kpoly *p, const f2l_field *k,
                               f2l_error *err)
{
    f2l_kpoly d = {0}, g = {0}, w = {0};
    f2l_status status = derive_polynomial(&d, p, err);
    if (status == F2L_OK) status = divisor(&g, p, &d, k, err);
    if (status == F2L_OK) status = quotient_of(&w, p, &g, k, err);
    for (size_t i = 1; status == F2L_OK && w.size > 1; i++) status = peel(out, &w, &g, i, k, err);
    f2l_kpoly_clear(&d);
    f2l_kpoly_clear(&g);
    f2l_kpoly_clear(&w);
    return status;
}

/* Adds a factor with integer coefficients, counted by FLINT. */
static f2l_status add_integral(f2l_kfactors *out, const fmpz_poly_struct *p, size_t multiplicity,
                               f2l_error *err)
{
    const slong size = fmpz_poly_length(p);
    slong negative = 0, positive = 0;
    if (size < 2) return F2L_OK;
    f2l_status status = f2l_kfactors_add(out, (size_t)size, multiplicity, err);
    if (status != F2L_OK) return status;
    f2l_kfactor *f = &out->factor[out->count - 1];
    for (slong i = 0; i < size; i++) {
        fmpq_poly_set_fmpz(&f->p.c[i], p->coeffs + i);
        fmpq_poly_scalar_div_fmpz(&f->p.c[i], &f->p.c[i], p->coeffs + size - 1);
    }
    f->p.size = (size_t)size;
    _fmpz_poly_num_real_roots_sturm(&negative, &positive, p->coeffs, size);
    f->real = (size_t)(negative + positive);
    f->negative = (size_t)negative;
    return F2L_OK;
}

void f2l_kpoly_integral(fmpz_poly_t out, const f2l_kpoly *p)
{
    fmpq_poly_t rational;
    fmpq_t value;
    fmpq_poly_init(rational);
    fmpq_init(value);
    for (size_t i = 0; i < p->size; i++) {
        fmpq_poly_get_coeff_fmpq(value, &p->c[i], 0);
        fmpq_poly_set_coeff_fmpq(rational, (slong)i, value);
    }
    fmpq_poly_get_numerator(out, rational);
    fmpq_clear(value);
    fmpq_poly_clear(rational);
}

static f2l_status find_integral(f2l_kfactors *out, const f2l_kpoly *p, f2l_error *err)
{
    fmpz_poly_t integral;
    fmpz_poly_factor_t factors;
    f2l_status status = F2L_OK;
    fmpz_poly_init(integral);
    fmpz_poly_factor_init(factors);
    f2l_kpoly_integral(integral, p);
    if (p->size > 1) fmpz_poly_factor_squarefree(factors, integral);
    for (slong i = 0; i < factors->num && status == F2L_OK; i++)
        status = add_integral(out, factors->p + i, (size_t)factors->exp[i], err);
    fmpz_poly_factor_clear(factors);
    fmpz_poly_clear(integral);
    return status;
}

f2l_status f2l_kfactors_find(f2l_kfactors *out, const f2l_kpoly *p, const f2l_field *k,
                             bool general, f2l_error *err)
{
    if (p->size < 2) return F2L_OK;
    return k->degree == 1 && !general ? find_integral(out, p, err) : find_general(out, p, k, err);
}
