/* Cross-entropy over the supervised positions, its gradient and the right answers, in one pass over
 * the logits (models/learn/op/op_loss.h).
 * CPU reference: f2l_loss_forward, f2l_loss_backward in models/learn/op/op_loss.c. */
#ifndef F2L_CUDA_LOSS_H
#define F2L_CUDA_LOSS_H

#include "cuda/device/cuda_type.h"

/* Sums over a batch, on the device, as in f2l_seq_score. */
typedef struct f2l_cuda_score {
    double loss;                    /* sum over supervised positions, nats */
    uint64_t supervised, right;     /* positions */
    uint64_t sequences, right_ones; /* sequences with a supervised position; sequences right at all
                                     * of them */
    uint64_t right_last;            /* sequences right at the last of them */
} f2l_cuda_score;

typedef struct f2l_cuda_loss_shape {
    size_t sequences, length; /* rows are sequences * length < 2^31, or `rows` with `first` */
    size_t classes;
    size_t logits_stride, dlogits_stride; /* >= classes */
    f2l_cuda_type type;                   /* of dlogits; logits are float */
    const uint32_t *first; /* NULL, or [sequences + 1] on the device: word q has the rows first[q]
                            * .. first[q + 1] - 1 */
    size_t rows;           /* with `first`: first[sequences] */
} f2l_cuda_loss_shape;

static inline size_t f2l_cuda_loss_rows(const f2l_cuda_loss_shape *shape)
{
    return shape->first ? shape->rows : shape->sequences * shape->length;
}

/* Sets *score (device memory). right [rows] = 1 where supervised and right, else 0. dlogits
 * [rows][dlogits_stride] = *weight * (softmax(logits) - onehot(label)) where supervised, else 0,
 * with zeros in the columns from `classes` on; dlogits may be NULL (only the score is wanted), but
 * not logits. mask may be NULL: all are supervised. `weight` is one float on the device. NaN or
 * infinite logits are treated as in the reference. */
size_t f2l_cuda_loss_work(const f2l_cuda_loss_shape *shape);
f2l_status f2l_cuda_loss(f2l_cuda_score *score, uint8_t *right, void *dlogits, const float *logits,
                         const uint32_t *label, const uint8_t *mask, const float *weight,
                         void *work, const f2l_cuda_loss_shape *shape, void *stream,
                         f2l_error *err);

/* Sets answer [rows] to the class with the largest logit, the least on a tie; UINT32_MAX where a
 * logit is NaN. logits [rows][stride]. */
f2l_status f2l_cuda_answers(uint32_t *answer, const float *logits, size_t stride, size_t rows,
                            size_t classes, void *stream, f2l_error *err);

#endif
