/* Explicit real irreducible representations (theory/pages/irreps.md, I.1 - I.9).
 *
 * A real irreducible representation of a group G is given by a complex irreducible character chi:
 * its character is psi = chi, chi + conjugate or 2 chi for the Frobenius-Schur indicator 1, 0, -1.
 * All entries lie in the real field K = Q(psi), or in Q(psi, sqrt(d)) if no representation was
 * found in Q(psi) (sometimes there is none: Schur indices). Matrices act on state columns from the
 * left, as the letters of a network do:
 *
 *  A(g h) = A(h) A(g) (first g, then h: the product of automata/group/group.h),
 *
 * so A is a homomorphism from the opposite group; g -> A(g^-1) is a representation in the usual
 * sense. Every matrix preserves one symmetric positive definite form: A^T form A = form. tr A(g) =
 * psi(g). */
#ifndef F2L_IRREP_H
#define F2L_IRREP_H

#include "automata/group/classes.h"
#include "automata/group/group.h"
#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include "numeric/exact/field.h"
#include "numeric/exact/matrix.h"
#include "theory/rep/characters/characters.h"
#include <stdbool.h>

typedef struct f2l_irrep {
    size_t character;
    int indicator;
    size_t dimension;   /* d */
    f2l_field field;    /* K */
    f2l_matrix form;    /* d x d, entries without a common rational factor */
    bool orthonormal;   /* the form is the identity */
    size_t letters;     /* generators of the group, in their order */
    f2l_matrix *letter; /* [letters] */
    size_t subgroup;    /* order of the subgroup by which it was found (I.3); its orbit has order /
                           subgroup lines */
} f2l_irrep;

void f2l_irrep_init(f2l_irrep *r);
void f2l_irrep_clear(f2l_irrep *r);

/* Sets out[i] to the real representation of the complex character number character[i], for i <
 * count. If found[i] is F2L_OK, everything claimed above was checked exactly (I.7): the form, the
 * matrices of all letters, all relations of the group between them, and the traces of all classes.
 * F2L_UNKNOWN means that no suitable subgroup was found, or that K has a degree above
 * F2L_FIELD_MAX_DEGREE; out[i] is then cleared. Returns F2L_OK when all were found, F2L_UNKNOWN
 * with the first reason when some were not, otherwise an error, and then all of out is cleared.
 * `out` need not be initialised. */
f2l_status f2l_irreps_build(f2l_irrep *out, f2l_status *found, const size_t *character,
                            size_t count, const f2l_group *group, const f2l_classes *classes,
                            const f2l_characters *characters, const f2l_task *task, f2l_error *err);

/* Sets out (d x d) to the matrix of a word of letters; the matrix of the first letter is applied
 * first. */
f2l_status f2l_irrep_word(f2l_matrix *out, const f2l_irrep *r, const size_t *letter, size_t length,
                          f2l_error *err);

#endif
