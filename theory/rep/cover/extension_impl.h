/* Central extensions of a listed group (R2.3): relators, cocycles on the edges of its Cayley graph, and H^2. */
#ifndef F2L_EXTENSION_IMPL_H
#define F2L_EXTENSION_IMPL_H

#include "automata/group/group.h"
#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A presentation of the group, and what a central extension does along each edge (g, x) of the Cayley graph. Let
 * lifts of the generators be chosen, and elements lifted along a spanning tree. Then lift(g) lift(x) = lift(g x) z
 * with a central z; z is a combination of the values a_1, .., a_r of the relators, and label holds its coefficients
 * modulo `modulus`. */
typedef struct f2l_presentation {
    const f2l_group *group;
    size_t generators, relators, room, modulus;
    uint32_t *generator; /* [generators] elements */
    uint32_t *next;      /* [order][generators] g x, and.. */
    uint32_t *back;      /* .. g x^-1 */
    uint32_t *word;      /* of the relators, one after another: 2 x for x, 2 x + 1 for its inverse */
    size_t *word_at;     /* [relators + 1] */
    size_t words, word_room;
    uint16_t *label; /* [order][generators][room] */
    uint8_t *known;  /* [order][generators] */
} f2l_presentation;

/* modulus below 2^15. F2L_UNKNOWN when it takes more than 512 relators or the task says stop. */
f2l_status f2l_presentation_build(f2l_presentation *out, const f2l_group *group, size_t modulus,
                                  const f2l_task *task, f2l_error *err);
void f2l_presentation_clear(f2l_presentation *p);

/* One vector (a_1, .., a_r) modulo q for each element of H^2(G, Z_q), up to units of Z_q; the first is zero. */
typedef struct f2l_cohomology {
    size_t modulus, count, room;
    uint16_t *values; /* [count][relators] */
    bool complete;    /* false: stopped at the limit */
} f2l_cohomology;

/* q a prime power that divides p->modulus. */
f2l_status f2l_cohomology_build(f2l_cohomology *out, const f2l_presentation *p, size_t q, size_t limit,
                                const f2l_task *task, f2l_error *err);
void f2l_cohomology_clear(f2l_cohomology *c);

/* sum of label[edge][i] values[i] modulo q. */
size_t f2l_edge_value(const f2l_presentation *p, size_t edge, const uint16_t *values, size_t q);

#endif
