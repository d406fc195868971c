/* The map of a period within the span of its keys: what a search needs of a limit, in doubles and
 * without bounds of their errors; private to this folder.
 *
 * K_u has at most as many dimensions as u has keys. In an orthonormal basis of it, the rows of Q,
 * A_u P_u is Q^T M Q for a small matrix M, so that (I - A_u P_u)^-1 is 1 off K_u and (I - M)^-1 in
 * it. */
#ifndef F2L_LIMIT_SPAN_H
#define F2L_LIMIT_SPAN_H

#include "theory/beside/horizon/limit.h"

typedef struct f2l_span_head {
    size_t count;                /* dimensions */
    double *basis, *map, *fixed; /* [count][key] Q, [count][count] M, [key][value] x */
} f2l_span_head;

/* What is known of a period without f2l_limit_set. */
typedef enum f2l_span_kind {
    F2L_SPAN_DEPENDENT, /* the limit does not fit: keys are nearly dependent */
    F2L_SPAN_ROUGH, /* only f2l_limit_set says whether it fits, and what is read there; so where the
                     * span is the whole space in all heads, as then there is one limit */
    F2L_SPAN_FINE   /* the limit fits, and reads are far nearer to its own than F2L_SPAN_NEAR */
} f2l_span_kind;

/* What reads of a limit that is fine may be off by, at most, in sizes of what logits are sums of.
 */
#define F2L_SPAN_NEAR 1e-5

typedef struct f2l_span {
    const f2l_learned_net *net;
    f2l_span_kind kind;
    bool full, values;   /* the span is the whole space in every head; x is not always 0 */
    f2l_span_head *head; /* [heads] */
    double *memory;
} f2l_span;

/* Allocates *out for the network, which must stay. */
f2l_status f2l_span_init(f2l_span *out, const f2l_learned_net *net, f2l_error *err);
void f2l_span_clear(f2l_span *x);
void f2l_span_set(f2l_span *x, const f2l_settle_word *period);
/* Returns f2l_limit_rate, off by less than a thousandth of its logarithm; NAN where that is not
 * known. */
double f2l_span_rate(const f2l_span *x);
/* Sets, for o = q^T S at the limit, q [heads][key], what is read of S_z, (I - P_u) q, and the rest,
 * x^T q [heads][value]. */
void f2l_span_read(double *query, double *shift, const f2l_span *x, const double *q);

#endif
