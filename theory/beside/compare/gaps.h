/* Gaps between clusters of states.
 *
 * States are looked at in their first r principal directions. The edges of a minimum spanning tree
 * of the states, sorted, jump where the states fall into clusters: cutting the longer edges leaves
 * clusters in which every state has another one at most `within` away, and between which all
 * distances are at least `between`. For every r the largest jump is taken that leaves at least four
 * states to a cluster on average. */
#ifndef F2L_LEARNED_GAPS_H
#define F2L_LEARNED_GAPS_H

#include "theory/beside/compare/principal.h"

#define F2L_GAP_RATIO 1.5 /* the least jump: between / within */
#define F2L_GAPS ((size_t)6)

typedef struct f2l_gap {
    size_t directions, clusters;
    double within, between;
} f2l_gap;

/* Returns the distance below which states are merged: in the middle of within and between, on a
 * scale of ratios. */
double f2l_gap_radius(const f2l_gap *gap);

/* Sets gap[*gaps], at most F2L_GAPS, to the gaps with a jump of at least F2L_GAP_RATIO: for every
 * number of clusters the one of the largest jump, most clusters first. States that are all the same
 * are one cluster. F2L_UNKNOWN: the task stopped it, or its memory is too small. */
f2l_status f2l_gaps_find(f2l_gap *gap, size_t *gaps, const f2l_principal *p, const f2l_task *task,
                         f2l_error *err);

/* Sets cluster[states], numbered by their first states: states nearer than the radius are of one
 * cluster. */
f2l_status f2l_gap_clusters(uint32_t *cluster, const f2l_gap *gap, const f2l_principal *p,
                            f2l_error *err);

/* Returns the square of the distance of two scores in the first directions. */
static inline double f2l_gap_square(const double *x, const double *y, size_t directions)
{
    double sum = 0;
    for (size_t i = 0; i < directions; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sum;
}

#endif
