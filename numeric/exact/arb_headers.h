/* The headers of Arb: a part of FLINT 3, but a separate library beside FLINT 2. FLINT 3 declares
 * the functions on MPFR's numbers only where MPFR's header comes first. */
#ifndef F2L_ARB_HEADERS_H
#define F2L_ARB_HEADERS_H

#include "numeric/exact/flint_headers.h"
#include <mpfr.h>
#if __has_include(<flint/arb.h>)
#include <flint/acb.h>
#include <flint/acb_mat.h>
#include <flint/acb_poly.h>
#include <flint/arb.h>
#include <flint/arb_fmpz_poly.h>
#include <flint/arb_mat.h>
#include <flint/arb_poly.h>
#include <flint/arf.h>
#include <flint/dirichlet.h>
#include <flint/mag.h>
#else
#include <acb.h>
#include <acb_mat.h>
#include <acb_poly.h>
#include <arb.h>
#include <arb_fmpz_poly.h>
#include <arb_mat.h>
#include <arb_poly.h>
#include <arf.h>
#include <dirichlet.h>
#include <mag.h>
#endif

#endif
