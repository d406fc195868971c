/* The steps of naming a group. Each appends a name and sets *done, or leaves both alone. */
#ifndef F2L_GROUP_NAME_IMPL_H
#define F2L_GROUP_NAME_IMPL_H

#include "automata/group/group_name.h"
#include "automata/group/subgroup_impl.h"

/* A listed group with what is known about it. */
typedef struct f2l_group_view {
    const f2l_group *g;
    const f2l_classes *c;
    const f2l_structure *s;
    bool indecomposable; /* known to be no direct product */
} f2l_group_view;

/* Without listing: the trivial group, giants, abelian groups, S_n, A_n, Z_p:Z_d on an orbit, some dihedral ones. */
f2l_status f2l_group_name_quick(f2l_buf *out, bool *done, const f2l_schreier *g, const mpz_t order,
                                const f2l_task *task, f2l_error *err);

/* An abelian group by its invariant factors: "Z_12", "Z_2^2xZ_4". */
f2l_status f2l_group_name_abelian(f2l_buf *out, const f2l_schreier *g, const mpz_t order,
                                  const f2l_task *task, f2l_error *err);

/* The same for the product of cyclic groups of prime power orders; `powers` is not 0. */
f2l_status f2l_group_name_prime_powers(f2l_buf *out, const size_t *power, size_t powers, f2l_error *err);

/* All of it for a listed group: the quick tests, and those of the two functions below. */
f2l_status f2l_group_name_view(f2l_buf *out, bool *done, const f2l_group_view *view, const f2l_task *task,
                               f2l_error *err);

/* Groups that are not abelian and no product by construction: simple, almost simple, affine, with a cyclic half. */
f2l_status f2l_group_name_known(f2l_buf *out, bool *done, const f2l_group_view *view, const f2l_task *task,
                                f2l_error *err);

/* Direct products of two or more groups with names. */
f2l_status f2l_group_name_product(f2l_buf *out, bool *done, const f2l_group_view *view, const f2l_task *task,
                                  f2l_error *err);

#endif
