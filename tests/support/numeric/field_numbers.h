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

static inline void read_field(f2l_field *k, const char *text)
{
    f2l_error err;
    cr_assert_eq(f2l_field_read(k, text, strlen(text), &err), F2L_OK, "%s: %s", text, err.text);
}

static inline void random_number(f2l_number *a, const f2l_field *k, f2l_rng *rng, unsigned bits)
{
    mpq_t q;
    mpq_init(q);
    fmpq_poly_zero(a);
    for (size_t i = 0; i < k->degree; i++) {
        mpz_set_ui(mpq_numref(q), f2l_rng_u64(rng) >> (64 - bits));
        mpz_set_ui(mpq_denref(q), 1 + f2l_rng_below(rng, 6));
        if (f2l_rng_below(rng, 2)) mpq_neg(q, q);
        mpq_canonicalize(q);
        if (f2l_rng_below(rng, 3) != 0) f2l_number_put(a, i, q);
    }
    mpq_clear(q);
}

#endif
