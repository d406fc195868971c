/* Shared by the files of theory/rep/irrep/initial.h: a head modulo a prime, and what a subgroup fixes. */
#ifndef F2L_INITIAL_IMPL_H
#define F2L_INITIAL_IMPL_H

#include "theory/rep/irrep/initial.h"
#include "numeric/exact/residue.h"
#include <flint/nmod_vec.h>

/* A breadth-first tree of the group under letters that generate it. */
typedef struct f2l_word_tree {
    const f2l_group *group;
    uint32_t *queue;  /* [order] elements, the identity first, parents before children */
    uint32_t *parent; /* [order] */
    uint32_t *letter; /* [order] element = parent, then this generator of the group */
} f2l_word_tree;

f2l_status f2l_word_tree_init(f2l_word_tree *t, const f2l_group *group, f2l_error *err);
void f2l_word_tree_clear(f2l_word_tree *t);

/* A(g), by the letters of g's word; out is d x d. */
f2l_status f2l_word_matrix(f2l_matrix *out, const f2l_irrep *head, const f2l_word_tree *t, uint32_t g,
                           f2l_error *err);

/* A basis, as rows, of the vectors that A(g) fixes for g = generator[0 .. count); integers without a common factor. */
f2l_status f2l_fixed_space(f2l_matrix *out, const f2l_irrep *head, const f2l_word_tree *t,
                           const uint32_t *generator, size_t count, f2l_error *err);

/* A head's letters under a ring homomorphism to Z/q. */
typedef struct f2l_residual_head {
    size_t dimension;
    f2l_residues map;
    size_t letters;
    ulong **letter; /* [letters][d][d] those of the tree; NULL for the others */
} f2l_residual_head;

f2l_status f2l_residual_head_init(f2l_residual_head *r, const f2l_irrep *head, const f2l_word_tree *t,
                                  f2l_error *err);
void f2l_residual_head_clear(f2l_residual_head *r);

/* Takes those members out of the set fixes[order] that move the vector start[d]; image[order][d] is scratch. */
void f2l_drop_moving(uint8_t *fixes, ulong *image, const ulong *start, const f2l_residual_head *r,
                     const f2l_word_tree *t);

#endif
