#include "cuda/device/cuda_common.cuh"
#include <dlfcn.h>
#include <stdlib.h>
extern "C" {
#include "cuda/device/cuda_group.h"
#include "cuda/device/group_wait.h"
#include "numeric/base/mem.h"
#include "numeric/base/task.h"
}
#include <time.h>

/* The part of NCCL's interface that is used here, from its documentation; NCCL's header is not
 * needed. */
typedef struct ncclComm *communicator;
enum { NCCL_OK = 0, NCCL_IN_PROGRESS = 7, NCCL_FLOAT = 7 };
typedef struct library {
    void *handle;
    int (*init_all)(communicator *, int, const int *);
    int (*destroy)(communicator);
    int (*group_start)(void);
    int (*group_end)(void);
    int (*send)(const void *, size_t, int, int, communicator, cudaStream_t);
    int (*receive)(void *, size_t, int, int, communicator, cudaStream_t);
    const char *(*text)(int);
    int (*async_error)(communicator, int *);
    int (*abort)(communicator);
} library;

struct f2l_cuda_group {
    library nccl;
    size_t devices, count, part; /* numbers of a part; the last parts may be shorter, or empty */
    communicator member[F2L_CUDA_GROUP_MOST];
    float *received[F2L_CUDA_GROUP_MOST]; /* [devices][part] on the device */
};

static f2l_status refused(const f2l_cuda_group *g, const char *what, int code, f2l_error *err)
{
    return f2l_fail(err, F2L_EIO, "NCCL refused %s: %s", what, g->nccl.text(code));
}

template <typename F> static bool find_group_symbol(F *function, void *handle, const char *name)
{
    *function = reinterpret_cast<F>(dlsym(handle, name));
    return *function != nullptr;
}

static bool open_library(library *l)
{
    static const char *const name[] = {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2",
                                       "/usr/lib/x86_64-linux-gnu/libnccl.so.2"};
    for (size_t i = 0; i < sizeof name / sizeof *name && !l->handle; i++)
        l->handle = dlopen(name[i], RTLD_NOW | RTLD_LOCAL);
    return l->handle && find_group_symbol(&l->init_all, l->handle, "ncclCommInitAll") &&
           find_group_symbol(&l->destroy, l->handle, "ncclCommDestroy") &&
           find_group_symbol(&l->group_start, l->handle, "ncclGroupStart") &&
           find_group_symbol(&l->group_end, l->handle, "ncclGroupEnd") &&
           find_group_symbol(&l->send, l->handle, "ncclSend") &&
           find_group_symbol(&l->receive, l->handle, "ncclRecv") &&
           find_group_symbol(&l->async_error, l->handle, "ncclCommGetAsyncError") &&
           find_group_symbol(&l->abort, l->handle, "ncclCommAbort") &&
           find_group_symbol(&l->text, l->handle, "ncclGetErrorString");
}

static f2l_status start(f2l_cuda_group *g, f2l_error *err)
{
    int device[F2L_CUDA_GROUP_MOST];
    for (size_t d = 0; d < g->devices; d++) device[d] = (int)d;
    /* Multicast over NVLink does not help here, and a failure of multicast can take down devices
     * that others share. */
    (void)setenv("NCCL_NVLS_ENABLE", "0", 1);
    if (!open_library(&g->nccl))
        return f2l_fail(err, F2L_EDOMAIN,
                        "several devices need libnccl.so.2, which this machine does not have");
    const int code = g->nccl.init_all(g->member, (int)g->devices, device);
    if (code != NCCL_OK) return refused(g, "to start", code, err);
    for (size_t d = 0; d < g->devices; d++) {
        const f2l_status status = f2l_cuda_group_use(g, d, err);
        if (status != F2L_OK) return status;
        if (cudaMalloc(&g->received[d], g->devices * g->part * sizeof(float)) != cudaSuccess) {
            (void)cudaGetLastError();
            return f2l_fail(err, F2L_ENOMEM,
                            "device %zu has no memory left for the gradients of "
                            "the others",
                            d);
        }
    }
    return F2L_OK;
}

f2l_status f2l_cuda_group_new(f2l_cuda_group **out, size_t devices, size_t count, f2l_error *err)
{
    int there = 0;
    *out = nullptr;
    if (cudaGetDeviceCount(&there) != cudaSuccess) {
        (void)cudaGetLastError();
        there = 0;
    }
    if (devices == 0 || devices > (size_t)there || devices > F2L_CUDA_GROUP_MOST)
        return f2l_fail(err, F2L_EDOMAIN, "%zu devices are asked for, but this machine has %d",
                        devices, there);
    f2l_cuda_group *g = static_cast<f2l_cuda_group *>(f2l_calloc(1, sizeof *g));
    if (!g) return f2l_fail_memory(err);
    g->devices = devices;
    g->count = count;
    g->part = ((count + devices - 1) / devices + 3) / 4 * 4; /* parts begin at 16 bytes */
    const f2l_status status = start(g, err);
    if (status == F2L_OK)
        *out = g;
    else
        f2l_cuda_group_free(g);
    return status;
}

void f2l_cuda_group_free(f2l_cuda_group *group)
{
    if (!group) return;
    for (size_t d = 0; d < group->devices; d++) {
        if (group->received[d] && cudaSetDevice((int)d) == cudaSuccess)
            (void)cudaFree(group->received[d]);
        if (group->member[d]) (void)group->nccl.destroy(group->member[d]);
    }
    if (group->nccl.handle) (void)dlclose(group->nccl.handle);
    f2l_free(group);
}

f2l_status f2l_cuda_group_use(f2l_cuda_group *group, size_t device, f2l_error *err)
{
    (void)group;
    const cudaError_t code = cudaSetDevice((int)device);
    if (code == cudaSuccess) return F2L_OK;
    (void)cudaGetLastError();
    return f2l_fail(err, F2L_EIO, "device %zu cannot be used: %s", device,
                    cudaGetErrorString(code));
}

/* Return the first number of part d, and the count of its numbers. */
static size_t first_of(const f2l_cuda_group *g, size_t d)
{
    const size_t first = d * g->part;
    return first < g->count ? first : g->count;
}
static size_t count_of(const f2l_cuda_group *g, size_t d)
{
    return first_of(g, d + 1) - first_of(g, d);
}

/* Exchanges parts between every two devices: the receiver's part (out), or the sender's part
 * (back). */
static f2l_status exchange(f2l_cuda_group *g, float *const *x, void *const *stream, bool back,
                           f2l_error *err)
{
    int code = g->nccl.group_start();
    if (code != NCCL_OK) return refused(g, "a group", code, err);
    for (size_t d = 0; d < g->devices; d++)
        for (size_t p = 0; p < g->devices; p++) {
            const size_t give = back ? d : p, take = back ? p : d;
            float *to = back ? x[d] + first_of(g, p) : g->received[d] + p * g->part;
            if (p == d) continue;
            if (code == NCCL_OK && count_of(g, give) > 0)
                code = g->nccl.send(x[d] + first_of(g, give), count_of(g, give), NCCL_FLOAT, (int)p,
                                    g->member[d], on(stream[d]));
            if (code == NCCL_OK && count_of(g, take) > 0)
                code = g->nccl.receive(to, count_of(g, take), NCCL_FLOAT, (int)p, g->member[d],
                                       on(stream[d]));
        }
    const int ended = g->nccl.group_end(); /* also after a failure */
    if (code == NCCL_OK) code = ended;
    return code == NCCL_OK ? F2L_OK : refused(g, "an exchange", code, err);
}

/* Computes x = the sum of all devices' numbers in the order of devices; x holds the numbers of
 * device `own` before. */
static __global__ void add_parts(float *x, const float *received, size_t part, size_t count,
                                 unsigned devices, unsigned own)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        float sum = own == 0 ? x[i] : received[i];
        for (unsigned d = 1; d < devices; d++) sum += d == own ? x[i] : received[d * part + i];
        x[i] = sum;
    }
}

static f2l_status add_up(f2l_cuda_group *g, float *const *x, void *const *stream, f2l_error *err)
{
    enum { THREADS = 256, MOST_BLOCKS = 1024 };
    for (size_t d = 0; d < g->devices; d++) {
        const size_t count = count_of(g, d), blocks = (count + THREADS - 1) / THREADS;
        if (count == 0) continue;
        const f2l_status status = f2l_cuda_group_use(g, d, err);
        if (status != F2L_OK) return status;
        add_parts<<<(unsigned)(blocks < MOST_BLOCKS ? blocks : (size_t)MOST_BLOCKS), THREADS, 0,
                    on(stream[d])>>>(x[d] + first_of(g, d), g->received[d], g->part, count,
                                     (unsigned)g->devices, (unsigned)d);
        const cudaError_t code = cudaGetLastError();
        if (code != cudaSuccess)
            return f2l_fail(err, F2L_EIO, "CUDA refused a sum over devices: %s",
                            cudaGetErrorString(code));
    }
    return F2L_OK;
}

f2l_status f2l_cuda_group_sum(f2l_cuda_group *group, float *const *x, void *const *stream,
                              f2l_error *err)
{
    if (group->devices == 1) return F2L_OK;
    f2l_status status = exchange(group, x, stream, false, err);
    if (status == F2L_OK) status = add_up(group, x, stream, err);
    return status == F2L_OK ? exchange(group, x, stream, true, err) : status;
}

f2l_status f2l_cuda_group_send_alone(f2l_cuda_group *group, const float *x, void *stream,
                                     f2l_error *err)
{
    const f2l_status status = f2l_cuda_group_use(group, 0, err);
    if (status != F2L_OK) return status;
    const int code = group->nccl.send(x, group->count, NCCL_FLOAT, 1, group->member[0], on(stream));
    return code == NCCL_OK ? F2L_OK : refused(group, "a send", code, err);
}

/* --- waiting --- */

typedef struct waiting {
    f2l_cuda_group *group;
    void *const *stream;
} waiting;

static int is_stream_ready(void *context, size_t device)
{
    const waiting *w = static_cast<const waiting *>(context);
    const cudaError_t code = cudaSetDevice((int)device) == cudaSuccess
                                 ? cudaStreamQuery(on(w->stream[device]))
                                 : cudaErrorInvalidDevice;
    if (code != cudaSuccess) (void)cudaGetLastError();
    return code == cudaSuccess ? 1 : code == cudaErrorNotReady ? 0 : -1;
}

static int find_exchange_fault(void *context, size_t device)
{
    const f2l_cuda_group *g = static_cast<const waiting *>(context)->group;
    int code = NCCL_OK;
    if (!g->member[device]) return NCCL_OK;
    const int asked = g->nccl.async_error(g->member[device], &code);
    if (asked != NCCL_OK) return asked;
    return code == NCCL_IN_PROGRESS ? NCCL_OK : code;
}

static const char *exchange_fault_text(void *context, int code)
{
    return static_cast<const waiting *>(context)->group->nccl.text(code);
}

static void abort_exchange(void *context, size_t device)
{
    f2l_cuda_group *g = static_cast<waiting *>(context)->group;
    if (g->member[device]) (void)g->nccl.abort(g->member[device]);
    g->member[device] = nullptr;
}

static double now_of_group(void *context)
{
    (void)context;
    return f2l_now();
}

static void rest_of_group(void *context, double seconds)
{
    (void)context;
    const struct timespec t = {0, (long)(seconds * 1e9)};
    (void)nanosleep(&t, nullptr);
}

f2l_status f2l_cuda_group_wait(f2l_cuda_group *group, void *const *stream, double limit,
                               f2l_error *err)
{
    static const f2l_group_watch watch = {is_stream_ready, find_exchange_fault, exchange_fault_text,
                                          abort_exchange,  now_of_group,        rest_of_group};
    waiting w = {group, stream};
    return f2l_group_wait(&watch, &w, group->devices, limit, err);
}
