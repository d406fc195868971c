/* Groups that act on the states through sets of fewer points: the points are found again. */
#include "tests/support/automata/gset_support.h"

#define MOST_STATES 130

/* Lists the subsets of k of n points, as bits, in increasing order; returns their number. */
static size_t list_subsets(uint32_t *set, size_t n, size_t k)
{
    size_t count = 0;
    for (uint32_t bits = 0; bits < UINT32_C(1) << n; bits++)
        if ((size_t)__builtin_popcount(bits) == k) set[count++] = bits;
    return count;
}

static uint32_t moved(uint32_t set, const uint32_t *image, size_t n)
{
    uint32_t out = 0;
    for (size_t p = 0; p < n; p++)
        if (set >> p & 1) out |= UINT32_C(1) << image[p];
    return out;
}

/* Makes the automaton of the subsets of k of n points under letters that permute the points:
 * image[a * n + p]. */
static void open_subsets(f2l_fsa *fsa, size_t n, size_t k, const uint32_t *image, size_t letters)
{
    static uint32_t set[MOST_STATES], next[MOST_STATES * 16];
    const size_t states = list_subsets(set, n, k);
    cr_assert(states <= MOST_STATES && letters <= 16);
    for (size_t a = 0; a < letters; a++)
        for (size_t q = 0; q < states; q++) {
            const uint32_t to = moved(set[q], image + a * n, n);
            size_t i = 0;
            while (set[i] != to) i++;
            next[a * states + q] = (uint32_t)i;
        }
    open_table(fsa, next, states, letters);
}

/* The swaps of neighbours. */
static size_t swaps(uint32_t *image, size_t n)
{
    for (size_t a = 0; a + 1 < n; a++) {
        for (uint32_t p = 0; p < n; p++) image[a * n + p] = p;
        image[a * n + a] = (uint32_t)a + 1;
        image[a * n + a + 1] = (uint32_t)a;
    }
    return n - 1;
}

static void expect_points(size_t n, size_t k)
{
    uint32_t image[16 * 16];
    f2l_fsa fsa;
    f2l_gset g;
    const size_t letters = swaps(image, n);
    open_subsets(&fsa, n, k, image, letters);
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, n, "%zu of %zu: %zu points, %s", k, n, g.points, g.origin);
    cr_assert(strstr(g.origin, "sets of states"), "%s", g.origin);
    for (size_t a = 0; a < letters; a++)
        cr_assert_eq(f2l_perm_cycles(g.image + a * g.points, g.points), n - 1);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

Test(gset_sets, pairs_and_triples)
{
    expect_points(6, 2);
    expect_points(7, 2);
    expect_points(8, 2);
    expect_points(12, 2);
    expect_points(7, 3);
    expect_points(8, 3);
    expect_points(9, 4);
}

/* With any generators, and with fewer steps, what comes out carries the automaton. */
Test(gset_sets, random_generators)
{
    f2l_rng rng;
    size_t found = 0;
    f2l_rng_init(&rng, 20261124, 1);
    for (size_t number = 0; number < 40; number++) {
        const size_t n = 5 + number % 4, k = 2 + number / 4 % 2;
        uint32_t image[2 * 16];
        f2l_fsa fsa;
        f2l_gset g;
        for (uint32_t p = 0; p < n; p++) image[p] = (uint32_t)((p + 1) % n);
        for (uint32_t p = 0; p < n; p++) image[n + p] = p;
        for (size_t i = n; i > 1; i--) { /* shuffled */
            const size_t j = f2l_rng_below(&rng, i);
            const uint32_t other = image[n + j];
            image[n + j] = image[n + i - 1];
            image[n + i - 1] = other;
        }
        open_subsets(&fsa, n, k, image, 2);
        smallest(&g, &fsa, number % 3 == 0 ? 20000 : 0);
        found += strstr(g.origin, "sets of states") != NULL;
        check_carries(&g, &fsa);
        f2l_gset_clear(&g);
        f2l_fsa_clear(&fsa);
    }
    cr_assert(found >= 10, "%zu", found);
}

/* A prime rotation acts on no fewer points
 * than the states. */
Test(gset_sets, nothing_smaller)
{
    const uint32_t image[2 * 7] = {1, 2, 3, 4, 5, 6, 0, 0, 1, 2, 3, 4, 5, 6};
    f2l_fsa fsa;
    f2l_gset g;
    open_table(&fsa, image, 7, 2);
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, 7);
    cr_assert_str_eq(g.origin, "the 7 states");
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
Test(gset_sets, out_of_memory)
{
    uint32_t image[16 * 16];
    f2l_fsa fsa;
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    open_subsets(&fsa, 6, 2, image, swaps(image, 6));
    while (status == F2L_ENOMEM) {
        f2l_gset g;
        f2l_gset_init(&g);
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_gset_smallest(&g, &fsa, 0, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && g.image == NULL));
        cr_assert(status == F2L_ENOMEM || g.points == 6, "%zu points", g.points);
        f2l_gset_clear(&g);
    }
    cr_assert(n > 50);
    f2l_fsa_clear(&fsa);
}
#endif
