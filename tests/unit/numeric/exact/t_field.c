#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/exact/field.h"
#include "numeric/exact/field_cyclotomic.h"
#include "numeric/exact/impl.h"
#include "tests/support/numeric/field_numbers.h"
#include "tests/support/numeric/field_values.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_text(const f2l_field *k, const char *text)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_field(&b, k);
    cr_assert_str_eq(b.data, text);
    f2l_buf_clear(&b);
}

Test(field, texts_round_trip)
{
    for (size_t i = 0; i < FIELDS; i++) {
        f2l_field k, copy;
        f2l_field_init(&k);
        f2l_field_init(&copy);
        read_field(&k, fields[i]);
        check_text(&k, fields[i]);
        f2l_field_copy(&copy, &k);
        check_text(&copy, fields[i]);
        cr_assert(f2l_field_equal(&copy, &k));
        f2l_field_clear(&k);
        f2l_field_clear(&k);
        f2l_field_clear(&copy);
    }
}

Test(field, what_is_no_field_is_refused)
{
    static const char *const bad[] = {
        "",
        "interval",
        "interval 0 1",
        "1 interval 0 1",
        "0 1",
        "0 1 interval",
        "0 1 interval -1",
        "0 1 interval -1 2",
        "0 1 interval -1 1 ",
        " 0 1 interval -1 1",
        "0 1 interval -1 1 1",
        "1 1 interval -2 0",
        "-5 0 1 interval 2 3 ",
        "-5  0 1 interval 2 3",
        "-5 0 1 interval 3 2",
        "-5 0 1 interval 2 2",
        "-5 0 1 interval 0 2",
        "-5 0 1 interval 3 4",
        "-5 0 1 interval -3 3",
        "-5 0 1 interval 2,3",
        "-5 0 1 interval 2 6/2",
        "-5 0 -1 interval 2 3",
        "-5 0 2 interval 1 3",
        "-5 0 1 0 interval 2 3",
        "5 0 1 interval 2 3",
        "-4 0 1 interval 1 3",
        "-5/2 0 1 interval 1 3",
        "0 0 1 interval -1 1",
        "0 -5 0 1 interval 2 3",
        "25 0 -10 0 1 interval 2 3",
        "36 0 -13 0 1 interval 1 5/2",
        "1 -3 0 1 interval 0 2",
        "1 -3 0 1 interval -2 2",
        "1 -3 0 1 interval 2 3",
        "x 0 1 interval 2 3",
        "-05 0 1 interval 2 3",
        "-5 0 1 Interval 2 3",
        "-5 0 1 interval interval 3",
    };
    f2l_field k;
    f2l_error err;
    f2l_field_init(&k);
    read_field(&k, "-2 0 1 interval 1 2");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err.status = F2L_OK;
        cr_assert_eq(f2l_field_read(&k, bad[i], strlen(bad[i]), &err), F2L_EFORMAT, "'%s'", bad[i]);
        cr_assert_eq(err.status, F2L_EFORMAT);
        check_text(&k, "-2 0 1 interval 1 2"); /* a field that was refused leaves the old one */
    }
    f2l_field_clear(&k);
}

/* Reads the field of x^n - 2, which is irreducible (Eisenstein). */
static f2l_status read_power(f2l_field *k, size_t n)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_text(&b, "-2");
    for (size_t i = 1; i < n; i++) f2l_buf_text(&b, " 0");
    f2l_buf_text(&b, " 1 interval 1 2");
    f2l_status status = f2l_field_read(k, b.data, b.size, NULL);
    f2l_buf_clear(&b);
    return status;
}

Test(field, sizes_are_limited)
{
    f2l_field k;
    f2l_field_init(&k);
    cr_assert_eq(read_power(&k, F2L_FIELD_MAX_DEGREE), F2L_OK);
    cr_assert_eq(k.degree, F2L_FIELD_MAX_DEGREE);
    cr_assert_eq(read_power(&k, F2L_FIELD_MAX_DEGREE + 1), F2L_EFORMAT);
    cr_assert_eq(read_power(&k, 1000), F2L_EFORMAT);
    for (size_t digits = F2L_FIELD_MAX_DIGITS; digits <= F2L_FIELD_MAX_DIGITS + 1; digits++) {
        f2l_buf b;
        f2l_buf_init(&b);
        f2l_buf_text(&b, "-5 0 1 interval 2 1");
        for (size_t i = 1; i < digits; i++) f2l_buf_text(&b, "0");
        cr_assert_eq(f2l_field_read(&k, b.data, b.size, NULL),
                     digits <= F2L_FIELD_MAX_DIGITS ? F2L_OK : F2L_EFORMAT);
        f2l_buf_clear(&b);
    }
    f2l_field_clear(&k);
}

Test(field, equality_is_of_the_root)
{
    f2l_field a, b;
    f2l_field_init(&a);
    f2l_field_init(&b);
    cr_assert(f2l_field_equal(&a, &b));
    read_field(&a, "1 -3 0 1 interval 1 2");
    cr_assert_not(f2l_field_equal(&a, &b));
    read_field(&b, "1 -3 0 1 interval 3/2 1000");
    cr_assert(f2l_field_equal(&a, &b) && f2l_field_equal(&b, &a));
    read_field(&b, "1 -3 0 1 interval 0 1");
    cr_assert_not(f2l_field_equal(&a, &b));
    read_field(&b, "1 -3 0 1 interval -2 0");
    cr_assert_not(f2l_field_equal(&a, &b));
    f2l_field_clear(&a);
    f2l_field_clear(&b);
}

/* Products of distinct (x - i/2) have the roots i/2. */
Test(field, roots_are_counted)
{
    f2l_rng rng;
    fmpz_poly_t f, factor;
    mpq_t low, high;
    f2l_rng_init(&rng, 11, 0); /* the seed */
    fmpz_poly_init(f), fmpz_poly_init(factor);
    mpq_inits(low, high, (mpq_ptr)NULL);
    for (int round = 0; round < 2000; round++) {
        long from = (long)f2l_rng_below(&rng, 41) - 20, to = from + (long)f2l_rng_below(&rng, 20);
        size_t inside = 0;
        mpq_set_si(low, 2 * from + 1, 4); /* never a multiple of 1/2 */
        mpq_set_si(high, 2 * to + 1, 4);
        mpq_canonicalize(low), mpq_canonicalize(high);
        fmpz_poly_set_coeff_si(f, 0, 1), fmpz_poly_truncate(f, 1);
        for (long i = -15; i < 15; i++) {
            if (f2l_rng_below(&rng, 4) != 0) continue;
            fmpz_poly_zero(factor);
            fmpz_poly_set_coeff_si(factor, 0, -i);
            fmpz_poly_set_coeff_si(factor, 1, 2);
            fmpz_poly_mul(f, f, factor);
            inside += i > from && i <= to;
        }
        if (f2l_rng_below(&rng, 2)) { /* a factor without real roots */
            fmpz_poly_zero(factor);
            fmpz_poly_set_coeff_si(factor, 0, 1 + (slong)f2l_rng_below(&rng, 9));
            fmpz_poly_set_coeff_si(factor, 2, 1);
            fmpz_poly_mul(f, f, factor);
        }
        cr_assert_eq(f2l_count_roots(f, low, high), inside, "round %d", round);
    }
    fmpz_poly_clear(f), fmpz_poly_clear(factor);
    mpq_clears(low, high, (mpq_ptr)NULL);
}

static double floating(const f2l_number *a, double alpha)
{
    double sum = 0;
    for (slong i = a->length - 1; i >= 0; i--) sum = sum * alpha + fmpz_get_d(a->coeffs + i);
    return sum / fmpz_get_d(a->den);
}

/* Returns the sum of the absolute values of the terms, for error bounds. */
static double size_of(const f2l_number *a, double alpha)
{
    double sum = 0;
    for (slong i = a->length - 1; i >= 0; i--)
        sum = sum * fabs(alpha) + fabs(fmpz_get_d(a->coeffs + i));
    return sum / fmpz_get_d(a->den);
}

typedef struct five {
    f2l_number a, b, c, d, e;
} five;

static void check_arithmetic(const f2l_field *k, five *x, double alpha, f2l_rng *rng)
{
    random_number(&x->a, k, rng, 8), random_number(&x->b, k, rng, 8);
    f2l_field_multiply(&x->c, &x->a, &x->b, k);
    cr_assert_leq(x->c.length, (slong)k->degree);
    cr_assert(fmpq_poly_is_canonical(&x->c));
    double expected = floating(&x->a, alpha) * floating(&x->b, alpha);
    cr_assert_float_eq(number_double(&x->c, k), expected,
                       1e-12 * size_of(&x->a, alpha) * size_of(&x->b, alpha));
    if (!fmpq_poly_is_zero(&x->a)) {
        f2l_field_invert(&x->d, &x->a, k);
        f2l_field_multiply(&x->e, &x->d, &x->c, k);
        cr_assert(fmpq_poly_equal(&x->e, &x->b));
        cr_assert_eq(f2l_field_sign(&x->d, k), f2l_field_sign(&x->a, k));
    }
    f2l_field_submul(&x->c, &x->b, &x->a, k);
    cr_assert(fmpq_poly_is_zero(&x->c));
    cr_assert_eq(f2l_field_sign(&x->c, k), 0);
    cr_assert_eq(number_compare(&x->a, &x->b, k), -number_compare(&x->b, &x->a, k));
    double left = number_double(&x->a, k), right = number_double(&x->b, k);
    if (left != right) cr_assert_eq(number_compare(&x->a, &x->b, k), left < right ? -1 : 1);
}

Test(field, arithmetic_agrees_with_floating_point_and_itself)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0); /* the seed */
    for (size_t i = 0; i < FIELDS; i++) {
        f2l_field k;
        five x;
        f2l_number alpha;
        f2l_field_init(&k);
        read_field(&k, fields[i]);
        fmpq_poly_init(&x.a), fmpq_poly_init(&x.b), fmpq_poly_init(&x.c);
        fmpq_poly_init(&x.d), fmpq_poly_init(&x.e), fmpq_poly_init(&alpha);
        if (k.degree > 1) fmpq_poly_set_coeff_si(&alpha, 1, 1);
        double value = number_double(&alpha, &k), low = mpq_get_d(k.low), high = mpq_get_d(k.high);
        cr_assert(low < value && value < high);
        double at = 0;
        for (slong j = (slong)k.degree; j >= 0; j--)
            at = at * value + fmpz_get_d(k.modulus->coeffs + j);
        cr_assert_float_eq(at, 0, 1e-12 * pow(fabs(value) + 1, (double)k.degree));
        for (int j = 0; j < 200; j++) check_arithmetic(&k, &x, value, &rng);
        fmpq_poly_clear(&x.a), fmpq_poly_clear(&x.b), fmpq_poly_clear(&x.c);
        fmpq_poly_clear(&x.d), fmpq_poly_clear(&x.e), fmpq_poly_clear(&alpha);
        f2l_field_clear(&k);
    }
}

/* Convergents p/q of sqrt 5 have p - q sqrt 5 of alternating sign and as small as wanted. */
Test(field, signs_of_tiny_differences)
{
    f2l_field k;
    f2l_number a, scaled;
    mpz_t p, q, next;
    mpq_t entry;
    f2l_field_init(&k);
    read_field(&k, "-5 0 1 interval 2 3");
    fmpq_poly_init(&a), fmpq_poly_init(&scaled);
    mpz_init_set_ui(p, 2), mpz_init_set_ui(q, 1), mpz_init(next);
    mpq_init(entry);
    int sign = -1;
    for (int i = 0; i < 1000; i++, sign = -sign) { /* (2 + sqrt 5)^(i + 1) = p + q sqrt 5 */
        mpq_set_z(entry, p);
        f2l_number_put(&a, 0, entry);
        mpq_set_z(entry, q);
        mpq_neg(entry, entry);
        f2l_number_put(&a, 1, entry);
        cr_assert_eq(f2l_field_sign(&a, &k), sign, "%d", i);
        double expected = sign * exp(-(i + 1) * log(2 + sqrt(5)));
        cr_assert_float_eq(number_double(&a, &k), expected, fabs(expected) * 1e-12 + 5e-324);
        cr_assert_eq(signbit(number_double(&a, &k)) != 0, sign < 0);
        mpz_mul_ui(next, q, 5);
        mpz_addmul_ui(next, p, 2);
        mpz_addmul_ui(p, q, 2);
        mpz_swap(q, p), mpz_swap(p, next);
    }
    fmpq_poly_clear(&a), fmpq_poly_clear(&scaled);
    mpz_clears(p, q, next, (mpz_ptr)NULL);
    mpq_clear(entry);
    f2l_field_clear(&k);
}

static void check_double(const mpq_t q, const f2l_field *rationals)
{
    f2l_number a;
    mpfr_t exact;
    char *text;
    fmpq_poly_init(&a);
    f2l_number_put(&a, 0, q);
    mpfr_init2(exact, 3000); /* holds every rational of this test exactly */
    cr_assert_eq(mpfr_set_q(exact, q, MPFR_RNDN), 0);
    mpfr_asprintf(&text, "%.1200Re", exact);
    double expected = strtod(text, NULL), found = number_double(&a, rationals);
    cr_assert_eq(memcmp(&expected, &found, sizeof found), 0, "%s: %a, not %a", text, found,
                 expected);
    mpfr_free_str(text);
    mpfr_clear(exact);
    fmpq_poly_clear(&a);
}

/* Roundings equal the C library's, which reads decimals with correct rounding: normal and subnormal
 * doubles, their midpoints, and numbers next to these. */
Test(field, doubles_are_the_nearest)
{
    f2l_field k;
    f2l_rng rng;
    mpq_t q, tiny;
    f2l_field_init(&k);
    f2l_rng_init(&rng, 3, 0); /* the seed */
    mpq_inits(q, tiny, (mpq_ptr)NULL);
    for (int i = 0; i < 3000; i++) {
        uint64_t bits = f2l_rng_u64(&rng) >> f2l_rng_below(&rng, 64);
        mpz_set_ui(mpq_numref(q), bits);
        if (f2l_rng_below(&rng, 2)) mpq_neg(q, q);
        mpz_set_ui(mpq_denref(q), 1);
        mpq_div_2exp(q, q, i % 2 ? 1000 + f2l_rng_below(&rng, 140) : f2l_rng_below(&rng, 80));
        check_double(q, &k);
        mpq_set_si(tiny, f2l_rng_below(&rng, 2) ? 1 : -1, 1);
        mpq_div_2exp(tiny, tiny, 1300);
        if (bits != 0) mpq_add(q, q, tiny), check_double(q, &k);
    }
    mpq_clears(q, tiny, (mpq_ptr)NULL);
    f2l_field_clear(&k);
}

/* Roundings of sqrt 2 times a power of two plus a rational agree with MPFR's square root. */
Test(field, roundings_are_the_nearest)
{
    f2l_field k;
    f2l_rng rng;
    f2l_number a;
    mpq_t q, error;
    mpfr_t wide, found, expected;
    f2l_field_init(&k);
    read_field(&k, "-2 0 1 interval 1 2");
    f2l_rng_init(&rng, 8, 0); /* the seed */
    fmpq_poly_init(&a);
    mpq_inits(q, error, (mpq_ptr)NULL);
    mpfr_init2(wide, 2000);
    for (int i = 0; i < 500; i++) {
        mpfr_inits2((mpfr_prec_t)(2 + f2l_rng_below(&rng, 500)), found, expected, (mpfr_ptr)NULL);
        random_number(&a, &k, &rng, 40);
        mpfr_sqrt_ui(wide, 2, MPFR_RNDN);
        f2l_number_get(q, &a, 1);
        mpfr_mul_q(wide, wide, q, MPFR_RNDN);
        f2l_number_get(q, &a, 0);
        mpfr_add_q(wide, wide, q, MPFR_RNDN);
        mpfr_set(expected, wide, MPFR_RNDN);
        number_round(found, &a, &k);
        cr_assert(mpfr_equal_p(found, expected));
        size_t bits = f2l_rng_below(&rng, 700);
        number_approximate(q, &a, bits, &k);
        mpfr_sub_q(wide, wide, q, MPFR_RNDN);
        mpfr_abs(wide, wide, MPFR_RNDN);
        cr_assert_lt(mpfr_cmp_ui_2exp(wide, 1, -(mpfr_exp_t)bits), 0);
        mpfr_clears(found, expected, (mpfr_ptr)NULL);
    }
    mpfr_clear(wide);
    mpq_clears(q, error, (mpq_ptr)NULL);
    fmpq_poly_clear(&a);
    f2l_field_clear(&k);
}

Test(number, one_spelling_per_value)
{
    static const char *const good[] = {"0",      "1",     "-5/2",       "0,1",
                                       "1,-2/3", "0,0,1", "1/2,0,-1/3", "7,7,7"};
    static const char *const bad[] = {"",        ",",       "0,",   "1,0",    "0,0",   "1,2,0",
                                      "1,2,3,4", "1,2,3,0", "1,,2", ",1",     "1, 2",  " 1",
                                      "1 ",      "x",       "1,x",  "2/4,1",  "1,2/4", "+1",
                                      "1;2",     "-0",      "-0,1", "0,-0,1", "1,2,",  "1/0"};
    f2l_field k;
    f2l_number a;
    f2l_field_init(&k);
    fmpq_poly_init(&a);
    read_field(&k, "1 -3 0 1 interval 1 2");
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        f2l_buf b;
        f2l_buf_init(&b);
        cr_assert(number_read(&a, good[i], strlen(good[i]), &k), "%s", good[i]);
        cr_assert(fmpq_poly_is_canonical(&a));
        number_write(&b, &a);
        cr_assert_str_eq(b.data, good[i]);
        f2l_buf_clear(&b);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fmpq_poly_one(&a);
        cr_assert_not(number_read(&a, bad[i], strlen(bad[i]), &k), "'%s'", bad[i]);
        cr_assert(fmpq_poly_is_zero(&a));
    }
    f2l_field_clear(&k);
    f2l_field_init(&k);
    cr_assert(number_read(&a, "-5/3", 4, &k));
    cr_assert_not(number_read(&a, "0,1", 3, &k));
    f2l_field_clear(&k);
    fmpq_poly_clear(&a);
}
