/* The two ways to find cells; private to refine*.c. Statements: theory/pages/diagonal.md. */
#ifndef F2L_REFINE_IMPL_H
#define F2L_REFINE_IMPL_H

#include "automata/cascade/refine.h"

#define F2L_REFINE_CELLS 32

/* Cells of the points of an orbit, or of the elements of a group. */
typedef struct f2l_refine_cells {
    size_t cells;
    uint32_t prime[F2L_REFINE_CELLS];
    uint32_t *digit; /* [points or elements][F2L_REFINE_CELLS] */
} f2l_refine_cells;

void f2l_refine_cells_clear(f2l_refine_cells *c);

/* By blocks (G.2): image[generators][n] act transitively on n points. *found is false when no chain was found; this
 * does not happen where the group's order is a power of a prime. *out is initialised by it. */
f2l_status f2l_refine_blocks(f2l_refine_cells *out, bool *found, const uint32_t *image, size_t generators,
                             size_t n, const f2l_task *task, f2l_error *err);

/* By a composition series (G.3); *solvable is false when there is none with cyclic factors. */
f2l_status f2l_refine_series(f2l_refine_cells *out, bool *solvable, const f2l_group *g, const f2l_task *task,
                             f2l_error *err);

#endif
