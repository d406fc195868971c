/* Conjugacy classes, compared with conjugation by every element, with centralisers, and with powers
 * taken one product at a time. */
#include "automata/group/classes.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/group_support.h"
#include <signal.h>

static void build(f2l_group *g, f2l_classes *c, size_t degree, const char *generators)
{
    read_group(g, degree, generators);
    cr_assert_eq(f2l_classes_build(c, g, NULL, NULL), F2L_OK);
}

static void clear(f2l_group *g, f2l_classes *c)
{
    f2l_group_clear(g);
    f2l_classes_clear(c);
    f2l_classes_clear(c);
}

/* Checks the order that the header promises, the sizes, and that representatives come first. */
static void is_ordered(const f2l_classes *c, const f2l_group *g)
{
    size_t *size = calloc(c->classes, sizeof *size), *first = calloc(c->classes, sizeof *first);
    for (size_t e = g->order; e > 0; e--) {
        cr_assert_lt(c->class_of[e - 1], c->classes);
        size[c->class_of[e - 1]]++;
        first[c->class_of[e - 1]] = e - 1;
    }
    cr_assert_eq(c->representative[0], 0);
    for (size_t k = 0; k < c->classes; k++) {
        cr_assert_eq(c->size[k], size[k]);
        cr_assert_eq(c->representative[k], first[k]);
        cr_assert_eq(g->order % c->size[k], 0);
        if (k == 0) continue;
        const bool later = c->element_order[k] != c->element_order[k - 1]
                               ? c->element_order[k] > c->element_order[k - 1]
                           : c->size[k] != c->size[k - 1] ? c->size[k] > c->size[k - 1]
                                                          : first[k] > first[k - 1];
        cr_assert(later, "class %zu", k);
    }
    free(size);
    free(first);
}

/* Checks that x and y have the same class iff they are conjugate: every element conjugates x. */
static void is_conjugation(const f2l_classes *c, const f2l_group *g)
{
    uint8_t *met = calloc(g->order, 1);
    for (uint32_t x = 0; x < g->order; x++) {
        size_t count = 0, fixed = 0;
        memset(met, 0, g->order);
        for (uint32_t a = 0; a < g->order; a++) {
            const uint32_t y = f2l_group_conjugate(g, x, a);
            cr_assert_eq(c->class_of[y], c->class_of[x]);
            count += !met[y];
            met[y] = 1;
            fixed += f2l_group_multiply(g, x, a) == f2l_group_multiply(g, a, x);
        }
        cr_assert_eq(count, c->size[c->class_of[x]]);
        cr_assert_eq(count * fixed, g->order); /* orbit and stabiliser */
    }
    free(met);
}

/* Checks the classes of the powers of every element, not only of the representatives. */
static void powers_are_right(const f2l_classes *c, const f2l_group *g)
{
    size_t exponent_is_reached = 1;
    for (uint32_t x = 0; x < g->order; x++) {
        const uint32_t k = c->class_of[x];
        uint32_t y = 0;
        cr_assert_eq(c->power_at[k + 1] - c->power_at[k], c->element_order[k]);
        for (size_t i = 0; i < c->element_order[k]; i++) {
            cr_assert_eq(y == 0, i == 0);
            cr_assert_eq(c->power[c->power_at[k] + i], c->class_of[y]);
            cr_assert_eq(f2l_classes_power(c, k, i + 3 * c->element_order[k]), c->class_of[y]);
            y = f2l_group_multiply(g, y, x);
        }
        cr_assert_eq(y, 0);
        cr_assert_eq(c->class_of[f2l_group_inverse(g, x)], c->inverse[k]);
        cr_assert_eq(c->exponent % c->element_order[k], 0);
    }
    for (size_t d = 1; d < c->exponent; d++) { /* no proper divisor is an exponent */
        bool serves = c->exponent % d == 0;
        for (size_t k = 0; serves && k < c->classes; k++) serves = d % c->element_order[k] == 0;
        if (serves) exponent_is_reached = 0;
    }
    cr_assert(exponent_is_reached);
}

Test(classes, agree_with_conjugating_by_everything)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 41, 0); /* the seed */
    for (int round = 0; round < 150; round++) {
        const size_t n = 1 + f2l_rng_below(&rng, round % 10 ? 5 : 6),
                     letters = f2l_rng_below(&rng, 4);
        uint32_t generator[3 * 6];
        f2l_group g;
        f2l_classes c;
        random_generators(generator, letters, n, &rng);
        cr_assert_eq(f2l_group_build(&g, generator, letters, n, 0, NULL, NULL), F2L_OK);
        cr_assert_eq(f2l_classes_build(&c, &g, NULL, NULL), F2L_OK);
        is_ordered(&c, &g);
        is_conjugation(&c, &g);
        powers_are_right(&c, &g);
        clear(&g, &c);
    }
}

/* Numbers of classes and exponents agree with the literature. */
Test(classes, textbook_counts)
{
    static const struct {
        size_t degree;
        const char *generators;
        size_t classes, exponent;
    } known[] = {
        {1, "()", 1, 1},
        {4, "(1 2);(1 2 3 4)", 5, 12},
        {5, "(1 2 3);(3 4 5)", 5, 30},
        {8, "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)", 5, 4},
        {7, "(1 2 3 4 5 6 7);(2 3)(4 7)", 6, 84},
        {9, "(1 2 3 4 5 6 7);(1 2)", 15, 420},
        {8, "(1 2 3 4 5 6 7 8);(1 2)", 22, 840},
        {9, "(1 2 3 4 5 6 7);(7 8 9)", 18, 1260},
        {9, "(1 2 3 4 5 6 7 8 9);(1 2)", 30, 2520},
        {11, "(1 2 3 4 5 6 7 8 9 10 11);(3 7 11 8)(4 10 5 6)", 10, 1320},
        {60,
         "(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 "
         "33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60)",
         60, 60},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        f2l_group g;
        f2l_classes c;
        build(&g, &c, known[i].degree, known[i].generators);
        cr_assert_eq(c.classes, known[i].classes, "%s: %zu", known[i].generators, c.classes);
        cr_assert_eq(c.exponent, known[i].exponent, "%s: %zu", known[i].generators, c.exponent);
        is_ordered(&c, &g);
        if (g.order <= 10000) powers_are_right(&c, &g);
        clear(&g, &c);
    }
}

/* In a symmetric group classes are cycle types, with sizes n! / prod (k^m m!). */
Test(classes, symmetric_groups_have_cycle_types)
{
    f2l_group g;
    f2l_classes c;
    build(&g, &c, 7, "(1 2 3 4 5 6 7);(1 2)");
    for (size_t k = 0; k < c.classes; k++) {
        size_t cycles[8] = {0}, size = 5040;
        const uint32_t *row = g.element + c.representative[k] * 7;
        uint8_t seen[7] = {0};
        for (size_t p = 0; p < 7; p++) {
            size_t length = 0;
            for (size_t at = p; !seen[at]; at = row[at]) seen[at] = 1, length++;
            if (length) cycles[length]++;
        }
        for (size_t length = 1; length <= 7; length++)
            for (size_t m = 1; m <= cycles[length]; m++) size /= length * m;
        cr_assert_eq(c.size[k], size);
        cr_assert_eq(c.inverse[k], k); /* every element of S_n is conjugate to its inverse */
    }
    clear(&g, &c);
}

/* Equal generators give equal numbering, and more letters do not change the classes as sets. */
Test(classes, are_the_same_every_time)
{
    f2l_group g, h;
    f2l_classes c, d;
    build(&g, &c, 6, "(1 2 3 4 5);(1 6)(2 5)");
    build(&h, &d, 6, "(1 2 3 4 5);(1 6)(2 5);();(1 2 3 4 5)");
    cr_assert_eq(c.classes, d.classes);
    cr_assert_eq(memcmp(c.class_of, d.class_of, g.order * sizeof *c.class_of), 0);
    cr_assert_eq(memcmp(c.power, d.power, c.power_at[c.classes] * sizeof *c.power), 0);
    clear(&g, &c);
    clear(&h, &d);
}

Test(classes, limits_and_memory)
{
    f2l_group g;
    f2l_classes c;
    f2l_error err = {0};
    uint32_t image[2000];
    for (uint32_t i = 0; i < 2000; i++) image[i] = (i + 1) % 2000;
    cr_assert_eq(f2l_group_build(&g, image, 1, 2000, 0, NULL, NULL), F2L_OK);
    f2l_task task = {.memory = 100000};
    cr_assert_eq(f2l_classes_build(&c, &g, &task, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "memory limit"), "%s", err.text);
    cr_assert_null(c.class_of);
    f2l_group_clear(&g);
    read_group(&g, 9, "(1 2 3 4 5 6 7 8 9);(1 2)");
    volatile sig_atomic_t stop = SIGINT;
    f2l_task cancelled = {.cancel = &stop};
    cr_assert_eq(f2l_classes_build(&c, &g, &cancelled, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "interrupted"), "%s", err.text);
    f2l_group_clear(&g);
#ifdef F2L_MEM_FAILURES
    read_group(&g, 7, "(1 2 3 4 5 6 7);(2 3)(4 7)");
    for (size_t n = 1;; n++) {
        f2l_mem_fail_after(n, true);
        const f2l_status status = f2l_classes_build(&c, &g, NULL, NULL);
        f2l_mem_fail_after(0, false);
        f2l_classes_clear(&c);
        if (status == F2L_OK) {
            cr_assert_gt(n, 9);
            break;
        }
        cr_assert_eq(status, F2L_ENOMEM, "allocation %zu", n);
    }
    f2l_group_clear(&g);
#endif
}
