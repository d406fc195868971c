/* Certified horizon: the length up to which a rounded network is right on every word, where no
 * closure proves it for all lengths (theory/pages/horizon.md, H6 and H7).
 *
 * Per layer, over the graph of its codes and letters: e_0 = |H~_0 - H_0|, and along an edge from
 * code c by letter x the error grows at most to
 *  |A~_x| e + delta(c, x, e),
 * with A~_x the matrix of the rounded weights, and delta a bound on what this matrix and the
 * roundings of the step add at the exact state c, each enclosed by ball arithmetic over the actual
 * state and the actual order of operations. E_t(c), the largest error with which words of length t
 * lead to code c, follows by dynamic programming over the graph, so only products of matrices that
 * occur in the automaton count, not the worst matrix each time. A word of length T is right as long
 * as E_t(c) is less than half the least distance of c to another code, for all t <= T and c. Layers
 * above the first read right letters as long as the layers below are right.
 *
 * The bound is on the difference to the exact network. That the exact network is right on every
 * word must be proved by its own certificate. */
#ifndef F2L_HORIZON_H
#define F2L_HORIZON_H

#include "models/network/net/net.h"
#include "models/network/schedule/schedule.h"
#include "numeric/base/task.h"

typedef struct f2l_horizon {
    bool known;    /* false: `reason` tells why there is no bound (chunk64, wired, ..) */
    bool for_ever; /* the errors stay below the margin at all lengths: VERIFIED; `letters` is then
                      the cap */
    uint64_t letters; /* every word of at most this many letters is right; 0 is a bound too */
    bool capped;      /* the search ended at the cap; the true horizon may be larger */
    /* upper bound of the error's growth per letter near the end; for reports */
    double growth;
    double margin; /* least half distance of two codes of the deciding layer */
    size_t layer;  /* the deciding layer, 0-based */
    char reason[256];
} f2l_horizon;

/* Upper bounds E_t = max over codes at lengths 1, 2, 4, .. in the deciding layer, for the figure:
 * (length, bound), up to the horizon; where errors stay bounded at all lengths, up to the length
 * where that was found. */
typedef struct f2l_horizon_point {
    uint64_t length;
    double bound;
} f2l_horizon_point;

/* Returns the number of pairs of a code and a letter over all layers: the edges that a horizon
 * visits. It bounds layers alone: 0 where there are none. */
size_t f2l_horizon_edges(const f2l_net *net);

/* Finds the horizon. cap 0: 10^12. points (owned by the caller: f2l_free) and count may be NULL.
 * Returns F2L_OK when there is an answer, also `known` false: there are too many codes, the exact
 * network leaves its codes, or the task says stop. Returns F2L_EDOMAIN when the network is not
 * valid or the schedule is not for the format. Stochastic rounding: a rounding's error is less than
 * a unit in the last place. */
f2l_status f2l_horizon_find(f2l_horizon *out, f2l_horizon_point **points, size_t *count,
                            const f2l_net *net, const f2l_format *format,
                            const f2l_schedule *schedule, uint64_t cap, const f2l_task *task,
                            f2l_error *err);

#endif
