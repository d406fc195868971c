/* Numbers of elements from the images of the base points, for loops over many products. */
#ifndef F2L_GROUP_IMPL_H
#define F2L_GROUP_IMPL_H

#include "automata/group/group.h"

/* Every basic orbit has two points or more, and numbers have 32 bits. */
#define F2L_GROUP_LEVELS 32

/* Tables of a listed group may take so much. */
#define F2L_GROUP_BYTES ((size_t)2 << 30)

static inline const uint32_t *f2l_group_row(const f2l_group *g, uint32_t a)
{
    return g->element + (size_t)a * g->degree;
}

/* The number of the member that takes base point j to x[j]; x is used up. */
static inline uint32_t f2l_group_number(const f2l_group *g, uint32_t *x)
{
    size_t number = 0;
    for (size_t l = 0; l < g->levels; l++) {
        const f2l_group_level *v = &g->level[l];
        const size_t position = v->at[x[l]] - 1;
        if (position == 0) continue;
        number += position * v->stride;
        if (!v->back) continue;
        const uint32_t *back = v->back + position * g->degree;
        for (size_t j = l + 1; j < g->levels; j++) x[j] = back[x[j]];
    }
    return (uint32_t)number;
}

/* a^-1 x a, given the image arrays of a^-1 and a. */
static inline uint32_t f2l_group_conjugate_by(const f2l_group *g, uint32_t x, const uint32_t *inverse,
                                              const uint32_t *a)
{
    uint32_t image[F2L_GROUP_LEVELS];
    const uint32_t *row = f2l_group_row(g, x);
    for (size_t l = 0; l < g->levels; l++) image[l] = a[row[inverse[g->level[l].base]]];
    return f2l_group_number(g, image);
}

/* b > 0. */
static inline size_t f2l_group_gcd(size_t a, size_t b)
{
    while (a % b != 0) {
        const size_t r = a % b;
        a = b;
        b = r;
    }
    return b;
}

#endif
