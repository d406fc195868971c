/* Linear equations with many more unknowns than equations, solved exactly around chosen entries. */
#ifndef F2L_EQUATIONS_H
#define F2L_EQUATIONS_H

#include "theory/obstruct/separation/elimination.h"
#include <flint/fmpz_mat.h>

/* The equations row x = 0. Entries of x that are not pivots can be chosen. */
typedef struct f2l_equations {
    fmpz_mat_t row;
    slong rank;
    slong *equation; /* [rank] rows that say everything, at least modulo a prime */
    slong *pivot;    /* [rank] columns in which these rows have an inverse, from left to right */
    slong *chosen;   /* [columns - rank] the other columns */
} f2l_equations;

/* Finds the pivots of m x = 0 modulo a prime; what that misses is found by f2l_equations_solve. */
void f2l_equations_init(f2l_equations *out, const fmpq_mat_t m);
void f2l_equations_clear(f2l_equations *equations);

/* Sets x[columns] to the solution whose entry chosen[i] is value[i]. Returns false where there is
 * none, or after a stop. */
bool f2l_equations_solve(fmpq *x, const f2l_equations *equations, const fmpz *value,
                         f2l_watch *watch);

#endif
