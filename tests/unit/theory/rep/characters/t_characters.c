#include "tests/support/theory/rep_support.h"
#include <criterion/criterion.h>

/* A table of integers: a row of classes (as cycles) and the values, by degree. */
typedef struct known_table {
    const char *name;
    size_t degree;
    const char *generators;
    const char *class_of[8];
    struct {
        int indicator;
        long value[8];
    } row[8];
} known_table;

/* Tables from Isaacs, Character Theory of Finite Groups, and Serre, Linear Representations, 5. Rows
 * of one degree are in any order. */
static const known_table known[] = {
    {"S3",
     3,
     "(1 2);(1 2 3)",
     {"()", "(1 2)", "(1 2 3)"},
     {{1, {1, 1, 1}}, {1, {1, -1, 1}}, {1, {2, 0, -1}}}},
    {"D4",
     4,
     "(1 2 3 4);(1 3)",
     {"()", "(1 3)(2 4)", "(1 2 3 4)", "(1 3)", "(1 2)(3 4)"},
     {{1, {1, 1, 1, 1, 1}},
      {1, {1, 1, -1, 1, -1}},
      {1, {1, 1, -1, -1, 1}},
      {1, {1, 1, 1, -1, -1}},
      {1, {2, -2, 0, 0, 0}}}},
    {"Q8",
     8,
     "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)",
     {"()", "(1 3)(2 4)(5 7)(6 8)", "(1 2 3 4)(5 6 7 8)", "(1 5 3 7)(2 8 4 6)",
      "(1 8 3 6)(2 7 4 5)"},
     {{1, {1, 1, 1, 1, 1}},
      {1, {1, 1, -1, 1, -1}},
      {1, {1, 1, -1, -1, 1}},
      {1, {1, 1, 1, -1, -1}},
      {-1, {2, -2, 0, 0, 0}}}},
    {"S4",
     4,
     "(1 2);(1 2 3 4)",
     {"()", "(1 2)", "(1 2)(3 4)", "(1 2 3)", "(1 2 3 4)"},
     {{1, {1, 1, 1, 1, 1}},
      {1, {1, -1, 1, 1, -1}},
      {1, {2, 0, 2, -1, 0}},
      {1, {3, 1, -1, 0, -1}},
      {1, {3, -1, -1, 0, 1}}}},
    {"S5",
     5,
     "(1 2);(1 2 3 4 5)",
     {"()", "(1 2)", "(1 2)(3 4)", "(1 2 3)", "(1 2 3)(4 5)", "(1 2 3 4)", "(1 2 3 4 5)"},
     {{1, {1, 1, 1, 1, 1, 1, 1}},
      {1, {1, -1, 1, 1, -1, -1, 1}},
      {1, {4, 2, 0, 1, -1, 0, -1}},
      {1, {4, -2, 0, 1, 1, 0, -1}},
      {1, {5, 1, 1, -1, 1, -1, 0}},
      {1, {5, -1, 1, -1, -1, 1, 0}},
      {1, {6, 0, -2, 0, 0, 0, 1}}}},
};

/* Every known row is a row of the computed table, with its indicator, and no two are the same
 * one. */
Test(characters, integer_tables_of_textbooks)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const known_table *k = &known[i];
        rep r;
        size_t classes = 0;
        while (classes < 8 && k->class_of[classes]) classes++;
        cr_assert_eq(rep_read(&r, k->degree, k->generators), F2L_OK, "%s", k->name);
        cr_assert_eq(r.characters.characters, classes, "%s", k->name);
        bool used[8] = {0};
        for (size_t row = 0; row < classes; row++) {
            size_t found = classes;
            for (size_t s = 0; s < classes && found == classes; s++) {
                bool same = !used[s] && r.characters.indicator[s] == k->row[row].indicator;
                for (size_t c = 0; c < classes && same; c++)
                    same =
                        rep_integer(&r, s, rep_class(&r, k->class_of[c])) == k->row[row].value[c];
                if (same) found = s;
            }
            cr_assert_lt(found, classes, "%s, row %zu", k->name, row);
            used[found] = true;
        }
        rep_clear(&r);
    }
}

static size_t eigenvalue(rep *r, size_t character, size_t c, size_t j)
{
    size_t *m = calloc(r->characters.exponent, sizeof *m);
    cr_assert_eq(f2l_characters_eigenvalues(m, &r->characters, &r->classes, character, c, NULL),
                 F2L_OK);
    const size_t found = m[j];
    free(m);
    return found;
}

/* A5 in dimension 3: an element of order 5 has eigenvalues 1, z, z^-1, so the value is 1 + 2 cos(2
 * pi/5) or 1 + 2 cos(4 pi/5) = (1 +- sqrt 5)/2, and the other one for the other representation and
 * the other class. */
Test(characters, golden_section_of_A5)
{
    rep r;
    cr_assert_eq(rep_read(&r, 5, "(1 2 3);(1 2 3 4 5)"), F2L_OK);
    static const size_t degree[] = {1, 3, 3, 4, 5};
    static const long involution[] = {1, -1, -1, 0, 1}, order3[] = {1, 0, 0, 1, -1};
    const size_t a = rep_class(&r, "(1 2 3 4 5)"), b = rep_class(&r, "(1 3 5 2 4)"),
                 step = r.characters.exponent / 5;
    cr_assert_neq(a, b);
    for (size_t s = 0; s < 5; s++) {
        cr_assert_eq(r.characters.degree[s], degree[s]);
        cr_assert_eq(r.characters.indicator[s], 1);
        cr_assert_eq(rep_integer(&r, s, rep_class(&r, "(1 2)(3 4)")), involution[s]);
        cr_assert_eq(rep_integer(&r, s, rep_class(&r, "(1 2 3)")), order3[s]);
    }
    for (size_t s = 1; s < 3; s++) {
        const size_t j = eigenvalue(&r, s, a, step) ? 1 : 2;
        for (size_t i = 0; i < 5; i++) {
            const size_t on_a = i == 0 || i == j || i == 5 - j,
                         on_b = i == 0 || i == 3 - j || i == 2 + j;
            cr_assert_eq(eigenvalue(&r, s, a, i * step), on_a);
            cr_assert_eq(eigenvalue(&r, s, b, i * step), on_b);
        }
        cr_assert_eq(eigenvalue(&r, 3 - s, a, step), j == 2);
    }
    cr_assert_eq(rep_integer(&r, 3, a), -1);
    cr_assert_eq(rep_integer(&r, 4, a), 0);
    rep_clear(&r);
}

/* SL(2,3): degrees 1, 1, 1, 2, 2, 2, 3; one quaternionic representation, and its two twists are
 * complex. */
Test(characters, of_SL23)
{
    rep r;
    cr_assert_eq(rep_read(&r, 8, "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6);(2 5 8)(4 7 6)"), F2L_OK);
    cr_assert_eq(r.group.order, 24);
    static const size_t degree[] = {1, 1, 1, 2, 2, 2, 3};
    const size_t centre = rep_class(&r, "(1 3)(2 4)(5 7)(6 8)"),
                 order3 = rep_class(&r, "(2 5 8)(4 7 6)");
    cr_assert_eq(r.characters.characters, 7);
    cr_assert_eq(r.characters.exponent, 12);
    size_t quaternionic = 0, complex = 0;
    for (size_t s = 0; s < 7; s++) {
        const int indicator = r.characters.indicator[s];
        cr_assert_eq(r.characters.degree[s], degree[s]);
        cr_assert_eq(rep_integer(&r, s, centre), degree[s] == 2 ? -2 : (long)degree[s]);
        if (degree[s] == 2) {
            quaternionic += indicator == -1;
            complex += indicator == 0;
            cr_assert_eq(eigenvalue(&r, s, centre, 6), 2, "-1 twice");
        }
        if (degree[s] == 3) cr_assert_eq(indicator, 1);
        if (indicator == -1) { /* an element of order 3 has eigenvalues z, z^2 and the value -1 */
            cr_assert_eq(rep_integer(&r, s, order3), -1);
            cr_assert_eq(eigenvalue(&r, s, order3, 4), 1);
            cr_assert_eq(eigenvalue(&r, s, order3, 8), 1);
        }
    }
    cr_assert_eq(quaternionic, 1);
    cr_assert_eq(complex, 2);
    rep_clear(&r);
}

/* Groups with tables of many kinds: abelian, extraspecial, Frobenius, simple, products. */
static const struct {
    size_t degree;
    const char *generators;
} various[] = {
    {1, ""},
    {1, "()"},
    {3, "();()"},
    {2, "(1 2)"},
    {12, "(1 2 3 4 5 6 7 8 9 10 11 12)"},
    {9, "(1 2 3 4);(5 6 7);(8 9)"},
    {12, "(1 2);(3 4);(5 6);(7 8);(9 10);(11 12)"},
    {9, "(1 2 3)(4 5 6)(7 8 9);(1 4 7)(2 5 8)(3 6 9);(4 5 6)(7 9 8)"},
    {7, "(1 2 3 4 5 6 7);(2 3 5)(4 7 6)"},
    {7, "(1 2 3 4 5 6 7);(2 4 3 7 5 6)"},
    {7, "(1 2 3 4 5 6 7);(2 3)(4 7)"},
    {8, "(3 7 5)(4 8 6);(1 2 6)(3 4 8)"},
    {6, "(1 2 3 4 5);(4 5 6)"},
    {6, "(1 2);(1 2 3 4 5 6)"},
    {9, "(1 2 3);(1 2);(4 5 6);(4 5);(1 4)(2 5)(3 6);(7 8 9)"},
    {8, "(1 2 3 4);(1 3);(5 6 7 8);(5 7);(1 5)(2 6)(3 7)(4 8)"},
    {8, "(1 2 3 4 5 6 7 8);(2 4)(3 7)(6 8)"},
    {7, "(1 2);(1 2 3 4 5 6 7)"},
    {11, "(1 2 3 4 5 6 7 8 9 10 11);(3 7 11 8)(4 10 5 6)"},
};

Test(characters, satisfy_all_relations)
{
    for (size_t i = 0; i < sizeof various / sizeof *various; i++) {
        rep r;
        cr_assert_eq(rep_read(&r, various[i].degree, various[i].generators), F2L_OK, "%s: %s",
                     various[i].generators, r.err.text);
        const char *fault = rep_table_fault(&r);
        cr_assert_null(fault, "%s: %s", various[i].generators, fault);
        rep_clear(&r);
    }
}

static void cycle(uint32_t *image, size_t n)
{
    for (size_t p = 0; p < n; p++) image[p] = (uint32_t)((p + 1) % n);
}

/* In a cyclic group with 1,000 linear characters all sums of eigenvalues are single roots of
 * unity. */
Test(characters, of_a_large_cyclic_group)
{
    static uint32_t image[1000];
    rep r;
    cycle(image, 1000);
    cr_assert_eq(rep_build(&r, image, 1, 1000), F2L_OK);
    const f2l_characters *t = &r.characters;
    cr_assert_eq(t->characters, 1000);
    size_t complex = 0;
    for (size_t s = 0; s < 1000; s++) {
        cr_assert_eq(t->degree[s], 1);
        complex += t->indicator[s] == 0;
        cr_assert_neq(t->indicator[s], -1);
    }
    cr_assert_eq(complex, 998);
    /* Rows are different, and each one consists of powers of its value at a generator. */
    const uint32_t g = r.classes.class_of[f2l_group_find(&r.group, image)];
    for (size_t s = 0; s < 1000; s++) {
        uint64_t power = 1;
        for (size_t i = 0; i < 1000; i++) {
            cr_assert_eq(t->value[s * 1000 + f2l_classes_power(&r.classes, g, i)], power);
            power = power * t->value[s * 1000 + g] % t->prime;
        }
        for (size_t u = 0; u < s; u++)
            cr_assert_neq(t->value[s * 1000 + g], t->value[u * 1000 + g]);
    }
    rep_clear(&r);
}

/* D_500 has four linear characters and 249 of degree 2, all real. */
Test(characters, of_a_large_dihedral_group)
{
    static uint32_t image[1000];
    rep r;
    cycle(image, 500);
    for (size_t p = 0; p < 500; p++) image[500 + p] = (uint32_t)(499 - p);
    cr_assert_eq(rep_build(&r, image, 2, 500), F2L_OK);
    cr_assert_eq(r.characters.characters, 253);
    for (size_t s = 0; s < 253; s++) {
        cr_assert_eq(r.characters.degree[s], s < 4 ? 1 : 2);
        cr_assert_eq(r.characters.indicator[s], 1);
    }
    cr_assert_null(rep_table_fault(&r));
    rep_clear(&r);
}

Test(characters, of_S8_have_known_degrees)
{
    static const size_t degree[] = {1,  1,  7,  7,  14, 14, 20, 20, 21, 21, 28,
                                    28, 35, 35, 42, 56, 56, 64, 64, 70, 70, 90};
    rep r;
    cr_assert_eq(rep_read(&r, 8, "(1 2);(1 2 3 4 5 6 7 8)"), F2L_OK);
    cr_assert_eq(r.characters.characters, 22);
    for (size_t s = 0; s < 22; s++) cr_assert_eq(r.characters.degree[s], degree[s]);
    rep_clear(&r);
}

/* Z_2^14 has 16,384 classes. */
Test(characters, too_many_are_refused)
{
    uint32_t image[14 * 28];
    f2l_group g;
    f2l_classes c;
    f2l_characters t;
    f2l_error err = {0};
    for (size_t s = 0; s < 14; s++) {
        for (uint32_t p = 0; p < 28; p++) image[s * 28 + p] = p;
        image[s * 28 + 2 * s] = (uint32_t)(2 * s + 1);
        image[s * 28 + 2 * s + 1] = (uint32_t)(2 * s);
    }
    cr_assert_eq(f2l_group_build(&g, image, 14, 28, 0, NULL, &err), F2L_OK);
    cr_assert_eq(f2l_classes_build(&c, &g, NULL, &err), F2L_OK);
    cr_assert_eq(f2l_characters_build(&t, &g, &c, NULL, &err), F2L_UNKNOWN);
    cr_assert_null(t.value);
    cr_assert_not_null(strstr(err.text, "too large"));
    f2l_classes_clear(&c);
    f2l_group_clear(&g);
}

Test(characters, stop_when_told_to)
{
    rep r;
    f2l_characters t;
    const volatile sig_atomic_t stop = SIGINT;
    const f2l_task cancelled = {.cancel = &stop}, small = {.memory = 100};
    cr_assert_eq(rep_read(&r, 6, "(1 2);(1 2 3 4 5 6)"), F2L_OK);
    cr_assert_eq(f2l_characters_build(&t, &r.group, &r.classes, &cancelled, &r.err), F2L_UNKNOWN);
    cr_assert_null(t.value);
    cr_assert_eq(f2l_characters_build(&t, &r.group, &r.classes, &small, &r.err), F2L_UNKNOWN);
    cr_assert_null(t.value);
    f2l_characters_clear(&t);
    rep_clear(&r);
}

#ifdef F2L_MEM_FAILURES
static void fail_everywhere(size_t degree, const char *generators)
{
    rep r;
    cr_assert_eq(rep_read(&r, degree, generators), F2L_OK);
    f2l_status status = F2L_ENOMEM;
    size_t n = 0;
    while (status == F2L_ENOMEM) {
        f2l_characters t;
        n++;
        f2l_mem_fail_after(n, n % 2 == 0);
        status = f2l_characters_build(&t, &r.group, &r.classes, NULL, NULL);
        f2l_mem_fail_after(0, false);
        cr_assert(status == F2L_OK || (status == F2L_ENOMEM && !t.value && t.characters == 0));
        f2l_characters_clear(&t);
        f2l_characters_clear(&t);
    }
    cr_assert_eq(status, F2L_OK);
    cr_assert_gt(n, 12);
    size_t m[60];
    f2l_mem_fail_after(1, false);
    cr_assert_eq(f2l_characters_eigenvalues(m, &r.characters, &r.classes, 0, 1, NULL), F2L_ENOMEM);
    f2l_mem_fail_after(0, false);
    rep_clear(&r);
}

Test(characters, out_of_memory)
{
    fail_everywhere(5, "(1 2);(1 2 3 4 5)");
    fail_everywhere(5, "(1 2 3);(4 5)");
    fail_everywhere(8, "(1 2 3 4)(5 6 7 8);(1 5 3 7)(2 8 4 6)");
}
#endif
