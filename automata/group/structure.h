/* Invariants of a listed group: centre, derived and lower central series, abelian quotient,
 * composition factors. */
#ifndef F2L_STRUCTURE_H
#define F2L_STRUCTURE_H

#include "automata/group/classes.h"
#include <stdbool.h>

/* The length of the lists below: a chain of subgroups has at most log2(order) steps. */
#define F2L_STRUCTURE_LENGTH 33

/* A composition factor: "Z_p", "A_n", "PSL(2,7)", "M_11", ... Non-abelian ones are named by their
 * order, from the list of the simple groups of order below 10^6 (Conway et al., ATLAS of Finite
 * Groups, 1985, page 239); only 20160 is the order of two, A_8 and PSL(3,4), which are
 * distinguished by elements of order 6. A non-abelian chief factor of 10^6 elements or more is not
 * decomposed, but listed as "non-abelian of order N". */
typedef struct f2l_simple_factor {
    size_t order;
    char name[40];
} f2l_simple_factor;

/* A plain value, which owns no memory. */
typedef struct f2l_structure {
    size_t order, centre; /* orders of the group and of its centre */
    bool abelian, solvable, nilpotent;
    size_t derived[F2L_STRUCTURE_LENGTH], derived_terms; /* orders of G > G' > G'' > .., to the
                                                            first repetition */
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

/* Computes the invariants of g, whose classes are c. F2L_UNKNOWN when the task is stopped. */
f2l_status f2l_structure_build(f2l_structure *out, const f2l_group *g, const f2l_classes *c,
                               const f2l_task *task, f2l_error *err);

#endif
