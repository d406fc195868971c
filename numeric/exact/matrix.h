/* Dense matrices over a real number field (numeric/exact/field.h), and symmetric positive definite
 * forms.
 *
 * A vector of length n is an array of n numbers. Products skip zeros, so matrices with few entries
 * cost little. */
#ifndef F2L_MATRIX_H
#define F2L_MATRIX_H

#include "numeric/exact/field.h"

typedef struct f2l_matrix {
    size_t rows, columns;
    f2l_number *entry; /* [rows][columns] */
} f2l_matrix;

/* Initialises m as a zero matrix, which owns its entries. */
f2l_status f2l_matrix_init(f2l_matrix *m, size_t rows, size_t columns, f2l_error *err);
void f2l_matrix_clear(f2l_matrix *m);

/* Returns entry (row, column), both 0-based and checked. */
f2l_number *f2l_matrix_at(const f2l_matrix *m, size_t row, size_t column);

/* Sets the square matrix m to the identity. */
void f2l_matrix_one(f2l_matrix *m);

/* Return true when the square matrix m is the identity, and when a = b. */
bool f2l_matrix_is_one(const f2l_matrix *m);
bool f2l_matrix_equal(const f2l_matrix *a, const f2l_matrix *b);

/* Sets out to a b; shapes must fit, and out is neither a nor b. */
void f2l_matrix_multiply(f2l_matrix *out, const f2l_matrix *a, const f2l_matrix *b,
                         const f2l_field *k);
/* Sets out to a^T b; shapes must fit, and out is neither a nor b. */
void f2l_matrix_transposed_multiply(f2l_matrix *out, const f2l_matrix *a, const f2l_matrix *b,
                                    const f2l_field *k);
/* Sets out to m x; out is not x. */
void f2l_matrix_apply(f2l_number *out, const f2l_matrix *m, const f2l_number *x,
                      const f2l_field *k);

/* Sets *yes to whether m^T g m = g. */
f2l_status f2l_matrix_preserves(bool *yes, const f2l_matrix *m, const f2l_matrix *g,
                                const f2l_field *k, f2l_error *err);

/* Sets out to x^T y. */
void f2l_dot(f2l_number *out, const f2l_number *x, const f2l_number *y, size_t n,
             const f2l_field *k);

/* g = L D L^T with L unit lower triangular and D diagonal and positive. */
typedef struct f2l_ldl {
    f2l_matrix lower;
    f2l_number *pivot, *inverse; /* [n] D and its inverse */
} f2l_ldl;

/* Decomposes g. F2L_EDOMAIN when g is not square, symmetric and positive definite; on failure *out
 * is cleared. */
f2l_status f2l_ldl_build(f2l_ldl *out, const f2l_matrix *g, const f2l_field *k, f2l_error *err);
void f2l_ldl_clear(f2l_ldl *l);
/* Replaces x by g^-1 x. */
void f2l_ldl_solve(f2l_number *x, const f2l_ldl *l, const f2l_field *k);

#endif
