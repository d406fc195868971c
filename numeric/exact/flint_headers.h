/* The headers of FLINT 2.9 and of FLINT 3 that several files need: in FLINT 3 a header of
 * polynomials or matrices no longer declares the functions of their coefficients. */
#ifndef F2L_FLINT_HEADERS_H
#define F2L_FLINT_HEADERS_H

#include <flint/fmpq.h>
#include <flint/fmpq_poly.h>
#include <flint/fmpz.h>
#include <flint/fmpz_poly.h>
#include <flint/fmpz_poly_factor.h>
#include <flint/fmpz_vec.h>
#include <flint/nmod.h>
#include <flint/nmod_poly.h>
#include <flint/nmod_poly_factor.h>
#include <flint/nmod_vec.h>

#endif
