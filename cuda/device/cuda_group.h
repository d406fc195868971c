/* Several devices of one machine that train one model: each has all parameters and a part of every
 * batch, and the gradients are added up before each makes the same update.
 *
 * The sum is x_0 + x_1 + .. in this order for every number: device r adds up the r-th part of all
 * gradients, and gives the sums to the others. The result does not depend on the library's choice
 * of algorithms, so a given number of devices always gives the same bits, and all devices have
 * equal bits. The traffic equals an all-reduce's.
 *
 * NCCL is the machine's library (libnccl.so.2, opened at run time) and not part of this project.
 * One thread serves all devices. */
#ifndef F2L_CUDA_GROUP_H
#define F2L_CUDA_GROUP_H

#include "cuda/device/cuda_type.h"

#define F2L_CUDA_GROUP_MOST 64

typedef struct f2l_cuda_group f2l_cuda_group;

/* Creates a group of devices 0 .. devices - 1, for sums of `count` floats. *out is NULL after a
 * failure: F2L_EDOMAIN when there are fewer devices or no NCCL, F2L_ENOMEM, F2L_EIO. */
f2l_status f2l_cuda_group_new(f2l_cuda_group **out, size_t devices, size_t count, f2l_error *err);
void f2l_cuda_group_free(f2l_cuda_group *group);

/* Makes the calling thread allocate and launch on this device from now on. */
f2l_status f2l_cuda_group_use(f2l_cuda_group *group, size_t device, f2l_error *err);

/* Replaces x[d] [count], on device d, by the sum over all devices; ordered on stream[d]. Launches
 * only. Afterwards the current device of the thread is unspecified. */
f2l_status f2l_cuda_group_sum(f2l_cuda_group *group, float *const *x, void *const *stream,
                              f2l_error *err);

/* Waits until the work on all streams, stream[d] on device d, is done. F2L_UNKNOWN after `limit`
 * seconds, or where NCCL or a device has failed: then all exchanges are aborted, and the group can
 * only be freed. */
f2l_status f2l_cuda_group_wait(f2l_cuda_group *group, void *const *stream, double limit,
                               f2l_error *err);

/* Sends x [count] from device 0 to device 1, which never receives it; for checks of the wait. */
f2l_status f2l_cuda_group_send_alone(f2l_cuda_group *group, const float *x, void *stream,
                                     f2l_error *err);

/* The functions as a table, for tests without devices. */
typedef struct f2l_cuda_group_kernels {
    __typeof__(f2l_cuda_group_new) *create;
    __typeof__(f2l_cuda_group_free) *destroy;
    __typeof__(f2l_cuda_group_use) *use;
    __typeof__(f2l_cuda_group_sum) *sum;
    __typeof__(f2l_cuda_group_wait) *wait;
} f2l_cuda_group_kernels;

extern const f2l_cuda_group_kernels f2l_cuda_group_device; /* defined in the build with kernels */

#endif
