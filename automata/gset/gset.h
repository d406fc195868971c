/* Permutation representations of the transition group of a permutation automaton, for T3: finite
 * sets on which every letter acts by a permutation, found among the points of a group form, its
 * orbits, block systems, and orbits of sets of states.
 *
 * No group is enumerated. A representation Omega can carry the automaton iff the colouring below
 * tells states apart: colour(q, p) is the orbit of (q, p) under all letters acting on Q x Omega. It
 * is equivariant, colour(q a, p a) = colour(q, p), so that the permutation of letter a takes the
 * vector (colour(q, p))_p of state q to the vector of state q a (theory/pages/t3.md, T3.2). */
#ifndef F2L_GSET_H
#define F2L_GSET_H

#include "automata/fsa/fsa.h"

typedef struct f2l_gset {
    size_t letters, points;
    uint32_t *image; /* [letters][points] */
    size_t orbits;   /* points are numbered orbit by orbit */
    size_t *orbit;   /* [orbits + 1] first point of every orbit, then `points` */
    size_t colours; /* number of values of the code, 0 .. colours-1; 2 when an indicator suffices */
    /* [points] colours of the start state: H_0 before scaling. Colours are numbered in every orbit
     * separately, two colours from 0 (an indicator), more from 1; equal codes are allowed. */
    uint32_t *code;
    char origin[160]; /* the origin of the set, for the report: "the 5 points of the file", "5
                         blocks of 24 states", ... */
    bool exhausted;   /* false: the search for a smaller one stopped at its work limit */
} f2l_gset;

void f2l_gset_init(f2l_gset *g);
void f2l_gset_clear(f2l_gset *g);

/* The states that are reachable from the start, in increasing order; owns its arrays. */
typedef struct f2l_reach {
    size_t states, start; /* start: position of the start state among them */
    uint32_t *state;      /* [states] numbers in the automaton */
    uint32_t *position;   /* [fsa states], UINT32_MAX where unreachable */
} f2l_reach;

/* Finds the reachable states. */
f2l_status f2l_reach_init(f2l_reach *reach, const f2l_fsa *fsa, f2l_error *err);
void f2l_reach_clear(f2l_reach *reach);

/* Adds the labels of the reached states to `labels`, by first appearance in state order, and sets
 * *start to the number of the start's label. label_of [fsa states], which may be NULL, gets the
 * number of each reached state's label. */
f2l_status f2l_reach_labels(f2l_names *labels, size_t *start, uint32_t *label_of,
                            const f2l_reach *reach, const f2l_fsa *fsa, f2l_label label,
                            f2l_error *err);

/* A letter that does not permute the states, and two states that it merges, state1 < state2. */
typedef struct f2l_merge {
    size_t letter, state1, state2;
} f2l_merge;

/* Returns true when every letter permutes the states reachable from the start; else returns false
 * and sets *merge (may be NULL). When memory is out: false with merge->letter = F2L_NO_INDEX. */
bool f2l_fsa_is_permutation(const f2l_fsa *fsa, f2l_merge *merge);

/* Returns F2L_EDOMAIN with a text that names the letter and the states it merges (or F2L_ENOMEM).
 */
f2l_status f2l_merge_fail(const f2l_fsa *fsa, const f2l_merge *merge, f2l_error *err);

/* Finds a small representation: fewest points, then fewest reflections of the worst letter, among
 * those searched. Unreachable states are ignored; F2L_EDOMAIN (f2l_merge_fail) when a letter merges
 * reachable states. `work` limits the elementary steps of the search (0: 2*10^8). At worst the
 * result is the states themselves (code: indicator of the start) or, for a group form that tracks
 * elements, the points of the file; F2L_UNKNOWN only when the task is stopped. */
f2l_status f2l_gset_smallest(f2l_gset *out, const f2l_fsa *fsa, uint64_t work, const f2l_task *task,
                             f2l_error *err);

#endif
