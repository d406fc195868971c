/* What the files of automata/cascade share; private to this folder. */
#ifndef F2L_AUTOMATA_CASCADE_IMPL_H
#define F2L_AUTOMATA_CASCADE_IMPL_H

#include "automata/cascade/cascade.h"
#include "automata/cascade/refine.h"
#include "numeric/base/mem.h"

/* The two ways to find cells; private to refine*.c. Statements: theory/pages/diagonal.md. */

#define F2L_REFINE_CELLS 32

/* Cells of the points of an orbit, or of the elements of a group. */
typedef struct f2l_refine_cells {
    size_t cells;
    uint32_t prime[F2L_REFINE_CELLS];
    uint32_t *digit; /* [points or elements][F2L_REFINE_CELLS] */
} f2l_refine_cells;

void f2l_refine_cells_clear(f2l_refine_cells *c);

/* By blocks (G.2): image[generators][n] act transitively on n points. *found is false when no chain
 * was found; this does not happen where the group's order is a power of a prime. *out is
 * initialised by it. */
f2l_status f2l_refine_blocks(f2l_refine_cells *out, bool *found, const uint32_t *image,
                             size_t generators, size_t n, const f2l_task *task, f2l_error *err);

/* By a composition series (G.3); *solvable is false when there is none with cyclic factors. */
f2l_status f2l_refine_series(f2l_refine_cells *out, bool *solvable, const f2l_group *g,
                             const f2l_task *task, f2l_error *err);

/* Private to automata/cascade: growing the family while it is built. */

typedef struct f2l_builder {
    f2l_cascade *c;
    const f2l_task *task;
    f2l_meter meter; /* of what the builder does itself; who uses it names the phase */
    size_t max_sets;
    size_t room;   /* sets the per-set arrays have room for */
    size_t filled; /* sets whose per-set entries are initialised */
    size_t covers, cover_capacity, taus, tau_capacity;
    uint64_t *scratch;  /* one set */
    uint32_t *position; /* [states] scratch: where a point stands in the transport of a set */
} f2l_builder;

f2l_status f2l_builder_init(f2l_builder *b, f2l_cascade *c, const f2l_fsa *fsa, size_t max_sets,
                            const f2l_task *task, f2l_error *err);
void f2l_builder_clear(f2l_builder *b);

/* The set's id, with its per-set entries ready. */
f2l_status f2l_builder_add(f2l_builder *b, const uint64_t *set, uint32_t *id, f2l_error *err);
f2l_status f2l_builder_add_all_states(f2l_builder *b, uint32_t *id, f2l_error *err);
f2l_status f2l_builder_add_singleton(f2l_builder *b, size_t state, uint32_t *id, f2l_error *err);
/* The id of Xa, remembered in c->image. */
f2l_status f2l_builder_image(f2l_builder *b, uint32_t set, size_t letter, uint32_t *id,
                             f2l_error *err);

/* tau_X from the points in increasing order (representatives), along a letter, or back along a
 * letter. */
f2l_status f2l_builder_tau_identity(f2l_builder *b, uint32_t set, f2l_error *err);
f2l_status f2l_builder_tau_forward(f2l_builder *b, uint32_t from, size_t letter, uint32_t to,
                                   f2l_error *err);
f2l_status f2l_builder_tau_back(f2l_builder *b, uint32_t from, size_t letter, uint32_t to,
                                f2l_error *err);
/* b->position[tau_X[i]] = i. */
void f2l_builder_positions(f2l_builder *b, uint32_t set);

/* Gives X the cover that the masks over positions of its representative make, transported by tau_X.
 */
f2l_status f2l_builder_cover(f2l_builder *b, uint32_t set, const f2l_subsets *masks,
                             f2l_error *err);

/* F2L_UNKNOWN when what the builder holds, and `more` bytes, exceed the task's memory. */
f2l_status f2l_builder_memory(const f2l_builder *b, size_t more, f2l_error *err);

/* Maximal masks by inclusion among all of `masks`, largest first, ties by value: ids into `order`
 * (room for all). */
f2l_status f2l_maximal_masks(const f2l_subsets *masks, uint32_t *order, size_t *count,
                             f2l_meter *meter, f2l_error *err);

/* Longest-path levels over classes (cover edges, and image edges between classes in the family);
 * false in *acyclic when there is none. */
f2l_status f2l_cascade_levels_longest(f2l_cascade *c, bool *acyclic, const f2l_task *task,
                                      f2l_error *err);
/* Levels by decreasing set size. */
f2l_status f2l_cascade_levels_rank(f2l_cascade *c, const f2l_task *task, f2l_error *err);

f2l_status f2l_build_holonomy(f2l_builder *b, f2l_error *err);
f2l_status f2l_build_capped(f2l_builder *b, f2l_error *err);
f2l_status f2l_build_zeiger(f2l_builder *b, f2l_error *err);

/* The stage-pair pass. F2L_REFUTED (with the pair in err) when a condition fails, so that levels
 * can be renumbered. */
f2l_status f2l_cascade_table(f2l_cascade *c, const f2l_task *task, f2l_error *err);
void f2l_cascade_table_clear(f2l_cascade *c);

#endif
