/* Signs and roundings: balls around a number (Arb), made smaller until they decide. */
#include "numeric/exact/impl.h"
#include <math.h>

static void enclose_root(arb_t out, size_t bits, const f2l_field *k)
{
    fmpz_t root;
    fmpz_init_set(root, k->root);
    if (bits > k->root_bits)
        f2l_refine_root(root, k->root_bits, bits, k);
    else
        bits = k->root_bits;
    fmpz_mul_2exp(root, root, 1);
    fmpz_add_ui(root, root, 1);
    arb_set_fmpz(out, root);
    arb_mul_2exp_si(out, out, -(slong)bits - 1);
    arb_add_error_2exp_si(out, -(slong)bits - 1);
    fmpz_clear(root);
}

void f2l_field_enclose(arb_t out, const f2l_number *a, size_t bits, const f2l_field *k)
{
    const slong precision = (slong)bits + 64;
    if (a->length <= 1) {
        if (a->length == 0)
            arb_zero(out);
        else
            arb_set_fmpz(out, a->coeffs);
    } else {
        arb_t root;
        arb_init(root);
        enclose_root(root, bits, k);
        _arb_fmpz_poly_evaluate_arb(out, a->coeffs, a->length, root, precision);
        arb_clear(root);
    }
    arb_div_fmpz(out, out, a->den, precision);
}

/* Returns the sign. The loops end: a polynomial in alpha of degree < r that is not constant is
 * irrational, since 1, alpha, .., alpha^(r-1) are independent over Q. So it is neither 0 nor
 * half-way between two rationals. */
int f2l_field_sign(const f2l_number *a, const f2l_field *k)
{
    if (a->length <= 1) return a->length == 0 ? 0 : fmpz_sgn(a->coeffs);
    int sign = 0;
    arb_t ball;
    arb_init(ball);
    for (size_t bits = F2L_FIELD_ROOT_BITS; sign == 0; bits *= 2) {
        f2l_field_enclose(ball, a, bits, k);
        if (arb_is_positive(ball)) sign = 1;
        if (arb_is_negative(ball)) sign = -1;
    }
    arb_clear(ball);
    return sign;
}

int f2l_field_compare(const f2l_number *a, const f2l_number *b, const f2l_field *k)
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

double f2l_field_double(const f2l_number *a, const f2l_field *k)
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

void f2l_field_round(mpfr_t out, const f2l_number *a, const f2l_field *k)
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

void f2l_field_approximate(mpq_t out, const f2l_number *a, size_t bits, const f2l_field *k)
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
