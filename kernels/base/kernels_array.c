#include "kernels/base/kernels_array.h"
#include "kernels/base/kernels_fail.h"
#include "kernels/base/kernels_number.h"
#include <stdio.h>

#define MOST_NUMBERS ((int64_t)1 << 59)

bool f2l_kernels_countable(const int64_t *counts, int n)
{
    int64_t product = 1;
    for (int i = 0; i < n; i++) {
        if (counts[i] && product > MOST_NUMBERS / counts[i]) return false;
        product *= counts[i];
    }
    return true;
}

/* Writes "[2][8][4]". */
static void write_shape(char text[96], const f2l_kernels_shape *shape)
{
    int at = 0;
    for (int i = 0; i <= shape->rank; i++)
        at += snprintf(text + at, 96 - (size_t)at, "[%lld]",
                       (long long)(i < shape->rank ? shape->size[i] : shape->last));
}

static int64_t numbers_of(const f2l_kernels_shape *shape)
{
    int64_t count = shape->last;
    for (int i = 0; i < shape->rank; i++) count *= shape->size[i];
    return count;
}

/* Returns the first dimension whose neighbours overlap what smaller strides cover, -1 for none. */
static int overlapping(const int64_t *stride, const f2l_kernels_shape *shape)
{
    int order[3] = {0, 1, 2};
    for (int i = 1; i < shape->rank; i++)
        for (int j = i; j > 0 && stride[order[j]] < stride[order[j - 1]]; j--) {
            const int moved = order[j];
            order[j] = order[j - 1], order[j - 1] = moved;
        }
    int64_t covered = shape->last;
    for (int i = 0; i < shape->rank; i++) {
        const int at = order[i];
        if (shape->size[at] == 1) continue;
        if (stride[at] < covered) return at;
        covered += (shape->size[at] - 1) * stride[at];
    }
    return -1;
}

int f2l_kernels_check_rows(const void *data, const int64_t stride[3],
                           const f2l_kernels_shape *shape, fsa2lrnn_kernels_error *err)
{
    char text[96];
    const int64_t count = numbers_of(shape);
    write_shape(text, shape);
    if (count == 0) return FSA2LRNN_KERNELS_OK;
    if (!data)
        return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EINVAL, "%s %s is NULL", shape->name, text);
    if ((uintptr_t)data % f2l_kernels_bytes_of(shape->type))
        return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EINVAL,
                                "%s %s is not aligned to its numbers of %zu bytes", shape->name,
                                text, f2l_kernels_bytes_of(shape->type));
    for (int i = 0; i < shape->rank; i++)
        if (shape->size[i] > 1 && (stride[i] < 0 || stride[i] > MOST_NUMBERS / shape->size[i]))
            return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EINVAL,
                                    "%s.stride[%d] is %lld, which no %s has", shape->name, i,
                                    (long long)stride[i], text);
    const int bad = shape->written ? overlapping(stride, shape) : -1;
    if (bad >= 0)
        return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EINVAL,
                                "%s.stride[%d] is %lld: numbers of %s overlap, and it is written",
                                shape->name, bad, (long long)stride[bad], text);
    return FSA2LRNN_KERNELS_OK;
}

int f2l_kernels_check_array(const fsa2lrnn_kernels_array *array, const f2l_kernels_shape *shape,
                            fsa2lrnn_kernels_error *err)
{
    return f2l_kernels_check_rows(array->data, array->stride, shape, err);
}
