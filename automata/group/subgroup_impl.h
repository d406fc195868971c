/* Subgroups of a listed group, as lists of element numbers that grow one generator at a time (Dimino's algorithm: whole
 * cosets are added, so that every member costs one product). */
#ifndef F2L_SUBGROUP_IMPL_H
#define F2L_SUBGROUP_IMPL_H

#include "automata/group/classes.h"
#include <stdbool.h>

/* More than the longest chain of subgroups of a group of order below 2^32. */
#define F2L_SUBGROUP_GENERATORS 32

typedef struct f2l_subgroup {
    const f2l_group *g;
    const f2l_task *task;
    uint8_t *has;     /* [order of g] */
    uint32_t *member; /* [order] in a room for all of g; member 0 is the identity */
    size_t order;
    uint32_t generator[F2L_SUBGROUP_GENERATORS];
    size_t generators;
    uint32_t letter[F2L_SUBGROUP_GENERATORS]; /* [g->needed] elements that generate g */
    uint64_t work, polled;                    /* products so far, and at the last poll */
} f2l_subgroup;

/* The trivial subgroup. */
f2l_status f2l_subgroup_init(f2l_subgroup *h, const f2l_group *g, const f2l_task *task, f2l_error *err);
void f2l_subgroup_clear(f2l_subgroup *h);
void f2l_subgroup_reset(f2l_subgroup *h);

/* The subgroup that h and x generate. F2L_UNKNOWN when the task says stop. */
f2l_status f2l_subgroup_add(f2l_subgroup *h, uint32_t x, f2l_error *err);

/* The normal closure of h in g. */
f2l_status f2l_subgroup_close(f2l_subgroup *h, f2l_error *err);

/* The subgroup that `generators` elements of g generate, once reset. */
f2l_status f2l_subgroup_generate(f2l_subgroup *h, const uint32_t *generator, size_t generators,
                                 f2l_error *err);

/* h becomes the normal closure of all commutators of a's elements with b's: of <a> with <b> when both are normal. */
f2l_status f2l_subgroup_commutators(f2l_subgroup *h, const uint32_t *a, size_t as, const uint32_t *b,
                                    size_t bs, f2l_error *err);

/* holds[class] for a normal subgroup. */
void f2l_subgroup_classes(uint8_t *holds, const f2l_subgroup *h, const f2l_classes *c);

/* x y = y x. */
bool f2l_subgroup_commute(const f2l_group *g, uint32_t x, uint32_t y);

#endif
