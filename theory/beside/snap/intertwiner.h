/* Intertwiners in floating point: matrices P with orthonormal columns and A(a) P nearly P rho(a)
 * for all letters a.
 *
 * X -> sum over a of |A(a) X - X rho(a)|_F^2 is a quadratic form on the matrices X [K][d]. Its
 * least eigenvectors are the nearest intertwiners; by Schur's lemma X^T X is a multiple of I where
 * the form is 0 and rho is irreducible, and the polar factor of X makes it I also where it is
 * nearly 0. (Where the letters are all elements of the group, the form is 2 |X|^2 - 2 <X, mean over
 * a of A(a) X rho(a)^-1> for orthogonal A: least where the average over the group is largest.) */
#ifndef F2L_INTERTWINER_H
#define F2L_INTERTWINER_H

#include "numeric/base/status.h"
#include <stddef.h>

/* Adds the form of one letter to form [K d][K d]; X has its entry (i, j) at i d + j. square [K][K]
 * is A^T A. */
void f2l_intertwiner_add(double *form, const double *a, const double *square, const double *rho,
                         size_t K, size_t d);

/* Computes the polar factor p [K][d] of x [K][d], K >= d: the matrix with orthonormal columns that
 * is nearest to x. *even is the least over the largest singular value of x. */
f2l_status f2l_intertwiner_polar(double *p, double *even, const double *x, size_t K, size_t d,
                                 f2l_error *err);

/* Returns |a p - p rho|_F, and sets *leaves (NULL: not wanted) to |(I - p p^T) a p|_F; work has
 * K d numbers. */
double f2l_intertwiner_distance(double *leaves, double *work, const double *a, const double *p,
                                const double *rho, size_t K, size_t d);

#endif
