/* What the files of numeric/exact share; private to this folder. */
#ifndef F2L_NUMERIC_EXACT_IMPL_H
#define F2L_NUMERIC_EXACT_IMPL_H

#include "numeric/exact/arb_headers.h"
#include "numeric/exact/field.h"
#include "numeric/exact/field_ball.h"
#include "numeric/exact/field_cyclotomic.h"

/* Shared by the files of numeric/exact/field.h. */

/* The number of bits of alpha that a field stores. */
#define F2L_FIELD_ROOT_BITS 128

/* Builds a field as f2l_field_build does, for a monic modulus with coefficients of any size. */
f2l_status f2l_field_build_modulus(f2l_field *out, const fmpz_poly_t modulus, const mpq_t low,
                                   const mpq_t high, f2l_error *err);

/* Returns the number of roots of the squarefree f in the open interval (low, high), whose ends are
 * not roots. */
size_t f2l_count_roots(const fmpz_poly_t f, const mpq_t low, const mpq_t high);

/* Returns an upper bound of this number (Descartes' rule of signs), exact when it is 0 or 1, or
 * when all roots of f are real. */
size_t f2l_bound_roots(const fmpz_poly_t f, const mpq_t low, const mpq_t high);

/* Sets out to the interval [root, root + 1] / 2^bits. */
void f2l_enclose_root(arb_t out, const fmpz_t root, slong bits);

/* Replaces root = floor(2^bits alpha) by floor(2^to alpha), to >= bits. */
void f2l_refine_root(fmpz_t root, slong bits, slong to, const f2l_field *k);

/* Real abelian fields as fixed fields in Q(zeta_f), shared by the files of
 * numeric/exact/field_cyclotomic.h. */

/* The subfield of Q(zeta_n) that is fixed by the automorphisms zeta -> zeta^u with fixes[u]. */
typedef struct f2l_abelian {
    size_t n;
    bool *fixes;    /* [n]; false where u is not a unit */
    size_t units;   /* phi(n) */
    uint32_t *unit; /* [units] increasing */
    size_t fixing;  /* number of units u with fixes[u] */
} f2l_abelian;

/* The number (sum over j of coefficient[j] zeta_n^j) / denominator. */
typedef struct f2l_cyclotomic {
    size_t n;
    fmpz *coefficient; /* [n] */
    ulong denominator;
} f2l_cyclotomic;

void f2l_abelian_clear(f2l_abelian *a);
/* Initialises a as Q(zeta_n). */
f2l_status f2l_abelian_init(f2l_abelian *a, size_t n, f2l_error *err);

void f2l_cyclotomic_clear(f2l_cyclotomic *x);
f2l_status f2l_cyclotomic_init(f2l_cyclotomic *x, size_t n, f2l_error *err);
/* Sets out to a b; all three have the same n. */
void f2l_cyclotomic_multiply(f2l_cyclotomic *out, const f2l_cyclotomic *a, const f2l_cyclotomic *b);

/* Returns the trace of zeta_n^j from Q(zeta_n) to Q: Ramanujan's sum. */
slong f2l_ramanujan_sum(size_t n, size_t j);

/* Chooses a generator of the real field k of degree 2 .. F2L_FIELD_MAX_DEGREE and conductor k->n;
 * sets *out to the field of the generator, and power[i], i = 0 .. 2 degree - 2, to its powers,
 * which are initialised here and cleared by the caller whatever is returned. */
f2l_status f2l_choose_generator(f2l_field *out, f2l_cyclotomic *power, const f2l_abelian *k,
                                f2l_error *err);

#endif
