#include "numeric/exact/residue.h"
#include <flint/ulong_extras.h>

/* Number of primes that are tried for one modulo which a polynomial splits. */
#define MAX_PRIMES 400

/* Replaces f by its greatest divisor with all roots in Z/q: gcd(f, x^q - x). */
static void keep_roots(nmod_poly_t f, nmod_t q)
{
    nmod_poly_t x, power;
    nmod_poly_init(x, q.n), nmod_poly_init(power, q.n);
    nmod_poly_set_coeff_ui(x, 1, 1);
    nmod_poly_powmod_ui_binexp(power, x, q.n, f);
    nmod_poly_sub(power, power, x);
    nmod_poly_gcd(f, f, power);
    nmod_poly_clear(x), nmod_poly_clear(power);
}

/* Finds different roots of the polynomial of k modulo q, at most `most`, if there are `least` or
 * more; returns their number. */
static size_t find_roots(ulong *root, size_t least, size_t most, const f2l_field *k, nmod_t q)
{
    nmod_poly_t f;
    nmod_poly_factor_t factors;
    size_t count = 0;
    nmod_poly_init(f, q.n);
    fmpz_poly_get_nmod_poly(f, k->modulus);
    if (k->degree > 1) keep_roots(f, q);
    if (nmod_poly_degree(f) >= (slong)least) {
        nmod_poly_factor_init(factors);
        nmod_poly_factor(factors, f);
        for (; (slong)count < factors->num && count < most; count++) /* monic and linear */
            root[count] = nmod_neg(nmod_poly_get_coeff_ui(factors->p + count, 0), q);
        nmod_poly_factor_clear(factors);
    }
    nmod_poly_clear(f);
    return count;
}

void f2l_residues_init(f2l_residues *r, const f2l_field *k, ulong above, ulong step)
{
    ulong q = above / step * step + 1;
    do {
        do q += step;
        while (!n_is_prime(q));
        nmod_init(&r->q, q);
    } while (find_roots(&r->root, 1, 1, k, r->q) == 0);
}

static bool residue(ulong *out, const f2l_number *a, ulong root, nmod_t q)
{
    const ulong denominator = fmpz_fdiv_ui(a->den, q.n);
    ulong sum = 0;
    if (denominator == 0) return false;
    for (slong i = a->length - 1; i >= 0; i--)
        sum = nmod_add(nmod_mul(sum, root, q), fmpz_fdiv_ui(a->coeffs + i, q.n), q);
    *out = nmod_div(sum, denominator, q);
    return true;
}

bool f2l_residue(ulong *out, const f2l_number *a, const f2l_residues *r)
{
    return residue(out, a, r->root, r->q);
}

void f2l_square_roots_init(f2l_square_roots *s, const f2l_field *k)
{
    ulong q = UINT64_C(1) << 62;
    *s = (f2l_square_roots){.field = k};
    if (k->degree > F2L_SQUARE_ROOT_DEGREE) return;
    for (int i = 0; i < MAX_PRIMES && s->q.n == 0; i++) {
        nmod_t mod;
        q = n_nextprime(q, 1);
        nmod_init(&mod, q);
        if (find_roots(s->root, k->degree, k->degree, k, mod) == k->degree) s->q = mod;
    }
}

/* Sets b to the number with the small coefficients that has the given residues at the roots. */
static bool reconstruct(f2l_number *b, const ulong *value, const f2l_square_roots *s)
{
    const slong r = (slong)s->field->degree;
    nmod_poly_t f;
    fmpq_t c;
    fmpz_t a, m;
    bool good = true;
    nmod_poly_init(f, s->q.n);
    fmpq_init(c);
    fmpz_init(a), fmpz_init(m);
    fmpz_set_ui(m, s->q.n);
    nmod_poly_interpolate_nmod_vec(f, (mp_ptr)s->root, (mp_ptr)value, r);
    fmpq_poly_zero(b);
    for (slong i = 0; i < r && good; i++) {
        fmpz_set_ui(a, nmod_poly_get_coeff_ui(f, i));
        good = fmpq_reconstruct_fmpz(c, a, m);
        if (good) fmpq_poly_set_coeff_fmpq(b, i, c);
    }
    nmod_poly_clear(f);
    fmpq_clear(c);
    fmpz_clear(a), fmpz_clear(m);
    return good;
}

static bool is_root(f2l_number *b, const f2l_number *a, const f2l_field *k)
{
    f2l_number square;
    fmpq_poly_init(&square);
    f2l_field_multiply(&square, b, b, k);
    bool equal = fmpq_poly_equal(&square, a);
    fmpq_poly_clear(&square);
    if (equal && f2l_field_sign(b, k) < 0) fmpq_poly_neg(b, b);
    return equal;
}

static bool root_of_rational(f2l_number *b, const f2l_number *a)
{
    fmpz_t root;
    fmpz_init(root);
    bool square = fmpz_is_square(a->coeffs) && fmpz_is_square(a->den);
    if (square) {
        fmpz_sqrt(root, a->coeffs);
        fmpq_poly_set_fmpz(b, root);
        fmpz_sqrt(root, a->den);
        fmpq_poly_scalar_div_fmpz(b, b, root);
    }
    fmpz_clear(root);
    return square;
}

bool f2l_square_root(f2l_number *b, const f2l_number *a, const f2l_square_roots *s)
{
    ulong root[F2L_SQUARE_ROOT_DEGREE], value[F2L_SQUARE_ROOT_DEGREE];
    const size_t r = s->field->degree;
    if (f2l_field_sign(a, s->field) <= 0) return false;
    if (a->length == 1 && root_of_rational(b, a)) return true;
    if (s->q.n == 0 || r == 1) return false;
    for (size_t i = 0; i < r; i++) { /* a square is one at every root */
        if (!residue(&value[i], a, s->root[i], s->q) || value[i] == 0) return false;
        root[i] = n_sqrtmod(value[i], s->q.n);
        if (root[i] == 0) return false;
    }
    for (size_t signs = 0; signs < ((size_t)1 << r) / 2; signs++) {
        for (size_t i = 0; i < r; i++)
            value[i] = signs >> i & 1 ? nmod_neg(root[i], s->q) : root[i];
        if (reconstruct(b, value, s) && is_root(b, a, s->field)) return true;
    }
    return false;
}
