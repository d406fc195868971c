/* Principal directions of states, as a view has them: orthonormal directions in which they vary
 * most. */
#ifndef F2L_LEARNED_PRINCIPAL_H
#define F2L_LEARNED_PRINCIPAL_H

#include "theory/beside/compare/view.h"

#define F2L_PRINCIPAL_MOST ((size_t)64)
/* Directions whose singular value is less than this part of the largest are left out. */
#define F2L_PRINCIPAL_LEAST 0.02

typedef struct f2l_principal {
    size_t states, numbers;
    size_t directions; /* 0: all states are the same */
    double *mean;      /* [numbers] */
    double *singular; /* [directions] of the matrix of the states minus their mean, largest first */
    double *direction; /* [directions][numbers] */
    double *score;     /* [states][directions] coordinates of the states minus their mean */
} f2l_principal;

/* Builds *out; cleared by f2l_principal_clear, also after a failure. F2L_EDOMAIN: a number is not
 * finite; F2L_UNKNOWN: the task stopped it, or its memory is too small. */
f2l_status f2l_principal_build(f2l_principal *out, const f2l_learned_view *view,
                               const f2l_task *task, f2l_error *err);
void f2l_principal_clear(f2l_principal *p);

/* Sets score[directions], directions <= p->directions, to the first coordinates of a row. */
void f2l_principal_score(double *score, const f2l_principal *p, const float *row,
                         size_t directions);

#endif
