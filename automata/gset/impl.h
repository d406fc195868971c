/* What the files of the representation search share. */
#ifndef F2L_AUTOMATA_GSET_IMPL_H
#define F2L_AUTOMATA_GSET_IMPL_H

#include "automata/gset/gset.h"
#include "numeric/base/index.h"

/* The elementary steps that remain, and the task that is polled now and then. */
typedef struct f2l_gset_work {
    uint64_t left, since_poll;
    const f2l_task *task;
    bool stopped;      /* steps were refused: the search is incomplete */
    f2l_status status; /* not F2L_OK: the task was stopped, and the search must return this status
                        */
    f2l_error *err;
} f2l_gset_work;

/* Counts `steps`; returns false when fewer are left or the task is stopped. */
bool f2l_gset_work_spend(f2l_gset_work *work, uint64_t steps);

/* Letters acting on {0, .., points-1} by permutations. */
typedef struct f2l_gset_action {
    size_t letters, points;
    uint32_t *image; /* [letters][points] */
} f2l_gset_action;

f2l_status f2l_gset_action_init(f2l_gset_action *action, size_t letters, size_t points,
                                f2l_error *err);
void f2l_gset_action_clear(f2l_gset_action *action);
/* Returns the number of cycles of the letter; points - cycles is the number of reflections that it
 * needs. `seen` is scratch of `points` bytes. */
size_t f2l_gset_action_cycles(const f2l_gset_action *action, size_t letter, uint8_t *seen);

/* A set of letters; owns its arrays. */
typedef struct f2l_gset_letters {
    size_t count;
    uint32_t *letter; /* room for all */
    uint8_t *has;     /* [letters] */
} f2l_gset_letters;

f2l_status f2l_gset_letters_init(f2l_gset_letters *some, size_t letters, f2l_error *err);
void f2l_gset_letters_clear(f2l_gset_letters *some);
void f2l_gset_letters_add(f2l_gset_letters *some, size_t letter); /* no change when present */

/* Returns the size of a set of states, given as bits. */
#define F2L_GSET_WORDS(states) (((states) + 63) / 64)
size_t f2l_gset_bits_count(const uint64_t *bits, size_t states);

/* Computes (T3.2) colour[q * points + p] for all states and points under the given letters, which
 * must act transitively on the states. A colour is the number of the least point p' with
 * colour(start, p') equal. `regular`: only the identity fixes a state, so that all points have
 * different colours. Returns false when the work or the memory ran out (work->status). */
bool f2l_gset_colours(uint32_t *colour, const f2l_gset_action *states, size_t start,
                      const f2l_gset_action *points, const f2l_gset_letters *some, bool regular,
                      f2l_gset_work *work);

/* Sets `same` to the states whose row equals the row of the start, after mapping colours by value[]
 * unless value is NULL. By T3.3 these states are a block, and all rows are distinct if and only if
 * the block holds the start only. */
void f2l_gset_colours_same(uint64_t *same, const uint32_t *colour, const uint32_t *value,
                           size_t states, size_t points, size_t start);

/* A block system of a transitive action; owns its arrays. */
typedef struct f2l_gset_blocks {
    size_t blocks;
    uint32_t *label;        /* [points of the action], blocks numbered by their first point */
    f2l_gset_action action; /* action of all letters on the blocks */
    uint64_t *key;          /* [blocks] sum of the hashes of the points of each block */
    size_t tried;           /* merges of block 0 with blocks 1 .. tried were explored */
} f2l_gset_blocks;

void f2l_gset_blocks_clear(f2l_gset_blocks *system);

/* The block systems of one transitive action, explored by merging. */
typedef struct f2l_gset_lattice {
    const f2l_gset_action *base;
    f2l_gset_letters *some; /* letters that are used to close merges; grows when another letter
                               turns out to be needed */
    f2l_gset_work *work;
    uint32_t *parent, *size, *queue; /* scratch */
    uint64_t *key;                   /* [met.count] keys of the systems found so far */
    size_t key_room;
    f2l_index met; /* hashed set of the keys */
} f2l_gset_lattice;

f2l_status f2l_gset_lattice_init(f2l_gset_lattice *lattice, const f2l_gset_action *base,
                                 f2l_gset_letters *some, f2l_gset_work *work, f2l_error *err);
void f2l_gset_lattice_clear(f2l_gset_lattice *lattice);

/* Builds the system of singletons. */
f2l_status f2l_gset_lattice_trivial(f2l_gset_blocks *out, const f2l_gset_lattice *lattice,
                                    f2l_error *err);

/* Builds the finest system above `fine` that joins the blocks 0 and j of `fine`. out->blocks is 0,
 * and nothing is allocated, when this system is a single block, when `skip_met` and the system was
 * found before, or when the work ran out. */
f2l_status f2l_gset_lattice_merge(f2l_gset_blocks *out, f2l_gset_lattice *lattice,
                                  const f2l_gset_blocks *fine, size_t j, bool skip_met,
                                  f2l_error *err);

/* A quotient of a base action that the search keeps. */
typedef struct f2l_gset_candidate {
    size_t base, blocks, reflections;
    uint32_t *label; /* [points of the base] */
    uint64_t *same;  /* result of f2l_gset_colours_same */
    uint32_t *load;  /* [letters] reflections of every letter; the largest is `reflections` */
} f2l_gset_candidate;

typedef struct f2l_gset_pool {
    f2l_gset_candidate *item;
    size_t count, capacity;
    size_t bytes;
} f2l_gset_pool;

void f2l_gset_pool_clear(f2l_gset_pool *pool);

/* Some candidates whose sets `same` intersect in the start only. */
typedef struct f2l_gset_choice {
    size_t count;
    size_t *item; /* pool indices */
    size_t points, reflections;
} f2l_gset_choice;

void f2l_gset_choice_clear(f2l_gset_choice *choice);

/* Replaces *best by a jointly faithful choice of pool items that is cheaper in (points, reflections
 * of the worst letter); *best is unchanged when none was found. Sets *complete when no choice has
 * fewer points. */
f2l_status f2l_gset_pool_choose(f2l_gset_choice *best, bool *complete, const f2l_gset_pool *pool,
                                size_t states, size_t letters, f2l_gset_work *work, f2l_error *err);

/* The actions that are searched for representations. */
typedef struct f2l_gset_bases {
    const f2l_fsa *fsa;
    f2l_reach reach;
    /* [bases]: the states, then the other orbits of a group form's points, then, from `sets` on,
     * orbits of sets of points of earlier bases */
    f2l_gset_action *base;
    size_t bases, sets;
    size_t group;               /* the group acting on itself; 0: it is not among them */
    f2l_gset_letters some, all; /* `some` act transitively on the states */
    size_t moved;               /* number of points of bases 1, 2, .. */
    size_t least_points, least_reflections; /* lower bounds for any representation: T3.6 */
} f2l_gset_bases;

f2l_status f2l_gset_bases_init(f2l_gset_bases *bases, const f2l_fsa *fsa, f2l_error *err);
void f2l_gset_bases_clear(f2l_gset_bases *bases);

/* Adds orbits of sets of points, of fewer than `most` sets: for the bases there are, then for those
 * added, up to F2L_GSET_BASES of them. */
#define F2L_GSET_BASES 24
f2l_status f2l_gset_bases_add_sets(f2l_gset_bases *bases, size_t most, f2l_gset_work *work,
                                   f2l_error *err);

/* A search and its results. The caller fills in the first group of fields. */
typedef struct f2l_gset_search {
    f2l_gset_bases *bases;
    size_t searched;            /* bases that were searched before; the pool has their quotients */
    bool regular;               /* only the identity fixes a state */
    size_t entries;             /* limit on the entries of a colour matrix */
    size_t points, reflections; /* figures of the best single representation found */

    f2l_gset_pool pool;
    bool complete;  /* every block system was found */
    size_t skipped; /* fewest blocks of a system too large to colour */
    uint32_t *colour;
    size_t colour_entries;
    uint8_t *seen; /* [max points of a base] */
} f2l_gset_search;

/* Runs the search, which fills the pool. */
f2l_status f2l_gset_search_run(f2l_gset_search *search, f2l_gset_work *work, f2l_error *err);
void f2l_gset_search_clear(f2l_gset_search *search);

/* A chosen quotient of a base, label borrowed; label NULL: the base itself. */
typedef struct f2l_gset_part {
    size_t base, blocks;
    const uint32_t *label;
} f2l_gset_part;

/* Builds points, images and orbits of *out (empty), one orbit for each part. */
f2l_status f2l_gset_assemble(f2l_gset *out, const f2l_gset_action *base, const f2l_gset_part *part,
                             size_t parts, f2l_error *err);

/* Sets the code in which all points of an orbit differ; correct if only the identity fixes a state.
 */
void f2l_gset_code_all(f2l_gset *g);

/* Sets the code from the colours of states x points: in every orbit an indicator where an indicator
 * suffices. *apart is false when the rows are not distinct. */
f2l_status f2l_gset_code(f2l_gset *g, bool *apart, const uint32_t *colour, size_t states,
                         size_t start, f2l_error *err);

#endif
