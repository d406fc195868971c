/* What the files of numeric/exact share; private to this folder. */
#ifndef F2L_NUMERIC_EXACT_IMPL_H
#define F2L_NUMERIC_EXACT_IMPL_H

#include "numeric/exact/arb_headers.h"
#include "numeric/exact/field.h"
#include "numeric/exact/field_cyclotomic.h"

/* Shared by the files of numeric/exact/field.h. */

/* The bits of alpha that a field keeps. */
#define F2L_FIELD_ROOT_BITS 128

/* As f2l_field_build, for a monic modulus with coefficients of any size. */
f2l_status f2l_field_build_modulus(f2l_field *out, const fmpz_poly_t modulus, const mpq_t low,
                                   const mpq_t high, f2l_error *err);

/* Number of roots of f, which is squarefree, in the open interval (low, high), whose ends are no
 * roots. */
size_t f2l_count_roots(const fmpz_poly_t f, const mpq_t low, const mpq_t high);

/* The same as an upper bound (Descartes' rule of signs), exact when it is 0 or 1, or when all roots
 * of f are real. */
size_t f2l_bound_roots(const fmpz_poly_t f, const mpq_t low, const mpq_t high);

/* root, at `bits` binary places, becomes floor(2^to alpha), to >= bits; a unit interval around
 * alpha is refined. */
void f2l_refine_root(fmpz_t root, size_t bits, size_t to, const f2l_field *k);

/* A ball around a with a radius of about 2^-bits; exact zero for zero. */
void f2l_field_enclose(arb_t out, const f2l_number *a, size_t bits, const f2l_field *k);

/* Real abelian fields as fixed fields in Q(zeta_f), shared by the files of
 * numeric/exact/field_cyclotomic.h. */

/* The subfield of Q(zeta_n) that is fixed by the automorphisms zeta -> zeta^u with fixes[u]. */
typedef struct f2l_abelian {
    size_t n;
    bool *fixes;    /* [n]; false where u is no unit */
    size_t units;   /* phi(n) */
    uint32_t *unit; /* [units] increasing */
    size_t fixing;  /* how many units fix it */
} f2l_abelian;

/* The number (sum over j of coefficient[j] zeta_n^j) / denominator. */
typedef struct f2l_cyclotomic {
    size_t n;
    fmpz *coefficient; /* [n] */
    ulong denominator;
} f2l_cyclotomic;

void f2l_abelian_clear(f2l_abelian *a);
/* All of Q(zeta_n). */
f2l_status f2l_abelian_init(f2l_abelian *a, size_t n, f2l_error *err);

void f2l_cyclotomic_clear(f2l_cyclotomic *x);
f2l_status f2l_cyclotomic_init(f2l_cyclotomic *x, size_t n, f2l_error *err);
/* out = a b, both of out's n. */
void f2l_cyclotomic_multiply(f2l_cyclotomic *out, const f2l_cyclotomic *a, const f2l_cyclotomic *b);

/* Tr(zeta_n^j) from Q(zeta_n) to Q: Ramanujan's sum. */
slong f2l_ramanujan_sum(size_t n, size_t j);

/* A generator of a real field of degree 2 .. F2L_FIELD_MAX_DEGREE and conductor k->n, its field,
 * and its powers: power[i], i = 0 .. 2 degree - 2, initialised here and cleared by the caller
 * whatever is returned. */
f2l_status f2l_choose_generator(f2l_field *out, f2l_cyclotomic *power, const f2l_abelian *k,
                                f2l_error *err);

#endif
