/* Permutation groups given by generators, which may be added one at a time: membership and order by
 * the Schreier-Sims method in Knuth's incremental form ("Efficient representation of perm groups",
 * Combinatorica 1991). A group that moves n points transitively and has an element with a cycle of
 * prime length p, n/2 < p < n-2, holds A_n (Jordan, 1873); such groups are recognised without
 * tables. */
#ifndef F2L_SCHREIER_H
#define F2L_SCHREIER_H

#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct f2l_schreier_level {
    uint32_t base;   /* the point that this level moves and all later levels fix */
    uint32_t *orbit; /* [points] */
    uint32_t *to;    /* [points][degree] an element that takes the base to orbit[i] */
    uint32_t *back;  /* [points][degree] its inverse */
    size_t points, point_room;
    uint32_t *at;        /* [degree] position in orbit, plus 1 */
    uint32_t *generator; /* [generators][degree] generators of this level's group */
    size_t generators, generator_room;
} f2l_schreier_level;

typedef enum f2l_giant { F2L_NO_GIANT, F2L_ALTERNATING, F2L_SYMMETRIC } f2l_giant;

typedef struct f2l_schreier {
    size_t degree;
    uint32_t *generator; /* [generators][degree] the generators that enlarged the group when they
                            were added  */
    size_t generators, generator_room;
    f2l_giant giant; /* the giant on all points that move, if the group is one */
    size_t moved;    /* number of points that move */
    f2l_schreier_level *level;
    size_t levels, level_room;
    size_t bytes;  /* held by the tables */
    uint64_t work; /* number of images looked up so far */
} f2l_schreier;

/* Initialises g as the trivial group on `degree` points. */
void f2l_schreier_init(f2l_schreier *g, size_t degree);
void f2l_schreier_clear(f2l_schreier *g);

/* Adds a generator unless it is a member; *grew (may be NULL) tells whether it was added.
 * F2L_UNKNOWN when the tables would take more than the task's memory or 1 GiB, or more than 2^35
 * steps: the group can then only be cleared. */
f2l_status f2l_schreier_add(f2l_schreier *g, const uint32_t *image, bool *grew,
                            const f2l_task *task, f2l_error *err);

/* Sets *member to whether the permutation is in the group. */
f2l_status f2l_schreier_contains(const f2l_schreier *g, const uint32_t *image, bool *member,
                                 f2l_error *err);

/* Sets order (initialised by the caller) to the order of the group. */
void f2l_schreier_order(mpz_t order, const f2l_schreier *g);

#endif
