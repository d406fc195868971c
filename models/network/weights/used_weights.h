/* Read access to the weights of a rounded network: the numbers that its schedule steps with. They
 * serve a bound on the effect of rounding (theory/pages/horizon.md). */
#ifndef F2L_USED_WEIGHTS_H
#define F2L_USED_WEIGHTS_H

#include "models/network/schedule/schedule.h"

/* A factor; entries that round to 0 are left out, and keys are in the order of the sum. Arrays are
 * borrowed. */
typedef struct f2l_used_factor {
    double beta;
    size_t keys;
    const uint32_t *row;       /* [keys] row times d */
    const double *key;         /* [keys] */
    const unsigned char *sums; /* [keys] for sums by halves (models/network/schedule/sum_plan.h), or
                                  NULL */
    size_t values;
    const uint32_t *column; /* [values] increasing */
    const double *value;    /* [values] */
} f2l_used_factor;

/* Returns the network that was rounded: the original, or its rounded view
 * (models/network/net/net_orthonormal.h). Its decoder is the rounded network's. */
const f2l_net *f2l_used_view(const f2l_float_net *net);

double f2l_used_gate(const f2l_float_net *net, size_t layer, size_t head, size_t letter);
size_t f2l_used_factors(const f2l_float_net *net, size_t layer, size_t head, size_t letter);
/* Returns factor i of the letter, 0-based. */
f2l_used_factor f2l_used_factor_at(const f2l_float_net *net, size_t layer, size_t head,
                                   size_t letter, size_t i);

#endif
