/* Launches of kernels with one structure of arguments. CPU reference: none. */
#ifndef F2L_KERNELS_LAUNCH_CUH
#define F2L_KERNELS_LAUNCH_CUH

extern "C" {
#include "kernels/base/kernels_fail.h"
}
#include <cuda_runtime.h>

/* Launches a kernel; shared memory beyond 48 KB must be requested. full: nearly all of a
 * multiprocessor's shared memory is needed. EIO. */
template <typename Args>
static int launch_kernel(void (*kernel)(Args), uint32_t blocks, uint32_t threads, uint32_t bytes,
                         bool full, const Args &args, void *stream, const char *what,
                         fsa2lrnn_kernels_error *err)
{
    cudaError_t code = cudaSuccess;
    if (!blocks) return FSA2LRNN_KERNELS_OK;
    if (bytes > 48 << 10)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes));
    if (code == cudaSuccess && full)
        code = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                    cudaSharedmemCarveoutMaxShared);
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
