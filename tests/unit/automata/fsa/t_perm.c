#include "automata/fsa/perm.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/random_permutation.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the least point of p's cycle. */
static size_t least_of_cycle(const uint32_t *image, size_t p)
{
    size_t least = p;
    for (size_t q = image[p]; q != p; q = image[q]) least = q < least ? q : least;
    return least;
}

Test(perm, counts)
{
    const uint32_t image[] = {1, 2, 0, 4, 3, 5}; /* (1 2 3)(4 5), 6 fixed */
    cr_assert(f2l_perm_is_permutation(image, 6));
    cr_assert(f2l_perm_cycles(image, 6) == 3);
    cr_assert(f2l_perm_displaced(image, 6) == 5);
    cr_assert(f2l_perm_cycles(image, 0) == 0 && f2l_perm_is_permutation(image, 0));
}

/* Beside the powers of p that divide the order, which is the least common multiple of the lengths
 * of the cycles. */
Test(perm, prime_powers)
{
    enum { N = 60 };
    uint32_t image[N], power[N + 1];
    uint8_t seen[N];
    f2l_rng rng;
    f2l_rng_init(&rng, 5, 0);
    for (size_t round = 0; round < 300; round++) {
        const size_t n = round % (N + 1);
        random_permutation(image, n, &rng);
        f2l_perm_prime_powers(power, seen, image, n);
        for (size_t p = 0; p <= n; p++) {
            bool prime = p > 1;
            size_t expected = 1;
            for (size_t k = 2; k < p; k++) prime = prime && p % k != 0;
            for (size_t i = 0; prime && i < n; i++) {
                size_t length = 1, q = 1;
                for (size_t at = image[i]; at != i; at = image[at]) length++;
                while (length % (q * p) == 0) q *= p;
                if (q > expected) expected = q;
            }
            cr_assert_eq(power[p], expected, "%zu of %zu points: %u", p, n, power[p]);
        }
    }
}

Test(perm, refuses_what_does_not_permute)
{
    const uint32_t twice[] = {0, 0, 2}, outside[] = {0, 3, 2};
    cr_assert(!f2l_perm_is_permutation(twice, 3));
    cr_assert(!f2l_perm_is_permutation(outside, 3));
}

/* More points than one window of the check holds; the repeated value lies in the last window. */
Test(perm, many_points)
{
    const size_t n = 600000;
    f2l_rng rng;
    f2l_rng_init(&rng, 11, 0);
    uint32_t *image = malloc(n * sizeof *image);
    random_permutation(image, n, &rng);
    cr_assert(f2l_perm_is_permutation(image, n));
    for (size_t p = 0; p < n; p++)
        if (image[p] == n - 1) image[p] = (uint32_t)n - 2;
    cr_assert(!f2l_perm_is_permutation(image, n));
    for (size_t p = 0; p < n; p++) image[p] = (uint32_t)((p + 1) % n);
    cr_assert(f2l_perm_is_permutation(image, n));
    cr_assert(f2l_perm_cycles(image, n) == 1);
    cr_assert(f2l_perm_displaced(image, n) == n);
    free(image);
}

Test(perm, writes_from_least_points)
{
    const uint32_t identity[] = {0, 1, 2}, image[] = {2, 4, 0, 3, 1};
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_perm_write(&out, identity, 3);
    cr_assert_str_eq(out.data, "()");
    out.size = 0;
    f2l_perm_write(&out, image, 5);
    cr_assert_str_eq(out.data, "(1 3)(2 5)");
    f2l_buf_clear(&out);
}

Test(perm, write_then_read)
{
    const uint64_t seed = 5;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    uint32_t image[5000], again[5000];
    for (int round = 0; round < 400; round++) {
        const size_t n = round % 40 == 0 ? 5000 : 1 + (size_t)f2l_rng_below(&rng, 12);
        random_permutation(image, n, &rng);
        size_t cycles = 0;
        for (size_t p = 0; p < n; p++) cycles += least_of_cycle(image, p) == p;
        cr_assert(f2l_perm_cycles(image, n) == cycles, "seed %llu round %d",
                  (unsigned long long)seed, round);
        f2l_buf out;
        f2l_buf_init(&out);
        f2l_perm_write(&out, image, n);
        f2l_error err = {0};
        cr_assert(f2l_perm_read(again, n, out.data, out.size, 1, 1, &err) == F2L_OK, "%s: %s",
                  out.data, err.text);
        cr_assert(memcmp(image, again, n * sizeof *image) == 0);
        f2l_buf_clear(&out);
    }
}

Test(perm, reads_blanks_commas_and_short_cycles)
{
    const char *const text[] = {"(1 2 3)(4 5)", "( 1,2 ,3 ) (5 4)\t(6)", "()(1\t2 3)(4,5)"};
    const uint32_t expected[] = {1, 2, 0, 4, 3, 5};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        uint32_t image[6];
        cr_assert(f2l_perm_read(image, 6, text[i], strlen(text[i]), 1, 1, NULL) == F2L_OK, "%s",
                  text[i]);
        cr_assert(memcmp(image, expected, sizeof expected) == 0, "%s", text[i]);
    }
}

Test(perm, refuses_with_the_column)
{
    static const struct {
        const char *text;
        size_t column;
        const char *says;
    } bad[] = {
        {"", 10, "expected a cycle"},
        {"1 2", 10, "expected a cycle"},
        {"(1 2", 14, "expected a point or ')'"},
        {"(1 6)", 13, "1..5"},
        {"(1 0)", 13, "1..5"},
        {"(1 02)", 13, "1..5"},
        {"(1 99999999999999999999999999)", 13, "1..5"},
        {"(1 2 1)", 15, "point 1 is in the cycles twice"},
        {"(1 1)", 13, "point 1 is in the cycles twice"},
        {"(1 2)(3 2)", 18, "point 2 is in the cycles twice"},
        {"(3)(3)", 14, "point 3 is in the cycles twice"},
        {"(1 -2)", 13, "expected a point or ')'"},
        {"(1 2x)", 14, "expected a blank or ')'"},
        {"(1 2) 3", 16, "expected a cycle"},
        {"(1(2))", 12, "expected a blank or ')'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t image[5];
        f2l_error err = {0};
        const f2l_status status =
            f2l_perm_read(image, 5, bad[i].text, strlen(bad[i].text), 7, 10, &err);
        cr_assert(status == F2L_EFORMAT, "%s", bad[i].text);
        cr_assert(err.line == 7 && err.column == bad[i].column, "%s: column %zu", bad[i].text,
                  err.column);
        cr_assert(strstr(err.text, bad[i].says), "%s: %s", bad[i].text, err.text);
    }
}

#ifdef F2L_MEM_FAILURES
Test(perm, without_memory)
{
    uint32_t image[5000];
    f2l_rng rng;
    f2l_rng_init(&rng, 3, 0);
    random_permutation(image, 5000, &rng);
    const size_t cycles = f2l_perm_cycles(image, 5000);
    f2l_mem_fail_after(1, true);
    cr_assert(f2l_perm_cycles(image, 5000) == cycles);
    f2l_buf out;
    f2l_buf_init(&out);
    f2l_perm_write(&out, image, 5000);
    f2l_mem_fail_after(0, false);
    cr_assert(f2l_buf_status(&out, NULL) == F2L_ENOMEM);
    f2l_buf_clear(&out);
}
#endif
