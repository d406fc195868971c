/* Norms of rows on the device; formulas as in models/learn/op/op_norm.h.
 * CPU reference: f2l_rmsnorm_forward, f2l_rmsnorm_backward, f2l_l2norm_forward, f2l_l2norm_backward
 * in models/learn/op/op_norm.c; f2l_silu_forward, f2l_silu_backward in
 * models/learn/op/op_point.c. */
#ifndef F2L_CUDA_NORM_H
#define F2L_CUDA_NORM_H

#include "cuda/device/cuda_type.h"

/* RMSNorm of scale * x: y = weight (scale x) / sqrt(mean((scale x)^2) + epsilon). rows < 2^32. */
typedef struct f2l_cuda_norm {
    size_t rows, width;
    float epsilon, scale;
    f2l_cuda_type type; /* of y, x, sum, residual and their gradients */
} f2l_cuda_norm;

/* Computes y [rows][width] from x [rows][width]; weight float [width] or NULL (1). With `sum`
 * [rows][width] not NULL, the norm is of sum = x + residual, and sum is written too (it is rounded
 * first, and the norm is of the stored numbers). residual is [rows][width], or, with `letter`
 * [rows] not NULL, a table from which `letter` selects a row. sum may be x or residual (not a
 * table). */
f2l_status f2l_cuda_rmsnorm_forward(void *y, void *sum, const void *x, const void *residual,
                                    const uint32_t *letter, const float *weight,
                                    const f2l_cuda_norm *norm, void *stream, f2l_error *err);

/* Computes dx = the gradient through the norm, plus `residual` [rows][width] (NULL: 0); dx may be
 * dy or residual; x is the input of the norm. dweight [width] += (NULL: not wanted). */
size_t f2l_cuda_rmsnorm_work(const f2l_cuda_norm *norm);
f2l_status f2l_cuda_rmsnorm_backward(void *dx, float *dweight, const void *dy, const void *x,
                                     const void *residual, const float *weight, void *work,
                                     const f2l_cuda_norm *norm, void *stream, f2l_error *err);

/* The step from projections to queries, keys and values: y = u / sqrt(sum(u^2) + epsilon) if
 * `unit`, else u, where u = silu(x) if `silu`, else x. x has rows of `groups` groups of `width`
 * numbers, rows `stride` apart (the rest of a row is not touched); y [rows][groups][width] is
 * dense. rows * groups < 2^32, width <= 256. Types of x and y: equal, or float and bf16. */
typedef struct f2l_cuda_unit {
    size_t rows, groups, width, stride;
    bool silu, unit;
    float epsilon;
    f2l_cuda_type x_type, y_type;
} f2l_cuda_unit;

f2l_status f2l_cuda_unit_forward(void *y, const void *x, const f2l_cuda_unit *shape, void *stream,
                                 f2l_error *err);
/* Computes dx, which has the strides of x and may be x; dx, dy and x are all of x_type. */
f2l_status f2l_cuda_unit_backward(void *dx, const void *dy, const void *x,
                                  const f2l_cuda_unit *shape, void *stream, f2l_error *err);

#endif
