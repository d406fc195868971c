#include "automata/family/family.h"
#include "tests/support/automata/fsa_text.h"
#include "tests/support/automata/gset_support.h"

static size_t worst_reflections(const f2l_gset *g)
{
    size_t worst = 0;
    for (size_t a = 0; a < g->letters; a++) {
        const size_t r = g->points - f2l_perm_cycles(g->image + a * g->points, g->points);
        worst = r > worst ? r : worst;
    }
    return worst;
}

static void open_family(f2l_fsa *fsa, const char *kind, uint64_t n, bool generators, bool table)
{
    f2l_error err = {0};
    f2l_fsa_init(fsa);
    cr_assert_eq(f2l_family_build(fsa, kind, &n, n > 0, generators, &err), F2L_OK, "%s", err.text);
    if (table) fsa->track = F2L_TRACK_STATES;
}

static void expect(const char *kind, uint64_t n, bool generators, bool table, size_t points,
                   size_t orbits)
{
    f2l_fsa fsa;
    f2l_gset g;
    open_family(&fsa, kind, n, generators, table);
    smallest(&g, &fsa, 0);
    cr_expect_eq(g.points, points, "%s %d: %zu points", kind, (int)n, g.points);
    cr_expect_eq(g.orbits, orbits, "%s %d: %zu orbits", kind, (int)n, g.orbits);
    cr_expect(g.exhausted, "%s %d", kind, (int)n);
    if (fsa.states.count <= 1000) check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

Test(gset, known_minima)
{
    for (int table = 0; table < 2; table++) {
        expect("parity", 0, false, table, 2, 1);
        expect("cyclic", 5, false, table, 5, 1);
        expect("cyclic", 6, false, table, 5, 2);
        expect("cyclic", 8, false, table, 8, 1);
        expect("cyclic", 60, false, table, 12, 3);
        expect("cyclic", 2310, true, table, 28, 5);
        expect("symmetric", 3, false, table, 3, 1);
        expect("symmetric", 4, false, table, 4, 1);
        expect("symmetric", 5, false, table, 5, 1);
        expect("symmetric", 7, true, table, 7, 1);
        expect("alternating", 4, false, table, 4, 1);
        expect("alternating", 5, false, table, 5, 1);
        expect("dihedral", 5, false, table, 5, 1);
        expect("dihedral", 12, false, table, 7, 2);
        expect("quaternion", 0, false, table, 8, 1);
    }
}

Test(gset, origins)
{
    f2l_fsa fsa;
    f2l_gset g;
    open_family(&fsa, "symmetric", 5, false, false);
    smallest(&g, &fsa, 0);
    cr_assert_str_eq(g.origin, "the 5 points of the file");
    f2l_gset_clear(&g);
    fsa.track = F2L_TRACK_STATES;
    smallest(&g, &fsa, 0);
    cr_assert_str_eq(g.origin, "5 blocks of 24 states");
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
    open_family(&fsa, "cyclic", 6, false, true);
    smallest(&g, &fsa, 0);
    cr_assert_str_eq(g.origin, "2 blocks of 3 states + 3 blocks of 2 states");
    cr_assert_eq(g.colours, 2);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

Test(gset, product_of_two_symmetric_groups)
{
    f2l_fsa fsa;
    f2l_gset g;
    fsa_from_text(&fsa, "points 6\n"
                        "track elements\n"
                        "permute a (1 2)\n"
                        "permute b (1 2 3)\n"
                        "permute c (4 5)\n"
                        "permute d (4 5 6)\n");
    cr_assert_eq(fsa.states.count, 36);
    fsa.track = F2L_TRACK_STATES;
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, 6);
    cr_assert_eq(g.orbits, 2);
    cr_assert_eq(g.orbit[1], 3);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

/* Of the two actions of S_6 on 6 points the search takes the one in which these generators need 3
 * reflections instead of 5. */
Test(gset, fewest_reflections_among_equals)
{
    f2l_fsa fsa;
    f2l_gset g;
    open_family(&fsa, "symmetric", 6, true, false);
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, 6);
    cr_assert_eq(worst_reflections(&g), 3);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

/* A pair of S_5 is tracked: the 5 points are in the file too, and an indicator of the pair is
 * enough. */
Test(gset, another_orbit_of_the_file)
{
    f2l_fsa fsa;
    f2l_gset g;
    fsa_from_text(&fsa, "points 15\ntrack points 6\npermute a (1 2)(7 10)(8 11)(9 12)\n"
                        "permute b (1 2 3 4 5)(6 10 13 15 9)(7 11 14 8 12)\n");
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, 5);
    cr_assert_eq(g.colours, 2);
    cr_assert_str_eq(g.origin, "5 of the 15 points of the file");
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

Test(gset, fixed_points_and_copies_are_left_out)
{
    f2l_fsa fsa;
    f2l_gset g;
    fsa_from_text(&fsa, "points 9\n"
                        "track elements\n"
                        "permute a (1 2)(4 5)\n"
                        "permute b (1 2 3)(4 5 6)\n");
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, 3);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
    fsa_from_text(&fsa, "points 12\ntrack elements\npermute a (1 2)(3 4)(5 6)\n");
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, 2);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

Test(gset, one_state)
{
    f2l_fsa fsa;
    f2l_gset g;
    const char *const text[] = {"points 3\ntrack elements\npermute a ()\n",
                                "points 3\ntrack points 2\npermute a (1 3)\n", "start p\np a p\n"};
    for (int i = 0; i < 3; i++) {
        fsa_from_text(&fsa, text[i]);
        smallest(&g, &fsa, 0);
        cr_assert(g.points == 1 && g.orbits == 1 && g.code[0] == 1 && g.exhausted);
        f2l_gset_clear(&g);
        f2l_fsa_clear(&fsa);
    }
}

/* Tables of cosets with every group element as a letter: the first few letters, with which the
 * search begins, may generate less than the group, and the result must not depend on this. */
Test(gset, many_letters_on_cosets)
{
    f2l_fsa word, fsa;
    f2l_gset g;
    open_family(&word, "symmetric", 4, false, false);
    /* S_4 acts on the 12 ordered pairs of points, from (1, 2); all 24 elements are letters. */
    const size_t letters = word.letters.count;
    uint32_t *image = calloc(letters * 12, sizeof *image);
    for (size_t a = 0; a < letters; a++) {
        const uint32_t *perm = word.perm + a * 4;
        for (uint32_t x = 0; x < 4; x++) {
            for (uint32_t y = 0; y < 4; y++) {
                if (x == y) continue;
                const uint32_t p = perm[x], r = perm[y];
                image[a * 12 + x * 3 + (y > x ? y - 1 : y)] = p * 3 + (r > p ? r - 1 : r);
            }
        }
    }
    open_table(&fsa, image, 12, letters);
    smallest(&g, &fsa, 0);
    check_carries(&g, &fsa);
    cr_assert_eq(g.points, 4);
    cr_assert_eq(g.colours, 4); /* three colours are numbered 1 .. 3; 0 is not used */
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
    f2l_fsa_clear(&word);
    free(image);
}

Test(gset, large_primitive_table_stays_itself)
{
    f2l_rng rng;
    const size_t n = 2000;
    printf("seed 5\n");
    f2l_rng_init(&rng, 5, 0);
    uint32_t *image = calloc(4 * n, sizeof *image);
    for (int a = 0; a < 4; a++) random_permutation(image + (size_t)a * n, n, &rng);
    f2l_fsa fsa;
    f2l_gset g;
    open_table(&fsa, image, n, 4);
    fsa.start = 17;
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, n);
    cr_assert_eq(g.colours, 2);
    for (size_t p = 0; p < n; p++) cr_assert_eq(g.code[p], p == 17);
    cr_assert(memcmp(g.image, image, 4 * n * sizeof *image) == 0);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
    free(image);
}

Test(gset, a_work_limit_falls_back)
{
    f2l_fsa fsa;
    f2l_gset g;
    open_family(&fsa, "symmetric", 5, false, true);
    smallest(&g, &fsa, 1000);
    cr_assert_eq(g.points, 120);
    cr_assert(!g.exhausted);
    cr_assert_str_eq(g.origin, "the 120 states");
    f2l_gset_clear(&g);
    fsa.track = F2L_TRACK_ELEMENTS; /* no search or colouring is needed */
    const uint64_t work[] = {1, 600, 1000};
    for (int i = 0; i < 3; i++) {
        smallest(&g, &fsa, work[i]);
        cr_assert_eq(g.points, 5);
        check_carries(&g, &fsa);
        f2l_gset_clear(&g);
    }
    f2l_fsa_clear(&fsa);
    open_family(&fsa, "cyclic", 49, true, false);
    smallest(&g, &fsa, 300); /* 7 blocks of 7 are too many to colour */
    cr_assert_eq(g.points, 49);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

/* The first merges of D_50 give 50 blocks of 2 states, which are too many to colour with this
 * little work. */
Test(gset, quotients_too_large_to_colour)
{
    f2l_fsa fsa;
    f2l_gset g;
    open_family(&fsa, "dihedral", 50, true, true);
    smallest(&g, &fsa, 3000);
    cr_assert(!g.exhausted);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    smallest(&g, &fsa, 0);
    cr_assert(g.exhausted && g.points == 27, "%zu", g.points);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

/* 2^8 has far more block systems than there is time for, but a family of quotients is found. */
Test(gset, elementary_abelian)
{
    const size_t n = 256, letters = 8;
    uint32_t *image = calloc(letters * n, sizeof *image);
    for (size_t a = 0; a < letters; a++) {
        for (size_t q = 0; q < n; q++) image[a * n + q] = (uint32_t)(q ^ (size_t)1 << a);
    }
    f2l_fsa fsa;
    f2l_gset g;
    open_table(&fsa, image, n, letters);
    smallest(&g, &fsa, 20000000);
    cr_assert_leq(g.points, 24, "%zu points", g.points);
    check_carries(&g, &fsa);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
    free(image);
}

Test(gset, refuses_merging_letters)
{
    f2l_fsa fsa;
    f2l_gset g;
    f2l_merge merge;
    f2l_error err = {0};
    fsa_from_text(&fsa, "letters a b\n"
                        "states p q r\n"
                        "start p\n"
                        "p a q\n"
                        "q a r\n"
                        "r a p\n"
                        "p b q\n"
                        "q b p\n"
                        "r b q\n");
    cr_assert(!f2l_fsa_is_permutation(&fsa, &merge));
    cr_assert(merge.letter == 1 && merge.state1 == 0 && merge.state2 == 2);
    cr_assert(!f2l_fsa_is_permutation(&fsa, NULL));
    f2l_gset_init(&g);
    cr_assert_eq(f2l_gset_smallest(&g, &fsa, 0, NULL, &err), F2L_EDOMAIN);
    cr_assert(strstr(err.text, "'b'") != NULL && strstr(err.text, "'p'") != NULL &&
              strstr(err.text, "'r'") != NULL);
    cr_assert(g.image == NULL && g.points == 0);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

/* A state that is not reachable may merge. */
Test(gset, unreached_states_do_not_count)
{
    f2l_fsa fsa;
    f2l_gset g;
    const uint32_t image[] = {1, 0, 0};
    open_table(&fsa, image, 3, 1);
    cr_assert(f2l_fsa_is_permutation(&fsa, NULL));
    smallest(&g, &fsa, 0);
    cr_assert_eq(g.points, 2);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

Test(gset, stops_when_told)
{
    f2l_fsa fsa;
    f2l_gset g;
    f2l_error err = {0};
    const volatile sig_atomic_t cancel = 2;
    const f2l_task task = {.cancel = &cancel};
    open_family(&fsa, "symmetric", 6, false, true);
    f2l_gset_init(&g);
    cr_assert_eq(f2l_gset_smallest(&g, &fsa, 0, &task, &err), F2L_UNKNOWN);
    cr_assert(g.image == NULL && strstr(err.text, "interrupted") != NULL);
    f2l_gset_clear(&g);
    f2l_fsa_clear(&fsa);
}

#ifdef F2L_MEM_FAILURES
static void fail_everywhere(const f2l_fsa *fsa, uint64_t work)
{
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        f2l_gset g;
        f2l_gset_init(&g);
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_gset_smallest(&g, fsa, work, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && g.image == NULL && g.points == 0));
        f2l_gset_clear(&g);
    }
    cr_assert(n > 10);
}

Test(gset, out_of_memory)
{
    f2l_fsa fsa;
    open_family(&fsa, "symmetric", 3, true, true);
    fail_everywhere(&fsa, 0);
    f2l_fsa_clear(&fsa);
    open_family(&fsa, "dihedral", 12, true, false);
    fail_everywhere(&fsa, 0);
    f2l_fsa_clear(&fsa);
    open_family(&fsa, "cyclic", 12, true, false);
    fail_everywhere(&fsa, 300);
    f2l_fsa_clear(&fsa);
}
#endif
