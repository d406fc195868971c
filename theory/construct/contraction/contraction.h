/* R4: one layer for automata whose letters act as contractions (theory/pages/contraction.md).
 *
 * Distinct states have codes on which every letter acts by an affine contraction iff some form G
 * has S_w(G) >= 0 for all letters w and separates the states (theory/obstruct/separation). The
 * contractions are products of reflections, in a space with some coordinates more, and of
 * projections, which erase these coordinates (R4.4). */
#ifndef F2L_CONTRACTION_H
#define F2L_CONTRACTION_H

#include "models/network/net/net.h"
#include "numeric/base/task.h"

/* The most states for which a form is sought. */
#define F2L_CONTRACTION_STATES 16

typedef struct f2l_contraction_report {
    size_t dimension; /* of the space of the codes */
    size_t extra;     /* coordinates that only the factors use */
} f2l_contraction_report;

/* Builds the network for the labels of kind `label` (not edges) into *out, which is cleared first.
 * `fsa` is deterministic and total, and all its states are reached. Returns F2L_EDOMAIN when it is
 * proved that no form separates the states, and F2L_UNKNOWN when neither a form nor such a proof
 * was found, or at a limit. */
f2l_status f2l_contraction_build(f2l_net *out, f2l_contraction_report *report, const f2l_fsa *fsa,
                                 f2l_label label, const f2l_task *task, f2l_error *err);

#endif
