/* Whether this machine can run the kernels, and on which device. */
#ifndef F2L_CUDA_READY_H
#define F2L_CUDA_READY_H

#include "numeric/base/status.h"

/* Returns F2L_OK, or F2L_EDOMAIN when there is no driver or it is too old. Does not start the
 * driver, so that the process may still be forked: a child cannot use a driver that its parent has
 * started. */
f2l_status f2l_cuda_driver(f2l_error *err);

/* Returns F2L_OK with the device's name in name[size] (cut if need be); F2L_EDOMAIN with the
 * reason: no driver, a driver that is too old, no device, a device that is too old; F2L_EIO for any
 * other error of the driver. The device is the calling thread's. */
f2l_status f2l_cuda_ready(char *name, size_t size, f2l_error *err);

/* Returns the number of usable devices; 0 where f2l_cuda_ready fails. */
unsigned f2l_cuda_device_count(void);
/* Makes the calling thread use this device from now on. */
f2l_status f2l_cuda_device_use(unsigned device, f2l_error *err);

#endif
