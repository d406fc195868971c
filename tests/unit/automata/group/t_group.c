/* Listed groups, compared with closing a list under multiplication; products and look-ups are
 * compared with image arrays. */
#include "automata/fsa/perm.h"
#include "automata/group/group.h"
#include "automata/group/schreier.h"
#include "numeric/base/mem.h"
#include "numeric/base/names.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/group_support.h"
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void identity_is_first(const f2l_group *g)
{
    for (uint32_t p = 0; p < g->degree; p++) cr_assert_eq(g->element[p], p);
}

/* Checks that every element is found at its own number, so that all are distinct, and that the list
 * is closed. */
static void is_a_group(const f2l_group *g)
{
    uint32_t *x = calloc(g->degree, sizeof *x);
    identity_is_first(g);
    for (size_t e = 0; e < g->order; e++) {
        const uint32_t *row = g->element + e * g->degree;
        cr_assert(f2l_perm_is_permutation(row, g->degree));
        cr_assert_eq(f2l_group_find(g, row), e);
        for (size_t s = 0; s < g->generators; s++) {
            for (size_t p = 0; p < g->degree; p++) x[p] = g->generator[s * g->degree + row[p]];
            cr_assert_lt(f2l_group_find(g, x), g->order);
        }
    }
    free(x);
}

/* Checks products, inverses and conjugates against the image arrays. */
static void products_are_right(const f2l_group *g, f2l_rng *rng, int rounds)
{
    const size_t n = g->degree;
    uint32_t *x = calloc(n, sizeof *x);
    for (int round = 0; round < rounds; round++) {
        const uint32_t a = (uint32_t)f2l_rng_below(rng, g->order),
                       b = (uint32_t)f2l_rng_below(rng, g->order);
        const uint32_t *ra = g->element + a * n, *rb = g->element + b * n;
        for (size_t p = 0; p < n; p++) x[p] = rb[ra[p]];
        cr_assert_eq(f2l_group_multiply(g, a, b), f2l_group_find(g, x));
        for (uint32_t p = 0; p < n; p++) x[ra[p]] = p;
        cr_assert_eq(f2l_group_inverse(g, a), f2l_group_find(g, x));
        for (size_t p = 0; p < n; p++) x[rb[p]] = rb[ra[p]]; /* b^-1 a b takes b(p) to b(a(p)) */
        cr_assert_eq(f2l_group_conjugate(g, a, b), f2l_group_find(g, x));
    }
    free(x);
}

Test(group, agrees_with_closing_a_list)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 31, 0); /* the seed */
    uint32_t *list = calloc(5040 * 7, sizeof *list);
    for (int round = 0; round < 150; round++) {
        const size_t n = 1 + f2l_rng_below(&rng, 7), letters = f2l_rng_below(&rng, 4);
        uint32_t generator[3 * 7], x[7];
        random_generators(generator, letters, n, &rng);
        f2l_group g;
        cr_assert_eq(f2l_group_build(&g, generator, letters, n, 0, NULL, NULL), F2L_OK);
        const size_t count = close_list(list, 5040, generator, letters, n);
        cr_assert_eq(g.order, count);
        cr_assert_eq(memcmp(g.generator, generator, letters * n * sizeof *generator), 0);
        if (count <= 200)
            for (size_t i = 0; i < count; i++)
                cr_assert_lt(f2l_group_find(&g, list + i * n), count);
        for (int t = 0; t < 20; t++) { /* members and non-members */
            bool listed = false;
            random_permutation(x, n, &rng);
            for (size_t i = 0; i < count && !listed; i++)
                listed = memcmp(list + i * n, x, n * sizeof *x) == 0;
            cr_assert_eq(f2l_group_find(&g, x) != F2L_NO_INDEX, listed);
        }
        if (count <= 200) is_a_group(&g);
        products_are_right(&g, &rng, 40);
        f2l_group_clear(&g);
        f2l_group_clear(&g);
    }
    free(list);
}

Test(group, textbook_orders_and_numbers)
{
    static const struct {
        size_t degree;
        const char *generators;
        size_t order;
    } known[] = {
        {3, "()", 1},
        {5, "(1 2 3 4 5);(1 2)", 120},
        {9, "(1 2 3 4 5 6 7 8);(1 2)", 40320}, /* a giant that fixes one point */
        {10, "(2 3 4 5 6 7 8 9);(2 3 4)(5 6)(7 8)", 40320},
        {9, "(1 2 3 4 5 6 7);(7 8 9)", 181440}, /* A_9 */
        {8, "(1 2 3 4 5 6 7);(2 3 8)", 20160},  /* A_8 */
        {8, "(1 2 3)(4 5);(6 7 8);(1 2)", 36},
        {8, "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)", 8},
        {11, "(1 2 3 4 5 6 7 8 9 10 11);(3 7 11 8)(4 10 5 6)", 7920}, /* M_11 */
    };
    f2l_rng rng;
    f2l_rng_init(&rng, 32, 0); /* the seed */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        f2l_group g;
        read_group(&g, known[i].degree, known[i].generators);
        cr_assert_eq(g.order, known[i].order, "%s", known[i].generators);
        is_a_group(&g);
        products_are_right(&g, &rng, 2000);
        f2l_group_clear(&g);
    }
}

/* Elements that fix the first base points come first, as the header promises. */
Test(group, stabilisers_come_first)
{
    f2l_group g;
    read_group(&g, 9, "(1 2 3 4 5 6 7 8 9);(1 2)");
    cr_assert_eq(g.order, 362880);
    cr_assert_eq(g.levels, 8);
    for (size_t l = 0; l < g.levels; l++)
        for (size_t e = 0; e < g.order; e += 1 + e / 50) {
            bool fixes = true;
            for (size_t k = 0; k <= l; k++)
                fixes = fixes && g.element[e * 9 + g.level[k].base] == g.level[k].base;
            cr_assert_eq(fixes, e < g.level[l].stride);
        }
    f2l_group_clear(&g);
}

Test(group, long_cycles_and_repeated_letters)
{
    enum { N = 1000 };
    f2l_rng rng;
    f2l_rng_init(&rng, 33, 0); /* the seed */
    uint32_t *image = calloc(4 * N, sizeof *image);
    for (uint32_t i = 0; i < N; i++) {
        image[i] = i; /* the identity as a letter */
        image[N + i] = image[2 * N + i] = (i + 1) % N;
        image[3 * N + i] = (i + 2) % N;
    }
    f2l_group g;
    cr_assert_eq(f2l_group_build(&g, image, 4, N, 0, NULL, NULL), F2L_OK);
    cr_assert_eq(g.order, N);
    cr_assert_eq(g.generators, 4);
    cr_assert_eq(g.needed, 1);
    cr_assert_eq(g.need[0], 1);
    products_are_right(&g, &rng, 500);
    f2l_group_clear(&g);
    free(image);
}

Test(group, foreign_permutations_are_not_found)
{
    f2l_group g;
    read_group(&g, 6, "(1 2 3)(4 5 6)");
    const uint32_t half[] = {1, 2, 0, 3, 4, 5}, outside[] = {1, 2, 0, 4, 5, 6},
                   far[] = {9, 1, 2, 3, 4, 5};
    cr_assert_eq(f2l_group_find(&g, half), F2L_NO_INDEX);
    cr_assert_eq(f2l_group_find(&g, outside), F2L_NO_INDEX);
    cr_assert_eq(f2l_group_find(&g, far), F2L_NO_INDEX);
    f2l_group_clear(&g);
}

/* An orbit of more points than elements are allowed needs no chain, whose first row would take all
 * of this memory; a smaller orbit decides nothing. */
Test(group, orbits_larger_than_the_limit)
{
    enum { POINTS = 3000 };
    uint32_t image[POINTS];
    f2l_group g;
    f2l_error err = {0};
    const f2l_task small = {.memory = POINTS};
    for (uint32_t p = 0; p < POINTS; p++) image[p] = (p + 1) % POINTS;
    cr_assert_eq(f2l_group_build(&g, image, 1, POINTS, POINTS - 1, &small, &err), F2L_UNKNOWN);
    cr_assert(strstr(err.text, "more than 2999 elements"), "%s", err.text);
    cr_assert_eq(f2l_group_build(&g, image, 1, POINTS, POINTS, &small, &err), F2L_UNKNOWN);
    cr_assert(strstr(err.text, "memory limit"), "%s", err.text);
    for (uint32_t p = 0; p < POINTS; p++) image[p] = p < 4 ? p ^ 1 : p;
    cr_assert_eq(f2l_group_build(&g, image, 1, POINTS, 2, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(g.order, 2);
    f2l_group_clear(&g);
}

static void is_refused(const uint32_t *image, size_t generators, size_t degree, size_t max_order,
                       const f2l_task *task, f2l_status expected, const char *text)
{
    f2l_group g;
    f2l_error err = {0};
    cr_assert_eq(f2l_group_build(&g, image, generators, degree, max_order, task, &err), expected,
                 "%s", text);
    cr_assert_not_null(strstr(err.text, text), "%s", err.text);
    cr_assert_null(g.element);
    cr_assert_eq(g.levels, 0);
}

Test(group, refusals)
{
    const uint32_t twice[] = {0, 0, 1}, large[] = {0, 1, 3}, good[] = {1, 2, 0, 1, 0, 2};
    uint32_t giant[2 * 20];
    for (uint32_t i = 0; i < 20; i++) giant[i] = (i + 1) % 20, giant[20 + i] = i < 2 ? 1 - i : i;
    is_refused(good, 0, 0, 0, NULL, F2L_EDOMAIN, "needs a point");
    is_refused(twice, 1, 3, 0, NULL, F2L_EDOMAIN, "generator 1");
    is_refused(large, 1, 3, 0, NULL, F2L_EDOMAIN, "generator 1");
    is_refused(good, 2, 3, 5, NULL, F2L_UNKNOWN, "more than 5");
    is_refused(giant, 2, 20, 0, NULL, F2L_UNKNOWN, "more than 1000000");
    is_refused(giant, 2, 20, SIZE_MAX, NULL, F2L_UNKNOWN, "more than 4294967294");
    is_refused(giant, 2, 10, 0, NULL, F2L_EDOMAIN, "no permutation");
    for (uint32_t i = 0; i < 9; i++) giant[i] = (i + 1) % 9, giant[9 + i] = i < 2 ? 1 - i : i;
    f2l_task small = {.memory = 1000000};
    is_refused(giant, 2, 9, 0, &small, F2L_UNKNOWN, "memory limit");
    volatile sig_atomic_t stop = SIGINT;
    f2l_task cancelled = {.cancel = &stop};
    is_refused(giant, 2, 9, 0, &cancelled, F2L_UNKNOWN, "interrupted");
    f2l_group g; /* the limit itself is allowed */
    cr_assert_eq(f2l_group_build(&g, good, 2, 3, 6, NULL, NULL), F2L_OK);
    f2l_group_clear(&g);
}

#ifdef F2L_MEM_FAILURES
static void survives_failures(const char *generators, size_t degree, size_t max_order, size_t least)
{
    uint32_t image[4 * 9];
    const size_t count = read_generators(image, 4, degree, generators);
    for (size_t n = 1;; n++) {
        f2l_group g;
        f2l_mem_fail_after(n, true);
        const f2l_status status = f2l_group_build(&g, image, count, degree, max_order, NULL, NULL);
        f2l_mem_fail_after(0, false);
        f2l_group_clear(&g);
        if (status == F2L_OK) {
            cr_assert_gt(n, least);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu", n);
    }
}

Test(group, memory_failures)
{
    survives_failures("(1 2 3 4);(1 2)", 4, 0, 12);
    survives_failures("(1 2 3 4 5 6 7 8);(1 2)", 8, 0, 12);
    survives_failures("(1 2 3 4 5 6 7);(7 8 9)", 9, 0, 12);
    survives_failures("(1 2);(3 4)", 9, 8, 12); /* an orbit is looked at */
}
#endif
