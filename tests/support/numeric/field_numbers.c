#include "tests/support/numeric/field_numbers.h"

void read_field(f2l_field *k, const char *text)
{
    f2l_error err;
    cr_assert_eq(f2l_field_read(k, text, strlen(text), &err), F2L_OK, "%s: %s", text, err.text);
}

void random_number(f2l_number *a, const f2l_field *k, f2l_rng *rng, unsigned bits)
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
