/* The groups of a cascade's components. A component is a class of sets of the family; every letter
 * that takes a member X to a member Y = Xa permutes the common cover indices, and these
 * permutations generate its group. For holonomy it is the holonomy group of the class, a divisor of
 * the transition monoid, and the automaton is aperiodic if and only if all groups are trivial. For
 * the capped cover and Zeiger's cover, one direction holds: if all groups are trivial, the
 * automaton is aperiodic (T4.8). */
#ifndef F2L_CASCADE_GROUP_H
#define F2L_CASCADE_GROUP_H

#include "automata/cascade/cascade.h"
#include "numeric/base/text.h"

typedef struct f2l_component {
    uint32_t class_id;       /* value in f2l_cascade.class_of */
    size_t level;            /* 1-based */
    uint32_t representative; /* the member with the least set id */
    size_t members;
    size_t degree;       /* |C(X)| */
    uint32_t *generator; /* [generators][degree] in the order found; each enlarges the group */
    size_t generators;
    char *order;                             /* decimal; NULL: too large to compute */
    char *name;                              /* f2l_group_name, or "not computed" */
    size_t permutations, identities, resets; /* contexts whose new stage is in this component */
} f2l_component;

typedef struct f2l_components {
    f2l_component *component; /* by level, then by representative */
    size_t count;
    bool trivial;    /* every group is trivial */
    bool nontrivial; /* some group is not trivial; both are false when all known groups are trivial,
                        but some are unknown */
    bool complete;   /* every order is known */
} f2l_components;

void f2l_components_init(f2l_components *out);
void f2l_components_clear(f2l_components *out);

/* Finds the components of a cascade with tables, and their groups. */
f2l_status f2l_components_find(f2l_components *out, const f2l_cascade *c, const f2l_task *task,
                               f2l_error *err);

#endif
