/* Real representations as doubles, in an orthonormal basis of their form.
 *
 * With form = L L^T the matrix L^T A L^-T is orthogonal for every element. The numbers have no
 * bound: they describe, and prove nothing. */
#ifndef F2L_IRREP_FLOAT_H
#define F2L_IRREP_FLOAT_H

#include "theory/rep/irrep/irrep.h"

typedef struct f2l_irrep_float {
    size_t dimension, letters;
    double *lower;  /* [d][d] L, lower triangular */
    double *letter; /* [letters][d][d] the orthogonal matrices of the letters */
} f2l_irrep_float;

void f2l_irrep_float_clear(f2l_irrep_float *out);

/* Builds *out from the matrices of all letters. On failure *out is cleared. */
f2l_status f2l_irrep_float_build(f2l_irrep_float *out, const f2l_irrep *rep, f2l_error *err);

/* Replaces coordinates x [d] in the orthonormal basis by those in the basis of the exact matrices:
 * x <- L^-T x. */
void f2l_irrep_float_exact_basis(double *x, const f2l_irrep_float *rep);

#endif
