/* The parts of the search for covers; private to this folder. */
#ifndef F2L_THEORY_REP_COVER_IMPL_H
#define F2L_THEORY_REP_COVER_IMPL_H

#include "automata/group/group.h"
#include "numeric/base/status.h"
#include "numeric/base/task.h"
#include "theory/rep/cover/cover.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Central extensions of a listed group (R2.3): relators, cocycles on the edges of its Cayley graph,
 * and H^2. */

/* A presentation of the group, and the labels of a central extension along each edge (g, x) of the
 * Cayley graph. Let lifts of the generators be chosen, and elements lifted along a spanning tree.
 * Then lift(g) lift(x) = lift(g x) z with a central z; z is a combination of the values a_1, ..,
 * a_r of the relators, and label holds its coefficients modulo `modulus`. Borrows the group, owns
 * the rest. */
typedef struct f2l_presentation {
    const f2l_group *group;
    size_t generators, relators, room, modulus;
    uint32_t *generator; /* [generators] elements */
    uint32_t *next;      /* [order][generators] g x */
    uint32_t *back;      /* [order][generators] g x^-1 */
    uint32_t *word;  /* letters of the relators, one relator after another: 2 x for x, 2 x + 1 for
                        its inverse */
    size_t *word_at; /* [relators + 1] */
    size_t words, word_room;
    uint16_t *label; /* [order][generators][room] */
    uint8_t *known;  /* [order][generators] */
} f2l_presentation;

/* Builds a presentation; modulus below 2^15. Returns F2L_UNKNOWN when it takes more than 512
 * relators or the task says stop. */
f2l_status f2l_presentation_build(f2l_presentation *out, const f2l_group *group, size_t modulus,
                                  const f2l_task *task, f2l_error *err);
void f2l_presentation_clear(f2l_presentation *p);

/* One vector (a_1, .., a_r) modulo q for each element of H^2(G, Z_q), up to units of Z_q; the first
 * is zero. */
typedef struct f2l_cohomology {
    size_t modulus, count, room;
    uint16_t *values; /* [count][relators] */
    bool complete;    /* false: stopped at the limit */
} f2l_cohomology;

/* Computes the classes; q is a prime power that divides p->modulus. */
f2l_status f2l_cohomology_build(f2l_cohomology *out, const f2l_presentation *p, size_t q,
                                size_t limit, const f2l_task *task, f2l_error *err);
void f2l_cohomology_clear(f2l_cohomology *c);

/* Returns the sum of label[edge][i] values[i] modulo q. */
size_t f2l_edge_value(const f2l_presentation *p, size_t edge, const uint16_t *values, size_t q);

/* The parts of the search for covers. */

#define F2L_COVER_PARTS 3 /* most parts of a kernel: 2 x 2 x 2 */

/* A kernel Z_q1 x .. x Z_qm and a class of H^2(G, Z_qi) for each part: an extension. */
typedef struct f2l_extension {
    size_t parts, kernel;      /* kernel = q1 .. qm */
    size_t q[F2L_COVER_PARTS]; /* prime powers */
    const uint16_t *values[F2L_COVER_PARTS];
} f2l_extension;

/* An extension with its data. Its elements are the pairs (g, a), numbered g * kernel + a as points
 * on which the extension acts from the right. */
typedef struct f2l_extended {
    size_t kernel;
    f2l_group group;
    uint32_t *at; /* [points] the element that takes point 0 to this point */
    f2l_classes classes;
    f2l_characters characters;
    f2l_householders householders; /* with all elements as letters; its heads are meaningless */
} f2l_extended;

f2l_status f2l_extended_build(f2l_extended *out, const f2l_presentation *p,
                              const f2l_extension *extension, const f2l_task *task, f2l_error *err);
void f2l_extended_clear(f2l_extended *e);

static inline uint32_t f2l_extended_class(const f2l_extended *e, uint32_t g, size_t a)
{
    return e->classes.class_of[e->at[g * e->kernel + a]];
}

/* Letters up to conjugation. */
typedef struct f2l_letter_classes {
    size_t count;
    uint32_t *class_number;   /* [count] in the group */
    uint32_t *representative; /* [count] an element */
} f2l_letter_classes;

/* Fills in the fields of *out for a cover that was found: lifts[l] is the chosen a for letter class
 * l. */
f2l_status f2l_cover_finish(f2l_cover *out, const f2l_extended *e, const f2l_group *group,
                            const f2l_classes *classes, const f2l_letter_classes *kinds,
                            const uint8_t *lifts, const uint32_t *letter, size_t letters,
                            const f2l_task *task, f2l_error *err);

#endif
