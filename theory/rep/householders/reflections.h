/* Isometries as products of reflections, inside their field (Cartan - Dieudonne;
 * theory/pages/irreps.md, I.10, I.11). */
#ifndef F2L_REFLECTIONS_H
#define F2L_REFLECTIONS_H

#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include "numeric/exact/field.h"
#include "numeric/exact/matrix.h"

/* Vectors u_1, u_2, .. : each changes the state S to S - (2 / u^T G u) u (u^T G S), u_1 first. */
typedef struct f2l_reflections {
    size_t count, dimension;
    f2l_number *vector; /* [count][dimension] */
} f2l_reflections;

void f2l_reflections_init(f2l_reflections *r);
void f2l_reflections_clear(f2l_reflections *r);

/* Writes the isometry m of the symmetric positive definite form G as exactly rank(m - 1)
 * reflections, the least possible number. Every vector has coefficients that are integers without a
 * common factor, and its first entry that is not 0 is positive. The product is compared with m.
 * Returns F2L_EDOMAIN when m does not preserve the form or the form is not positive definite. */
f2l_status f2l_reflections_build(f2l_reflections *out, const f2l_matrix *m, const f2l_matrix *form,
                                 const f2l_field *k, const f2l_task *task, f2l_error *err);

/* Replaces m by (the reflection in u) m. Returns F2L_EDOMAIN when u^T G u = 0. */
f2l_status f2l_reflect(f2l_matrix *m, const f2l_number *u, const f2l_matrix *form,
                       const f2l_field *k, f2l_error *err);

/* Replaces u, which is not 0, by the multiple with the fewest bits among u itself and the multiples
 * that make one of its entries rational; the coefficients become integers without a common factor,
 * and the first entry that is not 0 becomes positive. */
f2l_status f2l_simplify_vector(f2l_number *u, size_t n, const f2l_field *k, f2l_error *err);

#endif
