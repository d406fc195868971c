/* Matrices over number fields, positive definite forms, residues and square roots. */
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/exact/matrix.h"
#include "numeric/exact/residue.h"
#include "tests/support/numeric/field_values.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const char *const fields[] = {
    "0 1 interval -1 1",          "-5 0 1 interval 2 3",      "-5 0 1 interval -3 -2",
    "1 -3 0 1 interval 1 2",      "1 0 -10 0 1 interval 3 4", "1 0 -10 0 1 interval 0 1",
    "1 3 -3 -4 1 1 interval 1 2",
};
#define FIELDS (sizeof fields / sizeof *fields)

static void open_field(f2l_field *k, const char *text)
{
    f2l_error err = {0};
    f2l_field_init(k);
    cr_assert_eq(f2l_field_read(k, text, strlen(text), &err), F2L_OK, "%s: %s", text, err.text);
}

static void random_number(f2l_number *a, const f2l_field *k, f2l_rng *rng)
{
    fmpq_poly_zero(a);
    for (size_t j = 0; j < k->degree; j++)
        fmpq_poly_set_coeff_si(a, (slong)j, (slong)f2l_rng_below(rng, 9) - 4);
    fmpq_poly_scalar_div_si(a, a, 1 + (slong)f2l_rng_below(rng, 4));
}

static void random_matrix(f2l_matrix *m, size_t rows, size_t columns, const f2l_field *k,
                          f2l_rng *rng)
{
    cr_assert_eq(f2l_matrix_init(m, rows, columns, NULL), F2L_OK);
    for (size_t i = 0; i < rows * columns; i++) random_number(&m->entry[i], k, rng);
}

/* Checks that (A B) x = A (B x), and that (A^T B)_ij is column i of A times column j of B. */
static void check_products(const f2l_field *k, f2l_rng *rng)
{
    f2l_matrix a, b, c, d;
    f2l_number *x = f2l_numbers_new(16), *y = x + 4, *z = x + 8, *w = x + 12;
    random_matrix(&a, 3, 4, k, rng), random_matrix(&b, 4, 2, k, rng),
        random_matrix(&d, 3, 2, k, rng);
    cr_assert_eq(f2l_matrix_init(&c, 3, 2, NULL), F2L_OK);
    f2l_matrix_multiply(&c, &a, &b, k);
    for (int i = 0; i < 2; i++) random_number(&x[i], k, rng);
    f2l_matrix_apply(y, &b, x, k);
    f2l_matrix_apply(z, &a, y, k);
    f2l_matrix_apply(w, &c, x, k);
    for (int i = 0; i < 3; i++) cr_assert(fmpq_poly_equal(&z[i], &w[i]));
    f2l_matrix_clear(&c);
    cr_assert_eq(f2l_matrix_init(&c, 4, 2, NULL), F2L_OK);
    f2l_matrix_transposed_multiply(&c, &a, &d, k);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 2; j++) {
            for (size_t l = 0; l < 3; l++) {
                fmpq_poly_set(&y[l], f2l_matrix_at(&a, l, i));
                fmpq_poly_set(&z[l], f2l_matrix_at(&d, l, j));
            }
            f2l_dot(&w[0], y, z, 3, k);
            cr_assert(fmpq_poly_equal(&w[0], f2l_matrix_at(&c, i, j)));
        }
    f2l_matrix_clear(&a), f2l_matrix_clear(&b), f2l_matrix_clear(&c), f2l_matrix_clear(&d);
    f2l_numbers_free(x, 16);
}

/* Checks g = A^T A + 1: L D L^T is g, and solving inverts. With one diagonal entry made so small
 * that the determinant is 0, g is not definite. */
static void check_form(const f2l_field *k, f2l_rng *rng)
{
    const size_t n = 1 + f2l_rng_below(rng, 5);
    f2l_matrix a, g, half;
    f2l_ldl ldl;
    f2l_number *x = f2l_numbers_new(2 * n), *y = x + n;
    random_matrix(&a, n, n, k, rng);
    cr_assert_eq(f2l_matrix_init(&g, n, n, NULL), F2L_OK);
    cr_assert_eq(f2l_matrix_init(&half, n, n, NULL), F2L_OK);
    f2l_matrix_transposed_multiply(&g, &a, &a, k);
    for (size_t i = 0; i < n; i++)
        fmpq_poly_add_si(f2l_matrix_at(&g, i, i), f2l_matrix_at(&g, i, i), 1);
    cr_assert_eq(f2l_ldl_build(&ldl, &g, k, NULL), F2L_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            f2l_field_multiply(f2l_matrix_at(&half, j, i), f2l_matrix_at(&ldl.lower, i, j),
                               &ldl.pivot[j], k);
    f2l_matrix_clear(&a);
    cr_assert_eq(f2l_matrix_init(&a, n, n, NULL), F2L_OK);
    f2l_matrix_multiply(&a, &ldl.lower, &half, k);
    cr_assert(f2l_matrix_equal(&a, &g));
    for (size_t i = 0; i < n; i++) random_number(&x[i], k, rng);
    f2l_matrix_apply(y, &g, x, k);
    f2l_ldl_solve(y, &ldl, k);
    for (size_t i = 0; i < n; i++) cr_assert(fmpq_poly_equal(&x[i], &y[i]));
    f2l_number *last = f2l_matrix_at(&g, n - 1, n - 1);
    fmpq_poly_sub(last, last, &ldl.pivot[n - 1]); /* now the determinant is 0 */
    f2l_ldl_clear(&ldl);
    cr_assert_eq(f2l_ldl_build(&ldl, &g, k, NULL), F2L_EDOMAIN);
    cr_assert_null(ldl.pivot);
    f2l_matrix_clear(&a), f2l_matrix_clear(&g), f2l_matrix_clear(&half);
    f2l_numbers_free(x, 2 * n);
}

/* Checks that residues are a ring homomorphism. */
static void check_residues(const f2l_field *k, f2l_rng *rng)
{
    f2l_residues map;
    f2l_number a, b, c;
    ulong x, y, z;
    fmpq_poly_init(&a), fmpq_poly_init(&b), fmpq_poly_init(&c);
    f2l_residues_init(&map, k, 1000 + f2l_rng_below(rng, 1000), 1 + f2l_rng_below(rng, 3));
    random_number(&a, k, rng), random_number(&b, k, rng);
    f2l_field_multiply(&c, &a, &b, k);
    cr_assert(f2l_residue(&x, &a, &map) && f2l_residue(&y, &b, &map) && f2l_residue(&z, &c, &map));
    cr_assert_eq(z, nmod_mul(x, y, map.q));
    fmpq_poly_add(&c, &a, &b);
    cr_assert(f2l_residue(&z, &c, &map));
    cr_assert_eq(z, nmod_add(x, y, map.q));
    fmpq_poly_set_si(&a, 1);
    fmpq_poly_scalar_div_ui(&a, &a, map.q.n);
    cr_assert_not(f2l_residue(&x, &a, &map));
    fmpq_poly_clear(&a), fmpq_poly_clear(&b), fmpq_poly_clear(&c);
}

/* Checks that squares have their root, and that squares plus something small, and negative numbers,
 * are refused unless they are squares. */
static void check_roots(const f2l_field *k, const f2l_square_roots *s, f2l_rng *rng)
{
    f2l_number a, square, root, again;
    fmpq_poly_init(&a), fmpq_poly_init(&square), fmpq_poly_init(&root), fmpq_poly_init(&again);
    random_number(&a, k, rng);
    f2l_field_multiply(&square, &a, &a, k);
    cr_assert_eq(f2l_square_root(&root, &square, s), !fmpq_poly_is_zero(&a));
    if (!fmpq_poly_is_zero(&a)) {
        if (f2l_field_sign(&a, k) < 0) fmpq_poly_neg(&a, &a);
        cr_assert(fmpq_poly_equal(&root, &a));
    }
    fmpq_poly_add_si(&square, &square, 1);
    if (f2l_square_root(&root, &square, s)) {
        f2l_field_multiply(&again, &root, &root, k);
        cr_assert(fmpq_poly_equal(&again, &square));
    }
    fmpq_poly_neg(&square, &square);
    cr_assert_not(f2l_square_root(&root, &square, s));
    fmpq_poly_set_si(&square, 7); /* no field here has sqrt 7 */
    cr_assert_not(f2l_square_root(&root, &square, s));
    fmpq_poly_clear(&a), fmpq_poly_clear(&square), fmpq_poly_clear(&root), fmpq_poly_clear(&again);
}

Test(matrix, identities_over_several_fields)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 47, 0); /* the seed */
    for (size_t i = 0; i < FIELDS; i++) {
        f2l_field k;
        f2l_square_roots roots;
        open_field(&k, fields[i]);
        f2l_square_roots_init(&roots, &k);
        for (int round = 0; round < 30; round++) {
            check_products(&k, &rng);
            check_form(&k, &rng);
            check_residues(&k, &rng);
            check_roots(&k, &roots, &rng);
        }
        f2l_field_clear(&k);
    }
}

Test(matrix, square_roots_of_one_field_in_another)
{
    f2l_field k;
    f2l_number a, b;
    f2l_square_roots roots;
    open_field(&k, "1 0 -10 0 1 interval 3 4"); /* sqrt 2 + sqrt 3 */
    f2l_square_roots_init(&roots, &k);
    fmpq_poly_init(&a), fmpq_poly_init(&b);
    for (slong d = 1; d <= 60; d++) {
        slong rest = d;
        while (rest % 4 == 0) rest /= 4;
        while (rest % 9 == 0) rest /= 9;
        fmpq_poly_set_si(&a, d);
        const bool expected = rest == 1 || rest == 2 || rest == 3 || rest == 6 || rest == 25 ||
                              rest == 49 || rest == 50;
        cr_assert_eq(f2l_square_root(&b, &a, &roots), expected, "%ld", d);
        if (expected) cr_assert_float_eq(number_double(&b, &k), sqrt((double)d), 1e-12);
    }
    fmpq_poly_clear(&a), fmpq_poly_clear(&b);
    f2l_field_clear(&k);
}

Test(matrix, shapes_and_identity)
{
    f2l_matrix m, n;
    cr_assert_eq(f2l_matrix_init(&m, 2, 3, NULL), F2L_OK);
    cr_assert_eq(f2l_matrix_init(&n, 3, 3, NULL), F2L_OK);
    cr_assert_not(f2l_matrix_is_one(&m));
    cr_assert_not(f2l_matrix_is_one(&n));
    f2l_matrix_one(&n);
    cr_assert(f2l_matrix_is_one(&n));
    cr_assert_not(f2l_matrix_equal(&m, &n));
    fmpq_poly_one(f2l_matrix_at(&n, 0, 1));
    cr_assert_not(f2l_matrix_is_one(&n));
    f2l_matrix_clear(&m);
    f2l_matrix_clear(&m);
    f2l_matrix_clear(&n);
    cr_assert_eq(f2l_matrix_init(&m, SIZE_MAX, 2, NULL), F2L_ENOMEM);
    cr_assert_null(m.entry);
}

#ifdef F2L_MEM_FAILURES
Test(matrix, memory_failures)
{
    f2l_field k;
    f2l_matrix g;
    bool preserves;
    f2l_field_init(&k);
    cr_assert_eq(f2l_matrix_init(&g, 3, 3, NULL), F2L_OK);
    f2l_matrix_one(&g);
    for (size_t n = 1, failed = 1; failed; n++) {
        f2l_ldl ldl;
        f2l_mem_fail_after(n, false);
        const f2l_status first = f2l_ldl_build(&ldl, &g, &k, NULL);
        const f2l_status second = f2l_matrix_preserves(&preserves, &g, &g, &k, NULL);
        f2l_mem_fail_after(0, false);
        failed = first != F2L_OK || second != F2L_OK;
        cr_assert(first == F2L_OK || (first == F2L_ENOMEM && !ldl.pivot));
        cr_assert(second == F2L_OK || second == F2L_ENOMEM);
        f2l_ldl_clear(&ldl);
    }
    f2l_matrix_clear(&g);
    f2l_field_clear(&k);
}
#endif
