/* Cascades whose last levels are one layer (R4.8 in theory/pages/contraction.md).
 *
 * What the levels from `level` on hold together is the point q of the stage X that enters them.
 * They read (a, X, Y), which leads the points of X to points of Y. One layer does this with one
 * code for each state where a form has S_a >= 0 on the differences within X for all (a, X), and
 * separates the points of each stage: it is a contraction on X, and need not be one on all states.
 */
#ifndef F2L_JOINED_H
#define F2L_JOINED_H

#include "automata/cascade/cascade.h"
#include "theory/construct/contraction/head.h"

/* The most letters (a, X), no two of which have the same a and one X in the other. */
#define F2L_JOINED_LETTERS 64

typedef struct f2l_joined {
    f2l_cascade cascade; /* with the joined level; zero once it was taken over */
    size_t levels;       /* of the cascade that it was made of */
    f2l_contraction codes;
    uint32_t *letter; /* [contexts of the last level] their letters in `codes` */
    size_t *state;    /* [places] a state that has the code */
    size_t start;     /* place of the start state */
} f2l_joined;

/* Finds the first level that can be joined with all later ones, from 2 and `first` on and, unless
 * it is 0, below `below`. `of` has tables. F2L_EDOMAIN where there is none before the last level;
 * F2L_UNKNOWN at a limit. *out is zero at first, and is cleared on failure. */
f2l_status f2l_joined_find(f2l_joined *out, const f2l_cascade *of, size_t first, size_t below,
                           const f2l_task *task, f2l_error *err);
void f2l_joined_clear(f2l_joined *joined);

/* Builds the layer of the last level: f2l_t4_last.build, where `joined` is the context. */
f2l_status f2l_joined_layer(f2l_layer *layer, const void *joined, f2l_error *err);

#endif
