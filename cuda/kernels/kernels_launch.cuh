/* Launches of kernels with one structure of arguments. CPU reference: none. */
#ifndef F2L_KERNELS_LAUNCH_CUH
#define F2L_KERNELS_LAUNCH_CUH

extern "C" {
#include "kernels/base/kernels_fail.h"
}
#include <atomic>
#include <cuda_runtime.h>

/* The shared memory that a kernel was allowed on a device: to ask the driver again costs every call
 * microseconds. */
struct allowed_kernel {
    std::atomic<const void *> kernel;
    std::atomic<uint32_t> bytes;
};

/* Returns the place of a kernel on the present device; NULL where there is none. */
static allowed_kernel *find_allowed_kernel(const void *kernel)
{
    enum { DEVICES = 16, KERNELS = 64 };
    static allowed_kernel allowed[DEVICES][KERNELS];
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device >= DEVICES) return nullptr;
    for (allowed_kernel &a : allowed[device]) {
        const void *none = nullptr;
        if (a.kernel.compare_exchange_strong(none, kernel) || none == kernel) return &a;
    }
    return nullptr;
}

/* Requests shared memory beyond 48 KB, and nearly all of a multiprocessor's where it is needed. */
static cudaError_t allow_shared_memory(const void *kernel, uint32_t bytes, bool full)
{
    allowed_kernel *known = find_allowed_kernel(kernel);
    if (known && known->bytes >= bytes) return cudaSuccess;
    cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            static_cast<int>(bytes));
    if (code == cudaSuccess && full)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared);
    if (known && code == cudaSuccess) known->bytes = bytes;
    return code;
}

/* Launches a kernel. full: nearly all of a multiprocessor's shared memory is needed. EIO. */
template <typename Args>
static int launch_kernel(void (*kernel)(Args), uint32_t blocks, uint32_t threads, uint32_t bytes,
                         bool full, const Args &args, void *stream, const char *what,
                         fsa2lrnn_kernels_error *err)
{
    cudaError_t code = cudaSuccess;
    if (!blocks) return FSA2LRNN_KERNELS_OK;
    if (bytes > 48 << 10 || full)
        code = allow_shared_memory(reinterpret_cast<const void *>(kernel), bytes, full);
    if (code == cudaSuccess) {
        kernel<<<blocks, threads, bytes, static_cast<cudaStream_t>(stream)>>>(args);
        code = cudaGetLastError();
    }
    if (code == cudaSuccess) return FSA2LRNN_KERNELS_OK;
    return f2l_kernels_fail(err, FSA2LRNN_KERNELS_EIO,
                            "CUDA refused %s with %u blocks of %u threads and %u bytes of shared "
                            "memory: %s",
                            what, blocks, threads, bytes, cudaGetErrorString(code));
}

#endif
