/* Two fast ways of fields, compared with the slow ones: products reduced in words, and alpha kept
 * to more bits. */
#include "numeric/base/rng.h"
#include "tests/support/numeric/field_numbers.h"
#include "tests/support/numeric/field_values.h"

/* Products of all sizes, around a word and far beyond it, equal the remainders of division. */
Test(field, products_are_remainders)
{
    f2l_rng rng;
    f2l_number a, b, found, expected, modulus;
    f2l_rng_init(&rng, 6, 0); /* the seed */
    fmpq_poly_init(&a), fmpq_poly_init(&b), fmpq_poly_init(&found), fmpq_poly_init(&expected);
    fmpq_poly_init(&modulus);
    for (size_t i = 0; i < FIELDS; i++) {
        f2l_field k;
        f2l_field_init(&k);
        read_field(&k, fields[i]);
        fmpq_poly_set_fmpz_poly(&modulus, k.modulus);
        for (int j = 0; j < 640; j++) {
            random_number(&a, &k, &rng, 1 + (unsigned)j % 64),
                random_number(&b, &k, &rng, 1 + (unsigned)j / 10);
            fmpq_poly_mul(&expected, &a, &b);
            fmpq_poly_rem(&expected, &expected, &modulus);
            f2l_field_multiply(&found, &a, &b, &k);
            cr_assert(fmpq_poly_equal(&found, &expected), "field %zu, round %d", i, j);
        }
        f2l_field_clear(&k);
    }
    fmpq_poly_clear(&a), fmpq_poly_clear(&b), fmpq_poly_clear(&found), fmpq_poly_clear(&expected);
    fmpq_poly_clear(&modulus);
}

/* Checks that root <= 2^root_bits alpha < root + 1, by the field before it was refined. */
static void check_root(const f2l_field *refined, const f2l_field *k)
{
    f2l_number a;
    mpq_t at;
    fmpq_poly_init(&a);
    mpq_init(at);
    for (int end = 0; end < 2 && k->degree > 1; end++) {
        fmpz_get_mpz(mpq_numref(at), refined->root);
        mpz_set_ui(mpq_denref(at), 1);
        if (end == 1) mpz_add_ui(mpq_numref(at), mpq_numref(at), 1);
        mpq_div_2exp(at, at, refined->root_bits);
        mpq_neg(at, at);
        fmpq_poly_zero(&a);
        fmpq_poly_set_coeff_si(&a, 1, 1);
        f2l_number_put(&a, 0, at);
        cr_assert_eq(f2l_field_sign(&a, k), end == 0 ? 1 : -1);
    }
    mpq_clear(at);
    fmpq_poly_clear(&a);
}

/* More bits of alpha give the same signs and roundings, and approximations within their bounds. */
Test(field, refined_fields)
{
    f2l_rng rng;
    f2l_number a;
    mpq_t near, finer, most;
    f2l_rng_init(&rng, 7, 0); /* the seed */
    fmpq_poly_init(&a);
    mpq_inits(near, finer, most, (mpq_ptr)NULL);
    for (size_t i = 0; i < FIELDS; i++) {
        f2l_field k, refined;
        f2l_field_init(&k), f2l_field_init(&refined);
        read_field(&k, fields[i]);
        f2l_field_copy(&refined, &k);
        f2l_field_refine(&refined, 0);
        cr_assert_eq(refined.root_bits, k.root_bits);
        f2l_field_refine(&refined, 600);
        if (k.degree > 1) cr_assert_gt(refined.root_bits, 600);
        check_root(&refined, &k);
        for (int j = 0; j < 100; j++) {
            const size_t bits = f2l_rng_below(&rng, 900);
            random_number(&a, &k, &rng, 30);
            cr_assert_eq(f2l_field_sign(&a, &refined), f2l_field_sign(&a, &k));
            cr_assert(number_double(&a, &refined) == number_double(&a, &k));
            number_approximate(near, &a, bits, &refined);
            number_approximate(finer, &a, 1000, &k);
            mpq_sub(near, near, finer);
            mpq_abs(near, near);
            mpq_set_ui(most, 2, 1); /* 2^-bits, and at most the same for the other one */
            mpq_div_2exp(most, most, bits);
            cr_assert_lt(mpq_cmp(near, most), 0, "field %zu, round %d", i, j);
        }
        f2l_field_clear(&k), f2l_field_clear(&refined);
    }
    mpq_clears(near, finer, most, (mpq_ptr)NULL);
    fmpq_poly_clear(&a);
}

/* Returns the sign of the modulus at m / 2^bits. */
static int sign_at(const f2l_field *k, const fmpz_t m, size_t bits)
{
    fmpq_t at, value;
    fmpq_init(at), fmpq_init(value);
    fmpq_set_fmpz(at, m);
    fmpq_div_2exp(at, at, bits);
    fmpz_poly_evaluate_fmpq(value, k->modulus, at);
    const int sign = fmpq_sgn(value);
    fmpq_clear(at), fmpq_clear(value);
    return sign;
}

/* Checks that the modulus changes its sign between root / 2^root_bits and the next multiple, which
 * lie in the interval of the field (if their distance is less than that of alpha to its ends). */
static void check_place(const f2l_field *k, const char *text)
{
    fmpz_t next;
    mpq_t low, high;
    mpq_inits(low, high, (mpq_ptr)NULL);
    fmpz_init(next);
    fmpz_add_ui(next, k->root, 1);
    cr_assert_lt(sign_at(k, k->root, k->root_bits) * sign_at(k, next, k->root_bits), 0, "%s", text);
    fmpz_get_mpz(mpq_numref(low), k->root);
    fmpz_get_mpz(mpq_numref(high), next);
    mpq_div_2exp(low, low, k->root_bits), mpq_div_2exp(high, high, k->root_bits);
    cr_assert(mpq_cmp(k->low, low) <= 0 && mpq_cmp(high, k->high) <= 0, "%s", text);
    fmpz_clear(next);
    mpq_clears(low, high, (mpq_ptr)NULL);
}

/* Roots that lie next to each other (x^n - 2 (a x - 1)^2 has two within a^-(n/2 + 1) of 1/a: M.
 * Mignotte), next to 0, next to a multiple of a power of two, and in wide intervals. */
Test(field, places_of_hard_roots)
{
    static const char *const text[] = {
        "-2 80 -800 0 0 0 0 1 interval 0 1/20",
        "-2 80 -800 0 0 0 0 1 interval 1/20 1",
        "-2 4000 -2000000 0 0 0 0 0 0 1 interval 1/1000 1",
        "-2 4000 -2000000 0 0 0 0 0 0 1 interval 0 1/1000",
        "-1 1267650600228229401496703205376 0 1 interval 0 1", /* 2^100 x = 1 - x^3 */
        "1 1267650600228229401496703205376 0 1 interval -1 0",
        "-1267650600228229401496703205377 0 1 interval 0 1267650600228229401496703205376",
        "-1267650600228229401496703205375 0 1 interval -1267650600228229401496703205376 0",
        "-3 0 0 1 interval -1000000000000000000000000000000000000000000000000 1000000000000000",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        f2l_field k;
        f2l_field_init(&k);
        f2l_error err = {0};
        const f2l_status status = f2l_field_read(&k, text[i], strlen(text[i]), &err);
        cr_assert_eq(status, F2L_OK, "%s: %s", text[i], err.text);
        check_place(&k, text[i]);
        for (size_t bits = 200; bits <= 12800; bits *= 8) {
            f2l_field_refine(&k, bits);
            check_place(&k, text[i]);
        }
        f2l_field_clear(&k);
    }
}
