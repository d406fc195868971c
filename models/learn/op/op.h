/* The operators of the trained models: plain pointers, shapes, forward and backward. This folder is
 * the reference on the CPU, against which every other backend is tested, and it is also the CPU
 * backend.
 *
 * Conventions of all headers op_*.h:
 * - Arrays are row-major and contiguous; the shape is written behind the name, and the last index
 *   moves fastest.
 * - Every function exists for float (f2l_x_f32) and for double (f2l_x_f64), declared once with
 *   `real`. The sources are written for float; models/learn/double.sed makes the sources for double
 * of them, for tests and for `inspect`.
 * - Forward writes its outputs (=). Backward writes gradients of activations (=) and ADDS gradients
 *   of parameters (+=: weights, biases, tables, initial states), so gradients of parameters
 *   accumulate over batches. Where a gradient pointer may be NULL, NULL leaves that gradient out.
 *   dx is the derivative of one scalar loss with respect to x.
 * - Outputs and inputs do not overlap, except where a header allows an output to be an input (same
 *   pointer).
 * - Backward recomputes what it needs from the inputs of forward; no hidden state passes between
 *   the two.
 * - The batch is the outermost index: a caller may split it, also among threads. Sums have a fixed
 *   order and no atomic operation, so equal calls give equal bits; parts of a batch change only the
 *   order of sums for gradients of parameters, and the caller must add the parts in a fixed order.
 *   Bits differ between two kinds of processors (models/learn/op/op_product.h), and with the exp
 *   and log of the C library.
 * - Sizes may be 0 where a size of 0 makes sense (nothing happens). Products of sizes are sizes
 *   of existing arrays, and therefore do not overflow; functions that allocate check their
 *   products. */
#ifndef F2L_OP_H
#define F2L_OP_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define F2L_F32(name) name##_f32
#define F2L_F64(name) name##_f64

/* DECLARE(real, name) holds prototypes; this declares them for both types. */
#define F2L_OP_BOTH(DECLARE) DECLARE(float, F2L_F32) DECLARE(double, F2L_F64)

#endif
