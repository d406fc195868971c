/* Equations in floating point: what they refute, and where they say nothing. */
#include "theory/obstruct/separation/impl.h"
#include <criterion/criterion.h>
#include <float.h>
#include <string.h>

/* Returns whether the guess 1 for the free entry of two blocks of one row is refuted. */
static bool refutes(size_t rows, const double *equations, int bits)
{
    const double guess[] = {1, 1};
    const size_t blocks[] = {1, 1};
    double scratch;
    f2l_sieve s;
    f2l_error err;
    cr_assert_eq(f2l_sieve_init(&s, rows, 2, &err), F2L_OK);
    memcpy(s.row, equations, rows * 2 * sizeof *equations);
    f2l_sieve_reduce(&s);
    const bool refuted = f2l_sieve_refutes(&s, guess, bits, blocks, 2, &scratch);
    f2l_sieve_clear(&s);
    return refuted;
}

Test(separation_sieve, signs)
{
    const double equal[] = {3, -3}, opposite[] = {3, 3}, zero[] = {1, 0};
    cr_assert(!refutes(1, equal, 4));
    cr_assert(refutes(1, opposite, 4));
    cr_assert(refutes(1, zero, 4), "the first entry is 0");
}

/* The second row leaves 2e-16 of a pivot: it can be the rounding of a double that was read. */
Test(separation_sieve, unknown_rank)
{
    const double rows[] = {1, 1, 1, 1 + DBL_EPSILON}, near[] = {1, 1, 1, 1 + 1e-12};
    const double clear[] = {1, 1, 1, 2};
    cr_assert(!refutes(2, rows, 4));
    cr_assert(refutes(2, near, 4), "both entries are 0");
    cr_assert(refutes(2, clear, 4), "both entries are 0");
}
