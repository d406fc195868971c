/* Linear maps by OpenBLAS: y = x w^T + bias, w [out][in] as PyTorch stores it.
 *
 * Each call sets OpenBLAS to one thread (openblas_set_num_threads, a setting of the whole process),
 * since the order of its sums depends on the number of threads. ONE THREAD of a process may be in
 * these functions at a time: an OpenBLAS built without threads (Debian's libopenblas-serial, which
 * the Makefile prefers) gives two threads the same buffer, and then products are wrong. Parallel
 * work runs in processes instead.
 *
 * F2L_EDOMAIN: a size above INT_MAX, which the BLAS interface cannot take.
 *
 * OpenBLAS's products work in a buffer that OpenBLAS takes from the system and keeps; without
 * memory for the buffer it retries for ever. f2l_linear_ready is therefore called before the first
 * product, when all other memory is taken. */
#ifndef F2L_OP_LINEAR_H
#define F2L_OP_LINEAR_H

#include "models/learn/op/op.h"

/* Makes OpenBLAS take its buffer, F2L_LINEAR_BUFFER bytes. F2L_ENOMEM when the address space
 * (RLIMIT_AS, `ulimit -v`) has no room for it. A product touches only the part of the buffer that
 * it needs. */
#define F2L_LINEAR_BUFFER \
    ((size_t)128 << 20) /* BUFFER_SIZE of OpenBLAS 0.3 on x86-64, its largest */
f2l_status f2l_linear_ready(f2l_error *err);

/* - forward: y [rows][out] = x [rows][in] w [out][in]^T + bias [out] (NULL: 0).
 * - backward: dx [rows][in] = dy w, or += when add_dx (several maps of one x); dw += dy^T x;
 *   dbias += sum of rows of dy. Each of dx, dw, dbias may be NULL; x is read for dw only and w for
 *   dx only. */
#define F2L_OP_LINEAR(real, name) \
    f2l_status name(f2l_linear_forward)(real * y, const real *x, const real *w, const real *bias, \
                                        size_t rows, size_t in, size_t out, f2l_error *err); \
    f2l_status name(f2l_linear_backward)(real * dx, bool add_dx, real *dw, real *dbias, \
                                         const real *dy, const real *x, const real *w, \
                                         size_t rows, size_t in, size_t out, f2l_error *err);
F2L_OP_BOTH(F2L_OP_LINEAR)

#endif
