/* Linear maps: y = x w^T + bias, w [out][in] as PyTorch stores it, by products of
 * models/learn/op/op_product.h. */
#ifndef F2L_OP_LINEAR_H
#define F2L_OP_LINEAR_H

#include "models/learn/op/op.h"

/* - forward: y [rows][out] = x [rows][in] w [out][in]^T + bias [out] (NULL: 0).
 * - backward: dx [rows][in] = dy w, or += when add_dx (several maps of one x); dw += dy^T x;
 *   dbias += sum of rows of dy. Each of dx, dw, dbias may be NULL; x is read for dw only and w for
 *   dx only. */
#define F2L_OP_LINEAR(real, name) \
    void name(f2l_linear_forward)(real * y, const real *x, const real *w, const real *bias, \
                                  size_t rows, size_t in, size_t out); \
    void name(f2l_linear_backward)(real * dx, bool add_dx, real *dw, real *dbias, const real *dy, \
                                   const real *x, const real *w, size_t rows, size_t in, \
                                   size_t out);
F2L_OP_BOTH(F2L_OP_LINEAR)

#endif
