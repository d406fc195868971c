/* Groups with classes, characters and explicit real representations in tests, from cycles. */
#ifndef TESTS_IRREP_SUPPORT_H
#define TESTS_IRREP_SUPPORT_H

#include "numeric/base/mem.h"
#include "numeric/base/rng.h"
#include "tests/support/automata/group_support.h"
#include "theory/rep/irrep/irrep.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Under valgrind the largest groups are left out. */
static inline size_t largest_order(void)
{
    return getenv("F2L_TEST_SHORT") ? 60 : 100000;
}

typedef struct irrep_sample {
    const char *name;
    f2l_group group;
    f2l_classes classes;
    f2l_characters table;
    size_t irreps;
    size_t *character;
    f2l_irrep *irrep;
    f2l_status *found;
} irrep_sample;

static inline void open_tables(irrep_sample *s)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_classes_build(&s->classes, &s->group, NULL, &err), F2L_OK, "%s", err.text);
    cr_assert_eq(f2l_characters_build(&s->table, &s->group, &s->classes, NULL, &err), F2L_OK, "%s",
                 err.text);
    s->character = calloc(s->table.characters, sizeof *s->character);
    for (size_t i = 0; i < s->table.characters; i++)
        if (s->table.conjugate[i] >= i) s->character[s->irreps++] = i;
    s->irrep = calloc(s->irreps, sizeof *s->irrep);
    s->found = calloc(s->irreps, sizeof *s->found);
}

static inline void build_irreps(irrep_sample *s, f2l_status expected)
{
    f2l_error err = {0};
    cr_assert_eq(f2l_irreps_build(s->irrep, s->found, s->character, s->irreps, &s->group,
                                  &s->classes, &s->table, NULL, &err),
                 expected, "%s: %s", s->name, err.text);
}

/* Generators as cycles, separated by `;`. */
static inline void open_sample(irrep_sample *s, const char *name, size_t degree, const char *cycles)
{
    *s = (irrep_sample){.name = name};
    read_group(&s->group, degree, cycles);
    open_tables(s);
}

static inline void open_images(irrep_sample *s, const char *name, const uint32_t *image,
                               size_t generators, size_t degree)
{
    *s = (irrep_sample){.name = name};
    cr_assert_eq(f2l_group_build(&s->group, image, generators, degree, 0, NULL, NULL), F2L_OK);
    open_tables(s);
}

/* x -> x + 1, and x -> -x too when dihedral. */
static inline void open_polygon(irrep_sample *s, size_t m, bool dihedral)
{
    uint32_t *image = calloc(2 * m, sizeof *image);
    for (size_t x = 0; x < m; x++) {
        image[x] = (uint32_t)((x + 1) % m);
        image[m + x] = (uint32_t)((m - x) % m);
    }
    open_images(s, dihedral ? "dihedral" : "cyclic", image, dihedral ? 2 : 1, m);
    free(image);
}

static inline void close_sample(irrep_sample *s)
{
    for (size_t i = 0; i < s->irreps; i++) f2l_irrep_clear(&s->irrep[i]);
    free(s->irrep);
    free(s->found);
    free(s->character);
    f2l_characters_clear(&s->table);
    f2l_classes_clear(&s->classes);
    f2l_group_clear(&s->group);
}

/* The real character of an irrep at a class, from the eigenvalues, by floating point. */
static inline double psi_value(const irrep_sample *s, size_t irrep, size_t class_number)
{
    const double turn = 6.283185307179586476925;
    const size_t e = s->classes.exponent, chi = s->character[irrep];
    size_t *multiplicity = calloc(e, sizeof *multiplicity);
    double sum = 0;
    cr_assert_eq(
        f2l_characters_eigenvalues(multiplicity, &s->table, &s->classes, chi, class_number, NULL),
        F2L_OK);
    for (size_t j = 0; j < e; j++)
        sum += (double)multiplicity[j] * cos(turn * (double)j / (double)e);
    free(multiplicity);
    return s->table.indicator[chi] == 1 ? sum : 2 * sum;
}

static inline uint32_t letter_of(const f2l_group *g, size_t letter)
{
    return (uint32_t)f2l_group_find(g, g->generator + letter * g->degree);
}

typedef struct named_group {
    const char *name;
    size_t degree;
    const char *cycles;
    size_t order, irreps;
} named_group;

/* With the order and the number of real irreducible representations, from GAP 4.12. */
static const named_group named_groups[] = {
    {"trivial", 2, "()", 1, 1},
    {"S3", 3, "(1 2);(1 2 3)", 6, 3},
    {"S4", 4, "(1 2);(1 2 3 4)", 24, 5},
    {"S5", 5, "(1 2);(1 2 3 4 5)", 120, 7},
    {"S6", 6, "(1 2);(1 2 3 4 5 6)", 720, 11},
    {"A4", 4, "(1 2 3);(2 3 4)", 12, 3},
    {"A5", 5, "(1 2 3);(1 2 3 4 5)", 60, 5},
    {"A6", 6, "(1 2 3);(2 3 4 5 6)", 360, 7},
    {"Q8", 8, "(1 2 5 6)(3 4 7 8);(1 3 5 7)(2 8 6 4)", 8, 5},
    {"S3xS3", 6, "(1 2);(1 2 3);(4 5);(4 5 6)", 36, 9},
    {"SL(2,3)", 8, "(1 3 5 7)(2 4 6 8);(1 3 8)(4 5 7)", 24, 5},
    {"GL(2,3)", 8, "(1 2 3 4 5 6 7 8);(1 3 8)(4 5 7)", 48, 7},
    {"semidihedral", 8, "(1 2 3 4 5 6 7 8);(1 3)(2 6)(5 7)", 16, 6},
    {"7:3", 7, "(1 2 3 4 5 6 7);(1 2 4)(3 6 5)", 21, 3},
    {"3^2:4", 6, "(2 4 6);(1 5)(2 4);(1 4 5 2)(3 6)", 36, 5},
    {"2^3:7", 8, "(1 8)(2 3)(4 5)(6 7);(1 2 6 3 4 5 7)", 56, 5},
    {"PSL(2,7)", 8, "(1 2 3 4 5 6 8);(1 2 4)(3 6 5);(1 6)(2 3)(4 5)(7 8)", 168, 5},
    {"A4 wr 2", 8, "(1 3)(2 8);(1 2 3);(1 5)(2 6)(3 7)(4 8)", 288, 10},
    {"2^3:PSL(2,7)", 8, "(1 8)(2 3)(4 5)(6 7);(1 2 6 3 4 5 7);(1 2)(5 6)", 1344, 10},
};
#define NAMED_GROUPS (sizeof named_groups / sizeof *named_groups)

#endif
