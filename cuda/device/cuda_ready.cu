#include "cuda/device/cuda_common.cuh"
#include <dlfcn.h>
#include <stdio.h>
extern "C" {
#include "cuda/device/cuda_ready.h"
}

/* Least major compute capability, which has bf16 in registers and asynchronous copies. */
enum { LEAST_CAPABILITY = 8 };

/* Versions are 1000 major + 10 minor. The driver's library is called directly: the runtime would
 * begin the driver first. */
f2l_status f2l_cuda_driver(f2l_error *err)
{
    using version = int (*)(int *);
    int driver = 0;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    const version ask = library != nullptr
                            ? reinterpret_cast<version>(dlsym(library, "cuDriverGetVersion"))
                            : nullptr;
    if (ask == nullptr || ask(&driver) != 0 || driver == 0)
        return f2l_fail(err, F2L_EDOMAIN,
                        "this machine has no NVIDIA driver, which CUDA needs: it can train on the "
                        "CPU");
    if (driver / 1000 < CUDART_VERSION / 1000)
        return f2l_fail(
            err, F2L_EDOMAIN,
            "the NVIDIA driver is too old: it serves CUDA %d.%d, and this program was built for "
            "CUDA %d",
            driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000);
    return F2L_OK;
}

static f2l_status check_count(f2l_error *err)
{
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess) (void)cudaGetLastError();
    if (code == cudaErrorInsufficientDriver)
        return f2l_fail(err, F2L_EDOMAIN,
                        "the NVIDIA driver is too old for this program, or not "
                        "running");
    if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0))
        return f2l_fail(err, F2L_EDOMAIN,
                        "this machine has no CUDA device (or CUDA_VISIBLE_DEVICES hides it)");
    if (code != cudaSuccess)
        return f2l_fail(err, F2L_EIO, "the NVIDIA driver does not start: %s",
                        cudaGetErrorString(code));
    return F2L_OK;
}

f2l_status f2l_cuda_ready(char *name, size_t size, f2l_error *err)
{
    int device = 0;
    cudaDeviceProp is;
    f2l_status status = f2l_cuda_driver(err);
    if (status == F2L_OK) status = check_count(err);
    if (status != F2L_OK) return status;
    cudaError_t code = cudaGetDevice(&device);
    if (code == cudaSuccess) code = cudaGetDeviceProperties(&is, device);
    if (code != cudaSuccess) {
        (void)cudaGetLastError();
        return f2l_fail(err, F2L_EIO, "device %d cannot be asked what it is: %s", device,
                        cudaGetErrorString(code));
    }
    if (is.major < LEAST_CAPABILITY)
        return f2l_fail(err, F2L_EDOMAIN,
                        "%s has compute capability %d.%d; at least %d.0 is needed", is.name,
                        is.major, is.minor, LEAST_CAPABILITY);
    if (size > 0) (void)snprintf(name, size, "%s", is.name);
    return F2L_OK;
}

unsigned f2l_cuda_device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return (unsigned)count;
    (void)cudaGetLastError();
    return 0;
}

f2l_status f2l_cuda_device_use(unsigned device, f2l_error *err)
{
    const cudaError_t code = cudaSetDevice((int)device);
    if (code == cudaSuccess) return F2L_OK;
    (void)cudaGetLastError();
    return f2l_fail(err, F2L_EIO, "device %u cannot be used: %s", device, cudaGetErrorString(code));
}
