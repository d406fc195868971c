/* Ring homomorphisms from the numbers of a field K = Q(alpha) whose denominators a prime q does not
 * divide to Z/q: alpha goes to a root of its polynomial modulo q. Different residues prove
 * different numbers; equal ones prove nothing. */
#ifndef F2L_RESIDUE_H
#define F2L_RESIDUE_H

#include "numeric/exact/field.h"

typedef struct f2l_residues {
    nmod_t q;
    ulong root;
} f2l_residues;

/* The least prime q > above that is 1 modulo `step` >= 1 and modulo which the polynomial of k has a
 * root, and one root. `above` < 2^62. If K lies in Q(zeta_step), the first such prime does. */
void f2l_residues_init(f2l_residues *r, const f2l_field *k, ulong above, ulong step);

/* False when q divides the denominator of a. */
bool f2l_residue(ulong *out, const f2l_number *a, const f2l_residues *r);

/* Square roots in K. */
#define F2L_SQUARE_ROOT_DEGREE 8

typedef struct f2l_square_roots {
    const f2l_field *field;
    nmod_t q; /* a prime modulo which the polynomial has `degree` roots; 0: there is none to work
                 with */
    ulong root[F2L_SQUARE_ROOT_DEGREE];
} f2l_square_roots;

/* `k` is borrowed. */
void f2l_square_roots_init(f2l_square_roots *s, const f2l_field *k);

/* True when a != 0 and the root b >= 0 with b^2 = a was found, which was checked. False says only
 * that none was found: a has none, the degree of K exceeds F2L_SQUARE_ROOT_DEGREE, its conjugate
 * fields differ too much from it, or b has numerators or denominators above 2^30. */
bool f2l_square_root(f2l_number *b, const f2l_number *a, const f2l_square_roots *s);

#endif
