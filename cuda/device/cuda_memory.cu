#include "cuda/device/cuda_common.cuh"
#include <stdio.h>
extern "C" {
#include "cuda/device/cuda_memory.h"
}

static f2l_status said(cudaError_t code, const char *what, f2l_error *err)
{
    if (code == cudaSuccess) return F2L_OK;
    return f2l_fail(err, code == cudaErrorMemoryAllocation ? F2L_ENOMEM : F2L_EIO,
                    "CUDA refused %s: %s", what, cudaGetErrorString(code));
}

f2l_status f2l_cuda_alloc(void **out, size_t bytes, f2l_error *err)
{
    *out = NULL;
    const cudaError_t code = cudaMalloc(out, bytes ? bytes : 1);
    if (code == cudaSuccess) return F2L_OK;
    *out = NULL;
    (void)cudaGetLastError(); /* a refused allocation must not count as an error of the next
                               * launch */
    return f2l_fail(err, code == cudaErrorMemoryAllocation ? F2L_ENOMEM : F2L_EIO,
                    "CUDA refused %zu bytes of device memory: %s", bytes, cudaGetErrorString(code));
}

void f2l_cuda_free(void *memory)
{
    if (memory) (void)cudaFree(memory);
}

f2l_status f2l_cuda_alloc_host(void **out, size_t bytes, f2l_error *err)
{
    const cudaError_t code = cudaMallocHost(out, bytes ? bytes : 1);
    if (code == cudaSuccess) return F2L_OK;
    *out = NULL;
    (void)cudaGetLastError();
    return f2l_fail(err, F2L_ENOMEM, "CUDA refused %zu bytes of host memory: %s", bytes,
                    cudaGetErrorString(code));
}

void f2l_cuda_free_host(void *memory)
{
    if (memory) (void)cudaFreeHost(memory);
}

f2l_status f2l_cuda_to_device(void *to, const void *from, size_t bytes, void *stream,
                              f2l_error *err)
{
    return said(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, on(stream)),
                "a copy to the device", err);
}

f2l_status f2l_cuda_to_host(void *to, const void *from, size_t bytes, void *stream, f2l_error *err)
{
    const f2l_status status =
        said(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, on(stream)),
             "a copy to the host", err);
    return status == F2L_OK ? f2l_cuda_wait(stream, err) : status;
}

f2l_status f2l_cuda_fill(void *to, int byte, size_t bytes, void *stream, f2l_error *err)
{
    return said(cudaMemsetAsync(to, byte, bytes, on(stream)), "to fill memory", err);
}

f2l_status f2l_cuda_stream_new(void **stream, f2l_error *err)
{
    cudaStream_t made = NULL;
    const cudaError_t code = cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    *stream = code == cudaSuccess ? made : NULL;
    return said(code, "a stream", err);
}

void f2l_cuda_stream_free(void *stream)
{
    if (stream) (void)cudaStreamDestroy(on(stream));
}

f2l_status f2l_cuda_wait(void *stream, f2l_error *err)
{
    return said(cudaStreamSynchronize(on(stream)), "work on a stream", err);
}

f2l_status f2l_cuda_graph_begin(void *stream, f2l_error *err)
{
    return said(cudaStreamBeginCapture(on(stream), cudaStreamCaptureModeThreadLocal),
                "to capture a graph", err);
}

f2l_status f2l_cuda_graph_end(void **graph, void *stream, f2l_error *err)
{
    cudaGraph_t captured = NULL;
    cudaGraphExec_t made = NULL;
    *graph = NULL;
    cudaError_t code = cudaStreamEndCapture(on(stream), &captured);
    if (code == cudaSuccess) code = cudaGraphInstantiate(&made, captured, 0);
    if (captured) (void)cudaGraphDestroy(captured);
    if (code == cudaSuccess) *graph = made;
    return said(code, "a graph", err);
}

f2l_status f2l_cuda_graph_run(void *graph, void *stream, f2l_error *err)
{
    return said(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), on(stream)),
                "to launch a graph", err);
}

void f2l_cuda_graph_free(void *graph)
{
    if (graph) (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

f2l_status f2l_cuda_event_new(void **event, f2l_error *err)
{
    cudaEvent_t made = NULL;
    const cudaError_t code = cudaEventCreate(&made);
    *event = code == cudaSuccess ? made : NULL;
    return said(code, "an event", err);
}

void f2l_cuda_event_free(void *event)
{
    if (event) (void)cudaEventDestroy(static_cast<cudaEvent_t>(event));
}

f2l_status f2l_cuda_event_record(void *event, void *stream, f2l_error *err)
{
    return said(cudaEventRecord(static_cast<cudaEvent_t>(event), on(stream)), "to record an event",
                err);
}

f2l_status f2l_cuda_event_elapsed(float *milliseconds, void *from, void *to, f2l_error *err)
{
    cudaError_t code = cudaEventSynchronize(static_cast<cudaEvent_t>(to));
    if (code == cudaSuccess)
        code = cudaEventElapsedTime(milliseconds, static_cast<cudaEvent_t>(from),
                                    static_cast<cudaEvent_t>(to));
    return said(code, "the time between two events", err);
}

f2l_status f2l_cuda_device_get(f2l_cuda_device *device, f2l_error *err)
{
    int number = 0, count = 0;
    cudaDeviceProp is;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        return f2l_fail(err, F2L_EDOMAIN, "there is no CUDA device");
    }
    cudaError_t code = cudaGetDevice(&number);
    if (code == cudaSuccess) code = cudaGetDeviceProperties(&is, number);
    if (code != cudaSuccess) return said(code, "to describe the device", err);
    (void)snprintf(device->name, sizeof device->name, "%s", is.name);
    device->major = is.major;
    device->minor = is.minor;
    device->multiprocessors = is.multiProcessorCount;
    device->memory = is.totalGlobalMem;
    device->l2 = static_cast<size_t>(is.l2CacheSize);
    return F2L_OK;
}
