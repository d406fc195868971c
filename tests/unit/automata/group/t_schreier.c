#include "automata/fsa/perm.h"
#include "automata/group/group_name.h"
#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/random_permutation.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct known_group {
    size_t degree;
    const char *generators; /* separated by ; */
    const char *order, *name;
} known_group;

/* Orders and isomorphism types from textbooks. */
static const known_group known[] = {
    {1, "()", "1", "trivial"},
    {4, "()", "1", "trivial"},
    {2, "(1 2)", "2", "Z_2"},
    {9, "(1 2 3)(4 5)", "6", "Z_6"},
    {9, "(1 2 3);(4 5)", "6", "Z_6"},
    {12, "(1 2 3)(4 5 6 7);(8 9 10 11 12)", "60", "Z_60"},
    {4, "(1 2)(3 4);(1 3)(2 4)", "4", "Z_2^2"},
    {6, "(1 2);(3 4);(5 6)", "8", "Z_2^3"},
    {6, "(1 2 3);(4 5 6)", "9", "Z_3^2"},
    {8, "(1 2 3 4);(5 6)", "8", "Z_2xZ_4"},
    {3, "(1 2);(1 2 3)", "6", "S_3"},
    {6, "(1 2)(4 5);(1 2 3)(4 5 6)", "6", "S_3"},
    {6, "(1 2)(4 6)(3 5);(1 4)(2 5)(3 6)", "6", "S_3"},
    {5, "(2 4)", "2", "Z_2"},
    {4, "(1 2 3);(2 3 4)", "12", "A_4"},
    {4, "(1 2);(1 2 3 4)", "24", "S_4"},
    {4, "(1 2 3 4);(1 3)", "8", "D_4"},
    {4, "(1 3);(1 2)(3 4)", "8", "D_4"},
    {5, "(1 2 3 4 5);(2 5)(3 4)", "10", "D_5"},
    {5, "(1 2)(3 5);(2 5)(3 4)", "10", "D_5"},
    {6, "(1 2 3 4 5 6);(2 6)(3 5)", "12", "D_6"},
    {6, "(1 2 3);(1 2)(5 6);(4 5)", "36", "S_3xS_3"},
    {5, "(1 2 3);(1 2)(4 5)", "6", "S_3"},
    {5, "(1 2 3);(1 2);(4 5)", "12", "D_6"},
    {5, "(1 2 3 4 5);(2 3 5 4)", "20", "Z_5:Z_4"},
    {7, "(1 2 3 4 5 6 7);(2 3 5)(4 7 6)", "21", "Z_7:Z_3"},
    {5, "(1 2 3 4 5);(1 2 3)", "60", "A_5"},
    {5, "(1 2 3 4 5);(1 2)", "120", "S_5"},
    {6, "(1 2 3 4 5);(1 6)(2 5)", "60", "A_5"},
    {7, "(1 2 3 4 5 6 7);(2 3)(4 7)", "168", "PSL(2,7)"},
    {8, "(1 2 3 4 5 6 7);(1 2 3)", "2520", "A_7"},
    {8, "(1 2 3 4 5 6 7 8);(1 2)", "40320", "S_8"},
    {9, "(1 2 3 4 5 6 7 8 9);(1 2 3)", "181440", "A_9"},
    {12, "(1 2 3 4 5 6 7 8 9 10 11);(3 7 11 8)(4 10 5 6);(1 12)(2 11)(3 6)(4 8)(5 9)(7 10)",
     "95040", "M_12"},
    {8, "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)", "8", "Q_8"},
    {20, "(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20);(1 2)", "2432902008176640000",
     "S_20"},
    {10, "(1 2 3 4 5)(6 7 8 9 10);(1 2)(6 7)", "120", "S_5"},
};

static void read_generators(f2l_schreier *g, size_t degree, const char *text)
{
    uint32_t *image = calloc(degree, sizeof *image);
    f2l_schreier_init(g, degree);
    for (const char *at = text;; at++) {
        size_t size = strcspn(at, ";");
        cr_assert_eq(f2l_perm_read(image, degree, at, size, 1, 1, NULL), F2L_OK, "%s", at);
        cr_assert_eq(f2l_schreier_add(g, image, NULL, NULL, NULL), F2L_OK);
        at += size;
        if (!*at) break;
    }
    free(image);
}

static void order_is(const f2l_schreier *g, const char *expected, const char *what)
{
    mpz_t order;
    mpz_init(order);
    f2l_schreier_order(order, g);
    char *text = mpz_get_str(NULL, 10, order);
    cr_assert_str_eq(text, expected, "%s: order %s", what, text);
    free(text);
    mpz_clear(order);
}

Test(schreier, knows_textbook_groups)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        f2l_schreier g;
        f2l_buf name;
        f2l_buf_init(&name);
        read_generators(&g, known[i].degree, known[i].generators);
        order_is(&g, known[i].order, known[i].generators);
        cr_assert_eq(f2l_group_name(&name, &g, NULL, NULL), F2L_OK);
        cr_assert_str_eq(name.data, known[i].name, "%s is %s", known[i].generators, name.data);
        f2l_buf_clear(&name);
        f2l_schreier_clear(&g);
        f2l_schreier_clear(&g);
    }
}

/* Lists the group by multiplying until nothing is new; returns the order, 0 when it is above
 * `limit`. */
static size_t list_group(uint32_t *list, size_t limit, const uint32_t *generator, size_t generators,
                         size_t n)
{
    size_t count = 1;
    for (uint32_t i = 0; i < n; i++) list[i] = i;
    for (size_t head = 0; head < count; head++)
        for (size_t s = 0; s < generators; s++) {
            uint32_t x[8];
            for (size_t i = 0; i < n; i++) x[i] = generator[s * n + list[head * n + i]];
            size_t at = 0;
            while (at < count && memcmp(list + at * n, x, n * sizeof *x)) at++;
            if (at < count) continue;
            if (count == limit) return 0;
            memcpy(list + n * count++, x, n * sizeof *x);
        }
    return count;
}

/* Random groups on up to 6 points agree with their lists in order, members, non-members, and the
 * generators that enlarge them. */
Test(schreier, agrees_with_listing_the_group)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 2024, 0); /* the seed */
    uint32_t *list = calloc(720 * 6, sizeof *list);
    for (int round = 0; round < 400; round++) {
        size_t n = 1 + f2l_rng_below(&rng, 6), before = 1;
        uint32_t generator[3 * 6], x[6];
        f2l_schreier g;
        f2l_schreier_init(&g, n);
        for (size_t s = 0; s < 3; s++) {
            random_permutation(generator + s * n, n, &rng);
            if (f2l_rng_below(&rng, 2)) /* often a power of the previous one, for small groups */
                for (size_t i = 0; s && i < n; i++)
                    generator[s * n + i] = generator[(s - 1) * n + generator[(s - 1) * n + i]];
            bool grew;
            cr_assert_eq(f2l_schreier_add(&g, generator + s * n, &grew, NULL, NULL), F2L_OK);
            size_t count = list_group(list, 720, generator, s + 1, n);
            cr_assert_gt(count, 0);
            char text[24];
            snprintf(text, sizeof text, "%zu", count);
            order_is(&g, text, "random");
            cr_assert_eq(grew, count > before);
            before = count;
        }
        for (int t = 0; t < 20; t++) {
            bool member, listed = false;
            random_permutation(x, n, &rng);
            for (size_t i = 0; i < before; i++)
                listed |= memcmp(list + i * n, x, n * sizeof *x) == 0;
            cr_assert_eq(f2l_schreier_contains(&g, x, &member, NULL), F2L_OK);
            cr_assert_eq(member, listed);
        }
        f2l_schreier_clear(&g);
    }
    free(list);
}

/* Giants are recognised without tables: moved points and parity decide membership. */
Test(schreier, members_of_giants)
{
    f2l_schreier g;
    uint32_t x[40];
    bool member;
    read_generators(&g, 40,
                    "(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 "
                    "29);(1 2 3)");
    cr_assert_eq(g.giant, F2L_ALTERNATING);
    for (uint32_t i = 0; i < 40; i++) x[i] = i;
    x[0] = 5, x[5] = 0;
    f2l_schreier_contains(&g, x, &member, NULL);
    cr_assert_not(member, "odd");
    x[1] = 6, x[6] = 1;
    f2l_schreier_contains(&g, x, &member, NULL);
    cr_assert(member);
    x[30] = 31, x[31] = 30, x[32] = 33, x[33] = 32;
    f2l_schreier_contains(&g, x, &member, NULL);
    cr_assert_not(member, "moves other points");
    /* This permutation makes the group larger and intransitive, so that tables are needed. */
    bool grew;
    cr_assert_eq(f2l_schreier_add(&g, x, &grew, NULL, NULL), F2L_OK);
    cr_assert(grew);
    cr_assert_eq(g.giant, F2L_NO_GIANT);
    mpz_t order, expected;
    mpz_inits(order, expected, NULL);
    f2l_schreier_order(order, &g);
    mpz_fac_ui(expected, 29); /* A_29 times the group of the double swap alone, since A_29 holds the
                                 rest of x */
    cr_assert_eq(mpz_cmp(order, expected), 0);
    mpz_clears(order, expected, NULL);
    f2l_schreier_clear(&g);
}

/* Dihedral groups are recognised from generating sets without a rotation of full order. */
Test(schreier, dihedral_without_a_visible_rotation)
{
    enum { N = 30 };
    static const uint32_t shift[] = {0, 6, 10, 15};
    f2l_schreier g;
    uint32_t x[N];
    f2l_schreier_init(&g, N);
    for (size_t s = 0; s < 4; s++) {
        for (uint32_t i = 0; i < N; i++) x[i] = (2 * N - i + shift[s]) % N;
        cr_assert_eq(f2l_schreier_add(&g, x, NULL, NULL, NULL), F2L_OK);
    }
    f2l_buf name;
    f2l_buf_init(&name);
    cr_assert_eq(f2l_group_name(&name, &g, NULL, NULL), F2L_OK);
    cr_assert_str_eq(name.data, "D_30");
    f2l_buf_clear(&name);
    f2l_schreier_clear(&g);
}

/* Groups of more than 100,000 elements are named without a list of them. */
Test(schreier, large_dihedral_of_odd_degree)
{
    static const uint32_t cycle[] = {5, 7, 9, 11, 17};
    f2l_schreier g;
    uint32_t x[49];
    f2l_schreier_init(&g, 49);
    for (uint32_t shift = 0; shift < 2; shift++) {
        uint32_t at = 0;
        for (size_t c = 0; c < 5; at += cycle[c++])
            for (uint32_t i = 0; i < cycle[c]; i++)
                x[at + i] = at + (cycle[c] - i + shift) % cycle[c];
        cr_assert_eq(f2l_schreier_add(&g, x, NULL, NULL, NULL), F2L_OK);
    }
    f2l_buf name;
    f2l_buf_init(&name);
    cr_assert_eq(f2l_group_name(&name, &g, NULL, NULL), F2L_OK);
    cr_assert_str_eq(name.data, "D_58905");
    f2l_buf_clear(&name);
    f2l_schreier_clear(&g);
}

Test(schreier, memory_failures_and_limits)
{
    f2l_schreier g;
#ifdef F2L_MEM_FAILURES
    for (size_t n = 1;; n++) {
        uint32_t a[7] = {1, 2, 3, 4, 5, 6, 0}, b[7] = {0, 2, 1, 6, 4, 5, 3};
        f2l_buf name;
        f2l_buf_init(&name);
        f2l_schreier_init(&g, 7);
        f2l_mem_fail_after(n, true);
        f2l_status status = f2l_schreier_add(&g, a, NULL, NULL, NULL);
        if (status == F2L_OK) status = f2l_schreier_add(&g, b, NULL, NULL, NULL);
        if (status == F2L_OK) status = f2l_group_name(&name, &g, NULL, NULL);
        if (status == F2L_OK) status = f2l_buf_status(&name, NULL);
        f2l_mem_fail_after(0, false);
        f2l_schreier_clear(&g);
        f2l_buf_clear(&name);
        if (status == F2L_OK) {
            cr_assert_gt(n, 10);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu", n);
    }
#endif
    f2l_error err = {0};
    f2l_task task = {.memory = 1000};
    enum { N = 3000 };
    uint32_t x[N];
    f2l_schreier_init(&g, N);
    for (uint32_t i = 0; i < N; i++) x[i] = (i + 1) % N;
    cr_assert_eq(f2l_schreier_add(&g, x, NULL, &task, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "memory limit"), "%s", err.text);
    f2l_schreier_clear(&g);
    volatile sig_atomic_t stop = SIGINT;
    f2l_task cancelled = {.cancel = &stop};
    f2l_schreier_init(&g, N);
    f2l_status status = f2l_schreier_add(&g, x, NULL, &cancelled, &err);
    for (uint32_t i = 0; i < N; i++)
        x[i] = (N - i) % N; /* a regular action and a flip: many pairs */
    if (status == F2L_OK) status = f2l_schreier_add(&g, x, NULL, &cancelled, &err);
    cr_assert_eq(status, F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "interrupted"), "%s", err.text);
    f2l_schreier_clear(&g);
}
