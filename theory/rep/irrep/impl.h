/* The parts of the irreps and of the initial states; private to this folder. */
#ifndef F2L_THEORY_REP_IRREP_IMPL_H
#define F2L_THEORY_REP_IRREP_IMPL_H

#include "numeric/base/index.h"
#include "numeric/base/rng.h"
#include "numeric/exact/residue.h"
#include "theory/rep/irrep/initial.h"
#include "theory/rep/irrep/irrep.h"

#include <flint/nmod_vec.h>
#include <stdint.h>

/* The parts of theory/rep/irrep/irrep.h: subgroups with their characters to {1, -1}, exact values
 * of psi, and the orbit of a vector that a subgroup multiplies by such a character
 * (theory/pages/irreps.md). */

#define F2L_SIGN_GENERATORS 31
/* Products that a search computes if it succeeds at once; it may go on to a multiple of this
 * number. */
#define F2L_POOL_WORK UINT64_C(2000000)

typedef struct f2l_irrep_world {
    const f2l_group *group;
    const f2l_classes *classes;
    const f2l_characters *characters;
    const f2l_task *task;
} f2l_irrep_world;

/* A subgroup H. In a product of generators that equals h every generator occurs an even or odd
 * number of times; parity[] holds this, as bits, for one such product per member. A map of the
 * generators to {1, -1} is a character of H if and only if it is 1 on all relations (I.2). */
typedef struct f2l_sign_group {
    size_t order, generators;
    uint64_t distribution; /* a number for how many members are in which classes */
    uint32_t *member;      /* [order] member 0 is the identity */
    uint32_t *parity;      /* [order] */
    uint32_t generator[F2L_SIGN_GENERATORS];
    uint32_t relation[F2L_SIGN_GENERATORS]; /* [relations] a basis of the parities of relations,
                                               echelon form */
    size_t relations;
} f2l_sign_group;

typedef struct f2l_pool {
    const f2l_irrep_world *world;
    f2l_sign_group *group; /* [groups]; no two have equally many members in every class */
    size_t groups, room;
    f2l_index seen; /* the groups by their distributions */
    uint32_t *at;   /* [order of the whole group] position plus 1 in the current list, or 0 */
    uint32_t *member, *parity; /* [order] the current list */
    uint8_t *inside, *tried;   /* [order] scratch of normalisers */
    size_t bytes;              /* bytes of the subgroups' lists */
    f2l_rng rng;
    uint64_t work; /* products computed, approximately */
} f2l_pool;

/* Fills the pool with the trivial subgroup, the whole group, cyclic subgroups, centralisers of
 * elements, and the stabiliser chain. */
f2l_status f2l_pool_init(f2l_pool *p, const f2l_irrep_world *world, f2l_error *err);
void f2l_pool_clear(f2l_pool *p);
/* Does one round: adds the normaliser of every subgroup from number `from` on, and the groups that
 * every subgroup generates with a few random elements, until the work reaches the limit. */
f2l_status f2l_pool_grow(f2l_pool *p, size_t from, uint64_t limit, f2l_error *err);

/* Sets mask[] to at most `room` characters of h to {1, -1} and returns their number; the sign of
 * member i is (-1)^popcount(mask & parity[i]). */
size_t f2l_sign_characters(uint32_t *mask, size_t room, const f2l_sign_group *h);

static inline bool f2l_sign_is_minus(uint32_t mask, uint32_t parity)
{
    return __builtin_popcount(mask & parity) & 1;
}

/* The real character psi. */
typedef struct f2l_psi {
    size_t character, dimension;
    int indicator;
    size_t wanted; /* multiplicity of lambda in chi on H: 1, or 2 for indicator -1 (I.3) */
    f2l_field field;
    size_t values;
    f2l_number *value;  /* [values] the different values of psi */
    uint32_t *value_of; /* [classes] */
    uint64_t *residue;  /* [classes] psi modulo the characters' prime */
    ulong radicand;     /* d > 1: the field is Q(psi, sqrt(d)); else 0 */
} f2l_psi;

void f2l_psi_clear(f2l_psi *psi);
/* Computes psi. radicand: a squarefree d > 1 whose square root is to be in the field, or 0. */
f2l_status f2l_psi_init(f2l_psi *psi, const f2l_irrep_world *world, size_t character,
                        ulong radicand, f2l_error *err);

/* The orbit, up to sign, of a vector v_0 with v_0 h = lambda(h) v_0 for h in H: its lines are the
 * cosets H x. */
typedef struct f2l_orbit {
    const f2l_irrep_world *world;
    const f2l_psi *psi;
    const f2l_sign_group *subgroup; /* H; borrowed from the pool, so the pool must not grow
                                       meanwhile */
    uint32_t mask;                  /* lambda */
    size_t lines;
    uint32_t *line;           /* [order] number of the line H x */
    uint8_t *minus;           /* [order] v_0 x is minus the vector of its line */
    uint32_t *representative; /* [lines] an element whose vector is the line's; line 0 has the
                                 identity */
    uint32_t *inverse;        /* [lines] the representative's inverse */
    /* [lines] <v_0 x, v_0> for the representative x, up to a common factor > 0 */
    f2l_number *product;
    f2l_residues map; /* residues below 2^32; set by f2l_orbit_reduce */
    ulong *residue;   /* [lines] residues of the products */
} f2l_orbit;

void f2l_orbit_clear(f2l_orbit *o);
/* Builds the orbit. Its products are the products of the projection to all vectors that H
 * multiplies by lambda: they belong to one v_0 if these vectors are a line over the endomorphisms
 * (I.3); otherwise f2l_orbit_split must find a line. */
f2l_status f2l_orbit_init(f2l_orbit *o, const f2l_psi *psi, const f2l_irrep_world *world,
                          const f2l_sign_group *h, uint32_t mask, f2l_error *err);
/* Fills the residues of the products. */
f2l_status f2l_orbit_reduce(f2l_orbit *o, f2l_error *err);

/* For vectors that H multiplies by lambda and that are a plane over the endomorphisms: searches for
 * a line in the plane (I.8) and replaces the products by this line's. When none is found, *radicand
 * is the least squarefree d for which sqrt(d) would have helped, or 0. */
f2l_status f2l_orbit_split(f2l_orbit *o, bool *found, ulong *radicand, f2l_error *err);

/* Returns the element x y^-1 for the representatives x, y of two lines: <x, y> = <v_0 x y^-1,
 * v_0>. */
static inline uint32_t f2l_orbit_between(const f2l_orbit *o, uint32_t x, uint32_t y)
{
    return f2l_group_multiply(o->world->group, o->representative[x], o->inverse[y]);
}

/* Finds mutually orthogonal lines, as many as the dimension; *found is false when there are none or
 * the search took too long. */
f2l_status f2l_orbit_frame(uint32_t *basis, bool *found, const f2l_orbit *o, f2l_error *err);
/* Finds lines that are a basis, reached by letters from line 0 in breadth-first order (I.5). */
f2l_status f2l_orbit_spin(uint32_t *basis, bool *found, f2l_orbit *o, f2l_error *err);

/* Computes the form and the matrices in the basis, with all checks (I.6, I.7). */
f2l_status f2l_orbit_matrices(f2l_irrep *out, const f2l_orbit *o, const uint32_t *basis,
                              f2l_error *err);

/* The parts of theory/rep/irrep/initial.h: a head modulo a prime, and the vectors that a subgroup
 * fixes. */

/* A breadth-first tree of the group under letters that generate it. */
typedef struct f2l_word_tree {
    const f2l_group *group;
    uint32_t *queue;  /* [order] elements, the identity first, parents before children */
    uint32_t *parent; /* [order] */
    /* [order] the element is its parent followed by this generator */
    uint32_t *letter;
} f2l_word_tree;

f2l_status f2l_word_tree_init(f2l_word_tree *t, const f2l_group *group, f2l_error *err);
void f2l_word_tree_clear(f2l_word_tree *t);

/* Sets out (d x d) to A(g), by the letters of g's word. */
f2l_status f2l_word_matrix(f2l_matrix *out, const f2l_irrep *head, const f2l_word_tree *t,
                           uint32_t g, f2l_error *err);

/* Sets out to a basis, as rows, of the vectors that A(g) fixes for g = generator[0 .. count);
 * integers without a common factor. */
f2l_status f2l_fixed_space(f2l_matrix *out, const f2l_irrep *head, const f2l_word_tree *t,
                           const uint32_t *generator, size_t count, f2l_error *err);

/* A head's letters under a ring homomorphism to Z/q. */
typedef struct f2l_residual_head {
    size_t dimension;
    f2l_residues map;
    size_t letters;
    ulong **letter; /* [letters][d][d] the letters of the tree; NULL for the others */
} f2l_residual_head;

f2l_status f2l_residual_head_init(f2l_residual_head *r, const f2l_irrep *head,
                                  const f2l_word_tree *t, f2l_error *err);
void f2l_residual_head_clear(f2l_residual_head *r);

/* Removes from the set fixes[order] the members that move the vector start[d]; image[order][d] is
 * scratch. */
void f2l_drop_moving(uint8_t *fixes, ulong *image, const ulong *start, const f2l_residual_head *r,
                     const f2l_word_tree *t);

#endif
