/* Private to f2l_spectrum: polynomials over a real number field, and counts and enclosures of their
 * roots. */
#ifndef F2L_THEORY_OBSTRUCT_SPECTRUM_IMPL_H
#define F2L_THEORY_OBSTRUCT_SPECTRUM_IMPL_H

#include "theory/obstruct/spectrum/spectrum.h"

/* A polynomial c[0] + c[1] x + ..; the last coefficient is not 0; size 0: the zero polynomial. */
typedef struct f2l_kpoly {
    size_t size, room;
    f2l_number *c; /* [room] */
} f2l_kpoly;

f2l_status f2l_kpoly_init(f2l_kpoly *p, size_t room, f2l_error *err);
void f2l_kpoly_clear(f2l_kpoly *p);

/* Sets out to det(x I - m). */
f2l_status f2l_kpoly_characteristic(f2l_kpoly *out, const f2l_matrix *m, const f2l_field *k,
                                    bool general, f2l_error *err);
/* Sets out to the multiple of a polynomial over Q that has integer coefficients without a common
 * divisor. */
void f2l_kpoly_integral(fmpz_poly_t out, const f2l_kpoly *p);
/* Divides by x - g as often as possible, and returns how often. */
size_t f2l_kpoly_strip(f2l_kpoly *p, const mpq_t g, const f2l_field *k);

/* A squarefree factor of a polynomial, and its multiplicity in it. */
typedef struct f2l_kfactor {
    f2l_kpoly p; /* monic */
    size_t multiplicity, real, negative;
} f2l_kfactor;

typedef struct f2l_kfactors {
    size_t count, room;
    f2l_kfactor *factor;
} f2l_kfactors;

void f2l_kfactors_clear(f2l_kfactors *f);
f2l_status f2l_kfactors_add(f2l_kfactors *f, size_t room, size_t multiplicity, f2l_error *err);
/* Finds the factors of p != 0, p(0) != 0, each with the numbers of its real and its negative roots.
 * *out is zero before. */
f2l_status f2l_kfactors_find(f2l_kfactors *out, const f2l_kpoly *p, const f2l_field *k,
                             bool general, f2l_error *err);

/* Sets value[p.size - 1] to disjoint enclosures of the roots of a factor. */
f2l_status f2l_kfactor_roots(f2l_eigenvalue *value, const f2l_kfactor *factor, const f2l_field *k,
                             f2l_error *err);
/* Sets the eigenvalue to the least interval around a rational. */
void f2l_eigenvalue_set_q(f2l_eigenvalue *value, const mpq_t x, size_t multiplicity);

#endif
