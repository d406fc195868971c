#include "numeric/exact/field.h"
#include "numeric/base/mem.h"
#include "numeric/exact/impl.h"
#include <assert.h>
#include <math.h>

void f2l_field_init(f2l_field *k)
{
    k->degree = 1;
    fmpz_poly_init(k->modulus);
    fmpz_poly_set_coeff_si(k->modulus, 1, 1);
    mpq_inits(k->low, k->high, (mpq_ptr)NULL);
    mpq_set_si(k->low, -1, 1);
    mpq_set_si(k->high, 1, 1);
    fmpz_init(k->root);
    k->root_bits = 0;
}

/* Clears the field; degree 0 marks a cleared one. */
void f2l_field_clear(f2l_field *k)
{
    if (k->degree == 0) return;
    fmpz_poly_clear(k->modulus);
    mpq_clears(k->low, k->high, (mpq_ptr)NULL);
    fmpz_clear(k->root);
    k->degree = 0;
}

void f2l_field_copy(f2l_field *out, const f2l_field *k)
{
    out->degree = k->degree;
    fmpz_poly_set(out->modulus, k->modulus);
    mpq_set(out->low, k->low);
    mpq_set(out->high, k->high);
    fmpz_set(out->root, k->root);
    out->root_bits = k->root_bits;
}

void f2l_number_init(f2l_number *a)
{
    fmpq_poly_init(a);
}

void f2l_number_clear(f2l_number *a)
{
    fmpq_poly_clear(a);
}

f2l_number *f2l_numbers_new(size_t count)
{
    f2l_number *a = f2l_calloc(count, sizeof *a);
    for (size_t i = 0; a != NULL && i < count; i++) fmpq_poly_init(&a[i]);
    return a;
}

void f2l_numbers_free(f2l_number *a, size_t count)
{
    for (size_t i = 0; a != NULL && i < count; i++) fmpq_poly_clear(&a[i]);
    f2l_free(a);
}

void f2l_number_get(mpq_t out, const f2l_number *a, size_t power)
{
    fmpq_t value;
    fmpq_init(value);
    if ((slong)power < a->length) {
        fmpz_set(fmpq_numref(value), a->coeffs + power);
        fmpz_set(fmpq_denref(value), a->den);
        fmpq_canonicalise(value);
    }
    fmpq_get_mpq(out, value);
    fmpq_clear(value);
}

double f2l_field_double(const f2l_number *a, const f2l_field *k)
{
    slong exponent = 0;
    const double root = fmpz_get_d_2exp(&exponent, k->root),
                 alpha = ldexp(root, (int)(exponent - (slong)k->root_bits));
    double sum = 0;
    mpq_t value;
    mpq_init(value);
    for (size_t p = k->degree; p-- > 0;) {
        f2l_number_get(value, a, p);
        sum = sum * alpha + mpq_get_d(value);
    }
    mpq_clear(value);
    return sum;
}

void f2l_number_put(f2l_number *a, size_t power, const mpq_t value)
{
    fmpq_t v;
    fmpq_init(v);
    fmpq_set_mpq(v, value);
    fmpq_poly_set_coeff_fmpq(a, (slong)power, v);
    fmpq_clear(v);
}

#define PRODUCT (2 * F2L_FIELD_MAX_DEGREE - 1) /* coefficients of a product at most */

/* Copies the numbers; returns false when one does not fit into a word. */
static bool load_words(slong *out, const fmpz *from, slong count)
{
    for (slong i = 0; i < count; i++) {
        if (COEFF_IS_MPZ(from[i])) return false;
        out[i] = from[i];
    }
    return true;
}

/* Replaces the first r of `length` coefficients by the remainder modulo the monic modulus of degree
 * r, computed in machine words, which takes a fraction of the time. Returns false, and changes
 * nothing, when words do not suffice. */
static bool reduce_words(fmpz *a, slong length, const fmpz *modulus, slong r)
{
    slong word[PRODUCT] = {0}, m[F2L_FIELD_MAX_DEGREE], product;
    if (length > PRODUCT || r > F2L_FIELD_MAX_DEGREE || !load_words(word, a, length) ||
        !load_words(m, modulus, r))
        return false;
    for (slong i = length - 1; i >= r; i--) {
        slong *to = word + i - r;
        bool over = false;
        for (slong j = 0; j < r; j++) {
            over |= __builtin_mul_overflow(word[i], m[j], &product);
            over |= __builtin_sub_overflow(to[j], product, &to[j]);
        }
        if (over) return false;
    }
    for (slong i = 0; i < r; i++) fmpz_set_si(a + i, word[i]);
    return true;
}

/* Reduces the numerator modulo the modulus; the denominator can only become too large. */
static void reduce_modulo_modulus(f2l_number *a, const f2l_field *k)
{
    const slong r = (slong)k->degree;
    const fmpz *modulus = k->modulus->coeffs;
    const bool done = reduce_words(a->coeffs, a->length, modulus, r);
    for (slong i = a->length - 1; !done && i >= r; i--)
        _fmpz_vec_scalar_submul_fmpz(a->coeffs + i - r, modulus, r, a->coeffs + i);
    _fmpq_poly_set_length(a, r);
    fmpq_poly_canonicalise(a);
}

void f2l_field_multiply(f2l_number *out, const f2l_number *a, const f2l_number *b,
                        const f2l_field *k)
{
    fmpq_poly_mul(out, a, b);
    if (out->length > (slong)k->degree) reduce_modulo_modulus(out, k);
}

void f2l_field_submul(f2l_number *out, const f2l_number *a, const f2l_number *b, const f2l_field *k)
{
    if (fmpq_poly_is_zero(a) || fmpq_poly_is_zero(b)) return;
    f2l_number product;
    fmpq_poly_init(&product);
    f2l_field_multiply(&product, a, b, k);
    fmpq_poly_sub(out, out, &product);
    fmpq_poly_clear(&product);
}

void f2l_field_invert(f2l_number *out, const f2l_number *a, const f2l_field *k)
{
    assert(!fmpq_poly_is_zero(a));
    if (a->length == 1) {
        fmpq_poly_inv(out, a);
        return;
    }
    /* The modulus is irreducible, so 1 = s a + t modulus, with s of degree < r. */
    f2l_number modulus, gcd, s, t;
    fmpq_poly_init(&modulus), fmpq_poly_init(&gcd), fmpq_poly_init(&s), fmpq_poly_init(&t);
    fmpq_poly_set_fmpz_poly(&modulus, k->modulus);
    fmpq_poly_xgcd(&gcd, &s, &t, a, &modulus);
    assert(fmpq_poly_is_one(&gcd) && s.length <= (slong)k->degree);
    fmpq_poly_swap(out, &s);
    fmpq_poly_clear(&modulus), fmpq_poly_clear(&gcd), fmpq_poly_clear(&s), fmpq_poly_clear(&t);
}
