#include "tests/support/theory/rep_support.h"
#include "theory/rep/dyadic/impl.h"
#include <criterion/criterion.h>

/* Groups with the expected ranges, with all elements as letters (R1.14), and by generators. */
static const struct {
    const char *name;
    size_t degree;
    const char *generators;
    size_t lower, upper, few_lower, few_upper;
} expected[] = {
    {"trivial", 1, "", 0, 0, 0, 0},
    {"Z2", 2, "(1 2)", 1, 1, 1, 1},
    {"Z3", 3, "(1 2 3)", 2, 2, 2, 2},
    {"Z4", 4, "(1 2 3 4)", 3, 3, 3, 3},
    {"Z5", 5, "(1 2 3 4 5)", 4, 4, 4, 4},
    {"Z6", 5, "(1 2 3)(4 5)", 2, 2, 2, 2},
    {"Z7", 7, "(1 2 3 4 5 6 7)", 6, 6, 6, 6},
    {"Z8", 8, "(1 2 3 4 5 6 7 8)", 4, 5, 4, 5},
    {"S3", 3, "(1 2);(1 2 3)", 2, 2, 2, 2},
    {"D5", 5, "(1 5)(2 4);(2 5)(3 4)", 4, 4, 2, 2},
    {"A4", 4, "(1 2 3);(2 3 4)", 2, 2, 2, 2},
    {"S4", 4, "(1 2);(1 2 3 4)", 3, 3, 3, 3},
    {"A5", 5, "(1 2 3);(1 2 3 4 5)", 4, 4, 4, 4},
    {"S5", 5, "(1 2);(1 2 3 4 5)", 4, 4, 4, 4},
    {"S5 by transpositions", 5, "(1 2);(2 3);(3 4);(4 5)", 4, 4, 1, 1},
    {"S6", 6, "(1 2);(1 2 3 4 5 6)", 4, 5, 3, 3},
    {"Q8", 8, "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)", 4, 4, 4, 4},
    {"S3 x S3", 6, "(1 2);(1 2 3);(4 5);(4 5 6)", 2, 2, 2, 2},
};

Test(dyadic, ranges_of_known_groups)
{
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        for (int all = 0; all < 2; all++) {
            rep r;
            f2l_householders h;
            f2l_dyadic d;
            cr_assert_eq(rep_read(&r, expected[i].degree, expected[i].generators), F2L_OK);
            cr_assert_eq(rep_householders(&h, &r, all), F2L_OK);
            cr_assert_eq(
                f2l_dyadic_build(&d, &r.group, &r.classes, &r.characters, &h, 0, NULL, &r.err),
                F2L_OK);
            const size_t lower = all ? expected[i].lower : expected[i].few_lower;
            const size_t upper = all ? expected[i].upper : expected[i].few_upper;
            cr_assert(d.lower == lower && d.upper == upper, "%s: %zu .. %zu, not %zu .. %zu",
                      expected[i].name, d.lower, d.upper, lower, upper);
            cr_assert_geq(d.lower, h.minimum);
            f2l_dyadic_clear(&d);
            f2l_dyadic_clear(&d);
            f2l_householders_clear(&h);
            rep_clear(&r);
        }
    }
}

/* Sets image[] to the signed permutation, where points 2p and 2p + 1 are +e_p and -e_p. */
static void double_points(uint32_t *image, const int32_t *head, size_t points)
{
    for (size_t p = 0; p < points; p++)
        for (size_t s = 0; s < 2; s++)
            image[2 * p + s] = 2 * (uint32_t)(abs(head[p]) - 1) + (uint32_t)(s ^ (head[p] < 0));
}

/* The head of Q8 acts on signed points as Q8, which it permutes faithfully. */
Test(dyadic, head_of_Q8)
{
    rep r;
    f2l_householders h;
    f2l_dyadic d;
    f2l_group g;
    uint32_t image[2 * 16];
    cr_assert_eq(rep_read(&r, 8, "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)"), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    cr_assert_eq(f2l_dyadic_build(&d, &r.group, &r.classes, &r.characters, &h, 0, NULL, NULL),
                 F2L_OK);
    cr_assert_eq(d.heads, 1);
    cr_assert_eq(d.head[0].points, 4);
    double_points(image, d.head[0].image, 4);
    double_points(image + 8, d.head[0].image + 4, 4);
    cr_assert_eq(f2l_group_build(&g, image, 2, 8, 0, NULL, NULL), F2L_OK);
    cr_assert_eq(g.order, 8);
    for (size_t s = 0; s < 2; s++) {
        int product = 1;
        for (size_t p = 0; p < 4; p++) product *= d.head[0].image[4 * s + p] < 0 ? -1 : 1;
        cr_assert_eq(product, 1, "an even number of signs");
        cr_assert_eq(f2l_dyadic_factors(d.head[0].image + 4 * s, 4), 4);
    }
    f2l_group_clear(&g);
    f2l_dyadic_clear(&d);
    f2l_householders_clear(&h);
    rep_clear(&r);
}

Test(dyadic, factors_are_points_without_positive_cycles)
{
    cr_assert_eq(f2l_dyadic_factors((int32_t[]){1, 2, 3}, 3), 0);
    cr_assert_eq(f2l_dyadic_factors((int32_t[]){2, 3, 1}, 3), 2);
    cr_assert_eq(f2l_dyadic_factors((int32_t[]){-2, 3, -1}, 3), 2);
    cr_assert_eq(f2l_dyadic_factors((int32_t[]){-1, -2, 3}, 3), 2);
    cr_assert_eq(f2l_dyadic_factors((int32_t[]){-2, 1, -4, 3}, 4), 4);
    cr_assert_eq(f2l_dyadic_factors((int32_t[]){-1}, 1), 1);
    cr_assert_eq(f2l_dyadic_factors(NULL, 0), 0);
}

/* Applies the reflection in (w_p - sign w_q)/2 to each column; there are 2m rows, m columns. */
static void reflect(long *matrix, size_t m, size_t p, size_t q, long sign)
{
    for (size_t column = 0; column < m; column++) {
        long dot = 0; /* twice the inner product with the key */
        const size_t at[4] = {p, q, p + m, q + m};
        for (size_t k = 0; k < 4; k++) dot += (k % 2 ? -sign : 1) * matrix[at[k] * m + column];
        cr_assert_eq(dot % 2, 0, "entries stay integers");
        for (size_t k = 0; k < 4; k++) matrix[at[k] * m + column] -= (k % 2 ? -sign : 1) * dot / 2;
    }
}

/* R1.13 holds for the images of the w_p under random signed permutations. */
Test(dyadic, signed_permutations_are_products_of_dyadic_reflections)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 1337, 0); /* the seed */
    for (int round = 0; round < 500; round++) {
        enum { M = 6 };
        uint32_t image[M];
        int32_t head[M];
        int product = 1;
        random_permutation(image, M, &rng);
        for (size_t p = 0; p < M; p++) {
            const int sign = f2l_rng_below(&rng, 2) ? -1 : 1;
            head[p] = sign * (int32_t)(image[p] + 1);
            product *= sign;
        }
        if (product < 0) head[0] = -head[0];
        /* Undo the permutation: first every point, then pairs of signs; count the reflections. */
        long matrix[2 * M * M] = {0};
        for (size_t p = 0; p < M; p++) {
            const size_t q = (size_t)abs(head[p]) - 1;
            matrix[q * M + p] = matrix[(q + M) * M + p] = head[p] < 0 ? -1 : 1;
        }
        size_t used = 0, negative[M], negatives = 0;
        for (size_t p = 0; p < M; p++) {
            size_t q = 0; /* w_p is there, with a sign */
            while (matrix[q * M + p] == 0) q++;
            if (q != p) {
                reflect(matrix, M, p, q, matrix[q * M + p]);
                used++;
            }
        }
        for (size_t p = 0; p < M; p++)
            if (matrix[p * M + p] < 0) negative[negatives++] = p;
        cr_assert_eq(negatives % 2, 0);
        for (size_t k = 0; k < negatives; k += 2) {
            reflect(matrix, M, negative[k], negative[k + 1], 1);
            reflect(matrix, M, negative[k], negative[k + 1], -1);
            used += 2;
        }
        for (size_t i = 0; i < 2 * M; i++)
            for (size_t k = 0; k < M; k++) cr_assert_eq(matrix[i * M + k], i % M == k);
        cr_assert_eq(used, f2l_dyadic_factors(head, M));
    }
}

/* The bounds belong to the group, not to its action: they are the same for its action on its own
 * elements, as in a file that tracks elements. */
Test(dyadic, does_not_depend_on_the_action)
{
    rep r, regular;
    f2l_householders h;
    f2l_dyadic d;
    uint32_t image[2 * 24];
    cr_assert_eq(rep_read(&r, 4, "(1 2);(1 2 3 4)"), F2L_OK);
    uint32_t *letter = rep_letters(&r);
    for (size_t s = 0; s < 2; s++)
        for (uint32_t x = 0; x < 24; x++)
            image[24 * s + x] = f2l_group_multiply(&r.group, x, letter[s]);
    cr_assert_eq(rep_build(&regular, image, 2, 24), F2L_OK);
    cr_assert_eq(regular.group.order, 24);
    cr_assert_eq(rep_householders(&h, &regular, true), F2L_OK);
    cr_assert_eq(h.minimum, 2);
    cr_assert_eq(f2l_dyadic_build(&d, &regular.group, &regular.classes, &regular.characters, &h, 0,
                                  NULL, NULL),
                 F2L_OK);
    cr_assert(d.lower == 3 && d.upper == 3, "%zu .. %zu", d.lower, d.upper);
    free(letter);
    f2l_dyadic_clear(&d);
    f2l_householders_clear(&h);
    rep_clear(&regular);
    rep_clear(&r);
}

Test(dyadic, stops_at_limits)
{
    rep r;
    f2l_householders h;
    f2l_dyadic d;
    const volatile sig_atomic_t stop = SIGINT;
    const f2l_task cancelled = {.cancel = &stop};
    cr_assert_eq(rep_read(&r, 6, "(1 2);(1 2 3 4 5 6)"), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    cr_assert_eq(f2l_dyadic_build(&d, &r.group, &r.classes, &r.characters, &h, 1, NULL, NULL),
                 F2L_OK);
    cr_assert_not(d.complete);
    cr_assert(d.heads > 0 && d.upper >= d.lower && d.upper < 720,
              "something faithful was found all the same");
    f2l_dyadic_clear(&d);
    cr_assert_eq(f2l_dyadic_build(&d, &r.group, &r.classes, &r.characters, &h, 0, &cancelled, NULL),
                 F2L_UNKNOWN);
    cr_assert_null(d.head);
    f2l_householders_clear(&h);
    rep_clear(&r);
}

#ifdef F2L_MEM_FAILURES
Test(dyadic, out_of_memory)
{
    rep r;
    f2l_householders h;
    cr_assert_eq(rep_read(&r, 6, "(1 2);(1 2 3);(4 5);(4 5 6)"), F2L_OK);
    cr_assert_eq(rep_householders(&h, &r, true), F2L_OK);
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        f2l_dyadic d;
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_dyadic_build(&d, &r.group, &r.classes, &r.characters, &h, 0, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && !d.head && d.heads == 0));
        f2l_dyadic_clear(&d);
    }
    cr_assert_eq(status, F2L_OK);
    cr_assert_gt(n, 15);
    f2l_householders_clear(&h);
    rep_clear(&r);
}
#endif
