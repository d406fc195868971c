#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/exact/field_cyclotomic.h"
#include "tests/support/numeric/field_values.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16

static f2l_field k;
static f2l_number image[MOST];
static int64_t value[MOST * 1024];

static void start(void)
{
    f2l_field_init(&k);
    for (size_t i = 0; i < MOST; i++) fmpq_poly_init(&image[i]);
    memset(value, 0, sizeof value);
}

static void stop(void)
{
    f2l_field_clear(&k);
    for (size_t i = 0; i < MOST; i++) fmpq_poly_clear(&image[i]);
    flint_cleanup();
}

static const double pi = 3.14159265358979323846;

static double real_part(const int64_t *v, size_t e)
{
    double sum = 0;
    for (size_t j = 0; j < e; j++) sum += (double)v[j] * cos(2 * pi * (double)j / (double)e);
    return sum;
}

static void build(size_t count, size_t e)
{
    f2l_error err;
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, count, e, &err), F2L_OK, "%s",
                 err.text);
    for (size_t i = 0; i < count; i++) {
        cr_assert_leq(image[i].length, (slong)k.degree);
        cr_assert_float_eq(number_double(&image[i], &k), real_part(value + i * e, e), 1e-9, "e %zu",
                           e);
    }
}

static void check_texts(const char *field, const char *first)
{
    f2l_buf b;
    f2l_buf_init(&b);
    f2l_buf_field(&b, &k);
    cr_assert_str_eq(b.data, field);
    f2l_buf_clear(&b);
    number_write(&b, &image[0]);
    cr_assert_str_eq(b.data, first);
    f2l_buf_clear(&b);
}

Test(cyclotomic, small_fields, .init = start, .fini = stop)
{
    value[0] = 7;
    build(1, 1);
    check_texts("0 1 interval -1 1", "7");
    memset(value, 0, sizeof value);
    value[1] = 1, value[4] = 1; /* 2 cos(2 pi / 5) */
    build(1, 5);
    check_texts("-5 0 1 interval 2 3", "-1/2,1/2");
    memset(value, 0, sizeof value);
    value[1] = 3, value[7] = 3; /* 3 sqrt 2 */
    build(1, 8);
    check_texts("-2 0 1 interval 1 2", "0,3");
    memset(value, 0, sizeof value);
    value[1] = 1, value[11] = 1; /* sqrt 3 */
    build(1, 12);
    check_texts("-3 0 1 interval 1 2", "0,1");
    memset(value, 0, sizeof value);
    for (size_t j = 1; j < 7; j++) value[j] = 2;
    build(1, 7);
    check_texts("0 1 interval -1 1", "-2");
    memset(value, 0, sizeof value);
    value[0] = -1, value[1] = 1, value[6] = 1;
    build(1, 7);
    check_texts("-1 -2 1 1 interval 1 2", "-1,1");
    build(0, 7);
    check_texts("0 1 interval -1 1", "-1,1");
}

/* 2 cos(2 pi / m) has FLINT's polynomial, and any multiple of m gives the same field. */
Test(cyclotomic, regular_polygons, .init = start, .fini = stop)
{
    fmpz_poly_t expected;
    fmpz_poly_init(expected);
    for (size_t m = 3; m <= 130; m++) {
        size_t degree = m <= 4 || m == 6 ? 1 : n_euler_phi(m) / 2;
        if (degree > F2L_FIELD_MAX_DEGREE) {
            cr_assert_eq(m, 131);
            continue;
        }
        memset(value, 0, sizeof value);
        value[1] = value[m - 1] = 1;
        build(1, m);
        cr_assert_eq(k.degree, degree);
        if (degree > 2) {
            fmpz_poly_cos_minpoly(expected, m % 4 == 2 ? m / 2 : m);
            cr_assert(fmpz_poly_equal(k.modulus, expected), "%zu", m);
            cr_assert(m % 4 == 2 || (image[0].length == 2 && fmpz_is_zero(image[0].coeffs)));
        }
        f2l_field first;
        f2l_field_init(&first);
        f2l_field_copy(&first, &k);
        memset(value, 0, sizeof value);
        value[3] = value[3 * m - 3] = 1;
        build(1, 3 * m);
        cr_assert(f2l_field_equal(&first, &k) && mpq_equal(first.low, k.low) &&
                  mpq_equal(first.high, k.high));
        f2l_field_clear(&first);
    }
    fmpz_poly_clear(expected);
}

/* Checks traces of random elements down to the field that a random group of units fixes; the map
 * sends products to products. */
static void check_random(size_t e, f2l_rng *rng)
{
    static int64_t sum[1024];
    size_t units[64], count = 2;
    units[0] = 1 % e, units[1] = e - 1;
    do {
        size_t u = f2l_rng_below(rng, e);
        if (n_gcd(u, e) != 1) continue;
        for (size_t i = 0; i < count && count < 64; i++) { /* close under u */
            size_t next = units[i] * u % e, j = 0;
            while (j < count && units[j] != next) j++;
            if (j == count) units[count++] = next;
        }
        if (count == 64) return;
    } while (f2l_rng_below(rng, 2));
    memset(value, 0, sizeof value);
    for (size_t i = 0; i < 2; i++) {
        for (int terms = 0; terms < 3; terms++) {
            size_t j = f2l_rng_below(rng, e);
            int64_t scale = (int64_t)f2l_rng_below(rng, 7) - 3;
            for (size_t u = 0; u < count; u++) value[i * e + j * units[u] % e] += scale;
        }
    }
    memset(sum, 0, sizeof sum);
    for (size_t i = 0; i < e; i++)
        for (size_t j = 0; j < e; j++) sum[(i + j) % e] += value[i] * value[e + j];
    memcpy(value + 2 * e, sum, e * sizeof *sum);
    build(3, e);
    cr_assert_eq(n_euler_phi(e) / count % k.degree, 0);
    f2l_number product;
    fmpq_poly_init(&product);
    f2l_field_multiply(&product, &image[0], &image[1], &k);
    cr_assert(fmpq_poly_equal(&product, &image[2]), "e = %zu", e);
    fmpq_poly_clear(&product);
}

Test(cyclotomic, random_elements, .init = start, .fini = stop)
{
    static const size_t orders[] = {3,  5,  8,  12, 13, 16, 20, 21, 24,  27,
                                    30, 32, 36, 40, 60, 63, 84, 91, 120, 420};
    f2l_rng rng;
    f2l_rng_init(&rng, 17, 0); /* the seed */
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int round = 0; round < 30; round++) check_random(orders[i], &rng);
}

/* sqrt 2 and sqrt 5 (conductor 40, degree 4 of 8): no single trace generates. */
Test(cyclotomic, several_square_roots, .init = start, .fini = stop)
{
    value[5] = value[35] = 1;           /* sqrt 2 */
    value[40 + 8] = value[40 + 32] = 1; /* (sqrt 5 - 1) / 2 */
    build(2, 40);
    cr_assert_eq(k.degree, 4);
    f2l_number square;
    fmpq_poly_init(&square);
    f2l_field_multiply(&square, &image[0], &image[0], &k);
    cr_assert_eq(square.length, 1);
    cr_assert_eq(fmpz_get_si(square.coeffs), 2);
    fmpq_poly_clear(&square);
    for (slong i = 0; i <= 4; i++) cr_assert_lt(labs(fmpz_get_si(k.modulus->coeffs + i)), 64);
}

Test(cyclotomic, refusals, .init = start, .fini = stop)
{
    f2l_error err;
    value[1] = 1;
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 5, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 4, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 2, &err), F2L_OK);
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 0, &err), F2L_EDOMAIN);
    value[4] = 2;
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 5, &err), F2L_EDOMAIN);
    value[1] = value[4] = INT64_C(1) << 49;
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 5, &err), F2L_EDOMAIN);
    value[1] = value[4] = INT64_MIN;
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 5, &err), F2L_EDOMAIN);
    value[1] = value[4] = (INT64_C(1) << 48) - 1;
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 5, &err), F2L_OK);
    memset(value, 0, sizeof value);
    value[1] = value[130] = 1; /* degree 65 */
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 1, 131, &err), F2L_UNKNOWN);
}

Test(cyclotomic, refusals_count_elements_from_one, .init = start, .fini = stop)
{
    f2l_error err;
    value[5] = INT64_C(1) << 50;
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 2, 5, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "element 2 has"), "%s", err.text);
    value[5] = 0, value[6] = 1;
    cr_assert_eq(f2l_field_cyclotomic_real(&k, image, value, 2, 5, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "element 2 is not real"), "%s", err.text);
}

#ifdef F2L_MEM_FAILURES
Test(cyclotomic, memory_failures, .init = start, .fini = stop)
{
    value[5] = value[35] = 1;
    value[40 + 8] = value[40 + 32] = 1;
    for (int forever = 0; forever < 2; forever++) {
        size_t n = 1;
        f2l_status status;
        do {
            f2l_mem_fail_after(n++, forever);
            status = f2l_field_cyclotomic_real(&k, image, value, 2, 40, NULL);
            f2l_mem_fail_after(0, false);
            cr_assert(status == F2L_OK || status == F2L_ENOMEM);
        } while (status == F2L_ENOMEM);
        cr_assert_gt(n, 10);
    }
    cr_assert_null(f2l_numbers_new(SIZE_MAX));
}
#endif
