/* Cross-entropy over the supervised positions, and the number of right answers. */
#ifndef F2L_OP_LOSS_H
#define F2L_OP_LOSS_H

#include "models/learn/op/op.h"

typedef struct f2l_loss_sum {
    double loss;  /* sum over supervised rows of -log softmax(logits)_label, in nats */
    size_t count; /* supervised rows */
    size_t right; /* supervised rows whose label has the largest logit; on a tie the least class
                   * counts */
} f2l_loss_sum;

/* logits [rows][classes], label [rows] in 0 .. classes - 1 (checked where supervised), mask [rows]:
 * 0 is not supervised; NULL: all are. right [rows] or NULL: set to 1 where supervised and right,
 * else 0.
 *
 * - forward: writes *sum. NaN or infinite logits give a NaN or infinite loss, never a crash, and
 *   are not right.
 * - backward: dlogits = scale * (softmax(logits) - onehot(label)) where supervised, else 0; dlogits
 *   may be logits. scale is 1 / count for the mean.
 *
 * F2L_EDOMAIN: a supervised label is no class, or there is no class; nothing was written then. */
#define F2L_OP_LOSS(real, name) \
    f2l_status name(f2l_loss_forward)(f2l_loss_sum * sum, uint8_t * right, const real *logits, \
                                      const uint32_t *label, const uint8_t *mask, size_t rows, \
                                      size_t classes, f2l_error *err); \
    f2l_status name(f2l_loss_backward)(real * dlogits, const real *logits, const uint32_t *label, \
                                       const uint8_t *mask, real scale, size_t rows, \
                                       size_t classes, f2l_error *err);
F2L_OP_BOTH(F2L_OP_LOSS)

#endif
