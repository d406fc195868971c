/* Singular values and eigenvalues for f2l_inspect, by LAPACK.
 *
 * Results are floating-point numbers without a bound: they describe a trained network and decide
 * nothing. */
#ifndef F2L_INSPECT_DENSE_H
#define F2L_INSPECT_DENSE_H

#include "numeric/base/status.h"
#include <stddef.h>

/* Returns the sum of x[i] y[i] for i < n, from the first on. */
double f2l_dense_dot(const double *x, const double *y, size_t n);

/* Computes the singular values [count] of a [count][columns], count <= columns, largest first, and
 * in direction [count][count] (NULL: not wanted) the left singular vectors, a row each. Overwrites
 * a. (LAPACK's dgejsv, one-sided Jacobi after a QR factorisation: the error of a value is relative
 * to the value itself where the rows of a are well scaled.) F2L_EDOMAIN: a number is not finite, or
 * the iteration does not end. */
f2l_status f2l_dense_singular_values(double *singular, double *direction, double *a, size_t count,
                                     size_t columns, f2l_error *err);

/* Computes the singular values [min(rows, columns)] of a [rows][columns], largest first, and
 * overwrites a. (LAPACK's dgesdd: several times as fast as f2l_dense_singular_values, with errors
 * relative to the largest value.) F2L_EDOMAIN: a number is not finite, or the iteration does not
 * end. */
f2l_status f2l_dense_spectrum(double *singular, double *a, size_t rows, size_t columns,
                              f2l_error *err);

/* Returns exp of the entropy of the singular values [n] divided by their sum (Roy and Vetterli,
 * EUSIPCO 2007): 0 when all are 0. */
double f2l_dense_effective_rank(const double *singular, size_t n);

/* Replaces the matrix of `columns` columns of `rows` numbers each, rows >= columns, by its QR
 * factorisation: the triangle R, with R^T R = A^T A, is in the first `columns` rows. F2L_EDOMAIN:
 * never, unless the sizes are wrong. */
f2l_status f2l_dense_triangle(double *a, size_t rows, size_t columns, f2l_error *err);

/* Largest matrix of f2l_dense_eigenvalues, and of a letter within the span of its keys. */
#define F2L_DENSE_MOST 80
#define F2L_DENSE_SMALL 8

/* Computes the eigenvalues re + i im [n] of the real matrix a [n][n], n <= F2L_DENSE_MOST, in
 * ascending order of real, then of imaginary parts; a is not changed. (LAPACK's dgeev: they are the
 * eigenvalues of a matrix that differs from a by rounding errors, so that an eigenvalue of a Jordan
 * block of size k has only about one k-th of a double's digits. Imaginary parts below 1e-12 of the
 * largest entry are set to 0.) F2L_EDOMAIN: a number is not finite, or the iteration does not
 * end. */
f2l_status f2l_dense_eigenvalues(double *re, double *im, const double *a, size_t n, f2l_error *err);

#endif
