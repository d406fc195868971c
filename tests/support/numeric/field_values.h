/* Numbers of fields as doubles, as MPFR's numbers and as text. */
#ifndef TESTS_FIELD_VALUES_H
#define TESTS_FIELD_VALUES_H

#include "numeric/exact/field.h"
#include <mpfr.h>

/* Returns -1, 0 or 1: the sign of a - b. */
int number_compare(const f2l_number *a, const f2l_number *b, const f2l_field *k);

/* Return a rounded correctly to a double, and set out to a rounded correctly to the precision of
 * out; ties to even. */
double number_double(const f2l_number *a, const f2l_field *k);
void number_round(mpfr_t out, const f2l_number *a, const f2l_field *k);

/* Sets out to a rational with |out - a| < 2^-bits; out is a itself when a is rational. */
void number_approximate(mpq_t out, const f2l_number *a, size_t bits, const f2l_field *k);

/* Write and read "a_0,a_1,..": rational coefficients of 1, alpha, .., without trailing zeros, "0"
 * for zero. Reading accepts only this spelling and at most `degree` coefficients; otherwise it
 * returns false and *out is 0. */
void number_write(f2l_buf *out, const f2l_number *a);
bool number_read(f2l_number *out, const char *text, size_t size, const f2l_field *k);

#endif
