/* Names of small or well-known permutation groups, by tests that are sufficient: a name is never a
 * guess. */
#ifndef F2L_GROUP_NAME_H
#define F2L_GROUP_NAME_H

#include "automata/group/schreier.h"
#include "automata/group/structure.h"
#include "numeric/base/text.h"

/* Appends the name of the abstract group: one of
 *   trivial, Z_n, Z_p^k, Z_2^2xZ_4 (invariant factors, each divides the next), S_n, A_n, D_n (of
 * order 2n), Z_p:Z_d (p prime, in the affine group of p elements); and, for groups of order up to
 * 100,000 that take no more than 256 MiB to list (nor the task's memory), Q_n (generalised
 * quaternion, n = 2^k), Dic_n (dicyclic of order 4n, n no power of 2), SD_n (semidihedral),
 *   SL(2,3), GL(2,3), SL(2,5), AGL(1,q), AGammaL(1,8), AGammaL(1,9), AGL(3,2), ASL(2,3), AGL(2,3),
 *   simple groups as in automata/group/structure.h, PGL(2,p), PGammaL(2,8), PGL(2,9), M_10,
 * PGammaL(2,9), direct products of such groups in which no factor splits further: the abelian part,
 * then the others by order, joined by x (Z_2xA_4, S_3xS_3, Z_3x(Z_5:Z_4); Z_2xS_3 is D_6); else
 * "order N". The name depends on the abstract group only, with two exceptions: beyond the limits
 * S_n, A_n and Z_p:Z_d are recognised only if they act naturally on all points they move, or
 * faithfully on one orbit, and the search for products gives up after 2^22 multiplications, 1,024
 * normal subgroups or 4,096 classes. F2L_UNKNOWN only when the task is stopped (or, as in
 * automata/group/schreier.h, an orbit's tables grow too large). */
f2l_status f2l_group_name(f2l_buf *out, const f2l_schreier *g, const f2l_task *task,
                          f2l_error *err);

/* The same for a group that is listed already, of any order; `s`: its structure. */
f2l_status f2l_group_name_listed(f2l_buf *out, const f2l_group *g, const f2l_classes *c,
                                 const f2l_structure *s, const f2l_task *task, f2l_error *err);

/* The generators commute. */
bool f2l_schreier_abelian(const f2l_schreier *g);

/* The order of one permutation: the least common multiple of its cycle lengths. order must be
 * initialised. */
f2l_status f2l_perm_order(mpz_t order, const uint32_t *image, size_t n, f2l_error *err);

#endif
