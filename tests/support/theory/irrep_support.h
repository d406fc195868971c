/* Groups with classes, characters and explicit real representations, made from cycles, for
 * tests. */
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

/* Returns the largest order of a group that is tested; under valgrind it is smaller. */
size_t largest_order(void);

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

void open_tables(irrep_sample *s);

void build_irreps(irrep_sample *s, f2l_status expected);

/* Opens the group of generators written as cycles, separated by `;`. */
void open_sample(irrep_sample *s, const char *name, size_t degree, const char *cycles);

void open_images(irrep_sample *s, const char *name, const uint32_t *image, size_t generators,
                 size_t degree);

/* Opens the group of x -> x + 1 modulo m, with x -> -x too when dihedral. */
void open_polygon(irrep_sample *s, size_t m, bool dihedral);

void close_sample(irrep_sample *s);

/* Returns the real character of an irrep at a class, from the eigenvalues, by floating point. */
double psi_value(const irrep_sample *s, size_t irrep, size_t class_number);

uint32_t letter_of(const f2l_group *g, size_t letter);

typedef struct named_group {
    const char *name;
    size_t degree;
    const char *cycles;
    size_t order, irreps;
} named_group;

/* Groups with their orders and numbers of real irreducible representations, from GAP 4.12. */
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
