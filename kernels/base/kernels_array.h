/* Checks of the arrays of a call. */
#ifndef F2L_KERNELS_ARRAY_H
#define F2L_KERNELS_ARRAY_H

#include "include/fsa2lrnn_kernels.h"
#include <stdbool.h>

/* What an array has to be. Its last dimension, which is contiguous, has `last` numbers. */
typedef struct f2l_kernels_shape {
    const char *name;
    int type, rank; /* rank: dimensions with strides, 0 to 3 */
    int64_t size[3], last;
    bool written; /* then no two numbers may have one place */
} f2l_kernels_shape;

/* Both: EINVAL: the array is NULL though it has numbers, is misaligned, or has strides that are
 * negative, too long or, where it is written, overlap. */
int f2l_kernels_check_array(const fsa2lrnn_kernels_array *array, const f2l_kernels_shape *shape,
                            fsa2lrnn_kernels_error *err);
int f2l_kernels_check_rows(const void *data, const int64_t stride[3],
                           const f2l_kernels_shape *shape, fsa2lrnn_kernels_error *err);
/* Returns whether the product of the counts, none of which is negative, is at most 2^59. */
bool f2l_kernels_countable(const int64_t *counts, int n);

#endif
