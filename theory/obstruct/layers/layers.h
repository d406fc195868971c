/* How few layers can give the labels of an automaton: lower bounds with their proofs
 * (theory/pages/layers.md).
 *
 * The bounds hold for exact arithmetic and for networks in which each layer has a positive definite
 * form for which every letter acts by S <- A S + B with |A| <= 1, whatever their factors, heads,
 * dimensions, gates and decoders, if words lead to finitely many states, or to bounded states with
 * a margin (FK.13). In a number format fewer layers can be enough (FK.16).
 *
 * Bounds by idempotents with efe != fe (theory/pages/one-layer.md, OL.3 and OL.4) are for finitely
 * many states only: a layer with infinitely many states may do with less. Where efe = fe for all
 * idempotents, one layer with finitely many states suffices. */
#ifndef F2L_LAYERS_H
#define F2L_LAYERS_H

#include "theory/obstruct/arcs/arcs.h"
#include "theory/obstruct/bands/bands.h"
#include "theory/obstruct/fork/fork.h"
#include "theory/obstruct/tied/tied.h"

typedef struct f2l_layers {
    size_t least;   /* no network has fewer layers; 0: none is known to be needed */
    const char *by; /* the statement that shows the bound: "FK.3", "FK.8", "FK.10", "OL.3", "OL.4";
                       "" up to 1 */
    bool finite;    /* it is for finitely many states only, and not for a margin */
    bool windows;   /* it holds for layers that read the last letters, too (FK.5', FK.12) */
    size_t margin;  /* the best bound that holds with a margin, too */
    const char *margin_by;
    f2l_fork fork;
    f2l_band band;
    f2l_arcs arcs;
    f2l_tied tied;      /* by the fork rule */
    f2l_tied tied_band; /* by the band rule; sought where a band was found, but no best bound */
} f2l_layers;

/* Shares of the task's effort, in steps; 0: no limit. A search that has none is left out. */
typedef struct f2l_layers_limits {
    uint64_t fork, band, arcs, tied;
    bool no_arcs, no_tied;
} f2l_layers_limits;

/* Little work, at most some hundredths of a second: what the main job spends on bounds. */
extern const f2l_layers_limits f2l_layers_little;

/* Returns the shares of an effort, 0: no limit. Arcs and tied sets soon find what there is. */
f2l_layers_limits f2l_layers_limits_of(uint64_t effort);

void f2l_layers_init(f2l_layers *layers);
void f2l_layers_clear(f2l_layers *layers);

/* Returns whether one layer with finitely many states is known to suffice, by Ash's theorem. */
static inline bool f2l_layers_one_suffices(const f2l_layers *layers)
{
    return layers->band.decided && !layers->band.found;
}

/* Finds lower bounds for `fsa`, which must be deterministic and total and have the labels.
 * `limits` may be NULL. Returns F2L_OK also when a limit ended a search. */
f2l_status f2l_layers_find(f2l_layers *out, const f2l_fsa *fsa, f2l_label label,
                           const f2l_layers_limits *limits, const f2l_task *task, f2l_error *err);

#endif
