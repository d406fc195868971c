/* Permutation-reset cascades of an automaton (T4; theory/pages/t4.md).
 *
 * A family U of subsets of Q holds Q; every member X with |X| > 1 has an ordered cover C(X) of
 * proper subsets in the family and a level lambda(X) in 1..L that increases along covers;
 * singletons have level L+1. The coordinates (c_1, .., c_L) name the chain X_1 = Q, X_{i+1} =
 * C(X_i)[c_{lambda(X_i)}], which ends in a singleton, the state.
 *
 * Level l reads the letter (a, X, Y): input letter, old and new stage, which depend on lower
 * coordinates only. If lambda(Y) = l and Xa = Y it PERMUTES: c_l <- pi(c_l), where C(X)[i] a =
 * C(Y)[pi(i)]. If lambda(Y) = l otherwise it RESETS: c_l <- the first j with Xa inside C(Y)[j]. If
 * lambda(Y) is another level it is IDLE.
 *
 * The last levels may be joined: then C(X) of the last level has {q} at the place of each member q
 * and some member at all other places, and a context MAPS: c_l <- pi(c_l), the place of q a where
 * {q} is at place c_l.
 *
 * The pass over all pairs (X, Y) that occur is a complete proof that the cascade is right (T4.3 in
 * t4.md); it never enumerates chains. Sources: Krohn and Rhodes 1965; Zeiger 1967 and Ginzburg 1968
 * for covers; holonomy after Eilenberg. */
#ifndef F2L_CASCADE_H
#define F2L_CASCADE_H

#include "automata/cascade/subsets.h"
#include "automata/fsa/fsa.h"
#include "numeric/base/task.h"

typedef enum f2l_cascade_kind {
    F2L_CASCADE_HOLONOMY, /* pure: its groups divide the transition monoid; may exceed |Q|-1 levels
                           */
    F2L_CASCADE_CAPPED,   /* at most |Q|-1 levels of at most |Q| states */
    F2L_CASCADE_ZEIGER    /* all subsets, drop one point: exactly |Q|-1 levels */
} f2l_cascade_kind;

typedef enum f2l_action {
    F2L_ACTION_IDLE,
    F2L_ACTION_PERMUTATION,
    F2L_ACTION_RESET,
    F2L_ACTION_MAP
} f2l_action;

/* One letter of a level. */
typedef struct f2l_context {
    uint32_t letter, from, to; /* a, X, Y: set ids */
    f2l_action action;
    uint32_t target;    /* reset: the new coordinate */
    size_t permutation; /* permutation, map: index of the first of its |C(X)| images in
                           f2l_level.image */
    size_t next; /* first index in f2l_level.next, which holds the context of level l+1 for every
                    old coordinate: |C(X)| entries when lambda(X) is this level, else one entry;
                    unused on the last level  */
} f2l_context;

typedef struct f2l_level {
    size_t width;                                      /* largest |C(X)| at this level */
    size_t classes;                                    /* parallel components */
    size_t maps;                                       /* contexts that map */
    size_t contexts, permutations, identities, resets; /* `contexts` is the number of all contexts;
                                                          the others count the contexts with
                                                          lambda(Y) == l by kind, and the remaining
                                                          contexts are idle */
    size_t reflections; /* largest |C| - #cycles of its permutations */
    f2l_context *context;
    size_t context_capacity;
    uint32_t *image, *next;
    size_t images, image_capacity, nexts, next_capacity;
} f2l_level;

/* Returns the coordinate of the level after context x. */
static inline uint32_t f2l_level_moved(const f2l_level *level, const f2l_context *x, uint32_t old)
{
    return x->action == F2L_ACTION_PERMUTATION || x->action == F2L_ACTION_MAP
               ? level->image[x->permutation + old]
           : x->action == F2L_ACTION_RESET ? x->target
                                           : old;
}

typedef struct f2l_cascade {
    f2l_cascade_kind kind;
    const f2l_fsa *fsa; /* borrowed */
    f2l_subsets sets;
    uint32_t *image;       /* [sets][letters] ids; F2L_NO_SET where the image is not needed */
    uint32_t *class_of;    /* [sets]; F2L_NO_SET for sets outside U */
    uint32_t *lambda;      /* [sets] 1..levels, levels + 1 for singletons, 0 outside U */
    uint32_t *cover_count; /* [sets] |C(X)| */
    size_t *cover_at;      /* [sets] */
    uint32_t *cover;       /* C(X) = cover[cover_at[X]], .. of cover_count[X] set ids */
    size_t *tau_at;        /* [sets] SIZE_MAX: none */
    uint32_t *tau; /* transport: tau[tau_at[X] + i] is the point of X for point i of the class
                      representative */
    size_t classes;
    size_t levels;
    f2l_level *level; /* [levels], level[l - 1] */
    size_t capped;    /* number of components whose cover was replaced by the cap (then their groups
                         need not divide the monoid) */
    uint32_t *place;  /* [states] of a joined last level: the coordinate of each state; else NULL */
    bool by_rank;     /* levels are numbered by set size, since longest-path levels failed */
} f2l_cascade;

void f2l_cascade_init(f2l_cascade *c);
void f2l_cascade_clear(f2l_cascade *c);

/* Builds the family, covers and levels of a trimmed automaton. They give the number of levels, or a
 * lower bound of it (the capped cover may turn out to need more). The contexts, which take most of
 * the time and memory, are not computed. *out is cleared on failure. max_sets limits the family; 0:
 * 2,000,000, or the number of sets that take about 1 GiB if this is smaller. F2L_UNKNOWN, with a
 * text that names the limit, when the family exceeds max_sets, the task's memory or effort runs
 * out, or the work is stopped. */
f2l_status f2l_cascade_family(f2l_cascade *out, const f2l_fsa *fsa, f2l_cascade_kind kind,
                              size_t max_sets, const f2l_task *task, f2l_error *err);
/* Fills the tables of a cascade built by f2l_cascade_family, and proves the cascade by the
 * stage-pair pass. *c is cleared on failure. */
f2l_status f2l_cascade_tables(f2l_cascade *c, const f2l_task *task, f2l_error *err);
/* Builds a cascade with its tables: f2l_cascade_family, then f2l_cascade_tables. */
f2l_status f2l_cascade_build(f2l_cascade *out, const f2l_fsa *fsa, f2l_cascade_kind kind,
                             size_t max_sets, const f2l_task *task, f2l_error *err);

/* Makes the cascade, with tables, whose levels from `level` on are one level that holds the point
 * itself: place[states] < places gives the coordinate of each state. Members of one set of that
 * level need different places; F2L_EDOMAIN where they have not. `of` has tables. The new cascade
 * has no classes and no transport. */
f2l_status f2l_cascade_join(f2l_cascade *out, const f2l_cascade *of, size_t level,
                            const uint32_t *place, size_t places, const f2l_task *task,
                            f2l_error *err);

typedef struct f2l_cascade_size {
    size_t levels;
    size_t states;   /* sum of the levels' widths */
    size_t contexts; /* permutations, identities and resets, without idle contexts */
} f2l_cascade_size;

/* Computes the size of the cascade. */
void f2l_cascade_measure(f2l_cascade_size *out, const f2l_cascade *c);
/* Compares by levels, then states, then contexts; returns a negative number when a is smaller, 0
 * when equal. */
int f2l_cascade_compare(const f2l_cascade_size *a, const f2l_cascade_size *b);

/* Builds holonomy and the capped cover; *out is the smaller cascade (holonomy when they are equal,
 * since it is pure) and *other the other. When one cascade exceeds its limits, *other is left
 * cleared (other->fsa == NULL) and *reason, which may be NULL, names the limit; F2L_UNKNOWN when
 * both exceed their limits. */
f2l_status f2l_cascade_build_smaller(f2l_cascade *out, f2l_cascade *other, f2l_error *reason,
                                     const f2l_fsa *fsa, size_t max_sets, const f2l_task *task,
                                     f2l_error *err);

/* Returns "holonomy", "capped" or "zeiger". */
const char *f2l_cascade_kind_name(f2l_cascade_kind kind);

/* Writes the coordinates [levels] of the first chain that ends in `state`; a level that the chain
 * skips has coordinate 0. */
void f2l_cascade_encode(const f2l_cascade *c, size_t state, uint32_t *coordinate);
/* Returns the state at the end of the chain of these coordinates. */
size_t f2l_cascade_decode(const f2l_cascade *c, const uint32_t *coordinate);
/* Replaces the coordinates by the coordinates after the letter, by the tables. */
void f2l_cascade_step(const f2l_cascade *c, size_t letter, uint32_t *coordinate);

#endif
