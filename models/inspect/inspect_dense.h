/* Small dense linear algebra for f2l_inspect: singular values and eigenvalues of matrices of at
 * most a few hundred rows.
 *
 * Debian's serial OpenBLAS has LAPACK, but linking it needs the Fortran library of the compiler
 * that built it, which nothing else here needs; these sizes do not need LAPACK. Results are
 * floating-point numbers without a bound: they describe a trained network and decide nothing. */
#ifndef F2L_INSPECT_DENSE_H
#define F2L_INSPECT_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* The sum of x[i] y[i] for i < n, from the first on. */
double f2l_dense_dot(const double *x, const double *y, size_t n);

/* Rotates the rows of a [count][length] among themselves until they are orthogonal, and orders them
 * by length, longest first (one-sided Jacobi: Hestenes 1958; the error of every direction is
 * relative to its own length in well-scaled cases). length[count] are then the singular values of a
 * (those beyond `columns` are 0 up to rounding), and rotation [count][count] (NULL: not wanted) the
 * orthogonal matrix with new a = rotation old a: its rows are the left singular vectors, and the
 * rows of the new a, divided by their lengths, the right ones. False: a number is not finite. */
bool f2l_dense_orthogonalise(double *length, double *a, double *rotation, size_t count,
                             size_t columns);

/* Largest matrix of f2l_dense_eigenvalues. */
#define F2L_DENSE_SMALL 8

/* Computes the eigenvalues re + i im [n] of the real matrix a [n][n], n <= F2L_DENSE_SMALL, in
 * ascending order of real, then of imaginary parts; a is not changed. (Arb's QR iteration;
 * imaginary parts below 1e-12 of the largest entry are set to 0, and pairs are made exact
 * conjugates.) False: a number is not finite, or the iteration does not end. */
bool f2l_dense_eigenvalues(double *re, double *im, const double *a, size_t n);

#endif
