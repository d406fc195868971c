/* Reflections: their number against the character table and against ranks by floating point; their
 * products by floating point; and refusals. */
#include "tests/support/numeric/field_values.h"
#include "tests/support/theory/irrep_support.h"
#include "theory/rep/householders/reflections.h"

/* Returns the rank by elimination with pivots; entries are of moderate size. */
static size_t rank_in_floats(double *a, size_t n)
{
    size_t rank = 0;
    for (size_t column = 0; column < n; column++) {
        size_t best = rank;
        for (size_t i = rank; i < n; i++)
            if (fabs(a[i * n + column]) > fabs(a[best * n + column])) best = i;
        if (rank == n || fabs(a[best * n + column]) < 1e-7) continue;
        for (size_t j = 0; j < n; j++) {
            const double held = a[rank * n + j];
            a[rank * n + j] = a[best * n + j];
            a[best * n + j] = held;
        }
        for (size_t i = rank + 1; i < n; i++) {
            const double scale = a[i * n + column] / a[rank * n + column];
            for (size_t j = column; j < n; j++) a[i * n + j] -= scale * a[rank * n + j];
        }
        rank++;
    }
    return rank;
}

static size_t rank_minus_one(const f2l_matrix *m, const f2l_field *k)
{
    const size_t n = m->rows;
    double *a = calloc(n * n + 1, sizeof *a);
    for (size_t i = 0; i < n * n; i++) a[i] = number_double(&m->entry[i], k) - (i % (n + 1) == 0);
    const size_t rank = rank_in_floats(a, n);
    free(a);
    return rank;
}

/* Applies S <- S - (2 / u^T G u) u (u^T G S) to the identity by floating point, and compares with
 * m. */
static void check_product(const f2l_reflections *r, const f2l_matrix *m, const f2l_matrix *form,
                          const f2l_field *k)
{
    const size_t n = m->rows;
    double *s = calloc(n * n, sizeof *s), *u = calloc(2 * n, sizeof *u), *g = u + n;
    for (size_t i = 0; i < n; i++) s[i * n + i] = 1;
    for (size_t t = 0; t < r->count; t++) {
        double norm = 0;
        for (size_t i = 0; i < n; i++) u[i] = number_double(&r->vector[t * n + i], k);
        for (size_t i = 0; i < n; i++) {
            g[i] = 0;
            for (size_t j = 0; j < n; j++)
                g[i] += number_double(f2l_matrix_at(form, i, j), k) * u[j];
            norm += g[i] * u[i];
        }
        for (size_t j = 0; j < n; j++) {
            double product = 0;
            for (size_t i = 0; i < n; i++) product += g[i] * s[i * n + j];
            for (size_t i = 0; i < n; i++) s[i * n + j] -= 2 / norm * product * u[i];
        }
    }
    for (size_t i = 0; i < n * n; i++) {
        const double expected = number_double(&m->entry[i], k);
        cr_assert_float_eq(s[i], expected, 1e-6 * (1 + fabs(expected)));
    }
    free(s), free(u);
}

/* Checks that coefficients are integers without a common factor, and that the first one that is not
 * 0 is positive. */
static void check_vectors(const f2l_reflections *r, const f2l_field *k)
{
    for (size_t t = 0; t < r->count; t++) {
        const f2l_number *u = r->vector + t * r->dimension;
        fmpz_t gcd;
        int sign = 0;
        fmpz_init(gcd);
        for (size_t i = 0; i < r->dimension; i++) {
            cr_assert(fmpz_is_one(u[i].den));
            for (slong j = 0; j < u[i].length; j++) fmpz_gcd(gcd, gcd, u[i].coeffs + j);
            if (sign == 0) sign = f2l_field_sign(&u[i], k);
        }
        cr_assert(fmpz_is_one(gcd));
        cr_assert_eq(sign, 1);
        fmpz_clear(gcd);
    }
}

static void check_matrix(const f2l_matrix *m, const f2l_matrix *form, const f2l_field *k,
                         size_t rank)
{
    f2l_reflections r;
    f2l_error err = {0};
    cr_assert_eq(f2l_reflections_build(&r, m, form, k, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(r.count, rank);
    cr_assert_eq(r.dimension, m->rows);
    check_vectors(&r, k);
    check_product(&r, m, form, k);
    f2l_reflections_clear(&r);
    f2l_reflections_clear(&r);
}

/* Returns the rank from the character table: d minus the multiplicity of the eigenvalue 1. */
static size_t table_rank(const irrep_sample *s, const f2l_irrep *r, uint32_t element)
{
    const size_t fixed =
        f2l_characters_fixed(&s->table, &s->classes, r->character, s->classes.class_of[element]);
    return r->dimension - fixed * (r->indicator == 1 ? 1 : 2);
}

static void check_letters(irrep_sample *s, size_t most_dimension)
{
    build_irreps(s, F2L_OK);
    for (size_t i = 0; i < s->irreps; i++) {
        const f2l_irrep *r = &s->irrep[i];
        if (r->dimension > most_dimension) continue;
        for (size_t l = 0; l < r->letters; l++) {
            const size_t rank = table_rank(s, r, letter_of(&s->group, l));
            cr_assert_eq(rank, rank_minus_one(&r->letter[l], &r->field));
            check_matrix(&r->letter[l], &r->form, &r->field, rank);
        }
    }
}

Test(reflections, letters_of_named_groups)
{
    for (size_t i = 0; i < NAMED_GROUPS; i++) {
        irrep_sample s;
        if (named_groups[i].order > largest_order()) continue;
        open_sample(&s, named_groups[i].name, named_groups[i].degree, named_groups[i].cycles);
        check_letters(&s, 16);
        close_sample(&s);
    }
    for (size_t m = 3; m <= 24; m++) {
        irrep_sample s;
        open_polygon(&s, m, true);
        check_letters(&s, 2);
        close_sample(&s);
    }
}

/* With all 60 elements of A5 as letters, R1's table has two reflections each in dimension 3. */
Test(reflections, all_elements)
{
    irrep_sample five, all;
    open_sample(&five, "A5", 5, "(1 2 3);(1 2 3 4 5)");
    open_images(&all, "A5 by its elements", five.group.element, five.group.order, 5);
    check_letters(&all, 5);
    for (size_t l = 0; l < all.irrep[1].letters; l++) {
        cr_assert_eq(all.irrep[1].dimension, 3);
        cr_assert_leq(table_rank(&all, &all.irrep[1], letter_of(&all.group, l)), 2);
    }
    close_sample(&five);
    close_sample(&all);
}

static void random_vector(f2l_number *u, size_t n, const f2l_field *k, f2l_rng *rng)
{
    for (size_t i = 0; i < n; i++) {
        fmpq_poly_zero(&u[i]);
        for (size_t j = 0; j < k->degree; j++)
            fmpq_poly_set_coeff_si(&u[i], (slong)j, (slong)f2l_rng_below(rng, 7) - 3);
    }
    fmpq_poly_set_coeff_si(&u[f2l_rng_below(rng, n)], 0, 5);
}

/* Draws A^T A + 1, which is positive definite for any A. */
static void random_form(f2l_matrix *form, const f2l_field *k, f2l_rng *rng)
{
    const size_t n = form->rows;
    f2l_matrix a;
    cr_assert_eq(f2l_matrix_init(&a, n, n, NULL), F2L_OK);
    for (size_t i = 0; i < n; i++) random_vector(&a.entry[i * n], n, k, rng);
    f2l_matrix_transposed_multiply(form, &a, &a, k);
    for (size_t i = 0; i < n; i++)
        fmpq_poly_add_si(f2l_matrix_at(form, i, i), f2l_matrix_at(form, i, i), 1);
    f2l_matrix_clear(&a);
}

Test(reflections, random_products_over_several_fields)
{
    static const char *const fields[] = {"0 1 interval -1 1", "-5 0 1 interval 2 3",
                                         "1 -3 0 1 interval 1 2"};
    f2l_rng rng;
    f2l_rng_init(&rng, 43, 0); /* the seed */
    for (int round = 0; round < 60; round++) {
        const size_t n = 1 + f2l_rng_below(&rng, 5), count = f2l_rng_below(&rng, 5);
        const char *text = fields[round % 3];
        f2l_field k;
        f2l_matrix form, m;
        f2l_field_init(&k);
        cr_assert_eq(f2l_field_read(&k, text, strlen(text), NULL), F2L_OK);
        f2l_number *u = f2l_numbers_new(n);
        cr_assert_eq(f2l_matrix_init(&form, n, n, NULL), F2L_OK);
        cr_assert_eq(f2l_matrix_init(&m, n, n, NULL), F2L_OK);
        random_form(&form, &k, &rng);
        f2l_matrix_one(&m);
        for (size_t i = 0; i < count; i++) {
            random_vector(u, n, &k, &rng);
            cr_assert_eq(f2l_reflect(&m, u, &form, &k, NULL), F2L_OK);
        }
        const size_t rank = rank_minus_one(&m, &k);
        cr_assert_leq(rank, count);
        cr_assert_eq((count - rank) % 2, 0); /* determinants */
        check_matrix(&m, &form, &k, rank);
        f2l_numbers_free(u, n);
        f2l_matrix_clear(&form), f2l_matrix_clear(&m);
        f2l_field_clear(&k);
    }
}

static void set(f2l_matrix *m, const long *entry)
{
    for (size_t i = 0; i < m->rows * m->columns; i++) fmpq_poly_set_si(&m->entry[i], entry[i]);
}

Test(reflections, refusals)
{
    f2l_field k;
    f2l_matrix m, form, small;
    f2l_reflections r;
    f2l_error err = {0};
    f2l_field_init(&k);
    cr_assert_eq(f2l_matrix_init(&m, 2, 2, NULL), F2L_OK);
    cr_assert_eq(f2l_matrix_init(&form, 2, 2, NULL), F2L_OK);
    cr_assert_eq(f2l_matrix_init(&small, 1, 1, NULL), F2L_OK);
    f2l_matrix_one(&form), f2l_matrix_one(&small);
    set(&m, (const long[]){0, -1, 1, 0});
    cr_assert_eq(f2l_reflections_build(&r, &m, &form, &k, NULL, &err), F2L_OK);
    f2l_reflections_clear(&r);
    set(&m, (const long[]){1, 1, 0, 1}); /* a shear */
    cr_assert_eq(f2l_reflections_build(&r, &m, &form, &k, NULL, &err), F2L_EDOMAIN);
    cr_assert_null(r.vector);
    set(&m, (const long[]){0, 1, 1, 0});
    set(&form, (const long[]){1, 0, 0, -1}); /* not definite */
    cr_assert_eq(f2l_reflections_build(&r, &m, &form, &k, NULL, &err), F2L_EDOMAIN);
    set(&form, (const long[]){1, 1, 1, 1}); /* only semidefinite; m preserves it */
    cr_assert_eq(f2l_reflections_build(&r, &m, &form, &k, NULL, &err), F2L_EDOMAIN);
    set(&form, (const long[]){2, 1, 0, 2}); /* not symmetric */
    cr_assert_eq(f2l_reflections_build(&r, &m, &form, &k, NULL, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_reflections_build(&r, &m, &small, &k, NULL, &err), F2L_EDOMAIN);
    set(&form, (const long[]){1, 0, 0, -1});
    cr_assert_eq(f2l_reflect(&m, f2l_matrix_at(&form, 0, 0), &form, &k, &err), F2L_OK);
    f2l_number *u = f2l_numbers_new(2);
    fmpq_poly_one(&u[0]), fmpq_poly_one(&u[1]);
    cr_assert_eq(f2l_reflect(&m, u, &form, &k, &err), F2L_EDOMAIN); /* isotropic */
    f2l_numbers_free(u, 2);
    f2l_matrix_clear(&m), f2l_matrix_clear(&form), f2l_matrix_clear(&small);
    f2l_field_clear(&k);
}

#ifdef F2L_MEM_FAILURES
Test(reflections, memory_failures)
{
    irrep_sample s;
    open_sample(&s, "A5", 5, "(1 2 3);(1 2 3 4 5)");
    build_irreps(&s, F2L_OK);
    const f2l_irrep *irrep = &s.irrep[1];
    for (int forever = 0; forever < 2; forever++) {
        size_t n = 1;
        f2l_status status;
        do {
            f2l_reflections r;
            f2l_mem_fail_after(n++, forever);
            status = f2l_reflections_build(&r, &irrep->letter[0], &irrep->form, &irrep->field, NULL,
                                           NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || (status == F2L_ENOMEM && !r.vector));
            f2l_reflections_clear(&r);
        } while (status == F2L_ENOMEM);
        cr_assert_gt(n, 8);
    }
    close_sample(&s);
}
#endif
