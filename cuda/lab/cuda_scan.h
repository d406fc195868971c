/* The diagonal recurrence h_t = a_t h_(t-1) + b_t of models/learn/op/op_scan.h, with one lane per
 * channel, or per four channels; long words of few channels are cut into chunks
 * (cuda/lab/scan_plan.h). Arithmetic in fp32; the replay on the CPU has the same bits. */
#ifndef F2L_CUDA_SCAN_H
#define F2L_CUDA_SCAN_H

#include "cuda/device/cuda_type.h"
#include "models/learn/op/op_scan.h"

/* Returns the bytes of the workspace of forward or backward. SIZE_MAX: overflow. */
size_t f2l_cuda_scan_work(const f2l_scan_shape *shape);

/* Compute the scan. Shapes and overlaps as in models/learn/op/op_scan.h: h may be b, db may be dh.
 * a, b, h and da, db, dh have one type; state, h0, dh0 are float. `work` is aligned to 16 bytes.
 * F2L_EDOMAIN, F2L_EIO. */
f2l_status f2l_cuda_scan_forward(void *h, float *state, const void *a, const void *b,
                                 const float *h0, void *work, f2l_cuda_type type,
                                 const f2l_scan_shape *shape, void *stream, f2l_error *err);
f2l_status f2l_cuda_scan_backward(void *da, void *db, float *dh0, const void *dh, const void *h,
                                  const void *a, const float *h0, void *work, f2l_cuda_type type,
                                  const f2l_scan_shape *shape, void *stream, f2l_error *err);

#endif
