/* Private to theory/construct/contraction. */
#ifndef F2L_THEORY_CONSTRUCT_CONTRACTION_IMPL_H
#define F2L_THEORY_CONSTRUCT_CONTRACTION_IMPL_H

#include "theory/construct/contraction/contraction.h"
#include "theory/obstruct/separation/separation.h"

/* The space of the codes: vectors of `dim` coordinates with a positive definite form, and `extra`
 * coordinates more, orthogonal to them and to each other, with weights. */
typedef struct f2l_code_space {
    size_t dim, extra, states, letters;
    fmpq_mat_t form;  /* [dim][dim] */
    fmpq_mat_t code;  /* [states][dim] */
    fmpq_mat_t *step; /* [letters] [dim][dim]: differences of codes go to differences by it */
    fmpz *weight;     /* [room] of which `extra` are used; positive and free of squares */
    size_t room;
} f2l_code_space;

/* Makes the space of a form on the vectors e_i - e_last: its quotient by the form's kernel. */
f2l_status f2l_code_space_init(f2l_code_space *out, const f2l_maps *maps, const fmpq_mat_t form,
                               f2l_error *err);
void f2l_code_space_clear(f2l_code_space *space);

/* A factor I - beta u u^T G / u^T G u. u has the coordinates of the space, then the extra ones that
 * there were when it was made, and integer entries. */
typedef struct f2l_contraction_factor {
    unsigned beta; /* 1 or 2 */
    fmpq *u;       /* [size] owned */
    size_t size;
} f2l_contraction_factor;

typedef struct f2l_contraction_factors {
    f2l_contraction_factor *factor; /* the first one is applied first */
    size_t count, capacity;
} f2l_contraction_factors;

/* Finds factors whose product is the letter's step on the space, and 0 on extra coordinates that
 * it uses (R4.4). May add extra coordinates. */
f2l_status f2l_contraction_factorise(f2l_contraction_factors *out, f2l_code_space *space,
                                     size_t letter, f2l_error *err);
void f2l_contraction_factors_clear(f2l_contraction_factors *factors);

/* Sets z [dim] to a fixed point of the letter: the centroid of the codes of a cycle. */
void f2l_contraction_fixed_point(fmpq *z, const f2l_code_space *space, const f2l_maps *maps,
                                 size_t letter);

#endif
