/* Rounding into a format by MPFR (numeric/format/format.h): the reference of the fast path, and the
 * way from exact numbers. */
#include "numeric/format/choices.h"
#include "numeric/format/format.h"
#include <mpfr.h>

/* A range of MPFR's exponents, which are for 0.1xxx, one more than exponents for 1.xxx. */
typedef struct exponent_range {
    mpfr_exp_t emin, emax;
} exponent_range;

/* Makes MPFR's exponent range as wide as it can be and returns the caller's. */
static exponent_range widen_exponents(void)
{
    exponent_range saved = {mpfr_get_emin(), mpfr_get_emax()};
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return saved;
}

static void restore(exponent_range saved)
{
    mpfr_set_emin(saved.emin);
    mpfr_set_emax(saved.emax);
}

/* Returns the result of overflow, with the sign of r. */
static double overflow_result(const f2l_format *format, const mpfr_t r)
{
    const double sign = mpfr_signbit(r) ? -1 : 1;
    switch (format->overflow) {
    case F2L_OVERFLOW_INFINITY:
        return sign * INFINITY;
    case F2L_OVERFLOW_SATURATE:
        return sign * format->largest;
    case F2L_OVERFLOW_NAN:
        break;
    }
    return NAN;
}

/* Takes the last step of one rounding: r has `precision` bits, rounded in the wide range by `mode`
 * with ternary value `inexact`, and is put into the exponent range of the format without rounding
 * twice. */
static double into_range(const f2l_format *format, mpfr_t r, int inexact, mpfr_rnd_t mode)
{
    if (mpfr_nan_p(r)) return NAN;
    if (mpfr_zero_p(r)) return 0;
    const bool negative = mpfr_sgn(r) < 0;
    if (mpfr_inf_p(r)) return overflow_result(format, r);
    if (mpfr_cmp_d(r, -format->largest) < 0 || mpfr_cmp_d(r, format->largest) > 0) {
        const bool toward_zero = mode == MPFR_RNDZ || mode == (negative ? MPFR_RNDU : MPFR_RNDD);
        if (!toward_zero) return overflow_result(format, r);
        return negative ? -format->largest : format->largest;
    }
    if (!format->subnormals && mpfr_get_exp(r) <= format->emin) return 0;
    exponent_range wide = {mpfr_get_emin(), mpfr_get_emax()};
    mpfr_set_emin(format->emin - format->precision + 2);
    inexact = mpfr_check_range(r, inexact, mode);
    if (format->subnormals) mpfr_subnormalize(r, inexact, mode);
    restore(wide);
    return mpfr_zero_p(r) ? 0 : mpfr_get_d(r, MPFR_RNDN);
}

typedef enum operator{ SUM, DIFFERENCE, PRODUCT, QUOTIENT, FUSED } operator;

typedef struct exact {
    operator kind;
    mpfr_t a, b, c, r;
} exact;

static int apply_operator(exact *z, mpfr_rnd_t mode)
{
    switch (z->kind) {
    case SUM:
        return mpfr_add(z->r, z->a, z->b, mode);
    case DIFFERENCE:
        return mpfr_sub(z->r, z->a, z->b, mode);
    case PRODUCT:
        return mpfr_mul(z->r, z->a, z->b, mode);
    case QUOTIENT:
        return mpfr_div(z->r, z->a, z->b, mode);
    case FUSED:
        return mpfr_fma(z->r, z->a, z->b, z->c, mode);
    }
    mpfr_set_nan(z->r);
    return 0;
}

static double round_by(const f2l_format *format, exact *z, mpfr_rnd_t mode)
{
    const int inexact = apply_operator(z, mode);
    return into_range(format, z->r, inexact, mode);
}

/* Rounds to both neighbours; a bit chooses between them, unless they are equal. */
static double round_stochastic(const f2l_format *format, exact *z)
{
    const int inexact = apply_operator(z, MPFR_RNDZ);
    const bool negative = mpfr_signbit(z->r) != 0;
    const double toward = into_range(format, z->r, inexact, MPFR_RNDZ);
    const double away = round_by(format, z, negative ? MPFR_RNDD : MPFR_RNDU);
    if (toward == away || isnan(toward)) return toward;
    return f2l_choices_take(format->choices) ? away : toward;
}

static double round_by_format(const f2l_format *format, exact *z)
{
    switch (format->rounding) {
    case F2L_ROUND_NEAREST_EVEN:
        break;
    case F2L_ROUND_TOWARD_ZERO:
        return round_by(format, z, MPFR_RNDZ);
    case F2L_ROUND_UP:
        return round_by(format, z, MPFR_RNDU);
    case F2L_ROUND_DOWN:
        return round_by(format, z, MPFR_RNDD);
    case F2L_ROUND_STOCHASTIC:
        if (format->choices) return round_stochastic(format, z);
        break;
    }
    return round_by(format, z, MPFR_RNDN);
}

static double operate_in_mpfr(const f2l_format *format, operator kind, double a, double b, double c)
{
    exponent_range saved = widen_exponents();
    exact z = {.kind = kind};
    mpfr_inits2(53, z.a, z.b, z.c, (mpfr_ptr)NULL);
    mpfr_init2(z.r, format->precision);
    mpfr_set_d(z.a, a, MPFR_RNDN);
    mpfr_set_d(z.b, b, MPFR_RNDN);
    mpfr_set_d(z.c, c, MPFR_RNDN);
    const double result = round_by_format(format, &z);
    mpfr_clears(z.a, z.b, z.c, z.r, (mpfr_ptr)NULL);
    restore(saved);
    return result;
}

double f2l_format_op_mpfr(const f2l_format *format, f2l_operation operation, double a, double b)
{
    static const operator kinds[] = {
        [F2L_ADD] = SUM, [F2L_SUB] = DIFFERENCE, [F2L_MUL] = PRODUCT, [F2L_DIV] = QUOTIENT};
    return operate_in_mpfr(format, kinds[operation], a, b, 0);
}

double f2l_format_fma_mpfr(const f2l_format *format, double a, double b, double c)
{
    return operate_in_mpfr(format, FUSED, a, b, c);
}

double f2l_format_round_q(const f2l_format *format, const mpq_t x)
{
    mpfr_t r;
    exponent_range saved = widen_exponents();
    mpfr_init2(r, format->precision);
    int inexact = mpfr_set_q(r, x, MPFR_RNDN);
    double result = into_range(format, r, inexact, MPFR_RNDN);
    mpfr_clear(r);
    restore(saved);
    return result;
}

static bool is_rational_square(const mpq_t x)
{
    return mpz_perfect_square_p(mpq_numref(x)) && mpz_perfect_square_p(mpq_denref(x));
}

/* Returns sqrt(s) with `bits` bits, rounded down or up, and then into the format. */
static double round_root(const f2l_format *format, const mpq_t s, mpfr_prec_t bits,
                         mpfr_rnd_t direction)
{
    mpfr_t root, r;
    mpfr_init2(root, bits);
    mpfr_init2(r, format->precision);
    mpfr_set_q(root, s, direction);
    mpfr_sqrt(root, root, direction);
    int inexact = mpfr_set(r, root, MPFR_RNDN);
    double result = into_range(format, r, inexact, MPFR_RNDN);
    mpfr_clears(root, r, (mpfr_ptr)NULL);
    return result;
}

/* Returns the rounded square root of a rational that is no square. Rounding is monotone, so when a
 * lower and an upper bound round to one value, the root does. The root is irrational and no point
 * where the rounding jumps is, so some number of bits suffices. */
static double round_irrational_root(const f2l_format *format, const mpq_t s)
{
    exponent_range saved = widen_exponents();
    mpfr_prec_t bits = format->precision + 32;
    double lower, upper;
    do {
        lower = round_root(format, s, bits, MPFR_RNDD);
        upper = round_root(format, s, bits, MPFR_RNDU);
        bits *= 2;
    } while (!(lower == upper || (isnan(lower) && isnan(upper))));
    restore(saved);
    return lower;
}

double f2l_format_round_over_sqrt(const f2l_format *format, const mpq_t x, const mpq_t n2)
{
    double result;
    mpq_t q;
    mpq_init(q);
    if (is_rational_square(n2)) {
        mpz_sqrt(mpq_numref(q), mpq_numref(n2));
        mpz_sqrt(mpq_denref(q), mpq_denref(n2));
        mpq_div(q, x, q);
        result = f2l_format_round_q(format, q);
    } else {
        mpq_mul(q, x, x); /* x / sqrt(n2) = sign(x) sqrt(x^2 / n2) */
        mpq_div(q, q, n2);
        result = mpq_sgn(x) == 0 ? 0 : round_irrational_root(format, q);
        if (mpq_sgn(x) < 0 && result != 0) result = -result;
    }
    mpq_clear(q);
    return result;
}
