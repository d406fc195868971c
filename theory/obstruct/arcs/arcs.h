/* A lower bound on the number of layers by arcs (theory/pages/layers.md, FK.10).
 *
 * The arc from i to j of a set X of states is the map of X that sends i to j and fixes the others.
 * If words act as arcs both ways along the edges of a connected graph on X, if X has three states
 * or more, and no two of them are equivalent, then |X| - 1 layers are needed. Without a leaf of a
 * spanning tree X is such a set again (or a pair), so that the sets are found by adding one state
 * after the other. */
#ifndef F2L_ARCS_H
#define F2L_ARCS_H

#include "automata/fsa/word.h"

/* The most states of a set X. */
#define F2L_MOST_ARCS F2L_MOST_TUPLE

typedef struct f2l_arc {
    size_t from, to; /* places in X */
    f2l_word word;
} f2l_arc;

typedef struct f2l_arcs {
    size_t layers; /* |X| - 1; 0: no set was found */
    bool complete; /* no larger set exists, of at most F2L_MOST_ARCS states */
    char reason[256];
    uint32_t *class_of;            /* as in f2l_fork */
    size_t states;                 /* of X */
    uint32_t state[F2L_MOST_ARCS]; /* of the minimal automaton, increasing */
    f2l_arc *arc;                  /* [2 (states - 1)] owned; both ways along a tree */
    size_t arcs;
    f2l_word *apart; /* [states (states - 1) / 2] owned; tells the states of each pair apart, in the
                        order (1, 2), (1, 3), .., (2, 3), .. */
    f2l_word still;  /* fixes all states of X; length 0: there is none, or not found. With it the
                        bound holds for layers with windows, too (FK.12) */
} f2l_arcs;

void f2l_arcs_init(f2l_arcs *arcs);
void f2l_arcs_clear(f2l_arcs *arcs);

/* Finds a largest set for `fsa`, which must be deterministic and total and have the labels. Returns
 * F2L_OK also when a limit ended the search. */
f2l_status f2l_arcs_find(f2l_arcs *out, const f2l_fsa *fsa, f2l_label label, const f2l_task *task,
                         f2l_error *err);

/* Appends the certificate (man page arcs-check(1)), which `arcs-check` verifies; F2L_EDOMAIN
 * without a set. */
f2l_status f2l_arcs_certificate(f2l_buf *out, const f2l_arcs *arcs, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err);

#endif
