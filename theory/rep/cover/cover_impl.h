/* What the files of the search for covers share. */
#ifndef F2L_COVER_IMPL_H
#define F2L_COVER_IMPL_H

#include "theory/rep/cover/cover.h"
#include "theory/rep/cover/extension_impl.h"

#define F2L_COVER_PARTS 3 /* 2 x 2 x 2 is the longest kernel */

/* A kernel Z_q1 x .. x Z_qm and a class of H^2(G, Z_qi) for each part: an extension. */
typedef struct f2l_extension {
    size_t parts, kernel;      /* kernel = q1 .. qm */
    size_t q[F2L_COVER_PARTS]; /* prime powers */
    const uint16_t *values[F2L_COVER_PARTS];
} f2l_extension;

/* An extension with all that is known about it. Its elements are the pairs (g, a), numbered g * kernel + a as points on
 * which it acts from the right. */
typedef struct f2l_extended {
    size_t kernel;
    f2l_group group;
    uint32_t *at; /* [points] the element that takes point 0 there */
    f2l_classes classes;
    f2l_characters characters;
    f2l_householders householders; /* all elements as letters; its heads mean nothing */
} f2l_extended;

f2l_status f2l_extended_build(f2l_extended *out, const f2l_presentation *p, const f2l_extension *extension,
                              const f2l_task *task, f2l_error *err);
void f2l_extended_clear(f2l_extended *e);

static inline uint32_t f2l_extended_class(const f2l_extended *e, uint32_t g, size_t a)
{
    return e->classes.class_of[e->at[g * e->kernel + a]];
}

/* Letters up to conjugation, with what was chosen for them. */
typedef struct f2l_letter_classes {
    size_t count;
    uint32_t *class_number;   /* [count] in the group */
    uint32_t *representative; /* [count] an element */
} f2l_letter_classes;

/* Fills in the fields of *out that a found cover has: lifts[l] is the chosen a for letter class l. */
f2l_status f2l_cover_finish(f2l_cover *out, const f2l_extended *e, const f2l_group *group,
                            const f2l_classes *classes, const f2l_letter_classes *kinds, const uint8_t *lifts,
                            const uint32_t *letter, size_t letters, const f2l_task *task, f2l_error *err);

#endif
