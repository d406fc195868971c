/* Fields by their texts, and random numbers of them. */
#ifndef TESTS_FIELD_NUMBERS_H
#define TESTS_FIELD_NUMBERS_H

#include "numeric/base/rng.h"
#include "numeric/exact/field.h"
#include <criterion/criterion.h>
#include <string.h>

static const char *const fields[] = {
    "0 1 interval -1 1",
    "-5 0 1 interval 2 3",
    "-5 0 1 interval -9/4 0",
    "-1 -1 1 interval 1 2",
    "-2 0 1 interval 1 3/2",
    "1 -3 0 1 interval 1 2",
    "1 -3 0 1 interval -2 -1",
    "1 0 -10 0 1 interval 3 4",
    "-2 0 0 0 0 1 interval 1 2",
    "1 0 -4 0 1 interval 1 2",
    "-1000000007 0 0 1 interval 0 1000000007",
    "1 -4 -10 10 15 -6 -7 1 1 interval 9/5 2", /* 2 cos(2 pi / 17) */
};
#define FIELDS (sizeof fields / sizeof *fields)

void read_field(f2l_field *k, const char *text);

void random_number(f2l_number *a, const f2l_field *k, f2l_rng *rng, unsigned bits);

#endif
