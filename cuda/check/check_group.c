/* check_group: a send between two devices that is never received ends with the step's limit, and
 * the process goes on. Where there are not two devices it says so. */
#include "cuda/device/cuda_group.h"
#include "cuda/device/cuda_memory.h"
#include "cuda/device/cuda_ready.h"
#include "numeric/base/task.h"
#include <stdio.h>
#include <string.h>

/* Numbers of a send, and sends: more than NCCL's buffers take without a receiver, which is some
 * hundred MB over NVLink. */
enum { COUNT = 1 << 28, SENDS = 4 };
static const double limit = 3;

/* Waits for streams that do nothing, for a sum, and for a send that nobody receives. */
static f2l_status wait_for_sends(f2l_cuda_group *g, float *const *x, void *const *stream,
                                 f2l_error *err)
{
    f2l_status status = f2l_cuda_group_wait(g, stream, limit, err);
    if (status == F2L_OK) status = f2l_cuda_group_sum(g, x, stream, err);
    if (status == F2L_OK) status = f2l_cuda_group_wait(g, stream, 60, err);
    if (status != F2L_OK) return status;
    for (size_t i = 0; i < SENDS && status == F2L_OK; i++)
        status = f2l_cuda_group_send_alone(g, x[0], stream[0], err);
    if (status != F2L_OK) return status;
    const double begin = f2l_now();
    status = f2l_cuda_group_wait(g, stream, limit, err);
    const double took = f2l_now() - begin;
    printf("a send without a receiver: %s after %.1f s: %s\n",
           status == F2L_UNKNOWN ? "given up" : "not given up", took,
           status == F2L_OK ? "all was sent" : err->text);
    if (status == F2L_UNKNOWN && took >= limit && took < limit + 20 &&
        strstr(err->text, "--step-limit") != NULL)
        return F2L_OK;
    return f2l_fail(err, F2L_EIO, "the send did not end with the step's limit");
}

int main(void)
{
    f2l_error err = {0};
    f2l_cuda_group *g = NULL;
    float *x[2] = {NULL, NULL};
    void *stream[2] = {NULL, NULL};
    if (f2l_cuda_device_count() < 2) {
        puts("skipped: there are not two devices");
        return 0;
    }
    f2l_status status = f2l_cuda_group_new(&g, 2, COUNT, &err);
    for (size_t d = 0; status == F2L_OK && d < 2; d++) {
        status = f2l_cuda_group_use(g, d, &err);
        if (status == F2L_OK) status = f2l_cuda_stream_new(&stream[d], &err);
        if (status == F2L_OK)
            status = f2l_cuda_alloc((void **)&x[d], (size_t)COUNT * sizeof(float), &err);
    }
    if (status == F2L_OK) status = wait_for_sends(g, x, stream, &err);
    for (size_t d = 0; g && d < 2; d++) {
        if (f2l_cuda_group_use(g, d, &err) != F2L_OK) continue;
        f2l_cuda_free(x[d]);
        f2l_cuda_stream_free(stream[d]);
    }
    f2l_cuda_group_free(g);
    printf("check_group: %s\n", status == F2L_OK ? "ok" : err.text);
    return status == F2L_OK ? 0 : 1;
}
