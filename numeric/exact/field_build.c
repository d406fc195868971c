/* Fields: what makes one valid, and the place of alpha on the line. */
#include "numeric/exact/impl.h"

/* More bits than the result has in the first attempt of Newton's method. */
#define SPARE_BITS 64
/* Bits that are found by bisection before Newton's method is tried again. */
#define BISECTIONS 8

/* Sets g = f((low + high t) / (1 + t)), cleared of denominators: the roots between low and high
 * become the positive ones. */
static void spread_between(fmpz_poly_t g, const fmpz_poly_t f, const mpq_t low, const mpq_t high)
{
    fmpz_t a, b, d, scale;
    fmpq_t low_q, high_q;
    const slong n = fmpz_poly_degree(f);
    fmpz_init(a), fmpz_init(b), fmpz_init(d), fmpz_init(scale);
    fmpq_init(low_q), fmpq_init(high_q);
    fmpq_set_mpq(low_q, low);
    fmpq_set_mpq(high_q, high);
    fmpz_lcm(d, fmpq_denref(low_q), fmpq_denref(high_q));
    fmpz_divexact(scale, d, fmpq_denref(low_q));
    fmpz_mul(a, fmpq_numref(low_q), scale);
    fmpz_divexact(scale, d, fmpq_denref(high_q));
    fmpz_mul(b, fmpq_numref(high_q), scale); /* the interval is (a/d, b/d) */
    fmpz_sub(b, b, a);
    fmpz_poly_set(g, f);
    fmpz_one(scale);
    for (slong i = n; i >= 0; i--, fmpz_mul(scale, scale, d))
        fmpz_mul(g->coeffs + i, g->coeffs + i, scale); /* d^n f(y / d) */
    fmpz_poly_taylor_shift(g, g, a);
    fmpz_one(scale);
    for (slong i = 0; i <= n; i++, fmpz_mul(scale, scale, b))
        fmpz_mul(g->coeffs + i, g->coeffs + i, scale); /* y = a + b s, 0 < s < 1 */
    fmpz_poly_reverse(g, g, n + 1);                    /* 1/s = 1 + u, u > 0 */
    fmpz_one(scale);
    fmpz_poly_taylor_shift(g, g, scale);
    fmpz_poly_primitive_part(g, g);
    fmpz_clear(a), fmpz_clear(b), fmpz_clear(d), fmpz_clear(scale);
    fmpq_clear(low_q), fmpq_clear(high_q);
}

static size_t sign_changes(const fmpz_poly_t g)
{
    size_t changes = 0;
    int sign = 0;
    for (slong i = 0; i < g->length; i++) {
        int next = fmpz_sgn(g->coeffs + i);
        changes += sign * next < 0;
        if (next != 0) sign = next;
    }
    return changes;
}

size_t f2l_bound_roots(const fmpz_poly_t f, const mpq_t low, const mpq_t high)
{
    fmpz_poly_t g;
    fmpz_poly_init(g);
    spread_between(g, f, low, high);
    size_t bound = sign_changes(g);
    fmpz_poly_clear(g);
    return bound;
}

size_t f2l_count_roots(const fmpz_poly_t f, const mpq_t low, const mpq_t high)
{
    if (mpq_cmp(low, high) >= 0) return 0;
    fmpz_poly_t g;
    slong negative = 0, positive = 0;
    fmpz_poly_init(g);
    spread_between(g, f, low, high);
    positive = (slong)sign_changes(g);
    if (positive > 1) _fmpz_poly_num_real_roots_sturm(&negative, &positive, g->coeffs, g->length);
    fmpz_poly_clear(g);
    return (size_t)positive;
}

/* Returns the sign that the modulus has between `low` and alpha, which is a simple root. */
static int sign_below(const f2l_field *k)
{
    fmpq_t low, value;
    fmpq_init(low), fmpq_init(value);
    fmpq_set_mpq(low, k->low);
    fmpz_poly_evaluate_fmpq(value, k->modulus, low);
    const int sign = fmpq_sgn(value);
    fmpq_clear(low), fmpq_clear(value);
    return sign;
}

/* Returns the sign of the modulus at m / 2^bits. It is not 0, so some precision decides. */
static int modulus_sign_at(const fmpz_t m, slong bits, const f2l_field *k)
{
    arb_t at, value;
    arb_init(at), arb_init(value);
    arb_set_fmpz(at, m);
    arb_mul_2exp_si(at, at, -bits);
    for (slong precision = 128; arb_contains_zero(value); precision *= 2)
        arb_fmpz_poly_evaluate_arb(value, k->modulus, at, precision);
    const int sign = arb_is_positive(value) ? 1 : -1;
    arb_clear(at), arb_clear(value);
    return sign;
}

/* Returns whether alpha > m / 2^bits. */
static bool root_is_above(const fmpz_t m, slong bits, int below, const f2l_field *k)
{
    mpq_t point;
    mpq_init(point);
    fmpz_get_mpz(mpq_numref(point), m);
    if (bits >= 0)
        mpq_div_2exp(point, point, (mp_bitcnt_t)bits);
    else
        mpq_mul_2exp(point, point, (mp_bitcnt_t)-bits);
    const bool above = mpq_cmp(point, k->low) <= 0 ||
                       (mpq_cmp(point, k->high) < 0 && modulus_sign_at(m, bits, k) == below);
    mpq_clear(point);
    return above;
}

void f2l_enclose_root(arb_t out, const fmpz_t root, slong bits)
{
    arb_set_fmpz(out, root);
    arb_mul_2exp_si(out, out, 1);
    arb_add_ui(out, out, 1, ARF_PREC_EXACT);
    arb_mul_2exp_si(out, out, -bits - 1);
    arb_add_error_2exp_si(out, -bits - 1);
}

/* Replaces root = floor(2^bits alpha) by floor(2^to alpha), by Newton's method; returns false, and
 * changes nothing, when the interval is too wide. Let r be its radius and C a bound of |f''/2 f'|
 * within 2 r of its centre. A step leaves a radius of C r^2: with C r < 1/4 it stays there. */
static bool improve_root(fmpz_t root, slong bits, slong to, const fmpz_poly_t modulus)
{
    arb_poly_t f;
    arb_t start, around, x;
    arf_t factor;
    arb_poly_init(f);
    arb_init(start), arb_init(around), arb_init(x);
    arf_init(factor);
    slong precision = to + SPARE_BITS + FLINT_ABS(fmpz_poly_max_bits(modulus));
    arb_poly_set_fmpz_poly(f, modulus, ARF_PREC_EXACT);
    f2l_enclose_root(start, root, bits);
    arb_set(around, start);
    mag_mul_2exp_si(arb_radref(around), arb_radref(around), 1);
    _arb_poly_newton_convergence_factor(factor, f->coeffs, f->length, around, precision);
    const bool good = arf_is_finite(factor) && arf_cmpabs_2exp_si(factor, bits - 1) < 0;
    for (bool done = !good; !done; precision *= 2) {
        arb_set(x, start);
        for (int step = 0; step < FLINT_BITS; step++)
            if (!_arb_poly_newton_step(x, f->coeffs, f->length, x, around, factor, precision))
                break;
        arb_mul_2exp_si(x, x, to);
        arb_floor(x, x, precision);
        done = arb_get_unique_fmpz(root, x);
    }
    arb_poly_clear(f);
    arb_clear(start), arb_clear(around), arb_clear(x);
    arf_clear(factor);
    return good;
}

/* Bisects until Newton's method is sure. */
void f2l_refine_root(fmpz_t root, slong bits, slong to, const f2l_field *k)
{
    if (bits >= to) return;
    const int below = sign_below(k);
    while (bits < to && !improve_root(root, bits, to, k->modulus))
        for (int i = 0; i < BISECTIONS && bits < to; i++) {
            fmpz_mul_2exp(root, root, 1);
            fmpz_add_ui(root, root, 1);
            if (!root_is_above(root, ++bits, below, k)) fmpz_sub_ui(root, root, 1);
        }
}

void f2l_field_refine(f2l_field *k, size_t bits)
{
    const size_t wanted = bits + F2L_FIELD_ROOT_BITS; /* for large coefficients */
    if (k->degree == 1 || k->root_bits >= wanted) return;
    f2l_refine_root(k->root, (slong)k->root_bits, (slong)wanted, k);
    k->root_bits = wanted;
}

/* Returns b >= 0 with |q| < 2^b. */
static slong bit_bound_of(const mpq_t q)
{
    const slong size = (slong)mpz_sizeinbase(mpq_numref(q), 2),
                divisor = (slong)mpz_sizeinbase(mpq_denref(q), 2);
    return size >= divisor ? size - divisor + 1 : 0;
}

/* Finds the root from an interval from 0 to a power of two. */
static void locate_root(f2l_field *k)
{
    const slong low = bit_bound_of(k->low), high = bit_bound_of(k->high);
    fmpz_zero(k->root);
    if (!root_is_above(k->root, 0, sign_below(k), k)) fmpz_set_si(k->root, -1);
    f2l_refine_root(k->root, -(low > high ? low : high), F2L_FIELD_ROOT_BITS, k);
    k->root_bits = F2L_FIELD_ROOT_BITS;
}

static bool is_irreducible(const fmpz_poly_t f)
{
    fmpz_poly_factor_t factors;
    fmpz_poly_factor_init(factors);
    fmpz_poly_factor(factors, f);
    bool irreducible = factors->num == 1 && factors->exp[0] == 1;
    fmpz_poly_factor_clear(factors);
    return irreducible;
}

f2l_status f2l_field_build_modulus(f2l_field *out, const fmpz_poly_t modulus, const mpq_t low,
                                   const mpq_t high, f2l_error *err)
{
    const slong r = fmpz_poly_degree(modulus);
    if (r < 2 || r > F2L_FIELD_MAX_DEGREE)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the minimal polynomial of a field has degree 2 to %d, not %ld",
                        F2L_FIELD_MAX_DEGREE, (long)r);
    if (!is_irreducible(modulus))
        return f2l_fail(err, F2L_EDOMAIN, "the minimal polynomial of a field must be irreducible");
    const size_t roots = f2l_count_roots(modulus, low, high);
    if (roots != 1)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the interval of a field must hold one root, and it holds %zu", roots);
    out->degree = (size_t)r;
    fmpz_poly_set(out->modulus, modulus);
    mpq_set(out->low, low);
    mpq_set(out->high, high);
    locate_root(out);
    return F2L_OK;
}

static bool is_short(const mpz_t z)
{
    return mpz_sizeinbase(z, 10) <= F2L_FIELD_MAX_DIGITS;
}

f2l_status f2l_field_build(f2l_field *out, const mpz_t *coefficient, size_t degree, const mpq_t low,
                           const mpq_t high, f2l_error *err)
{
    bool all_short = is_short(mpq_numref(low)) && is_short(mpq_denref(low)) &&
                     is_short(mpq_numref(high)) && is_short(mpq_denref(high));
    if (degree < 2 || degree > F2L_FIELD_MAX_DEGREE)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the minimal polynomial of a field has degree 2 to %d, not %zu",
                        F2L_FIELD_MAX_DEGREE, degree);
    if (mpz_cmp_ui(coefficient[degree], 1) != 0)
        return f2l_fail(err, F2L_EDOMAIN, "the minimal polynomial of a field must be monic");
    for (size_t i = 0; i <= degree; i++) all_short = all_short && is_short(coefficient[i]);
    if (!all_short)
        return f2l_fail(err, F2L_EDOMAIN, "a number of a field has more than %d digits",
                        F2L_FIELD_MAX_DIGITS);
    fmpz_poly_t modulus;
    fmpz_poly_init(modulus);
    fmpz_t c;
    fmpz_init(c);
    for (size_t i = 0; i <= degree; i++) {
        fmpz_set_mpz(c, coefficient[i]);
        fmpz_poly_set_coeff_fmpz(modulus, (slong)i, c);
    }
    f2l_status status = f2l_field_build_modulus(out, modulus, low, high, err);
    fmpz_clear(c);
    fmpz_poly_clear(modulus);
    return status;
}

bool f2l_field_equal(const f2l_field *a, const f2l_field *b)
{
    if (!fmpz_poly_equal(a->modulus, b->modulus)) return false;
    if (a->degree == 1) return true;
    mpq_srcptr low = mpq_cmp(a->low, b->low) > 0 ? a->low : b->low;
    mpq_srcptr high = mpq_cmp(a->high, b->high) < 0 ? a->high : b->high;
    return f2l_count_roots(a->modulus, low, high) == 1;
}
