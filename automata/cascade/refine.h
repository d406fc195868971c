/* Levels of a cascade, taken apart into cyclic cells of prime order (theory/pages/diagonal.md, G.1
 * - G.4).
 *
 * A class of parallel sets at a level has a group on the points of its cover. Its points are
 * written in coordinates: coordinate 0 says the orbit, which no permutation changes, and the
 * others, the cells, count modulo primes. A permutation adds to a cell a number that depends on the
 * letter and on earlier coordinates only; a reset sets all of them. So a cell is a number that is
 * added to or set, and a layer whose matrices are diagonal can hold it.
 *
 * A configuration of a class is a point where the orbit has a chain of blocks in which every step
 * is cyclic of prime order, and else an orbit together with an element of the group, whose
 * coordinates come from a composition series. The classes of a level share coordinates: they do not
 * act at the same time, and a reset lies between two of them. */
#ifndef F2L_REFINE_H
#define F2L_REFINE_H

#include "automata/cascade/cascade_group.h"
#include "automata/group/group.h"

#define F2L_NO_CONFIGURATION UINT32_MAX

/* A class of a level. */
typedef struct f2l_refine_part {
    uint32_t class_id; /* of f2l_cascade.class_of */
    size_t points;     /* |C(X)| */
    size_t configurations;
    uint32_t *point; /* [configurations] the point that it stands for */
    uint32_t *first; /* [points] the configuration that a reset to the point sets */
    uint32_t *tuple; /* [configurations] its coordinates, each times its weight, added up */
    uint32_t *at;    /* [tuples] the configuration there, or F2L_NO_CONFIGURATION */
    bool regular;    /* configuration = orbit * order of the group + element */
    f2l_group group; /* regular only */
} f2l_refine_part;

/* A level. */
typedef struct f2l_refined {
    size_t coordinates; /* cells + 1 */
    uint32_t *values; /* [coordinates] coordinate 0: most orbits of a class, may be 1; else a prime
                       */
    uint32_t *weight; /* [coordinates] products of the values before */
    size_t tuples;    /* product of all values */
    size_t *layer;    /* [coordinates] from 0; what a permutation adds depends on coordinates of
                         earlier layers */
    size_t layers;
    f2l_refine_part *part; /* [parts] */
    size_t parts;
} f2l_refined;

void f2l_refined_init(f2l_refined *r);
void f2l_refined_clear(f2l_refined *r);

/* Takes level l (from 1) of the cascade apart; `groups` are the components of the cascade. `real`:
 * all primes must be
 * 2. *out is initialised; cleared on failure. F2L_EDOMAIN when a group is not solvable, or no
 * 2-group and `real`: the text names it and the level. F2L_UNKNOWN when a group is too large to be
 * taken apart, or the task says stop. */
f2l_status f2l_refine(f2l_refined *out, const f2l_cascade *cascade, const f2l_components *groups,
                      size_t l, bool real, const f2l_task *task, f2l_error *err);

/* The part of the class that the set belongs to, which must be of the level. */
const f2l_refine_part *f2l_refine_part_of(const f2l_refined *r, const f2l_cascade *cascade,
                                          uint32_t set);

/* map[configurations]: where the permutation of points, which is in the class's group, takes every
 * configuration. */
f2l_status f2l_refine_map(uint32_t *map, const f2l_refine_part *part, const uint32_t *image,
                          f2l_error *err);

/* The value of a coordinate in a tuple. */
static inline uint32_t f2l_refine_digit(const f2l_refined *r, uint32_t tuple, size_t coordinate)
{
    return tuple / r->weight[coordinate] % r->values[coordinate];
}

/* The tuple with 0 in place of all coordinates of layer `layer` and later ones. */
uint32_t f2l_refine_before(const f2l_refined *r, uint32_t tuple, size_t layer);

#endif
