/* Real number fields K = Q(alpha): alpha is the only root, in an open interval with rational ends,
 * of a monic irreducible polynomial with integer coefficients. Everything is exact; a sign is
 * decided by shrinking the interval until it is certain, never by rounded arithmetic alone.
 *
 * An element is a polynomial in alpha of degree < r = [K : Q] with rational coefficients, kept as
 * integers over one common denominator (FLINT's fmpq_poly in canonical form). So equal elements are
 * equal as data, zero is the empty polynomial, small coefficients take no memory of their own, and
 * no field is needed to add, subtract, negate, copy or compare for equality: use fmpq_poly_add,
 * fmpq_poly_sub, fmpq_poly_neg, fmpq_poly_set, fmpq_poly_equal, ..
 *
 * Like GMP, FLINT ends the process when memory is out. Its caches belong to threads: a thread that
 * used this header calls flint_cleanup() before it ends. */
#ifndef F2L_FIELD_H
#define F2L_FIELD_H

#include "numeric/base/status.h"
#include "numeric/base/text.h"
#include "numeric/exact/flint_headers.h"
#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Limits of reading and building: a larger degree, or more digits in one integer of a field, is
 * refused. */
#define F2L_FIELD_MAX_DEGREE 64
#define F2L_FIELD_MAX_DIGITS 256

typedef struct f2l_field {
    size_t degree;       /* r >= 1; 1 only for Q */
    fmpz_poly_t modulus; /* the minimal polynomial of alpha; x for Q, where alpha = 0 */
    mpq_t low, high;     /* low < alpha < high, and no other root lies between; -1, 1 for Q */
    fmpz_t root;         /* floor(2^root_bits alpha) */
    size_t root_bits;
} f2l_field;

typedef fmpq_poly_struct f2l_number;

/* Initialises k as the field Q. */
void f2l_field_init(f2l_field *k);
void f2l_field_clear(f2l_field *k);
void f2l_field_copy(f2l_field *out, const f2l_field *k);

/* Builds the field of the root in (low, high) of the polynomial with coefficient[degree + 1] of 1,
 * x, .., x^degree. F2L_EDOMAIN unless the polynomial is monic, irreducible, of degree 2 ..
 * F2L_FIELD_MAX_DEGREE, and has exactly one root in the open interval (low, high). */
f2l_status f2l_field_build(f2l_field *out, const mpz_t *coefficient, size_t degree, const mpq_t low,
                           const mpq_t high, f2l_error *err);

/* Returns true when polynomials and roots are equal; the intervals may differ. */
bool f2l_field_equal(const f2l_field *a, const f2l_field *b);

/* Write and read "c_0 c_1 .. c_r interval A B", with single blanks and rationals as
 * f2l_rational_read accepts them; Q is "0 1 interval -1 1". Reading checks all that f2l_field_build
 * checks, and returns F2L_EFORMAT otherwise. */
void f2l_buf_field(f2l_buf *out, const f2l_field *k);
f2l_status f2l_field_read(f2l_field *out, const char *text, size_t size, f2l_error *err);

void f2l_number_init(f2l_number *a);
void f2l_number_clear(f2l_number *a);
/* Allocate `count` zeros, owned by the caller (NULL when memory is out), and free them. */
f2l_number *f2l_numbers_new(size_t count);
void f2l_numbers_free(f2l_number *a, size_t count);

/* Get and set the coefficient of alpha^power; the element stays canonical. */
void f2l_number_get(mpq_t out, const f2l_number *a, size_t power);
void f2l_number_put(f2l_number *a, size_t power, const mpq_t value);

/* Sets out to a b. */
void f2l_field_multiply(f2l_number *out, const f2l_number *a, const f2l_number *b,
                        const f2l_field *k);
/* Subtracts a b from out. */
void f2l_field_submul(f2l_number *out, const f2l_number *a, const f2l_number *b,
                      const f2l_field *k);
/* Sets out to 1 / a; a must not be 0. */
void f2l_field_invert(f2l_number *out, const f2l_number *a, const f2l_field *k);

/* Returns a as a double, without a bound on the error: it is some 2^-50 of the largest term of the
 * polynomial in alpha, or, where k has fewer bits of alpha (f2l_field_refine), more. */
double f2l_field_double(const f2l_number *a, const f2l_field *k);

/* Returns -1, 0 or 1: the sign of a. */
int f2l_field_sign(const f2l_number *a, const f2l_field *k);
/* Stores more bits of alpha, so that later enclosures to at most `bits` bits need not refine alpha
 * again, which costs much more than the rest of an enclosure. Signs do not change. */
void f2l_field_refine(f2l_field *k, size_t bits);

#endif
