/* Names of small or well-known permutation groups, by tests that are sufficient: a name is never a guess. */
#ifndef F2L_GROUP_NAME_H
#define F2L_GROUP_NAME_H

#include "f2l_schreier.h"
#include "f2l_text.h"

/* Appends, for the abstract group: "trivial", "Z_n", "Z_p^k", "S_n", "A_n", "D_n" (of order 2n), "Z_p:Z_d"
 * (p prime, in the affine group of p elements), "abelian of order N", or "order N". S_n, A_n and Z_p:Z_d are
 * recognised where the group acts so on all points it moves or faithfully on one orbit. */
f2l_status f2l_group_name(f2l_buf *out, const f2l_schreier *g, const f2l_task *task, f2l_error *err);

/* The generators commute. */
bool f2l_schreier_abelian(const f2l_schreier *g);

/* The order of one permutation: the least common multiple of its cycle lengths. order must be initialised. */
f2l_status f2l_perm_order(mpz_t order, const uint32_t *image, size_t n, f2l_error *err);

#endif
