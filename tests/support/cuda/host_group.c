/* Groups of "devices" that are all the host. */
#include "numeric/base/mem.h"
#include "tests/support/cuda/host_kernels.h"

struct f2l_cuda_group {
    size_t devices, count;
};

static f2l_status host_new(f2l_cuda_group **out, size_t devices, size_t count, f2l_error *err)
{
    *out = NULL;
    if (devices == 0 || devices > F2L_CUDA_GROUP_MOST)
        return f2l_fail(err, F2L_EDOMAIN, "%zu devices are asked for, but there may be %d", devices,
                        F2L_CUDA_GROUP_MOST);
    *out = f2l_calloc(1, sizeof **out);
    if (*out == NULL) return f2l_fail_memory(err);
    **out = (f2l_cuda_group){devices, count};
    return F2L_OK;
}

static void host_free(f2l_cuda_group *group)
{
    f2l_free(group);
}

static f2l_status host_use(f2l_cuda_group *group, size_t device, f2l_error *err)
{
    return device < group->devices ? F2L_OK
                                   : f2l_fail(err, F2L_EIO, "there is no device %zu", device);
}

static f2l_status host_sum(f2l_cuda_group *group, float *const *x, void *const *stream,
                           f2l_error *err)
{
    (void)stream, (void)err;
    for (size_t i = 0; i < group->count; i++) {
        float sum = x[0][i];
        for (size_t d = 1; d < group->devices; d++) sum += x[d][i];
        for (size_t d = 0; d < group->devices; d++) x[d][i] = sum;
    }
    return F2L_OK;
}

static f2l_status host_wait(f2l_cuda_group *group, void *const *stream, double limit,
                            f2l_error *err)
{
    (void)group, (void)stream, (void)limit, (void)err;
    return F2L_OK;
}

const f2l_cuda_group_kernels f2l_cuda_group_host = {
    .create = host_new, .destroy = host_free, .use = host_use, .sum = host_sum, .wait = host_wait};
