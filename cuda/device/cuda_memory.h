/* Memory, streams, events and graphs of one device, for code that includes no CUDA header. */
#ifndef F2L_CUDA_MEMORY_H
#define F2L_CUDA_MEMORY_H

#include "cuda/device/cuda_type.h"

/* Allocates bytes of device memory; *out is NULL after a failure. F2L_ENOMEM. */
f2l_status f2l_cuda_alloc(void **out, size_t bytes, f2l_error *err);
void f2l_cuda_free(void *memory);
/* Allocates host memory from which copies to the device proceed without waiting. */
f2l_status f2l_cuda_alloc_host(void **out, size_t bytes, f2l_error *err);
void f2l_cuda_free_host(void *memory);
/* Copies are ordered on the stream. To the device: `from` may change once the stream has been
 * waited for if it is from f2l_cuda_alloc_host, and once the call has returned if it is other
 * memory. To the host: the call waits for the stream. */
f2l_status f2l_cuda_to_device(void *to, const void *from, size_t bytes, void *stream,
                              f2l_error *err);
f2l_status f2l_cuda_to_host(void *to, const void *from, size_t bytes, void *stream, f2l_error *err);
f2l_status f2l_cuda_fill(void *to, int byte, size_t bytes, void *stream, f2l_error *err);

f2l_status f2l_cuda_stream_new(void **stream, f2l_error *err);
void f2l_cuda_stream_free(void *stream);
f2l_status f2l_cuda_wait(void *stream, f2l_error *err);

/* Record everything launched on the stream between begin and end as a graph, which run launches; a
 * failed end leaves *graph NULL. */
f2l_status f2l_cuda_graph_begin(void *stream, f2l_error *err);
f2l_status f2l_cuda_graph_end(void **graph, void *stream, f2l_error *err);
f2l_status f2l_cuda_graph_run(void *graph, void *stream, f2l_error *err);
void f2l_cuda_graph_free(void *graph);

/* Measure the milliseconds between two events on a stream; `elapsed` waits for the second event. */
f2l_status f2l_cuda_event_new(void **event, f2l_error *err);
void f2l_cuda_event_free(void *event);
f2l_status f2l_cuda_event_record(void *event, void *stream, f2l_error *err);
f2l_status f2l_cuda_event_elapsed(float *milliseconds, void *from, void *to, f2l_error *err);

typedef struct f2l_cuda_device {
    char name[256];
    int major, minor, multiprocessors;
    size_t memory, l2; /* bytes */
} f2l_cuda_device;
/* Fills *device. F2L_EDOMAIN when there is no device. */
f2l_status f2l_cuda_device_get(f2l_cuda_device *device, f2l_error *err);

#endif
