/* Invariants of a listed group: centre, derived and lower central series, abelian quotient,
 * composition factors. */
#ifndef F2L_STRUCTURE_H
#define F2L_STRUCTURE_H

#include "automata/group/classes.h"
#include <stdbool.h>

/* Chains of subgroups, and so all lists below, are at most log2(order) steps long. */
#define F2L_STRUCTURE_LENGTH 33

/* A composition factor: "Z_p", "A_n", "PSL(2,7)", "M_11", ... Non-abelian ones are named by their
 * order, from the list of the simple groups of order below 10^6 (Conway et al., ATLAS of Finite
 * Groups, 1985, page 239); only for 20160 are there two, A_8 and PSL(3,4), which elements of order
 * 6 tell apart. A non-abelian chief factor of 10^6 elements or more is not taken apart: it is
 * listed whole, as "non-abelian of order N". */
typedef struct f2l_simple_factor {
    size_t order;
    char name[40];
} f2l_simple_factor;

/* A plain value: no memory is held. */
typedef struct f2l_structure {
    size_t order, centre; /* of the group and of its centre */
    bool abelian, solvable, nilpotent;
    size_t derived[F2L_STRUCTURE_LENGTH], derived_terms; /* orders of G > G' > G'' > .. until it is
                                                            stable */
    size_t central[F2L_STRUCTURE_LENGTH], central_terms; /* orders of G > [G,G] > [[G,G],G] > ..
                                                            likewise */
    /* G/G' is the product of cyclic groups of these orders: prime powers, by prime and then by
     * exponent */
    size_t quotient[F2L_STRUCTURE_LENGTH], quotients; /* G/G' is the product of cyclic groups of
                                                         these orders:    prime powers, by prime and
                                                         then by exponent */
    f2l_simple_factor factor[F2L_STRUCTURE_LENGTH]; /* of a composition series, by order and then by
                                                       name */
    size_t factors;
} f2l_structure;

/* `c`: the classes of g. F2L_UNKNOWN when the task says stop. */
f2l_status f2l_structure_build(f2l_structure *out, const f2l_group *g, const f2l_classes *c,
                               const f2l_task *task, f2l_error *err);

#endif
