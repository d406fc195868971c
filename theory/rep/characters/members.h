/* Subgroups of a listed group, listed by multiplying. */
#ifndef F2L_MEMBERS_IMPL_H
#define F2L_MEMBERS_IMPL_H

#include "automata/group/group.h"
#include "numeric/base/status.h"
#include <stdint.h>

/* Every member that enlarges a subgroup at least doubles it. */
#define F2L_MEMBERS_GENERATORS 33

typedef struct f2l_members {
    const f2l_group *group;
    uint32_t *member; /* [count], with room for all; member 0 is the identity */
    uint32_t *at;     /* [order of the group] position among the members plus 1, or 0 */
    size_t count, generators;
    uint32_t generator[F2L_MEMBERS_GENERATORS];
    size_t work; /* products computed so far */
} f2l_members;

/* Makes the trivial subgroup. */
f2l_status f2l_members_init(f2l_members *h, const f2l_group *group, f2l_error *err);
void f2l_members_clear(f2l_members *h);
void f2l_members_reset(f2l_members *h); /* returns to the trivial one */

/* Adds the element x as a generator unless it is a member. */
void f2l_members_add(f2l_members *h, uint32_t x);

/* Returns the s-th of the generators that are needed, as an element. */
uint32_t f2l_needed_generator(const f2l_group *g, size_t s);

#endif
