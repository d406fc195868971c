/* R4: one layer for automata whose letters act as contractions (theory/pages/contraction.md).
 *
 * Distinct states have codes u_q on which every letter acts by an affine contraction iff some
 * positive semidefinite form G on the sum-zero vectors of R^Q has F_w^T G F_w <= G for the 0/1
 * matrices F_w of all letters, and separates the states. G is sought in doubles, rounded to
 * rationals and verified exactly; contractions are products of reflections in a space with some
 * coordinates more, which projections erase (R4.4). */
#ifndef F2L_CONTRACTION_H
#define F2L_CONTRACTION_H

#include "models/net/net.h"
#include "numeric/base/task.h"

/* The most states for which forms are sought. */
#define F2L_CONTRACTION_STATES 24

typedef struct f2l_contraction_report {
    size_t dimension; /* of the space of the codes */
    size_t extra;     /* coordinates that only the factors use */
    size_t forced;    /* dimension of the forms that equalities leave (R4.2, R4.3) */
    size_t denominator; /* the pairs of states were scaled by it before the form was rounded */
} f2l_contraction_report;

/* Builds the network for the labels of kind `label` (not edges) into *out, which is cleared first.
 * `fsa` is deterministic and total, and all its states are reached. Returns F2L_EDOMAIN when
 * doubles say that no form separates the states, which is not proved here, and F2L_UNKNOWN when no
 * rational form was found, or at a limit. */
f2l_status f2l_contraction_build(f2l_net *out, f2l_contraction_report *report, const f2l_fsa *fsa,
                                 f2l_label label, const f2l_task *task, f2l_error *err);

#endif
