/* Levels of a cascade, decomposed into cyclic cells of prime order (theory/pages/diagonal.md, G.1 -
 * G.4).
 *
 * A class of parallel sets at a level has a group on the points of its cover. Its points are
 * written in coordinates: coordinate 0 is the orbit, which no permutation changes, and the others,
 * the cells, are numbers modulo primes. A permutation adds to a cell a number that depends on the
 * letter and on earlier coordinates only; a reset sets all of them. So every letter either adds to
 * a cell or sets it, and a layer with diagonal matrices can hold it.
 *
 * A configuration of a class is a point if the orbit has a chain of blocks in which every step is
 * cyclic of prime order; otherwise it is an orbit together with an element of the group, whose
 * coordinates come from a composition series. The classes of a level share coordinates: they do not
 * act at the same time, and a reset lies between two of them. */
#ifndef F2L_REFINE_H
#define F2L_REFINE_H

#include "automata/cascade/cascade_group.h"
#include "automata/group/group.h"

#define F2L_NO_CONFIGURATION UINT32_MAX

/* A class of a level; owns its arrays. */
typedef struct f2l_refine_part {
    uint32_t class_id; /* value in f2l_cascade.class_of */
    size_t points;     /* |C(X)| */
    size_t configurations;
    uint32_t *point; /* [configurations] the point of each configuration */
    uint32_t *first; /* [points] the configuration that a reset to the point sets */
    uint32_t *tuple; /* [configurations] the tuple: sum of coordinate * weight */
    uint32_t *at;    /* [tuples] the configuration with this tuple, or F2L_NO_CONFIGURATION */
    bool regular;    /* configuration = orbit * order of the group + element */
    f2l_group group; /* regular only */
} f2l_refine_part;

/* A decomposed level; owns its arrays. */
typedef struct f2l_refined {
    size_t coordinates; /* cells + 1 */
    uint32_t *values;   /* [coordinates] number of values: for coordinate 0 the most orbits of a
                           class, possibly 1; for a cell its prime  */
    uint32_t *weight;   /* [coordinates] product of the values of all earlier coordinates */
    size_t tuples;      /* product of all values */
    size_t *layer;      /* [coordinates] 0-based layer of each; the number that a permutation adds
                           depends only on coordinates of earlier layers */
    size_t layers;
    f2l_refine_part *part; /* [parts] */
    size_t parts;
} f2l_refined;

void f2l_refined_init(f2l_refined *r);
void f2l_refined_clear(f2l_refined *r);

/* Decomposes level l (1-based) of the cascade; `groups` are the components of the cascade. If
 * `real`, all primes must be 2. *out is initialised here, and cleared on failure. F2L_EDOMAIN when
 * a group is not solvable, or when `real` and a group is not a 2-group: the text names the group
 * and the level. F2L_UNKNOWN when a group is too large to be decomposed, or the task is stopped. */
f2l_status f2l_refine(f2l_refined *out, const f2l_cascade *cascade, const f2l_components *groups,
                      size_t l, bool real, const f2l_task *task, f2l_error *err);

/* Returns the part of the class of the set, which must be of the level; borrowed. */
const f2l_refine_part *f2l_refine_part_of(const f2l_refined *r, const f2l_cascade *cascade,
                                          uint32_t set);

/* Computes map[configurations], the image of every configuration under a permutation of points in
 * the group of the class. */
f2l_status f2l_refine_map(uint32_t *map, const f2l_refine_part *part, const uint32_t *image,
                          f2l_error *err);

/* Returns the value of a coordinate in a tuple. */
static inline uint32_t f2l_refine_digit(const f2l_refined *r, uint32_t tuple, size_t coordinate)
{
    return tuple / r->weight[coordinate] % r->values[coordinate];
}

/* Returns the tuple with all coordinates of layer `layer` and of later layers set to 0. */
uint32_t f2l_refine_before(const f2l_refined *r, uint32_t tuple, size_t layer);

#endif
