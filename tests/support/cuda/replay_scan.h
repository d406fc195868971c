/* The diagonal scan (models/learn/op/op_scan.h) on the CPU, with the bits of the kernels of
 * cuda/lab/cuda_scan.h, in the chunks of cuda/lab/scan_plan.h. */
#ifndef TESTS_REPLAY_SCAN_H
#define TESTS_REPLAY_SCAN_H

#include "cuda/lab/scan_plan.h"

/* Compute the scan. Shapes and overlaps as in models/learn/op/op_scan.h; a, b, h, da, db, dh are
 * all bf16 or all float. dh0 is summed as in cuda/delta/recurrent_plan.h. F2L_ENOMEM. */
f2l_status f2l_replay_scan_forward(void *h, float *state, const void *a, const void *b,
                                   const float *h0, bool bf16, const f2l_scan_shape *shape,
                                   f2l_error *err);
f2l_status f2l_replay_scan_backward(void *da, void *db, float *dh0, const void *dh, const void *h,
                                    const void *a, const float *h0, bool bf16,
                                    const f2l_scan_shape *shape, f2l_error *err);

#endif
