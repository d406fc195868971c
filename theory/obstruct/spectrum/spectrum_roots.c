#include "numeric/exact/field_ball.h"
#include "theory/obstruct/spectrum/impl.h"

#define FIRST_BITS 64
#define LAST_BITS 65536 /* the roots of a squarefree polynomial separate long before */

static void bounds(double *low, double *high, const arb_t x)
{
    arf_t b;
    arf_init(b);
    arb_get_lbound_arf(b, x, 64);
    *low = arf_get_d(b, ARF_RND_FLOOR);
    arb_get_ubound_arf(b, x, 64);
    *high = arf_get_d(b, ARF_RND_CEIL);
    arf_clear(b);
}

void f2l_eigenvalue_set_q(f2l_eigenvalue *value, const mpq_t x, size_t multiplicity)
{
    arb_t ball;
    fmpq_t q;
    *value = (f2l_eigenvalue){.multiplicity = multiplicity};
    arb_init(ball);
    fmpq_init(q);
    fmpq_set_mpq(q, x);
    arb_set_fmpq(ball, q, 128);
    bounds(&value->re_low, &value->re_high, ball);
    fmpq_clear(q);
    arb_clear(ball);
}

/* Finds enclosures that Arb proves to be disjoint, one root in each; returns false where more bits
 * are needed. */
static bool isolate(acb_ptr root, const f2l_kfactor *f, size_t bits, const f2l_field *k)
{
    const slong roots = (slong)f->p.size - 1;
    acb_poly_t p;
    arb_t c;
    acb_poly_init(p);
    arb_init(c);
    for (slong i = 0; i <= roots; i++) {
        acb_t coefficient;
        acb_init(coefficient);
        f2l_field_enclose(c, &f->p.c[i], bits, k);
        acb_set_arb(coefficient, c);
        acb_poly_set_coeff_acb(p, i, coefficient);
        acb_clear(coefficient);
    }
    bool found = acb_poly_find_roots(root, p, NULL, 0, (slong)bits) == roots &&
                 acb_poly_validate_real_roots(root, p, (slong)bits);
    size_t real = 0;
    for (slong i = 0; found && i < roots; i++) {
        if (!arb_contains_zero(acb_imagref(root + i))) continue;
        arb_zero(acb_imagref(root + i));
        real++;
    }
    for (slong i = 0; found && i < roots; i++)
        found = acb_rel_accuracy_bits(root + i) > 53; /* so that a double is accurate */
    arb_clear(c);
    acb_poly_clear(p);
    return found && real == f->real;
}

f2l_status f2l_kfactor_roots(f2l_eigenvalue *value, const f2l_kfactor *factor, const f2l_field *k,
                             f2l_error *err)
{
    const slong roots = (slong)factor->p.size - 1;
    acb_ptr root = _acb_vec_init(roots);
    size_t bits = FIRST_BITS;
    if (k->degree == 1) {
        fmpz_poly_t integral;
        fmpz_poly_init(integral);
        f2l_kpoly_integral(integral, &factor->p);
        arb_fmpz_poly_complex_roots(root, integral, 0, FIRST_BITS);
        fmpz_poly_clear(integral);
    }
    while (k->degree > 1 && bits <= LAST_BITS && !isolate(root, factor, bits, k)) bits *= 2;
    for (slong i = 0; i < roots; i++) {
        value[i] = (f2l_eigenvalue){.multiplicity = factor->multiplicity};
        bounds(&value[i].re_low, &value[i].re_high, acb_realref(root + i));
        bounds(&value[i].im_low, &value[i].im_high, acb_imagref(root + i));
    }
    _acb_vec_clear(root, roots);
    return bits <= LAST_BITS ? F2L_OK
                             : f2l_fail(err, F2L_UNKNOWN, "eigenvalues too near to each other");
}
