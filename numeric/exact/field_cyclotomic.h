/* The real abelian field that given real elements of a cyclotomic field generate, and these
 * elements in it. */
#ifndef F2L_FIELD_CYCLOTOMIC_H
#define F2L_FIELD_CYCLOTOMIC_H

#include "numeric/exact/field.h"
#include <stdint.h>

/* Element i is sum over j of value[i * e + j] zeta^j, zeta = exp(2 pi i / e), and must be real.
 * *out becomes the field that all of them generate over Q, image[i] (initialised by the caller)
 * element i in it.
 *
 * The generator: Q when all are rational; sqrt(d), d squarefree, when the degree is 2; 2 cos(2 pi /
 * f) when the field is the whole real subfield of Q(zeta_f); else the trace of a root of unity
 * whose minimal polynomial has the fewest bits in its largest coefficient, or a sum of such traces
 * where no single one generates. The interval is (j / 2^k, (j + 1) / 2^k) with the least k >= 0
 * that isolates the root. So equal fields come out equal, as data.
 *
 * F2L_EDOMAIN when e == 0, an element is not real, or its coefficients' absolute values sum to 2^50
 * or more; F2L_UNKNOWN when the degree exceeds F2L_FIELD_MAX_DEGREE. */
f2l_status f2l_field_cyclotomic_real(f2l_field *out, f2l_number *image, const int64_t *value,
                                     size_t count, size_t e, f2l_error *err);

#endif
