#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "numeric/exact/qvec.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(rational, one_spelling_per_value)
{
    static const char *const good[] = {"0",
                                       "1",
                                       "-1",
                                       "-3",
                                       "5/2",
                                       "-5/2",
                                       "1/2",
                                       "10/3",
                                       "999999999",
                                       "1000000000",
                                       "1/1000000007",
                                       "-9223372036854775808",
                                       "9223372036854775807",
                                       "18446744073709551616/3",
                                       "123456789012345678901234567890/11"};
    static const char *const bad[] = {"",     "-",   "+1",   "-0",   "00",   "01",  "1/1", "1/0",
                                      "0/1",  "0/2", "-0/3", "2/4",  "1/-2", "-/2", "1/",  "/2",
                                      "1/02", " 1",  "1 ",   "1/2 ", "1.5",  "1e3", "0x1", "1/2/3",
                                      "--1",  "x",   "10/5", "6/9",  "1 /2", "- 1"};
    mpq_t q;
    mpq_init(q);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        f2l_buf b;
        f2l_buf_init(&b);
        cr_assert(f2l_rational_read(q, good[i], strlen(good[i])), "%s", good[i]);
        f2l_buf_rational(&b, q);
        cr_assert_str_eq(b.data, good[i]);
        char *other = mpq_get_str(NULL, 10, q);
        cr_assert_str_eq(other, good[i]);
        free(other);
        f2l_buf_clear(&b);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        mpq_set_si(q, 7, 3);
        cr_assert_not(f2l_rational_read(q, bad[i], strlen(bad[i])), "'%s'", bad[i]);
        cr_assert_eq(mpq_sgn(q), 0);
    }
    cr_assert_not(f2l_rational_read(q, "1\0", 2));
    cr_assert(f2l_rational_read(q, "12", 1));
    cr_assert_eq(mpq_cmp_ui(q, 1, 1), 0);
    mpq_clear(q);
}

Test(rational, digits_are_limited)
{
    char *text = calloc(9000, 1);
    mpq_t q, other;
    mpq_inits(q, other, (mpq_ptr)NULL);
    for (size_t i = 0; i < 4096; i++) text[i] = (char)('1' + i * i % 9 - (i % 7 == 5));
    mpq_set_str(other, text, 10);
    cr_assert(f2l_rational_read(q, text, 4096));
    cr_assert(mpq_equal(q, other));
    memset(text, '7', 4097);
    cr_assert(f2l_rational_read(q, text, 4096));
    cr_assert_not(f2l_rational_read(q, text, 4097));
    text[0] = '-';
    cr_assert(f2l_rational_read(q, text, 4097));
    cr_assert_lt(mpq_sgn(q), 0);
    memcpy(text, "1/", 2);
    memset(text + 2, '7', 4097);
    cr_assert(f2l_rational_read(q, text, 4098));
    cr_assert_not(f2l_rational_read(q, text, 4099));
    mpq_clears(q, other, (mpq_ptr)NULL);
    free(text);
}

Test(rational, random_values_round_trip)
{
    f2l_rng r;
    mpq_t q, back;
    f2l_rng_init(&r, 4242, 0); /* the seed */
    mpq_inits(q, back, (mpq_ptr)NULL);
    for (int i = 0; i < 20000; i++) {
        mpz_set_ui(mpq_numref(q), f2l_rng_u64(&r) >> f2l_rng_below(&r, 64));
        mpz_mul_2exp(mpq_numref(q), mpq_numref(q), f2l_rng_below(&r, 80));
        mpz_set_ui(mpq_denref(q), 1 + (f2l_rng_u64(&r) >> (1 + f2l_rng_below(&r, 63))));
        if (f2l_rng_below(&r, 2)) mpq_neg(q, q);
        mpq_canonicalize(q);
        f2l_buf b;
        f2l_buf_init(&b);
        f2l_buf_rational(&b, q);
        cr_assert(f2l_rational_read(back, b.data, b.size), "%s", b.data);
        cr_assert(mpq_equal(back, q));
        f2l_buf_clear(&b);
    }
    mpq_clears(q, back, (mpq_ptr)NULL);
}

static void push(f2l_qvec *v, uint32_t index, long numerator, unsigned long denominator)
{
    cr_assert_eq(f2l_qvec_push_si(v, index, numerator, denominator, NULL), F2L_OK);
}

Test(qvec, entries_are_canonical_increasing_and_not_zero)
{
    f2l_qvec v;
    f2l_error err;
    f2l_qvec_init(&v);
    push(&v, 0, 0, 5);
    cr_assert_eq(v.count, 0);
    push(&v, 3, -2, 4);
    push(&v, 9, 0, 1);
    push(&v, 7, 6, 3);
    cr_assert_eq(v.count, 2);
    cr_assert_eq(v.index[0], 3);
    cr_assert_eq(v.index[1], 7);
    cr_assert_eq(mpq_cmp_si(v.value[0], -1, 2), 0);
    cr_assert_eq(mpz_cmp_ui(mpq_denref(v.value[0]), 2), 0);
    cr_assert_eq(mpq_cmp_si(v.value[1], 2, 1), 0);
    cr_assert_eq(f2l_qvec_push_si(&v, 7, 1, 1, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_qvec_push_si(&v, 2, 1, 1, &err), F2L_EDOMAIN);
    cr_assert_eq(f2l_qvec_push_si(&v, 8, 1, 0, &err), F2L_EDOMAIN);
    cr_assert_eq(v.count, 2);
    f2l_qvec_clear(&v);
    f2l_qvec_clear(&v);
    cr_assert_eq(v.count, 0);
    push(&v, UINT32_MAX, 1, 1);
    f2l_qvec_clear(&v);
}

Test(qvec, norm_is_the_sum_of_squares)
{
    f2l_qvec v;
    mpq_t n;
    mpq_init(n);
    f2l_qvec_init(&v);
    f2l_qvec_norm2(n, &v);
    cr_assert_eq(mpq_sgn(n), 0);
    push(&v, 1, 1, 2);
    push(&v, 2, -1, 3);
    push(&v, 5, 2, 1);
    f2l_qvec_norm2(n, &v);
    cr_assert_eq(mpq_cmp_ui(n, 9 + 4 + 144, 36), 0);
    f2l_qvec_norm2(v.value[0], &v); /* the output may be one of the entries */
    cr_assert(mpq_equal(v.value[0], n));
    f2l_qvec_clear(&v);
    mpq_clear(n);
}

/* Draws a vector of up to four entries from few values, so that equal ones are frequent; `dense`
 * gets six coordinates in sixths. */
static void random_vector(f2l_rng *r, f2l_qvec *v, long dense[6])
{
    f2l_qvec_init(v);
    for (uint32_t i = 0; i < 6; i++) {
        dense[i] = f2l_rng_below(r, 2) ? 0 : (long)f2l_rng_below(r, 5) - 2;
        push(v, i, dense[i], 6);
    }
}

/* Compares by the order of the header, from the dense coordinates. */
static int dense_order(const long a[6], const long b[6])
{
    for (int i = 0, j = 0;; i++, j++) {
        while (i < 6 && a[i] == 0) i++;
        while (j < 6 && b[j] == 0) j++;
        if (i == 6 || j == 6) return (j == 6) - (i == 6);
        if (i != j) return i < j ? -1 : 1;
        if (a[i] != b[j]) return a[i] < b[j] ? -1 : 1;
    }
}

Test(qvec, order_and_hash_agree_with_the_coordinates)
{
    enum { N = 150 };
    f2l_qvec v[N];
    long dense[N][6];
    f2l_rng r;
    size_t equal = 0, clashes = 0;
    f2l_rng_init(&r, 11, 0); /* the seed */
    for (int i = 0; i < N; i++) random_vector(&r, &v[i], dense[i]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int order = f2l_qvec_compare(&v[i], &v[j]);
            cr_assert_eq(order, dense_order(dense[i], dense[j]));
            cr_assert_eq(order == 0, memcmp(dense[i], dense[j], sizeof dense[i]) == 0);
            bool same_hash = f2l_qvec_hash(&v[i]) == f2l_qvec_hash(&v[j]);
            if (order == 0) cr_assert(same_hash);
            equal += i != j && order == 0;
            clashes += order != 0 && same_hash;
        }
    cr_assert_gt(equal, 0);
    cr_assert_eq(clashes, 0);
    for (int i = 0; i < N; i++) f2l_qvec_clear(&v[i]);
}

Test(qvec, a_copy_is_equal_and_separate)
{
    f2l_qvec v, copy;
    f2l_qvec_init(&v);
    f2l_qvec_init(&copy);
    push(&copy, 0, 9, 1);
    for (uint32_t i = 0; i < 100; i++) push(&v, 2 * i, (long)i + 1, 7);
    cr_assert_eq(f2l_qvec_copy(&copy, &v, NULL), F2L_OK);
    cr_assert_eq(f2l_qvec_compare(&copy, &v), 0);
    mpq_set_si(v.value[99], 1, 3);
    cr_assert_neq(f2l_qvec_compare(&copy, &v), 0);
    cr_assert_eq(f2l_qvec_copy(&copy, &copy, NULL), F2L_OK);
    cr_assert_eq(copy.count, 100);
    f2l_qvec_clear(&v);
    cr_assert_eq(f2l_qvec_copy(&copy, &v, NULL), F2L_OK);
    cr_assert_eq(copy.count, 0);
    f2l_qvec_clear(&copy);
}

#ifdef F2L_MEM_FAILURES
Test(qvec, running_out_of_memory_is_reported)
{
    f2l_qvec v, copy;
    size_t failures = 0;
    f2l_qvec_init(&v);
    f2l_qvec_init(&copy);
    push(&copy, 4, 1, 1);
    for (uint32_t i = 0; i < 50; i++) {
        f2l_status status = F2L_ENOMEM;
        for (size_t n = 1; status != F2L_OK; n++) {
            f2l_mem_fail_after(n, false);
            status = f2l_qvec_push_si(&v, i, 1, 2, NULL);
            failures += status == F2L_ENOMEM;
            cr_assert_eq(v.count, status == F2L_OK ? i + 1 : i);
        }
    }
    f2l_status status = F2L_ENOMEM;
    for (size_t n = 1; status != F2L_OK; n++) {
        f2l_mem_fail_after(n, false);
        status = f2l_qvec_copy(&copy, &v, NULL);
        f2l_mem_fail_after(0, false);
        failures += status == F2L_ENOMEM;
        cr_assert_eq(copy.count, status == F2L_OK ? 50 : 1);
    }
    cr_assert_geq(failures, 8);
    f2l_buf b;
    mpq_t big;
    mpq_init(big);
    mpz_ui_pow_ui(mpq_numref(big), 10, 30);
    f2l_buf_init(&b);
    f2l_mem_fail_after(1, false);
    f2l_buf_rational(&b, big);
    f2l_mem_fail_after(0, false);
    cr_assert_eq(f2l_buf_status(&b, NULL), F2L_ENOMEM);
    f2l_buf_clear(&b);
    mpq_clear(big);
    f2l_qvec_clear(&v);
    f2l_qvec_clear(&copy);
}
#endif
