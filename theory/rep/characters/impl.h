/* Eigenspaces of a matrix modulo a prime that is known to be diagonalisable there (R1.3). */
#ifndef F2L_THEORY_REP_CHARACTERS_IMPL_H
#define F2L_THEORY_REP_CHARACTERS_IMPL_H

#include "numeric/base/rng.h"
#include "numeric/base/status.h"
#include "numeric/exact/flint_headers.h"

#include <flint/nmod_mat.h>

typedef struct f2l_eigenspaces {
    nmod_mat_t rows; /* [d][d] x with x A = a x: bases of the eigenspaces, one after another */
    size_t count;    /* number of eigenspaces */
    size_t *size;    /* [count] dimensions; they add up to d */
} f2l_eigenspaces;

/* Computes the eigenspaces; `transposed` is A^T. Returns F2L_EDOMAIN when A is not diagonalisable
 * modulo its modulus, which must be prime (or when no random vector, of many, is general enough).
 * On failure nothing is allocated. */
f2l_status f2l_eigenspaces_build(f2l_eigenspaces *out, const nmod_mat_t transposed, f2l_rng *rng,
                                 f2l_error *err);
void f2l_eigenspaces_clear(f2l_eigenspaces *e);

#endif
