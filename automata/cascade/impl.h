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

/* Finds cells by blocks (G.2): image[generators][n] act transitively on n points. *found is false
 * when no chain was found, which does not happen when the order of the group is a power of a prime.
 * Initialises *out. */
f2l_status f2l_refine_blocks(f2l_refine_cells *out, bool *found, const uint32_t *image,
                             size_t generators, size_t n, const f2l_task *task, f2l_error *err);

/* Finds cells by a composition series (G.3); *solvable is false when no series has cyclic factors
 * only. */
f2l_status f2l_refine_series(f2l_refine_cells *out, bool *solvable, const f2l_group *g,
                             const f2l_task *task, f2l_error *err);

/* Private to automata/cascade: growing the family while it is built. */

typedef struct f2l_builder {
    f2l_cascade *c;
    const f2l_task *task;
    f2l_meter meter; /* counts the builder's own work; the caller names the phase */
    size_t max_sets;
    size_t room;   /* number of sets for which the per-set arrays have room */
    size_t filled; /* number of sets whose per-set entries are initialised */
    size_t covers, cover_capacity, taus, tau_capacity;
    uint64_t *scratch;  /* one set */
    uint32_t *position; /* [states] scratch: position of a point in the transport of a set */
} f2l_builder;

f2l_status f2l_builder_init(f2l_builder *b, f2l_cascade *c, const f2l_fsa *fsa, size_t max_sets,
                            const f2l_task *task, f2l_error *err);
void f2l_builder_clear(f2l_builder *b);

/* Adds the set unless present, with its per-set entries, and sets *id. */
f2l_status f2l_builder_add(f2l_builder *b, const uint64_t *set, uint32_t *id, f2l_error *err);
f2l_status f2l_builder_add_all_states(f2l_builder *b, uint32_t *id, f2l_error *err);
f2l_status f2l_builder_add_singleton(f2l_builder *b, size_t state, uint32_t *id, f2l_error *err);
/* Sets *id to the id of Xa, which is also stored in c->image. */
f2l_status f2l_builder_image(f2l_builder *b, uint32_t set, size_t letter, uint32_t *id,
                             f2l_error *err);

/* Set tau of a set: to its points in increasing order (for representatives), along a letter from
 * `from` to `to`, or back along a letter. */
f2l_status f2l_builder_tau_identity(f2l_builder *b, uint32_t set, f2l_error *err);
f2l_status f2l_builder_tau_forward(f2l_builder *b, uint32_t from, size_t letter, uint32_t to,
                                   f2l_error *err);
f2l_status f2l_builder_tau_back(f2l_builder *b, uint32_t from, size_t letter, uint32_t to,
                                f2l_error *err);
/* Sets b->position[tau_X[i]] = i for all i. */
void f2l_builder_positions(f2l_builder *b, uint32_t set);

/* Sets the cover of X: the masks, sets of positions in its representative, transported by tau_X. */
f2l_status f2l_builder_cover(f2l_builder *b, uint32_t set, const f2l_subsets *masks,
                             f2l_error *err);

/* Returns F2L_UNKNOWN when the memory of the builder and `more` bytes exceed the task's memory. */
f2l_status f2l_builder_memory(const f2l_builder *b, size_t more, f2l_error *err);

/* Writes into `order` (room for all) the ids of the masks that are maximal by inclusion, largest
 * first, ties by value. */
f2l_status f2l_maximal_masks(const f2l_subsets *masks, uint32_t *order, size_t *count,
                             f2l_meter *meter, f2l_error *err);

/* Numbers levels by longest paths over classes (cover edges, and image edges between classes in the
 * family); sets *acyclic to false when there is a cycle. */
f2l_status f2l_cascade_levels_longest(f2l_cascade *c, bool *acyclic, const f2l_task *task,
                                      f2l_error *err);
/* Numbers levels by decreasing set size. */
f2l_status f2l_cascade_levels_rank(f2l_cascade *c, const f2l_task *task, f2l_error *err);

f2l_status f2l_build_holonomy(f2l_builder *b, f2l_error *err);
f2l_status f2l_build_capped(f2l_builder *b, f2l_error *err);
f2l_status f2l_build_zeiger(f2l_builder *b, f2l_error *err);

/* Runs the stage-pair pass, which fills the tables. F2L_REFUTED (with the pair in err) when a
 * condition fails, so that levels can be renumbered. */
f2l_status f2l_cascade_table(f2l_cascade *c, const f2l_task *task, f2l_error *err);
void f2l_cascade_table_clear(f2l_cascade *c);

#endif
