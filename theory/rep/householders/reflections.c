#include "theory/rep/householders/reflections.h"
#include "numeric/base/mem.h"

void f2l_reflections_init(f2l_reflections *r)
{
    *r = (f2l_reflections){0};
}

void f2l_reflections_clear(f2l_reflections *r)
{
    f2l_numbers_free(r->vector, r->count * r->dimension);
    f2l_reflections_init(r);
}

/* Scales u so that its coefficients become integers without a common factor. */
static void clear_denominators(f2l_number *u, size_t n)
{
    fmpq_t content, factor;
    fmpq_init(content), fmpq_init(factor);
    for (size_t i = 0; i < n; i++) {
        if (fmpq_poly_is_zero(&u[i])) continue;
        fmpq_poly_content(content, &u[i]);
        fmpq_gcd(factor, factor, content);
    }
    for (size_t i = 0; i < n; i++) fmpq_poly_scalar_div_fmpq(&u[i], &u[i], factor);
    fmpq_clear(content), fmpq_clear(factor);
}

/* Returns the bits of all coefficients, one more for each that is not 0. */
static size_t length_of(const f2l_number *u, size_t n)
{
    size_t bits = 0;
    for (size_t i = 0; i < n; i++)
        for (slong j = 0; j < u[i].length; j++)
            if (!fmpz_is_zero(u[i].coeffs + j)) bits += 1 + fmpz_bits(u[i].coeffs + j);
    return bits;
}

static size_t first_entry(const f2l_number *u, size_t n)
{
    size_t i = 0;
    while (i < n && fmpq_poly_is_zero(&u[i])) i++;
    return i;
}

/* Sets v to u over its entry number i, cleared of denominators. */
static void divide_by_entry(f2l_number *v, const f2l_number *u, size_t n, size_t i,
                            const f2l_field *k)
{
    f2l_number inverse;
    fmpq_poly_init(&inverse);
    f2l_field_invert(&inverse, &u[i], k);
    for (size_t j = 0; j < n; j++) f2l_field_multiply(&v[j], &u[j], &inverse, k);
    clear_denominators(v, n);
    fmpq_poly_clear(&inverse);
}

f2l_status f2l_simplify_vector(f2l_number *u, size_t n, const f2l_field *k, f2l_error *err)
{
    clear_denominators(u, n);
    f2l_number *v = f2l_numbers_new(n);
    if (!v) return f2l_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        if (u[i].length <= 1) continue; /* 0, or rational: the multiple is u */
        divide_by_entry(v, u, n, i, k);
        if (length_of(v, n) < length_of(u, n))
            for (size_t j = 0; j < n; j++) fmpq_poly_swap(&u[j], &v[j]);
    }
    f2l_numbers_free(v, n);
    if (f2l_field_sign(&u[first_entry(u, n)], k) < 0)
        for (size_t i = 0; i < n; i++) fmpq_poly_neg(&u[i], &u[i]);
    return F2L_OK;
}

/* Subtracts (2 / u^T G u) u (u^T G m) from m, with scratch g[n] for G u. */
static bool reflect_matrix(f2l_matrix *m, const f2l_number *u, f2l_number *g,
                           const f2l_matrix *form, const f2l_field *k)
{
    const size_t n = m->rows;
    f2l_number scale, entry;
    fmpq_poly_init(&scale), fmpq_poly_init(&entry);
    f2l_matrix_apply(g, form, u, k);
    f2l_dot(&scale, u, g, n, k);
    bool regular = !fmpq_poly_is_zero(&scale);
    if (regular) {
        f2l_field_invert(&scale, &scale, k);
        fmpq_poly_scalar_mul_si(&scale, &scale, 2);
    }
    for (size_t j = 0; regular && j < m->columns; j++) {
        fmpq_poly_zero(&entry);
        for (size_t i = 0; i < n; i++) f2l_field_submul(&entry, &g[i], f2l_matrix_at(m, i, j), k);
        if (fmpq_poly_is_zero(&entry)) continue;
        f2l_field_multiply(&entry, &entry, &scale, k);
        fmpq_poly_neg(&entry, &entry);
        for (size_t i = 0; i < n; i++) f2l_field_submul(f2l_matrix_at(m, i, j), &entry, &u[i], k);
    }
    fmpq_poly_clear(&scale), fmpq_poly_clear(&entry);
    return regular;
}

f2l_status f2l_reflect(f2l_matrix *m, const f2l_number *u, const f2l_matrix *form,
                       const f2l_field *k, f2l_error *err)
{
    f2l_number *g = f2l_numbers_new(m->rows);
    if (!g) return f2l_fail_memory(err);
    bool regular = reflect_matrix(m, u, g, form, k);
    f2l_numbers_free(g, m->rows);
    return regular ? F2L_OK
                   : f2l_fail(err, F2L_EDOMAIN,
                              "a vector without length has no "
                              "reflection");
}

/* The state of a factorisation: the remaining part of m, scratch vectors. */
typedef struct splitter {
    f2l_matrix left;
    f2l_number *trial, *g; /* [n] */
} splitter;

/* Sets best to column j of left - 1 for the j that gives the shortest vector; returns false when
 * left is the identity. */
static f2l_status next_vector(f2l_number *best, bool *moved, splitter *s, const f2l_field *k,
                              f2l_error *err)
{
    const size_t n = s->left.rows;
    f2l_status status = F2L_OK;
    *moved = false;
    for (size_t j = 0; j < n && status == F2L_OK; j++) {
        for (size_t i = 0; i < n; i++) {
            fmpq_poly_set(&s->trial[i], f2l_matrix_at(&s->left, i, j));
            if (i == j) fmpq_poly_sub_si(&s->trial[i], &s->trial[i], 1);
        }
        if (first_entry(s->trial, n) == n) continue;
        status = f2l_simplify_vector(s->trial, n, k, err);
        if (*moved && length_of(s->trial, n) >= length_of(best, n)) continue;
        for (size_t i = 0; i < n; i++) fmpq_poly_swap(&best[i], &s->trial[i]);
        *moved = true;
    }
    return status;
}

/* Fills vector[] from its last place downwards: the reflections found first are applied last. */
static f2l_status split_into_reflections(f2l_number *vector, size_t *count, splitter *s,
                                         const f2l_matrix *form, const f2l_field *k,
                                         const f2l_task *task, f2l_error *err)
{
    const size_t n = s->left.rows;
    bool moved = true;
    f2l_status status = F2L_OK;
    for (*count = 0; status == F2L_OK; ++*count) {
        f2l_number *u = *count < n ? vector + (n - 1 - *count) * n : s->g;
        status = next_vector(u, &moved, s, k, err);
        if (status != F2L_OK || !moved) break;
        if (*count == n) /* cannot be: every reflection lessens the rank */
            return f2l_fail(err, F2L_EDOMAIN, "more than %zu reflections", n);
        (void)reflect_matrix(&s->left, u, s->g, form, k);
        status = f2l_task_poll(task, "reflections", (double)*count, (double)n, err);
    }
    return status;
}

/* Checks that the product of the reflections, first to last, is m. */
static f2l_status multiply_out(const f2l_reflections *r, splitter *s, const f2l_matrix *m,
                               const f2l_matrix *form, const f2l_field *k, f2l_error *err)
{
    f2l_matrix_one(&s->left);
    for (size_t i = 0; i < r->count; i++)
        (void)reflect_matrix(&s->left, r->vector + i * r->dimension, s->g, form, k);
    if (f2l_matrix_equal(&s->left, m)) return F2L_OK;
    return f2l_fail(err, F2L_EDOMAIN, "the reflections do not multiply to the matrix");
}

static f2l_status take_reflections(f2l_reflections *out, f2l_number *vector, size_t count, size_t n,
                                   f2l_error *err)
{
    out->vector = f2l_numbers_new(count * n);
    if (!out->vector) return f2l_fail_memory(err);
    out->count = count;
    out->dimension = n;
    for (size_t i = 0; i < count * n; i++)
        fmpq_poly_swap(&out->vector[i], &vector[(n - count) * n + i]);
    return F2L_OK;
}

static f2l_status check_isometry(const f2l_matrix *m, const f2l_matrix *form, const f2l_field *k,
                                 f2l_error *err)
{
    f2l_ldl ldl;
    bool preserves = false;
    if (m->rows != m->columns || m->rows != form->rows)
        return f2l_fail(err, F2L_EDOMAIN, "the matrix and the form have different sizes");
    f2l_status status = f2l_ldl_build(&ldl, form, k, err);
    if (status != F2L_OK) return status;
    f2l_ldl_clear(&ldl);
    status = f2l_matrix_preserves(&preserves, m, form, k, err);
    if (status != F2L_OK || preserves) return status;
    return f2l_fail(err, F2L_EDOMAIN, "the matrix does not preserve the form");
}

f2l_status f2l_reflections_build(f2l_reflections *out, const f2l_matrix *m, const f2l_matrix *form,
                                 const f2l_field *k, const f2l_task *task, f2l_error *err)
{
    const size_t n = m->rows;
    size_t count = 0;
    splitter s = {0};
    f2l_reflections_init(out);
    f2l_status status = check_isometry(m, form, k, err);
    if (status == F2L_OK) status = f2l_matrix_init(&s.left, n, n, err);
    if (status != F2L_OK) return status;
    f2l_number *vector = f2l_numbers_new(n * n);
    s.trial = f2l_numbers_new(n);
    s.g = f2l_numbers_new(n);
    if (!vector || !s.trial || !s.g) status = f2l_fail_memory(err);
    for (size_t i = 0; i < n * n && status == F2L_OK; i++)
        fmpq_poly_set(&s.left.entry[i], &m->entry[i]);
    if (status == F2L_OK) status = split_into_reflections(vector, &count, &s, form, k, task, err);
    if (status == F2L_OK) status = take_reflections(out, vector, count, n, err);
    if (status == F2L_OK) status = multiply_out(out, &s, m, form, k, err);
    f2l_numbers_free(vector, n * n);
    f2l_numbers_free(s.trial, n);
    f2l_numbers_free(s.g, n);
    f2l_matrix_clear(&s.left);
    if (status != F2L_OK) f2l_reflections_clear(out);
    return status;
}
