/* Structure and names of listed groups, compared with subgroups closed by hand and with textbooks,
 * and in several permutation representations of the same group. */
#include "automata/group/group_name.h"
#include "automata/group/impl.h"
#include "numeric/base/mem.h"
#include "tests/support/automata/brute_force.h"
#include "tests/support/automata/group_support.h"
#include <flint/ulong_extras.h>
#include <signal.h>
#include <stdio.h>

typedef struct subject {
    f2l_group g;
    f2l_classes c;
    f2l_structure s;
} subject;

static void examine(subject *x)
{
    cr_assert_eq(f2l_classes_build(&x->c, &x->g, NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_structure_build(&x->s, &x->g, &x->c, NULL, NULL), F2L_OK);
}

static void clear(subject *x)
{
    f2l_classes_clear(&x->c);
    f2l_group_clear(&x->g);
}

static void list_text(char *out, size_t size, const size_t *value, size_t count)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(out + used, size - used, i ? " %zu" : "%zu", value[i]);
}

typedef struct known_group {
    size_t degree;
    const char *generators, *name;
    size_t centre;
    const char *derived, *central, *quotient, *factors;
} known_group;

/* Groups from textbooks and the ATLAS of Finite Groups; the last ones are similar groups that must
 * not be confused. */
static const known_group known[] = {
    {1, "()", "trivial", 1, "1", "1", "", ""},
    {6, "(1 2 3 4 5 6)", "Z_6", 6, "6 1", "6 1", "2 3", "Z_2 Z_3"},
    {8, "(1 2 3 4);(5 6)(7 8);(5 7)(6 8)", "Z_2^2xZ_4", 16, "16 1", "16 1", "2 2 4",
     "Z_2 Z_2 Z_2 Z_2"},
    {10, "(1 2 3);(4 5 6);(7 8);(9 10)", "Z_6^2", 36, "36 1", "36 1", "2 2 3 3", "Z_2 Z_2 Z_3 Z_3"},
    {12, "(1 2 3);(4 5);(6 7 8 9 10 11 12)(4 5)", "Z_42", 42, "42 1", "42 1", "2 3 7",
     "Z_2 Z_3 Z_7"},
    {12, "(1 2 3 4);(5 6);(7 8 9)(10 11 12)", "Z_2xZ_12", 24, "24 1", "24 1", "2 4 3",
     "Z_2 Z_2 Z_2 Z_3"},
    {4, "(1 2 3 4);(1 3)", "D_4", 2, "8 2 1", "8 2 1", "2 2", "Z_2 Z_2 Z_2"},
    {6, "(1 3 5)(2 4 6);(1 4)(2 5)", "A_4", 1, "12 4 1", "12 4", "3", "Z_2 Z_2 Z_3"},
    {4, "(1 2 3 4);(1 2)", "S_4", 1, "24 12 4 1", "24 12", "2", "Z_2 Z_2 Z_2 Z_3"},
    {6, "(1 2 3 4 5);(1 6)(2 5)", "A_5", 1, "60", "60", "", "A_5"},
    {8, "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)", "Q_8", 2, "8 2 1", "8 2 1", "2 2", "Z_2 Z_2 Z_2"},
    {16, "(1 3 4 9 5 10 11 15)(2 6 7 12 8 13 14 16);(1 2 5 8)(3 16 10 12)(4 14 11 7)(6 9 13 15)",
     "Q_16", 2, "16 4 1", "16 4 2 1", "2 2", "Z_2 Z_2 Z_2 Z_2"},
    {8, "(1 2 4 5)(3 8 7 6);(1 3 4 7)(2 6 5 8);(1 3)(2 5)(4 7)", "SD_16", 2, "16 4 1", "16 4 2 1",
     "2 2", "Z_2 Z_2 Z_2 Z_2"},
    {7, "(1 2 3)(4 6)(5 7);(2 3)(4 5 6 7)", "Dic_3", 2, "12 3 1", "12 3", "4", "Z_2 Z_2 Z_3"},
    {9, "(2 7 3 4)(5 8 9 6);(4 5 6)(7 9 8)", "SL(2,3)", 2, "24 8 2 1", "24 8", "3",
     "Z_2 Z_2 Z_2 Z_3"},
    {9, "(2 7 6)(3 4 8);(4 7)(5 8)(6 9)", "GL(2,3)", 2, "48 24 8 2 1", "48 24", "2",
     "Z_2 Z_2 Z_2 Z_2 Z_3"},
    {25,
     "(2 5 4 3)(6 11 16 21)(7 15 19 23)(8 12 20 24)(9 13 17 25)(10 14 18 22);(2 16 9)(3 21 15)(4 6 "
     "17)(5 11 23)(7 22 10)(8 12 13)(14 18 19)(20 24 25)",
     "SL(2,5)", 2, "120", "120", "", "Z_2 A_5"},
    {8, "(1 2 3 4 5);(6 7);(7 8)", "Z_5xS_3", 5, "30 3 1", "30 3", "2 5", "Z_2 Z_3 Z_5"},
    {9, "(1 2 3 4 5);(2 3 5 4);(6 7 8)", "Z_3x(Z_5:Z_4)", 3, "60 5 1", "60 5", "4 3",
     "Z_2 Z_2 Z_3 Z_5"},
    {8, "(1 2 3 4)(5 6);(1 2);(7 8)", "Z_2^2xS_4", 4, "96 12 4 1", "96 12", "2 2 2",
     "Z_2 Z_2 Z_2 Z_2 Z_2 Z_3"},
    {6, "(1 2 3);(1 2);(4 5 6);(5 6)", "S_3xS_3", 1, "36 9 1", "36 9", "2 2", "Z_2 Z_2 Z_3 Z_3"},
    {10, "(1 2 3);(2 3 4);(5 6 7);(5 6);(8 9);(9 10)", "S_3xS_3xA_4", 1, "432 36 1", "432 36",
     "2 2 3", "Z_2 Z_2 Z_2 Z_2 Z_3 Z_3 Z_3"},
    {10, "(1 2 3);(3 4 5);(6 7 8);(8 9 10)", "A_5xA_5", 1, "3600", "3600", "", "A_5 A_5"},
    {7, "(1 2 3 4 5);(3 4 5);(6 7)", "Z_2xA_5", 2, "120 60", "120 60", "2", "Z_2 A_5"},
    {5, "(1 2 3 4 5);(2 3 5 4)", "Z_5:Z_4", 1, "20 5 1", "20 5", "4", "Z_2 Z_2 Z_5"},
    {8, "(2 5 4 6 8 3 7);(1 7)(2 4)(3 5)(6 8)", "AGL(1,8)", 1, "56 8 1", "56 8", "7",
     "Z_2 Z_2 Z_2 Z_7"},
    {9, "(1 6 4 5 2 3 8 7);(1 2 9)(3 4 5)(6 7 8);(1 4 7)(2 5 8)(3 6 9)", "AGL(1,9)", 1, "72 9 1",
     "72 9", "8", "Z_2 Z_2 Z_2 Z_3 Z_3"},
    {8, "(2 5 4 6 8 3 7);(1 7 5 2 4 6)(3 8)", "AGammaL(1,8)", 1, "168 56 8 1", "168 56", "3",
     "Z_2 Z_2 Z_2 Z_3 Z_7"},
    {9, "(1 6 4 5 2 3 8 7);(1 2 9)(3 4 5)(6 7 8);(1 4 7)(2 5 8)(3 6 9);(1 2)(3 5)(6 7)",
     "AGammaL(1,9)", 1, "144 36 9 1", "144 36 18 9", "2 2", "Z_2 Z_2 Z_2 Z_2 Z_3 Z_3"},
    {9, "(2 8 9 3)(4 6 7 5);(1 6 4)(2 7 5)(3 9 8)", "ASL(2,3)", 1, "216 72 18 9 1", "216 72", "3",
     "Z_2 Z_2 Z_2 Z_3 Z_3 Z_3"},
    {9, "(3 4 5)(6 8 7);(1 7 6 4 8 2 9 5)", "AGL(2,3)", 1, "432 216 72 18 9 1", "432 216", "2",
     "Z_2 Z_2 Z_2 Z_2 Z_3 Z_3 Z_3"},
    {8, "(1 4 7 8)(2 3 5 6);(1 5 2 3)(4 6)", "AGL(3,2)", 1, "1344", "1344", "",
     "Z_2 Z_2 Z_2 PSL(2,7)"},
    {7, "(1 2 3 4 5 6 7);(2 3)(4 7)", "PSL(2,7)", 1, "168", "168", "", "PSL(2,7)"},
    {8, "(3 8 7 6 5 4);(1 2 6)(3 4 8)", "PGL(2,7)", 1, "336 168", "336 168", "2", "Z_2 PSL(2,7)"},
    {9, "(3 8 6 4 9 7 5);(1 2 3)(4 7 5)(6 9 8)", "PSL(2,8)", 1, "504", "504", "", "PSL(2,8)"},
    {9, "(1 4 8 3 2 7 5 9 6);(1 9 8 2 7 5)(3 6)", "PGammaL(2,8)", 1, "1512 504", "1512 504", "3",
     "Z_3 PSL(2,8)"},
    {10, "(3 10 9 8 4 7 6 5);(1 2 4)(5 6 8)(7 9 10)", "PGL(2,9)", 1, "720 360", "720 360", "2",
     "Z_2 A_6"},
    {10, "(1 9 6 7 5)(2 10 3 8 4);(1 10 7 8)(2 9 4 6)", "M_10", 1, "720 360", "720 360", "2",
     "Z_2 A_6"},
    {10, "(1 7 3 4 2 5 6 8);(1 2 10)(3 4 5)(6 7 8);(3 6)(4 7)(5 8);(1 2)(4 7)(5 8)(9 10)",
     "PGammaL(2,9)", 1, "1440 360", "1440 360", "2 2", "Z_2 Z_2 A_6"},
    {11, "(1 2 3 4 5 6 7 8 9 10 11);(3 7 11 8)(4 10 5 6)", "M_11", 1, "7920", "7920", "", "M_11"},
    {21,
     "(1 2 6 7 11 3 10)(4 14 8 15 16 20 13)(5 18 9 19 21 17 12);(3 4 5)(7 9 8)(10 14 18)(11 17 "
     "20)(12 15 21)(13 16 19)",
     "PSL(3,4)", 1, "20160", "20160", "", "PSL(3,4)"},
    {8, "(1 2 3);(2 3 4 5 6 7 8)", "A_8", 1, "20160", "20160", "", "A_8"},
    {9, "(1 2 3 4 5 6 7 8 9);(1 2)", "S_9", 1, "362880 181440", "362880 181440", "2", "Z_2 A_9"},
    /* The binary octahedral group, 2^3.PSL(2,7) that does not split, 3^2:Q_8, the modular group of
       order 16, A_5 wr 2. */
    {16, "(3 12 9)(4 11 10)(6 16 13)(7 15 14);(1 6 9 16 5 14 11 7)(2 10 13 4 8 3 15 12)",
     "order 48", 2, "48 24 8 2 1", "48 24", "2", "Z_2 Z_2 Z_2 Z_2 Z_3"},
    {14, "(1 2 8 14 10 5 4)(3 6 12 11 13 9 7);(1 10 2 7 3 13 6 4)(5 8)(9 12)(11 14)", "order 1344",
     1, "1344", "1344", "", "Z_2 Z_2 Z_2 PSL(2,7)"},
    {9, "(1 6 2 3)(4 7 8 5);(1 8 2 4)(3 5 6 7);(1 2 9)(3 4 5)(6 7 8);(1 4 7)(2 5 8)(3 6 9)",
     "order 72", 1, "72 18 9 1", "72 18 9", "2 2", "Z_2 Z_2 Z_2 Z_3 Z_3"},
    {8, "(1 2 4 5 3 6 7 8);(1 3)(4 7)", "order 16", 4, "16 2 1", "16 2 1", "2 4",
     "Z_2 Z_2 Z_2 Z_2"},
    {10, "(2 3 5)(7 9 8);(1 8 3 7 5 9 2 10 4 6)", "order 7200", 1, "7200 3600", "7200 3600", "2",
     "Z_2 A_5 A_5"},
};

static void name_is(const f2l_group *g, const f2l_classes *c, const f2l_structure *s,
                    const char *expected)
{
    f2l_buf name;
    f2l_buf_init(&name);
    cr_assert_eq(f2l_group_name_listed(&name, g, c, s, NULL, NULL), F2L_OK);
    cr_assert_str_eq(name.data, expected);
    f2l_buf_clear(&name);
}

static void unlisted_name_is(const f2l_group *g, const f2l_task *task, const char *expected)
{
    f2l_schreier chain;
    f2l_buf name;
    f2l_buf_init(&name);
    f2l_schreier_init(&chain, g->degree);
    for (size_t s = 0; s < g->generators; s++)
        cr_assert_eq(f2l_schreier_add(&chain, g->generator + s * g->degree, NULL, NULL, NULL),
                     F2L_OK);
    cr_assert_eq(f2l_group_name(&name, &chain, task, NULL), F2L_OK);
    cr_assert_str_eq(name.data, expected);
    f2l_buf_clear(&name);
    f2l_schreier_clear(&chain);
}

Test(structure, knows_textbook_groups)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const known_group *k = &known[i];
        char text[200] = "";
        size_t used = 0;
        subject x;
        read_group(&x.g, k->degree, k->generators);
        examine(&x);
        cr_assert_eq(x.s.order, x.g.order);
        cr_assert_eq(x.s.centre, k->centre, "%s", k->name);
        for (size_t f = 0; f < x.s.factors; f++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", f ? " " : "",
                                     x.s.factor[f].name);
        cr_assert_str_eq(text, k->factors, "%s", k->name);
        list_text(text, sizeof text, x.s.derived, x.s.derived_terms);
        cr_assert_str_eq(text, k->derived, "%s", k->name);
        list_text(text, sizeof text, x.s.central, x.s.central_terms);
        cr_assert_str_eq(text, k->central, "%s", k->name);
        list_text(text, sizeof text, x.s.quotient, x.s.quotients);
        cr_assert_str_eq(text, k->quotient, "%s", k->name);
        name_is(&x.g, &x.c, &x.s, k->name);
        unlisted_name_is(&x.g, NULL, k->name);
        clear(&x);
    }
}

/* The name does not depend on the representation: the group's own, its regular one, and one with
 * new generators on renamed points give the same name. */
Test(structure, names_belong_to_the_abstract_group)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 51, 0); /* the seed */
    for (size_t i = 1; i < sizeof known / sizeof *known; i++) {
        subject x, y;
        read_group(&x.g, known[i].degree, known[i].generators);
        if (x.g.order > 2000) {
            f2l_group_clear(&x.g);
            continue;
        }
        const size_t n = x.g.order;
        uint32_t *image = calloc(6 * n, sizeof *image), *point = calloc(n, sizeof *point);
        random_permutation(point, n, &rng);
        do { /* six random elements that generate the group */
            for (size_t s = 0; s < 6; s++) {
                const uint32_t a = (uint32_t)f2l_rng_below(&rng, n);
                for (uint32_t p = 0; p < n; p++)
                    image[s * n + point[p]] = point[f2l_group_multiply(&x.g, p, a)];
            }
            cr_assert_eq(f2l_group_build(&y.g, image, 6, n, 0, NULL, NULL), F2L_OK);
            if (y.g.order < n) f2l_group_clear(&y.g);
        } while (y.g.order < n);
        examine(&x);
        examine(&y);
        cr_assert_eq(x.c.classes, y.c.classes);
        name_is(&y.g, &y.c, &y.s, known[i].name);
        unlisted_name_is(&y.g, NULL, known[i].name);
        cr_assert_eq(memcmp(x.s.derived, y.s.derived, sizeof x.s.derived), 0);
        cr_assert_eq(memcmp(x.s.central, y.s.central, sizeof x.s.central), 0);
        cr_assert_eq(memcmp(x.s.quotient, y.s.quotient, sizeof x.s.quotient), 0);
        clear(&x);
        clear(&y);
        free(image);
        free(point);
    }
}

/* Closes a set of elements under multiplication, slowly; returns its size. */
static size_t close_set(uint8_t *has, const f2l_group *g)
{
    size_t before = 0, count = 0;
    has[0] = 1;
    do {
        before = count;
        for (uint32_t a = 0; a < g->order; a++)
            for (uint32_t b = 0; has[a] && b < g->order; b++)
                if (has[b]) has[f2l_group_multiply(g, a, b)] = 1;
        count = 0;
        for (size_t a = 0; a < g->order; a++) count += has[a];
    } while (count != before);
    return count;
}

/* Checks the orders of the series that starts at G and continues with all commutators [h, x], where
 * x is in G or in the term itself. */
static void series_is(const f2l_group *g, bool lower, const size_t *orders, size_t terms,
                      uint8_t *first)
{
    uint8_t *term = calloc(g->order, 1), *next = calloc(g->order, 1);
    memset(term, 1, g->order);
    for (size_t i = 0; i <= terms; i++) {
        memset(next, 0, g->order);
        for (uint32_t a = 0; a < g->order; a++)
            for (uint32_t b = 0; term[a] && b < g->order; b++) {
                if (!lower && !term[b]) continue;
                const uint32_t back = f2l_group_inverse(g, f2l_group_multiply(g, b, a));
                next[f2l_group_multiply(g, back, f2l_group_multiply(g, a, b))] = 1;
            }
        const size_t count = close_set(next, g);
        cr_assert_eq(count, i + 1 < terms ? orders[i + 1] : orders[terms - 1]);
        if (i == 0) memcpy(first, next, g->order);
        memcpy(term, next, g->order);
    }
    free(term);
    free(next);
}

static size_t gcd(size_t a, size_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* Checks the number of x in G/G' with x^m = 1: it is the product of gcd(m, order) over the cyclic
 * factors. */
static void quotient_is(const subject *x, const uint8_t *derived)
{
    for (size_t m = 1; m <= x->c.exponent; m++) {
        size_t count = 0, size = 0, expected = 1;
        for (uint32_t a = 0; a < x->g.order; a++) {
            uint32_t y = 0;
            for (size_t i = 0; i < m % x->c.element_order[x->c.class_of[a]]; i++)
                y = f2l_group_multiply(&x->g, y, a);
            count += derived[y];
            size += derived[a];
        }
        for (size_t i = 0; i < x->s.quotients; i++) expected *= gcd(m, x->s.quotient[i]);
        cr_assert_eq(count, expected * size);
    }
}

static void structure_is_right(const subject *x, uint8_t *derived)
{
    size_t centre = 0, product = 1;
    bool solvable = true;
    for (uint32_t a = 0; a < x->g.order; a++) {
        bool central = true;
        for (uint32_t b = 0; b < x->g.order && central; b++)
            central = f2l_group_multiply(&x->g, a, b) == f2l_group_multiply(&x->g, b, a);
        centre += central;
    }
    cr_assert_eq(x->s.centre, centre);
    cr_assert_eq(x->s.abelian, centre == x->g.order);
    series_is(&x->g, true, x->s.central, x->s.central_terms, derived);
    series_is(&x->g, false, x->s.derived, x->s.derived_terms, derived);
    quotient_is(x, derived);
    for (size_t i = 0; i < x->s.factors; i++) {
        product *= x->s.factor[i].order;
        solvable = solvable && n_is_prime(x->s.factor[i].order);
    }
    cr_assert_eq(product, x->g.order);
    cr_assert_eq(x->s.solvable, solvable);
    cr_assert_eq(x->s.nilpotent, x->s.central[x->s.central_terms - 1] == 1);
}

Test(structure, agrees_with_closing_sets)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 52, 0); /* the seed */
    for (int round = 0; round < (brute_force_is_short() ? 30 : 120); round++) {
        const size_t n = 2 + f2l_rng_below(&rng, 6), letters = 1 + f2l_rng_below(&rng, 3);
        uint32_t generator[3 * 7];
        subject x;
        random_generators(generator, letters, n, &rng);
        cr_assert_eq(f2l_group_build(&x.g, generator, letters, n, 0, NULL, NULL), F2L_OK);
        if (x.g.order > 150) {
            f2l_group_clear(&x.g);
            continue;
        }
        uint8_t *derived = calloc(x.g.order, 1);
        examine(&x);
        structure_is_right(&x, derived);
        free(derived);
        clear(&x);
    }
}

/* Orders of PSL(2,q) and of others by their formulas give 56 groups of order below 10^6. */
Test(structure, simple_groups_by_order)
{
    char name[40];
    size_t count = 1; /* PSL(3,4), of the same order as A_8 */
    for (size_t order = 1; order < 1000000; order++)
        count += f2l_simple_name(name, sizeof name, order, true);
    cr_assert_eq(count, 56);
    cr_assert(f2l_simple_name(name, sizeof name, 20160, false));
    cr_assert_str_eq(name, "PSL(3,4)");
    cr_assert(f2l_simple_name(name, sizeof name, 27 * 26 * 28 / 2, false));
    cr_assert_str_eq(name, "PSL(2,27)");
    cr_assert(f2l_simple_name(name, sizeof name, 125 * 124 * 126 / 2, false));
    cr_assert_str_eq(name, "PSL(2,125)");
    cr_assert(f2l_simple_name(name, sizeof name, 12 * 11 * 10 * 9 * 8, false));
    cr_assert_str_eq(name, "M_12");
    cr_assert(f2l_simple_name(name, sizeof name, 8 * 8 * 65 * 7, false));
    cr_assert_str_eq(name, "Sz(8)");
    cr_assert_not(f2l_simple_name(name, sizeof name, 3600, true));
    cr_assert_not(f2l_simple_name(name, sizeof name, 120, true));
}

Test(structure, prime_powers)
{
    cr_assert_not(n_is_prime(0));
    cr_assert_not(n_is_prime(1));
    cr_assert(n_is_prime(2));
    cr_assert_not(n_is_prime(49));
    cr_assert(n_is_prime(997));
    cr_assert_eq(f2l_prime_of_power(1), 0);
    cr_assert_eq(f2l_prime_of_power(7), 7);
    cr_assert_eq(f2l_prime_of_power(243), 3);
    cr_assert_eq(f2l_prime_of_power(12), 0);
    cr_assert_eq(f2l_exact_log(1024, 2), 10);
    cr_assert_eq(f2l_exact_log(48, 2), 0);
    cr_assert_eq(f2l_exact_log(1, 2), 0);
}

Test(structure, beyond_the_limits)
{
    f2l_group g;
    f2l_task small = {.memory = 1000};
    read_group(&g, 6, "(1 2 3);(1 2);(4 5 6);(5 6)");
    unlisted_name_is(&g, &small, "order 36"); /* too little memory to list it, so no name */
    f2l_group_clear(&g);
    volatile sig_atomic_t stop = SIGINT;
    f2l_task cancelled = {.cancel = &stop};
    f2l_error err = {0};
    subject x;
    read_group(&x.g, 9, "(1 2 3 4 5 6 7 8 9);(1 2)");
    cr_assert_eq(f2l_classes_build(&x.c, &x.g, NULL, NULL), F2L_OK);
    cr_assert_eq(f2l_structure_build(&x.s, &x.g, &x.c, &cancelled, &err), F2L_UNKNOWN);
    cr_assert_not_null(strstr(err.text, "interrupted"), "%s", err.text);
    clear(&x);
    f2l_schreier chain;
    f2l_buf name;
    f2l_buf_init(&name);
    const uint32_t image[] = {1, 2, 0, 3, 4, 5, 1, 0, 2, 3, 4, 5,
                              0, 1, 2, 4, 5, 3, 0, 1, 2, 4, 3, 5};
    f2l_schreier_init(&chain, 6);
    for (size_t s = 0; s < 4; s++) f2l_schreier_add(&chain, image + 6 * s, NULL, NULL, NULL);
    cr_assert_eq(f2l_group_name(&name, &chain, &cancelled, &err), F2L_UNKNOWN);
    f2l_buf_clear(&name);
    f2l_schreier_clear(&chain);
}

#ifdef F2L_MEM_FAILURES
static f2l_status name_after(size_t allocations, f2l_buf *name, const f2l_group *g)
{
    f2l_classes c;
    f2l_structure s;
    f2l_classes_init(&c);
    f2l_mem_fail_after(allocations, true);
    f2l_status status = f2l_classes_build(&c, g, NULL, NULL);
    if (status == F2L_OK) status = f2l_structure_build(&s, g, &c, NULL, NULL);
    if (status == F2L_OK) status = f2l_group_name_listed(name, g, &c, &s, NULL, NULL);
    if (status == F2L_OK) status = f2l_buf_status(name, NULL);
    f2l_mem_fail_after(0, false);
    f2l_classes_clear(&c);
    return status;
}

Test(structure, memory_failures)
{
    static const char *const name_of[] = {"S_3xS_3", "Z_6xZ_12", "Z_2xSL(2,3)", "PGL(2,7)"};
    static const char *const generators[] = {
        "(1 2 3);(1 2);(4 5 6);(5 6)", "(1 2 3 4)(5 6 7);(8 9 10)(11 12)",
        "(2 7 3 4)(5 8 9 6);(4 5 6)(7 9 8);(10 11)", "(3 8 7 6 5 4);(1 2 6)(3 4 8)"};
    for (size_t i = 0; i < 4; i++) {
        f2l_group g;
        read_group(&g, 12, generators[i]);
        for (size_t n = 1;; n++) {
            f2l_buf name;
            f2l_buf_init(&name);
            const f2l_status status = name_after(n, &name, &g);
            if (status == F2L_OK) cr_assert_str_eq(name.data, name_of[i]);
            f2l_buf_clear(&name);
            if (status == F2L_OK) {
                cr_assert_gt(n, 20);
                break;
            }
            cr_assert_eq(status, F2L_ENOMEM, "allocation %zu", n);
        }
        f2l_group_clear(&g);
    }
}
#endif
