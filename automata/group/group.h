/* Permutation groups with all elements listed and numbered.
 *
 * The numbering comes from a base and a stabiliser chain (Sims 1970; automata/group/schreier.h): an
 * element is the tuple of the positions, in the basic orbits, that it reaches when it is divided by
 * coset representatives level by level, and its number is that tuple read in mixed radix. So
 * looking an element up costs a few look-ups per pair of base points and no table beyond the
 * representatives, and the elements that fix the first bases are 0, 1, .., in a row. */
#ifndef F2L_GROUP_H
#define F2L_GROUP_H

#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include <stddef.h>
#include <stdint.h>

/* One step of the stabiliser chain. */
typedef struct f2l_group_level {
    uint32_t base;
    size_t points;  /* in the basic orbit */
    size_t stride;  /* number of elements that fix this base and all earlier bases */
    uint32_t *at;   /* [degree] position in the orbit plus 1; 0 outside; the base has 1 */
    uint32_t *back; /* [points][degree] an element that takes the point of the orbit to the base;
                       NULL at the last level */
} f2l_group_level;

typedef struct f2l_group {
    size_t degree, order, generators;
    uint32_t *generator; /* [generators][degree], the letters, as given, with identity and
                            repetitions */
    uint32_t *element;   /* [order][degree]; element 0 is the identity */
    size_t needed;  /* number of generators that enlarged the group when they were added, at most
                       log2(order) */
    uint32_t *need; /* [needed] these generators, which generate the group */
    f2l_group_level *level;
    size_t levels; /* at most log2(order) */
} f2l_group;

void f2l_group_init(f2l_group *g);
void f2l_group_clear(f2l_group *g);

/* Lists the group that image[generators][degree] generates (no generators: the trivial group).
 * F2L_EDOMAIN when degree is 0 or an image is not a permutation; F2L_UNKNOWN when the order exceeds
 * max_order (0: 1,000,000; at most 2^32 - 2), when the tables would exceed the task's memory or 2
 * GiB, or when the task is stopped. */
f2l_status f2l_group_build(f2l_group *out, const uint32_t *image, size_t generators, size_t degree,
                           size_t max_order, const f2l_task *task, f2l_error *err);

/* Returns the number of the element with this image array of length `degree`, or F2L_NO_INDEX. */
size_t f2l_group_find(const f2l_group *g, const uint32_t *image);

/* Returns the product a b: first a, then b. */
uint32_t f2l_group_multiply(const f2l_group *g, uint32_t a, uint32_t b);

uint32_t f2l_group_inverse(const f2l_group *g, uint32_t a);

/* Returns a^-1 x a. */
uint32_t f2l_group_conjugate(const f2l_group *g, uint32_t x, uint32_t a);

#endif
