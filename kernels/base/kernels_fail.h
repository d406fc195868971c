/* What every function of the kernels' interface begins with: structures with their size first, and
 * errors by value. */
#ifndef F2L_KERNELS_FAIL_H
#define F2L_KERNELS_FAIL_H

#include "include/fsa2lrnn_kernels.h"

/* Fills *err (when not NULL) with a formatted text and returns `status`. */
int f2l_kernels_fail(fsa2lrnn_kernels_error *err, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills *err with what a library without CUDA says of a GPU, and returns EIO. */
int f2l_kernels_refuse_cuda(fsa2lrnn_kernels_error *err);

/* Copies the structure `from` of a caller to to[size], with zeros for what a caller of an earlier
 * header does not know. EINVAL: it is NULL, its size is no size, or it has numbers other than zero
 * that this library does not know. */
int f2l_kernels_take(void *to, size_t size, const void *from, const char *name,
                     fsa2lrnn_kernels_error *err);

#endif
