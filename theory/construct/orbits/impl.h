/* The parts of the search for slots on a cover; private to this folder. */
#ifndef F2L_ORBITS_IMPL_H
#define F2L_ORBITS_IMPL_H

#include "numeric/base/index.h"
#include "numeric/base/rng.h"
#include "theory/construct/orbits/orbits.h"

#define F2L_ORBITS_ORDER 120
#define F2L_ORBITS_PLACES 24 /* most places of an orbit */
#define F2L_ORBITS_CONFLICTS 512

/* --- rows of bytes --- */

/* A hashed set of rows of equal length, numbered in the order of adding. */
typedef struct f2l_orbits_rows {
    size_t width, count, capacity;
    uint8_t *byte; /* [capacity][width] */
    f2l_index index;
} f2l_orbits_rows;

/* Adds the row unless it is there; *number is its number. */
f2l_status f2l_orbits_rows_add(size_t *number, f2l_orbits_rows *rows, const void *row,
                               f2l_error *err);
void f2l_orbits_rows_clear(f2l_orbits_rows *rows);

/* --- states that are possible at vertices --- */

/* A vertex with a state that some word leads to, and how it was first met. */
typedef struct f2l_orbits_pair {
    uint32_t vertex, state, before, letter;
} f2l_orbits_pair;

typedef struct f2l_orbits_reach {
    size_t words;          /* of a set of states */
    uint64_t *possible;    /* [vertices][words] */
    size_t *states;        /* [vertices] number of states that are possible there */
    f2l_orbits_pair *pair; /* [pairs] breadth first; pair 0 is the start */
    size_t pairs;
} f2l_orbits_reach;

f2l_status f2l_orbits_reach_find(f2l_orbits_reach *out, const f2l_orbits_graph *graph,
                                 const f2l_task *task, f2l_error *err);
void f2l_orbits_reach_clear(f2l_orbits_reach *reach);

static inline bool f2l_orbits_possible(const f2l_orbits_reach *reach, size_t vertex, size_t state)
{
    return reach->possible[vertex * reach->words + state / 64] >> (state % 64) & 1;
}

/* --- groups --- */

/* A permutation for every edge, and the group that they generate. Elements are numbered breadth
 * first; element 0 is 1. */
typedef struct f2l_orbits_group {
    size_t degree, order, generators;
    uint8_t generator[F2L_ORBITS_ORDER][F2L_ORBITS_POINTS]; /* distinct permutations */
    uint8_t element[F2L_ORBITS_ORDER][F2L_ORBITS_POINTS];
    uint8_t step[F2L_ORBITS_ORDER][F2L_ORBITS_ORDER]; /* [order][generators] element, then generator
                                                       */
    uint8_t before[F2L_ORBITS_ORDER], by[F2L_ORBITS_ORDER]; /* element = before, then generator */
    uint8_t *of_edge; /* [edges] generator; owned by the caller */
} f2l_orbits_group;

/* Generates the group; false where it has more than F2L_ORBITS_ORDER elements. */
bool f2l_orbits_generate(f2l_orbits_group *group);

/* Returns the generator that is this permutation, which is added where it is new. */
uint8_t f2l_orbits_add_generator(f2l_orbits_group *group, const uint8_t *permutation);

/* A loop that does not act as an idempotent: a group that takes it to 1 fails. */
#define F2L_ORBITS_LOOPS 32 /* most loops that are kept */
#define F2L_ORBITS_LOOP_EDGES 31
typedef struct f2l_orbits_loop {
    uint16_t edge[F2L_ORBITS_LOOP_EDGES], edges; /* below F2L_ORBITS_MAX_EDGES */
} f2l_orbits_loop;

/* What the tests of loops work with. */
typedef struct f2l_orbits_loops {
    const f2l_orbits_graph *graph;
    const f2l_orbits_maps *maps;
    const f2l_orbits_reach *reach;
    f2l_meter meter;
    uint64_t *met;                          /* [limit / 64 + 1] bits */
    uint32_t *queue;                        /* [limit] */
    size_t limit;                           /* vertices, elements and maps, multiplied */
    f2l_orbits_loop loop[F2L_ORBITS_LOOPS]; /* that were found, the last one to refute first */
    size_t kept;
} f2l_orbits_loops;

/* Marks a place as met; returns whether it was not. */
static inline bool f2l_orbits_loops_meet(f2l_orbits_loops *loops, size_t place)
{
    uint64_t *word = &loops->met[place / 64];
    const uint64_t bit = UINT64_C(1) << place % 64;
    const bool new = !(*word & bit);
    *word |= bit;
    return new;
}

/* Forgets the places in the queue, of all that there are: no others are met. */
void f2l_orbits_loops_forget(f2l_orbits_loops *loops, size_t count, size_t places);

/* Returns whether a loop that was found before, of the letters that `letter` has, refutes the group
 * with these generators, which need not be generated. */
bool f2l_orbits_loops_refute(f2l_orbits_loops *loops, const f2l_orbits_group *group,
                             const bool *letter);

/* Sets *all to whether all loops of the letters below `letters` that the group takes to 1 act as
 * idempotents on the states possible at their vertex. */
f2l_status f2l_orbits_loops_test(bool *all, f2l_orbits_loops *loops, const f2l_orbits_group *group,
                                 const bool *letter, f2l_error *err);

/* Calls `found` for groups whose loops are idempotent, by few points first, until it returns a
 * status other than F2L_OK or sets *done. */
typedef f2l_status f2l_orbits_found(bool *done, void *context, const f2l_orbits_group *group,
                                    f2l_error *err);
f2l_status f2l_orbits_groups_search(f2l_orbits_loops *loops, f2l_orbits_found *found, void *context,
                                    f2l_error *err);

/* Does the same for groups whose permutations belong to edges, by chance; *done is set as there. */
f2l_status f2l_orbits_edges_search(bool *done, f2l_orbits_loops *loops, f2l_orbits_found *found,
                                   void *context, f2l_error *err);

/* Does the same for the group of order 1 or 2 whose permutations belong to edges, which is decided.
 */
f2l_status f2l_orbits_signs_search(bool *done, f2l_orbits_loops *loops, f2l_orbits_found *found,
                                   void *context, f2l_error *err);

/* --- transitive sets --- */

typedef struct f2l_orbits_set {
    size_t places;
    bool regular;                                    /* the places are the elements of the group */
    uint8_t to[F2L_ORBITS_ORDER][F2L_ORBITS_PLACES]; /* [generators][places] */
    uint8_t from[F2L_ORBITS_ORDER][F2L_ORBITS_PLACES]; /* the inverses */
    uint8_t ring[F2L_ORBITS_ORDER][F2L_ORBITS_PLACES]; /* the first place on the same cycle */
    uint8_t rings[F2L_ORBITS_ORDER];                   /* number of cycles */
} f2l_orbits_set;

/* Lists transitive sets of the group, of at most F2L_ORBITS_PLACES places, no two alike, small ones
 * first; *sets, owned, has *count. */
f2l_status f2l_orbits_sets_list(f2l_orbits_set **sets, size_t *count, const f2l_orbits_group *group,
                                f2l_error *err);

/* --- orbits of slots --- */

/* An orbit: the slots at the places of a transitive set, and what edges write into them. */
typedef struct f2l_orbits_orbit {
    uint16_t set;
    uint8_t initial; /* 0, F2L_ORBITS_HALF, or 1: place 0 holds 1 and others 0 */
    bool by_letter;  /* writes depend on the letter of the edge only */
    uint32_t weight; /* factors that it takes at most */
    size_t at;       /* first of its writes in the pool: [edges or letters][places] */
} f2l_orbits_orbit;

#define F2L_ORBITS_KEEP 2 /* in place of a constant that is written */

/* The writes of the orbits of a set that are by edge, or of those by letter, one bit for each
 * orbit, so that many orbits are followed at a time. */
typedef struct f2l_orbits_plane {
    size_t count, words;  /* orbits; of a row of bits */
    uint32_t *orbit;      /* [count] their numbers */
    uint64_t *write[2];   /* [cells][words] the orbits that write 0 or 1 in a cell: an edge or a
                           * letter, and a place before it */
    uint64_t *half, *one; /* [words] what is F2L_ORBITS_HALF, or 1 at place 0, at first */
} f2l_orbits_plane;

typedef struct f2l_orbits_pool {
    const f2l_orbits_graph *graph;
    const f2l_orbits_group *group;
    const uint8_t *edge_met; /* [edges] */
    f2l_orbits_set *set;     /* [sets] owned */
    size_t sets;
    f2l_orbits_orbit *orbit; /* [orbits] */
    size_t orbits, capacity;
    uint8_t *write; /* [writes] constants, at the place before the edge, or F2L_ORBITS_KEEP */
    size_t writes, write_capacity;
    uint64_t *mask; /* [orbits][F2L_ORBITS_CONFLICTS / 64] conflicts that the orbit separates */
    f2l_orbits_plane *plane; /* [sets][2] by edge and by letter */
    size_t conflicts;
    f2l_meter meter;
} f2l_orbits_pool;

/* Lists the sets of the group and the orbits; graph, group, edge_met and meter are set. */
f2l_status f2l_orbits_pool_fill(f2l_orbits_pool *pool, f2l_error *err);
void f2l_orbits_pool_clear(f2l_orbits_pool *pool);

static inline const uint8_t *f2l_orbits_writes(const f2l_orbits_pool *pool,
                                               const f2l_orbits_orbit *orbit, size_t edge)
{
    const size_t row = orbit->by_letter ? edge % pool->graph->letters : edge;
    return pool->write + orbit->at + row * pool->set[orbit->set].places;
}

/* Returns the factors that the orbit takes at an edge: exchanges and writes. */
size_t f2l_orbits_cost(const f2l_orbits_pool *pool, const f2l_orbits_orbit *orbit, size_t edge);

/* Two words, as edges, that have the same last edge, and different targets. */
typedef struct f2l_orbits_conflict {
    uint32_t *word[2];
    size_t letters[2];
} f2l_orbits_conflict;

/* Makes the planes and the masks of all orbits. */
f2l_status f2l_orbits_planes_make(f2l_orbits_pool *pool, f2l_error *err);
void f2l_orbits_planes_clear(f2l_orbits_pool *pool);

/* Makes the planes and the masks of all orbits. */
f2l_status f2l_orbits_planes_make(f2l_orbits_pool *pool, f2l_error *err);
void f2l_orbits_planes_clear(f2l_orbits_pool *pool);

/* Adds a conflict: finds the orbits that separate it. *any: there is one. */
f2l_status f2l_orbits_pool_separate(bool *any, f2l_orbits_pool *pool,
                                    const f2l_orbits_conflict *conflict, f2l_error *err);

/* Chooses orbits that separate all conflicts, with few factors; *count at most
 * F2L_ORBITS_CHOSEN, 0: none were found. Only choices with fewer than `below` factors count. */
#define F2L_ORBITS_CHOSEN 12
f2l_status f2l_orbits_choose(uint32_t *chosen, size_t *count, f2l_orbits_pool *pool, size_t below,
                             f2l_error *err);

/* --- closures --- */

/* Sets the letters, slots, sources and flips of *out as the chosen orbits have them, and *initial,
 * owned by the caller. */
f2l_status f2l_orbits_wire(f2l_orbits *out, uint8_t **initial, const f2l_orbits_pool *pool,
                           const uint32_t *chosen, size_t count, f2l_error *err);

/* A closure that goes on after conflicts: it hands each to `report`, up to `most`. */
typedef struct f2l_orbits_report {
    f2l_status (*add)(void *context, const f2l_orbits_conflict *conflict, f2l_error *err);
    void *context;
    size_t most, found;
} f2l_orbits_report;

f2l_status f2l_orbits_close_with(f2l_orbits *out, const f2l_orbits_graph *graph,
                                 const uint8_t *initial, size_t most, f2l_orbits_report *report,
                                 const f2l_task *task, f2l_error *err);

#endif
