/* Private to theory/construct/contraction. */
#ifndef F2L_THEORY_CONSTRUCT_CONTRACTION_IMPL_H
#define F2L_THEORY_CONSTRUCT_CONTRACTION_IMPL_H

#include "numeric/exact/flint_headers.h"
#include "theory/construct/contraction/contraction.h"
#include <flint/fmpq_mat.h>
#include <flint/fmpz_mat.h>

/* The forms G on the sum-zero vectors that satisfy linear equations. The basis of the vectors is x_i
 * = e_i - e_n, i < n, where e_n belongs to the last state; `dim` = n - 1. */
typedef struct f2l_forms {
    size_t states, letters, dim, entries; /* entries: of a packed form */
    const uint32_t *next;                 /* [states][letters] borrowed */
    fmpz_mat_t *step;                     /* [letters] F_w: [dim][dim] */
    /* Equations: rows z with (G - F_w^T G F_w) z = 0 for each letter, then with G z = 0; independent
     * and in reduced row echelon form. */
    fmpz_mat_t *forced; /* [letters + 1] [rank][dim] */
    fmpq_mat_t basis;   /* [count][entries] packed; the form's entry free[i] is its coordinate i */
    size_t count;
} f2l_forms;

/* Initialises *out for the automaton, with the equations that R4.2 gives. */
f2l_status f2l_forms_init(f2l_forms *out, const f2l_fsa *fsa, f2l_error *err);
void f2l_forms_clear(f2l_forms *forms);

/* Adds an equation for a letter, or with letter = forms->letters for G itself. */
void f2l_forms_force(f2l_forms *forms, size_t letter, const fmpz *vector);

/* Computes the basis from the equations. */
f2l_status f2l_forms_solve(f2l_forms *forms, const f2l_task *task, f2l_error *err);

/* Sets free[] to the coordinates that are not pivots of the equations of the letter, or of G; they
 * are a basis of the quotient. Returns their number. */
size_t f2l_forms_free(size_t *free, const f2l_forms *forms, size_t letter);

/* Sets out [dim][dim] to the form with these coordinates, and to G - F_w^T G F_w. */
void f2l_forms_combine(fmpq_mat_t out, const f2l_forms *forms, const fmpz *coordinate);
void f2l_forms_slack(fmpq_mat_t out, const f2l_forms *forms, size_t letter, const fmpq_mat_t form);

/* --- the search --- */

/* Finds a form, verified exactly: G is positive definite on the quotient by its equations and
 * separates the states, and all slacks are positive semidefinite. */
f2l_status f2l_contraction_find(fmpq_mat_t form, f2l_forms *forms, f2l_contraction_report *report,
                                const f2l_task *task, f2l_error *err);

/* Sets lower [n][n] and pivot [n] with m = sum of pivot[i] times the square of column i of lower.
 * Returns false unless the symmetric m is positive semidefinite. */
bool f2l_psd_decompose(fmpq_mat_t lower, fmpq *pivot, const fmpq_mat_t m);

/* --- the factors --- */

/* The codes' space: vectors of `dim` coordinates with the positive definite form, and `extra`
 * coordinates more, orthogonal to them and to each other, with weights. */
typedef struct f2l_code_space {
    size_t dim, extra, states, letters;
    fmpq_mat_t form;  /* [dim][dim] */
    fmpq_mat_t code;  /* [states][dim] */
    fmpq_mat_t *step; /* [letters][dim][dim] */
    fmpz *weight;     /* [extra] */
    size_t capacity;
} f2l_code_space;

/* Makes the space of a form that f2l_contraction_find gave. */
f2l_status f2l_code_space_init(f2l_code_space *out, const f2l_forms *forms, const fmpq_mat_t form,
                               f2l_error *err);
void f2l_code_space_clear(f2l_code_space *space);

/* A factor of a letter: I - beta u u^T G / u^T G u with beta 1 or 2, by a vector of dim + extra
 * integers. */
typedef struct f2l_contraction_factor {
    unsigned beta;
    fmpz *u; /* [dim + the extra coordinates so far] owned */
    size_t size;
} f2l_contraction_factor;

typedef struct f2l_contraction_factors {
    f2l_contraction_factor *factor;
    size_t count, capacity;
} f2l_contraction_factors;

/* Finds the factors of a letter (R4.4); may add extra coordinates. */
f2l_status f2l_contraction_factor_letter(f2l_contraction_factors *out, f2l_code_space *space,
                                         size_t letter, f2l_error *err);
void f2l_contraction_factors_clear(f2l_contraction_factors *factors);

#endif
