/* Declarations shared by the headers of the CUDA operators. Every cuda_*.h is plain C and includes
 * no CUDA header.
 *
 * Conventions, besides the conventions, formulas and shapes of models/learn/op/op.h:
 * - Pointers to arrays are device pointers; `stream` is a cudaStream_t. Calls only launch: they
 * neither wait nor allocate, so that they can be captured into a graph. Workspaces are owned by the
 * caller: x_work() returns the bytes, and a workspace may be reused once the launched work is done.
 * Sizes and strides are in numbers unless noted.
 * - Activations are float or bf16 (f2l_cuda_type; one type per call unless noted); parameters,
 *   their
 * gradients and all sums are float. A number of an activation is computed in float and rounded
 * once, to nearest even.
 * - There is no atomic operation on floats, and grids depend on sizes only: equal calls give equal
 *   bits
 * on one kind of device.
 * - Arrays whose widths and strides are multiples of 8 and that are aligned to 16 bytes are moved
 * in 16-byte pieces; all others are right too, but slower.
 * - Ids (letters, labels) are not checked on the device; the caller checks them.
 * - F2L_EIO: the driver refused, with its text; F2L_EDOMAIN: a size that the operator does not
 * take. */
#ifndef F2L_CUDA_TYPE_H
#define F2L_CUDA_TYPE_H

#include "numeric/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum f2l_cuda_type { F2L_CUDA_F32, F2L_CUDA_BF16 } f2l_cuda_type;

static inline size_t f2l_cuda_bytes(f2l_cuda_type type)
{
    return type == F2L_CUDA_F32 ? 4 : 2;
}

#endif
