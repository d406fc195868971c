/* Signs: balls around a number (Arb), made smaller until they decide. */
#include "numeric/exact/impl.h"

static void enclose_alpha(arb_t out, size_t bits, const f2l_field *k)
{
    fmpz_t root;
    fmpz_init_set(root, k->root);
    f2l_refine_root(root, (slong)k->root_bits, (slong)bits, k);
    f2l_enclose_root(out, root, (slong)(bits > k->root_bits ? bits : k->root_bits));
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
        enclose_alpha(root, bits, k);
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
