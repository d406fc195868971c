/* The headers of FLINT 2.6 and later that several files need: in FLINT 3 a header of polynomials or
 * matrices no longer declares the functions of their coefficients. */
#ifndef F2L_FLINT_HEADERS_H
#define F2L_FLINT_HEADERS_H

#include <flint/fmpq.h>
#include <flint/fmpq_poly.h>
#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpz_poly_factor.h>
#include <flint/fmpz_vec.h>
#if __has_include(<flint/nmod.h>) /* else they are in nmod_vec.h */
#include <flint/nmod.h>
#endif
#include <flint/nmod_poly.h>
#include <flint/nmod_poly_factor.h>
#include <flint/nmod_vec.h>

#if __FLINT_RELEASE < 20700
#include <flint/fmpq_mat.h>
/* What FLINT has from 2.7 on. */
static inline void fmpq_set_fmpz(fmpq_t out, const fmpz_t value)
{
    fmpz_set(fmpq_numref(out), value);
    fmpz_one(fmpq_denref(out));
}

/* Sets out[i] to the sum over j < size of a[i][j] in[j]; out is not in. */
static inline void fmpq_mat_mul_fmpq_vec(fmpq *out, const fmpq_mat_t a, const fmpq *in, slong size)
{
    for (slong i = 0; i < fmpq_mat_nrows(a); i++) {
        fmpq_zero(out + i);
        for (slong j = 0; j < size && j < fmpq_mat_ncols(a); j++)
            fmpq_addmul(out + i, fmpq_mat_entry(a, i, j), in + j);
    }
}
#endif

#endif
