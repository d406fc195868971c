/* A lower bound on the number of layers by tied sets (theory/pages/layers.md, FK.6 - FK.8).
 *
 * A stage is a semigroup E of maps of a set R of states. At first E is made by all words and R has
 * all states of the minimal automaton. A set of elements is tied if in every network some words
 * that act as its elements act alike on the first layer. Descending from a tied set Y to the
 * elements of its idempotent power, from a state that it leads to, gives the stage of a network
 * with one layer less.
 *
 * The band rule (theory/pages/one-layer.md, OL.4) ties more sets than the fork rule does, for
 * networks with finitely many exact states only. */
#ifndef F2L_TIED_H
#define F2L_TIED_H

#include "automata/fsa/word.h"

/* A tied set of a stage, by the rule that shows it: a single element; the product of two sets; or
 * with P the idempotent power of the second set and F the power of the first one times P, the union
 * of F and P F; or with E and F the idempotent powers of the two sets, the union of E F E and F E.
 */
typedef enum f2l_tied_rule {
    F2L_TIED_SINGLE,
    F2L_TIED_PRODUCT,
    F2L_TIED_FORK,
    F2L_TIED_BAND
} f2l_tied_rule;

typedef struct f2l_tied_set {
    f2l_tied_rule rule;
    size_t parent[2]; /* numbers of sets before this one */
    f2l_word word;    /* of a single element of the first stage */
    uint32_t *image;  /* of a single element of a later stage: [states of the stage]; owned */
} f2l_tied_set;

/* One stage of the proof. */
typedef struct f2l_tied_stage {
    uint32_t *state; /* [states] of the minimal automaton, increasing; owned */
    size_t states;
    f2l_tied_set *set; /* [sets] owned */
    size_t sets;
    size_t from; /* the state of the next stage from which it descends by the last set */
} f2l_tied_stage;

/* The end of the proof. `one` layer is needed because state `from` is not equivalent to its image
 * by the last set, a single element. Two are needed because the last set has elements that lead
 * `from` to the states `to`, which are not equivalent. `apart` is a word that tells them apart. */
typedef struct f2l_tied_end {
    size_t layers; /* 1 or 2 */
    size_t from, to[2];
    f2l_word apart;
} f2l_tied_end;

typedef struct f2l_tied {
    size_t layers; /* no network has fewer; 0: none is needed */
    bool complete; /* no bound of FK.8 with these rules is better */
    bool finite;   /* the proof has a band step: the bound is for finitely many states only */
    char reason[256];
    size_t states, elements; /* of the minimal automaton, and of its semigroup as far as listed */
    uint32_t *class_of;      /* as in f2l_fork */
    f2l_tied_stage *stage;   /* [stages] owned */
    size_t stages;
    f2l_tied_end end;
} f2l_tied;

typedef struct f2l_tied_limits {
    size_t elements; /* of the semigroup; 0: 4,000 */
    size_t sets;     /* tied sets of a stage; 0: 4,000 */
    bool bands;      /* the band rule in place of the fork rule */
} f2l_tied_limits;

void f2l_tied_init(f2l_tied *tied);
void f2l_tied_clear(f2l_tied *tied);

/* Finds the bound for `fsa`, which must be deterministic and total and have the labels, with its
 * proof. Returns F2L_OK also when a limit ended the search: the bound holds then, too. */
f2l_status f2l_tied_find(f2l_tied *out, const f2l_fsa *fsa, f2l_label label,
                         const f2l_tied_limits *limits, const f2l_task *task, f2l_error *err);

/* Appends the certificate (man page depth-check(1)), which `depth-check` verifies; F2L_EDOMAIN
 * without a bound. */
f2l_status f2l_tied_certificate(f2l_buf *out, const f2l_tied *tied, const f2l_fsa *fsa,
                                f2l_label label, f2l_error *err);

#endif
