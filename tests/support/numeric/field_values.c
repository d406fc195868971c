#include "tests/support/numeric/field_values.h"
#include "numeric/exact/impl.h"
#include "numeric/exact/qvec.h"
#include <math.h>
#include <string.h>

int number_compare(const f2l_number *a, const f2l_number *b, const f2l_field *k)
{
    f2l_number difference;
    fmpq_poly_init(&difference);
    fmpq_poly_sub(&difference, a, b);
    int sign = f2l_field_sign(&difference, k);
    fmpq_poly_clear(&difference);
    return sign;
}

/* Returns a rational rounded to odd on 64 bits: exact, or cut and then odd. Rounding the result to
 * at most 62 bits is rounding the rational itself (S. Boldo, G. Melquiond, IEEE Trans. Computers
 * 57, 2008), for subnormal doubles too. */
static double rational_double(const mpq_t q)
{
    mpfr_t x;
    mpz_t significand;
    mpfr_init2(x, 64);
    mpz_init(significand);
    if (mpfr_set_q(x, q, MPFR_RNDZ) != 0) {
        mpfr_exp_t exponent = mpfr_get_z_2exp(significand, x);
        if (mpz_even_p(significand) && mpz_sgn(significand) > 0)
            mpz_add_ui(significand, significand, 1);
        if (mpz_even_p(significand)) mpz_sub_ui(significand, significand, 1);
        mpfr_set_z_2exp(x, significand, exponent, MPFR_RNDZ);
    }
    double value = mpfr_get_d(x, MPFR_RNDN);
    mpz_clear(significand);
    mpfr_clear(x);
    return value;
}

/* Sets the ends of a ball around the number, rounded outwards. */
static void ends(mpfr_t low, mpfr_t high, const f2l_number *a, size_t bits, const f2l_field *k)
{
    arb_t ball;
    arb_init(ball);
    f2l_field_enclose(ball, a, bits, k);
    arb_get_interval_mpfr(low, high, ball);
    arb_clear(ball);
}

double number_double(const f2l_number *a, const f2l_field *k)
{
    double from = -1, to = 1;
    if (a->length <= 1) {
        mpq_t q;
        mpq_init(q);
        f2l_number_get(q, a, 0);
        from = rational_double(q);
        mpq_clear(q);
        return from;
    }
    for (size_t bits = F2L_FIELD_ROOT_BITS; from != to || signbit(from) != signbit(to); bits *= 2) {
        mpfr_t low, high;
        mpfr_inits2((mpfr_prec_t)bits + 64, low, high, (mpfr_ptr)NULL);
        ends(low, high, a, bits, k);
        from = mpfr_get_d(low, MPFR_RNDN);
        to = mpfr_get_d(high, MPFR_RNDN);
        mpfr_clears(low, high, (mpfr_ptr)NULL);
    }
    return from;
}

void number_round(mpfr_t out, const f2l_number *a, const f2l_field *k)
{
    if (a->length <= 1) {
        mpq_t q;
        mpq_init(q);
        f2l_number_get(q, a, 0);
        mpfr_set_q(out, q, MPFR_RNDN);
        mpq_clear(q);
        return;
    }
    bool decided = false;
    mpfr_t other;
    mpfr_init2(other, mpfr_get_prec(out));
    for (size_t bits = F2L_FIELD_ROOT_BITS + (size_t)mpfr_get_prec(out); !decided; bits *= 2) {
        mpfr_t low, high;
        mpfr_inits2((mpfr_prec_t)bits + 64, low, high, (mpfr_ptr)NULL);
        ends(low, high, a, bits, k);
        mpfr_set(out, low, MPFR_RNDN);
        mpfr_set(other, high, MPFR_RNDN);
        decided = mpfr_equal_p(out, other) && !mpfr_zero_p(out);
        mpfr_clears(low, high, (mpfr_ptr)NULL);
    }
    mpfr_clear(other);
}

void number_write(f2l_buf *out, const f2l_number *a)
{
    mpq_t value;
    mpq_init(value);
    for (size_t i = 0; i == 0 || (slong)i < a->length; i++) {
        f2l_number_get(value, a, i);
        if (i > 0) f2l_buf_bytes(out, ",", 1);
        f2l_buf_rational(out, value);
    }
    mpq_clear(value);
}

bool number_read(f2l_number *out, const char *text, size_t size, const f2l_field *k)
{
    const char *end = text + size;
    bool good = size > 0;
    size_t powers = 0;
    mpq_t value;
    mpq_init(value);
    fmpq_poly_zero(out);
    while (good) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        good = powers < k->degree &&
               f2l_rational_read(value, text, (size_t)((comma ? comma : end) - text));
        if (good) f2l_number_put(out, powers++, value);
        if (!comma) break;
        text = comma + 1;
    }
    good = good && (powers == 1 || mpq_sgn(value) != 0); /* no trailing zeros but "0" itself */
    if (!good) fmpq_poly_zero(out);
    mpq_clear(value);
    return good;
}

void number_approximate(mpq_t out, const f2l_number *a, size_t bits, const f2l_field *k)
{
    if (a->length <= 1) {
        f2l_number_get(out, a, 0);
        return;
    }
    arb_t ball;
    fmpz_t scaled;
    arb_init(ball);
    fmpz_init(scaled);
    size_t precision = bits + F2L_FIELD_ROOT_BITS;
    do {
        f2l_field_enclose(ball, a, precision, k);
        precision *= 2;
    } while (mag_cmp_2exp_si(arb_radref(ball), -(slong)bits - 1) > 0);
    arb_mul_2exp_si(ball, ball, (slong)bits + 2);
    arf_get_fmpz(scaled, arb_midref(ball), ARF_RND_NEAR); /* adds at most 2^-(bits + 3) */
    fmpz_get_mpz(mpq_numref(out), scaled);
    mpz_set_ui(mpq_denref(out), 1);
    mpq_div_2exp(out, out, bits + 2);
    arb_clear(ball);
    fmpz_clear(scaled);
}
