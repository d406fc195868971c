/* Heads whose letters act on the codes of a form as affine contractions (R4.1 to R4.7). */
#ifndef F2L_CONTRACTION_HEAD_H
#define F2L_CONTRACTION_HEAD_H

#include "models/network/net/net.h"
#include "theory/obstruct/separation/separation.h"

/* The space of the codes: vectors of `dim` coordinates with a positive definite form, and `extra`
 * coordinates more, orthogonal to them and to each other, with weights. A letter leads x to
 * centre + step (x - centre) + shift, where step shift = shift. */
typedef struct f2l_code_space {
    size_t dim, extra, states, letters;
    fmpq_mat_t form;   /* [dim][dim] */
    fmpq_mat_t code;   /* [states][dim] */
    fmpq_mat_t *step;  /* [letters] [dim][dim]: differences of codes go to differences by it */
    fmpq_mat_t centre; /* [letters][dim] */
    fmpq_mat_t shift;  /* [letters][dim]; 0 for total maps */
    fmpz *weight;      /* [room] of which `extra` are used; positive and free of squares */
    size_t room;
} f2l_code_space;

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
    bool shifts; /* the last two are reflections along the shift */
} f2l_contraction_factors;

/* The codes, and the factors of every letter. Zero at first; to be cleared also on failure. */
typedef struct f2l_contraction {
    f2l_code_space space;
    f2l_contraction_factors *factors; /* [letters] */
    size_t letters;
} f2l_contraction;

/* Makes codes and factors for a form that f2l_separation_form_holds accepts for the maps. */
f2l_status f2l_contraction_init(f2l_contraction *out, const f2l_maps *maps, const fmpq_mat_t form,
                                const f2l_task *task, f2l_error *err);
void f2l_contraction_clear(f2l_contraction *c);

/* Sets the head's sizes and form, and the code of `start` as its initial state. The head is new. */
f2l_status f2l_contraction_head(f2l_head *head, const f2l_contraction *c, size_t start,
                                f2l_error *err);
/* Sets a letter of the head to letter `letter` of the maps. */
f2l_status f2l_contraction_letter(f2l_transition *out, const f2l_contraction *c, size_t letter,
                                  f2l_error *err);
/* Appends the code of a state to the empty vector out. */
f2l_status f2l_contraction_code(f2l_qvec *out, const f2l_contraction *c, size_t state,
                                f2l_error *err);

#endif
