/* Fields: what makes one valid, and the place of alpha on the line. */
#include "numeric/exact/impl.h"

/* Sets g = f((low + high t) / (1 + t)), cleared of denominators: the roots between low and high
 * become the positive ones. */
static void spread(fmpz_poly_t g, const fmpz_poly_t f, const mpq_t low, const mpq_t high)
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
    spread(g, f, low, high);
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
    spread(g, f, low, high);
    positive = (slong)sign_changes(g);
    if (positive > 1) _fmpz_poly_num_real_roots_sturm(&negative, &positive, g->coeffs, g->length);
    fmpz_poly_clear(g);
    return (size_t)positive;
}

/* Sets sum to the modulus at m / 2^bits, times 2^(bits degree). */
static void value_at(fmpz_t sum, const fmpz_t m, size_t bits, const f2l_field *k)
{
    fmpz_t term;
    fmpz_init(term);
    fmpz_zero(sum);
    for (size_t i = k->degree + 1; i-- > 0;) {
        fmpz_mul(sum, sum, m);
        fmpz_mul_2exp(term, k->modulus->coeffs + i, bits * (k->degree - i));
        fmpz_add(sum, sum, term);
    }
    fmpz_clear(term);
}

/* Returns the sign that the modulus has between `low` and alpha; it is not 0 at a rational, and
 * alpha is a simple root. */
static int sign_below(const f2l_field *k)
{
    fmpq_t at, value;
    fmpq_init(at), fmpq_init(value);
    fmpq_set_mpq(at, k->low);
    fmpz_poly_evaluate_fmpq(value, k->modulus, at);
    int sign = fmpq_sgn(value);
    fmpq_clear(at), fmpq_clear(value);
    return sign;
}

/* Returns whether alpha > m / 2^bits. */
static bool is_above(const fmpz_t m, size_t bits, int below, const f2l_field *k)
{
    mpq_t point;
    mpq_init(point);
    fmpz_get_mpz(mpq_numref(point), m);
    mpz_set_ui(mpq_denref(point), 1);
    mpq_div_2exp(point, point, bits);
    bool above = mpq_cmp(point, k->low) <= 0;
    if (!above && mpq_cmp(point, k->high) < 0) {
        fmpz_t value;
        fmpz_init(value);
        value_at(value, m, bits, k);
        above = fmpz_sgn(value) == below;
        fmpz_clear(value);
    }
    mpq_clear(point);
    return above;
}

/* Sets j to the place where the chord of the modulus over (root, root + 1) / 2^bits meets 0, in
 * steps of 2^-(bits + more) from its left end; 0 .. 2^more - 1. */
static void guess(fmpz_t j, const fmpz_t root, size_t bits, size_t more, const f2l_field *k)
{
    fmpz_t left, right, next;
    fmpz_init(left), fmpz_init(right), fmpz_init(next);
    fmpz_add_ui(next, root, 1);
    value_at(left, root, bits, k);
    value_at(right, next, bits, k);
    fmpz_sub(right, left, right);
    fmpz_mul_2exp(left, left, more);
    if (fmpz_is_zero(right))
        fmpz_zero(j);
    else
        fmpz_fdiv_q(j, left, right);
    fmpz_one(next);
    fmpz_mul_2exp(next, next, more);
    fmpz_sub_ui(next, next, 1);
    if (fmpz_cmp(j, next) > 0) fmpz_set(j, next);
    if (fmpz_sgn(j) < 0) fmpz_zero(j);
    fmpz_clear(left), fmpz_clear(right), fmpz_clear(next);
}

/* Refines the root as in J. Abbott, Quadratic interval refinement for real roots (2006): the guess
 * is taken when alpha lies in its step, with twice as many bits next time; the bits are halved when
 * it does not. One bit never fails. */
void f2l_refine_root(fmpz_t root, size_t bits, size_t to, const f2l_field *k)
{
    fmpz_t j, next;
    const int below = sign_below(k);
    size_t more = 1;
    fmpz_init(j), fmpz_init(next);
    while (bits < to) {
        if (more > to - bits) more = to - bits;
        guess(j, root, bits, more, k);
        fmpz_mul_2exp(next, root, more);
        fmpz_add(j, next, j);
        fmpz_add_ui(next, j, 1);
        bool left = is_above(j, bits + more, below, k),
             right = !is_above(next, bits + more, below, k);
        if (left && right) {
            fmpz_swap(root, j);
            bits += more;
            more *= 2;
        } else if (more == 1) {
            fmpz_swap(root, left ? next : j);
            if (!left) fmpz_sub_ui(root, root, 1);
            bits++;
        } else {
            more /= 2;
        }
    }
    fmpz_clear(j), fmpz_clear(next);
}

static void keep_root(f2l_field *k, size_t bits)
{
    f2l_refine_root(k->root, k->root_bits, bits, k);
    k->root_bits = bits;
}

void f2l_field_refine(f2l_field *k, size_t bits)
{
    const size_t wanted = bits + F2L_FIELD_ROOT_BITS; /* what f2l_field_approximate begins with */
    if (k->degree > 1 && k->root_bits < wanted) keep_root(k, wanted);
}

/* Sets root = floor(alpha), by bisection between the ends. */
static void locate(fmpz_t root, const f2l_field *k)
{
    fmpz_t high, middle;
    mpz_t end;
    const int below = sign_below(k);
    fmpz_init(high), fmpz_init(middle);
    mpz_init(end);
    mpz_fdiv_q(end, mpq_numref(k->low), mpq_denref(k->low));
    fmpz_set_mpz(root, end);
    mpz_cdiv_q(end, mpq_numref(k->high), mpq_denref(k->high));
    fmpz_set_mpz(high, end);
    for (;;) {
        fmpz_add(middle, root, high);
        fmpz_fdiv_q_2exp(middle, middle, 1);
        if (fmpz_equal(middle, root)) break;
        fmpz_swap(is_above(middle, 0, below, k) ? root : high, middle);
    }
    fmpz_clear(high), fmpz_clear(middle);
    mpz_clear(end);
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
                        "the minimal polynomial of a field has degree 2 to %d, "
                        "not %ld",
                        F2L_FIELD_MAX_DEGREE, (long)r);
    if (!is_irreducible(modulus))
        return f2l_fail(err, F2L_EDOMAIN, "the minimal polynomial of a field must be irreducible");
    const size_t roots = f2l_count_roots(modulus, low, high);
    if (roots != 1)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the interval of a field must hold one root, and it "
                        "holds %zu",
                        roots);
    out->degree = (size_t)r;
    fmpz_poly_set(out->modulus, modulus);
    mpq_set(out->low, low);
    mpq_set(out->high, high);
    locate(out->root, out);
    out->root_bits = 0;
    keep_root(out, F2L_FIELD_ROOT_BITS);
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
                        "the minimal polynomial of a field has degree 2 to %d, "
                        "not %zu",
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
