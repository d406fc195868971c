/* Shared by the files of f2l_field.h. */
#ifndef F2L_FIELD_IMPL_H
#define F2L_FIELD_IMPL_H

#include "f2l_arb.h"
#include "f2l_field.h"

/* The bits of alpha that a field keeps. */
#define F2L_FIELD_ROOT_BITS 128

/* As f2l_field_build, for a monic modulus with coefficients of any size. */
f2l_status f2l_field_build_modulus(f2l_field *out, const fmpz_poly_t modulus, const mpq_t low,
                                   const mpq_t high, f2l_error *err);

/* Number of roots of f, which is squarefree, in the open interval (low, high), whose ends are no roots. */
size_t f2l_count_roots(const fmpz_poly_t f, const mpq_t low, const mpq_t high);

/* The same as an upper bound (Descartes' rule of signs), exact when it is 0 or 1, or when all roots of f are real. */
size_t f2l_bound_roots(const fmpz_poly_t f, const mpq_t low, const mpq_t high);

/* root, at `bits` binary places, becomes floor(2^to alpha), to >= bits; a unit interval around alpha is refined. */
void f2l_refine_root(fmpz_t root, size_t bits, size_t to, const f2l_field *k);

/* A ball around a with a radius of about 2^-bits; exact zero for zero. */
void f2l_field_enclose(arb_t out, const f2l_number *a, size_t bits, const f2l_field *k);

#endif
