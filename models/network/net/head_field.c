#include "models/network/net/head_field.h"
#include "numeric/base/mem.h"

f2l_status f2l_head_set_field(f2l_head *head, const f2l_field *field, f2l_error *err)
{
    f2l_field *copy = NULL;
    if (field && field->degree > 1) {
        copy = f2l_calloc(1, sizeof *copy);
        if (!copy) return f2l_fail_memory(err);
        f2l_field_init(copy);
        f2l_field_copy(copy, field);
    }
    if (head->field) f2l_field_clear(head->field);
    f2l_free(head->field);
    head->field = copy;
    return F2L_OK;
}

f2l_status f2l_head_set_form(f2l_head *head, const f2l_matrix *form, f2l_error *err)
{
    const size_t n = head->n;
    f2l_qvec made;
    f2l_status status = F2L_OK;
    if (form->rows != n || form->columns != n || n > F2L_MAX_FIELD_KEY)
        return f2l_fail(err, F2L_EDOMAIN, "a form of %zu x %zu numbers for a key dimension of %zu",
                        form->rows, form->columns, n);
    f2l_qvec_init(&made);
    for (size_t i = 0; !f2l_matrix_is_one(form) && i < n * n && status == F2L_OK; i++)
        status = f2l_push_number(&made, i, &form->entry[i], f2l_head_degree(head), err);
    f2l_qvec_clear(status == F2L_OK ? &head->form : &made);
    if (status == F2L_OK) head->form = made;
    return status;
}

f2l_status f2l_push_number(f2l_qvec *v, size_t index, const f2l_number *a, size_t degree,
                           f2l_error *err)
{
    f2l_status status = F2L_OK;
    if (index > UINT32_MAX / degree - 1) return f2l_fail(err, F2L_EDOMAIN, "a vector is too long");
    mpq_t value;
    mpq_init(value);
    for (size_t p = 0; (slong)p < a->length && status == F2L_OK; p++) {
        f2l_number_get(value, a, p);
        status = f2l_qvec_push(v, (uint32_t)(index * degree + p), value, err);
    }
    mpq_clear(value);
    return status;
}

/* Sets a number from its stored coefficients. Over the least common denominator the numerators have
 * no common factor with the denominator, which is fmpq_poly's canonical form. */
static void set_coefficients(f2l_number *a, const f2l_qvec *v, size_t from, size_t to, size_t first)
{
    const slong length = (slong)(v->index[to - 1] - first) + 1;
    fmpz_t t;
    fmpz_init(t);
    fmpq_poly_zero(a);
    fmpq_poly_fit_length(a, length);
    for (size_t i = from; i < to; i++) {
        fmpz_set_mpz(t, mpq_denref(v->value[i]));
        fmpz_lcm(a->den, a->den, t);
    }
    _fmpz_vec_zero(a->coeffs, length);
    for (size_t i = from; i < to; i++) {
        fmpz *to_coefficient = a->coeffs + (v->index[i] - first);
        fmpz_set_mpz(t, mpq_denref(v->value[i]));
        fmpz_divexact(t, a->den, t);
        fmpz_set_mpz(to_coefficient, mpq_numref(v->value[i]));
        fmpz_mul(to_coefficient, to_coefficient, t);
    }
    _fmpq_poly_set_length(a, length);
    fmpz_clear(t);
}

void f2l_take_number(f2l_number *a, size_t *index, size_t *at, const f2l_qvec *v, size_t degree)
{
    const size_t from = *at, entry = v->index[from] / degree;
    while (*at < v->count && v->index[*at] / degree == entry) ++*at;
    set_coefficients(a, v, from, *at, entry * degree);
    *index = entry;
}

void f2l_vector_numbers(f2l_number *out, size_t n, const f2l_qvec *v, size_t degree)
{
    f2l_number a;
    f2l_number_init(&a);
    for (size_t i = 0; i < n; i++) fmpq_poly_zero(&out[i]);
    for (size_t at = 0, i; at < v->count;) {
        f2l_take_number(&a, &i, &at, v, degree);
        fmpq_poly_swap(&out[i], &a);
    }
    f2l_number_clear(&a);
}

f2l_status f2l_head_form(f2l_matrix *out, const f2l_head *head, f2l_error *err)
{
    f2l_status status = f2l_matrix_init(out, head->n, head->n, err);
    if (status != F2L_OK) return status;
    if (head->form.count > 0)
        f2l_vector_numbers(out->entry, head->n * head->n, &head->form, f2l_head_degree(head));
    else
        f2l_matrix_one(out);
    return F2L_OK;
}
