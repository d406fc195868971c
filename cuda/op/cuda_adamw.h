/* AdamW on the device: the numbers of models/learn/train/adamw.h, bit for bit, from equal gradients
 * and an equal scale. The length of the gradient, clipping and the update are launched without
 * waiting for the host in between.
 * CPU reference: f2l_adamw_update in models/learn/train/adamw.inc. */
#ifndef F2L_CUDA_ADAMW_H
#define F2L_CUDA_ADAMW_H

#include "cuda/device/cuda_type.h"

/* Coefficients of one update, computed on the host in double and rounded once; copied to the device
 * before the update. */
typedef struct f2l_cuda_adamw_group {
    uint32_t first, pad; /* the group ends at the first of the next one */
    float keep, size;    /* 1 - rate decay; rate / (1 - beta1^t) */
} f2l_cuda_adamw_group;

typedef struct f2l_cuda_adamw_step {
    double clip; /* greatest length of the gradient; 0: no limit */
    float beta1, mean_step, beta2, square_step, root, epsilon;
} f2l_cuda_adamw_step;

/* The report of an update, on the device. */
typedef struct f2l_cuda_adamw_report {
    double norm;    /* of the gradient before clipping */
    float scale;    /* factor of the gradient */
    uint32_t moved; /* 0: the norm is not finite, and nothing was changed */
} f2l_cuda_adamw_report;

/* f2l_cuda_adamw updates parameter, mean, square [count]; shadow [count] = parameter rounded to
 * bf16, NULL: none. step, group [groups] (ascending, the first begins at 0; on the device). *report
 * is written. The norm is a sum in double in a fixed order that depends on count only; it differs
 * from the order of f2l_adamw_squares_f32. count < 2^32. f2l_cuda_adamw_work returns the bytes of
 * the workspace. */
size_t f2l_cuda_adamw_work(size_t count);
f2l_status f2l_cuda_adamw(float *parameter, float *mean, float *square, uint16_t *shadow,
                          f2l_cuda_adamw_report *report, const float *gradient, size_t count,
                          const f2l_cuda_adamw_step *step, const f2l_cuda_adamw_group *group,
                          size_t groups, void *work, void *stream, f2l_error *err);

#endif
