/* The recurrence of a trained model of one layer as a network of exact numbers.
 *
 * With one layer and without a convolution, betas, gates, keys and values are functions of the
 * letter. They are computed in double precision (models/learn/seq/seq_letters.h), and each double
 * is then a rational of the network exactly. Heads are raw (models/network/net/net.h): a factor is
 * beta, u = the key and c = the value as they are. H_0 has the stored numbers.
 *
 * What is true of the network's recurrence is true of these numbers; the trained model computes
 * with others, which it rounds in an order of its own. The read-out of the trained model (queries,
 * norms, MLP, head) is not in the network. */
#ifndef F2L_RECURRENCE_H
#define F2L_RECURRENCE_H

#include "models/learn/seq/seq.h"
#include "models/network/net/net.h"

typedef struct f2l_recurrence {
    f2l_net net;    /* without codes, names and automaton */
    size_t lowered; /* betas that were lowered to 2 / u^T u: they were above it by rounding only */
    size_t dropped; /* factors without effect: their key is 0 */
} f2l_recurrence;

/* Returns why a model has no such network, or NULL. */
const char *f2l_recurrence_obstacle(const f2l_seq_config *config);

/* Builds *out; on failure out->net is empty. F2L_EDOMAIN with the obstacle, for numbers that are
 * not finite, and for keys that are so long that beta u^T u is above 2; F2L_UNKNOWN: the task
 * stopped it. */
f2l_status f2l_recurrence_build(f2l_recurrence *out, const f2l_seq *model, const float *parameters,
                                const f2l_task *task, f2l_error *err);

#endif
