/* Products of matrices by the machine's cuBLASLt: the library is opened at run time
 * (libcublasLt.so.13, else .12) and is not part of this project. A product is planned once for its
 * shape and then launched any number of times.
 *
 * The plan takes the first algorithm that cuBLASLt's heuristics offer, which depends on the library
 * and the device, not on measurements: runs on one machine make equal bits. Sums that are split
 * over blocks are added in float by a second launch, never by atomics.
 * CPU reference: f2l_linear_forward, f2l_linear_backward in models/learn/op/op_linear.c. */
#ifndef F2L_CUDA_LINEAR_H
#define F2L_CUDA_LINEAR_H

#include "cuda/device/cuda_type.h"

typedef struct f2l_cuda_blas f2l_cuda_blas;
typedef struct f2l_cuda_product f2l_cuda_product;

/* Opens the library. F2L_EDOMAIN, with the names that were tried, when it is missing. */
f2l_status f2l_cuda_blas_new(f2l_cuda_blas **out, f2l_error *err);
void f2l_cuda_blas_free(f2l_cuda_blas *blas);
/* Returns the version of the library, such as 130101 for 13.1.1. */
size_t f2l_cuda_blas_version(const f2l_cuda_blas *blas);

/* c [m][n] = a b, or += with `add`; row-major, rows lda, ldb, ldc numbers apart. a is [m][k], or
 * stored as [k][m] with transpose_a; b is [k][n], or stored as [n][k] with transpose_b. With float
 * inputs products use all bits of the floats (not tf32); with bf16 they are exact. Sums are float.
 * bf16 inputs with c of either type; float inputs with c float. */
typedef struct f2l_cuda_product_shape {
    size_t m, n, k;
    size_t lda, ldb, ldc;
    bool transpose_a, transpose_b, add;
    f2l_cuda_type in, out;
} f2l_cuda_product_shape;

/* Plans a product. a, b, c: future places of the matrices; only the alignment of these pointers is
 * used. `work_bytes`: of the workspace of every launch. `choice`: 0 for the first algorithm of the
 * heuristics; others are for measurements. F2L_EDOMAIN: sizes that cuBLASLt does not support;
 * F2L_UNKNOWN: there are fewer algorithms. */
f2l_status f2l_cuda_product_new(f2l_cuda_product **out, f2l_cuda_blas *blas,
                                const f2l_cuda_product_shape *shape, const void *a, const void *b,
                                const void *c, size_t work_bytes, unsigned choice, f2l_error *err);
void f2l_cuda_product_free(f2l_cuda_product *product);

/* Launches a product. One product at a time may use a workspace (aligned to 256 bytes). */
f2l_status f2l_cuda_product_run(void *c, const void *a, const void *b,
                                const f2l_cuda_product *product, void *work, void *stream,
                                f2l_error *err);

/* Returns the least part of `work_bytes` that the plan's launches need. The plan itself allocates
 * nothing on the device. */
size_t f2l_cuda_product_work(const f2l_cuda_product *product);

#endif
