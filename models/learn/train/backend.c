#include "models/learn/train/backend.h"
#include "models/learn/train/seq_cuda.h"
#include "models/learn/train/seq_cuda_need.h"
#include "numeric/base/mem.h"
#ifdef F2L_HAVE_CUDA
#include "cuda/device/cuda_ready.h"
#endif

const char *f2l_backend_name(size_t backend)
{
    static const char *const name[F2L_BACKENDS] = {"cpu", "cuda", "cuda-float", "cuda-packed"};
    return backend < F2L_BACKENDS ? name[backend] : NULL;
}

static bool is_cuda(f2l_backend backend)
{
    return backend == F2L_BACKEND_CUDA || backend == F2L_BACKEND_CUDA_FLOAT ||
           backend == F2L_BACKEND_CUDA_PACKED;
}

#ifdef F2L_HAVE_CUDA
static f2l_status find_driver(f2l_error *err)
{
    return f2l_cuda_driver(err);
}
static f2l_status find_device(char *name, size_t size, f2l_error *err)
{
    return f2l_cuda_ready(name, size, err);
}
/* Uses the run's device in this thread; with several devices, all devices from the first on. */
static f2l_status use_device(const f2l_seq_trainee_options *options, f2l_error *err)
{
    const unsigned there = f2l_cuda_device_count(),
                   last = options->devices > 1 ? options->devices - 1 : options->device;
    if (last < there) return f2l_cuda_device_use(options->devices > 1 ? 0 : options->device, err);
    return f2l_fail(err, F2L_EDOMAIN, "device %u is asked for, but this machine has %u", last,
                    there);
}
static const f2l_cuda_answer_kernels *const device_kernels = &f2l_cuda_answer_device;
static const f2l_cuda_group_kernels *const device_group = &f2l_cuda_group_device;
#else
static f2l_status find_driver(f2l_error *err)
{
    return f2l_fail(err, F2L_EDOMAIN,
                    "this program was built without CUDA: it can train on the CPU");
}
/* Finds the device; this build has none. */
static f2l_status find_device(char *name, size_t size, f2l_error *err)
{
    (void)name, (void)size;
    return find_driver(err);
}
static f2l_status use_device(const f2l_seq_trainee_options *options, f2l_error *err)
{
    (void)options;
    return find_driver(err);
}
static const f2l_cuda_answer_kernels *const device_kernels = NULL;
static const f2l_cuda_group_kernels *const device_group = NULL;
#endif

f2l_status f2l_backend_device(char *name, size_t size, f2l_backend backend, f2l_error *err)
{
    if (size > 0) name[0] = '\0';
    if (backend == F2L_BACKEND_CPU) return F2L_OK;
    if (is_cuda(backend)) return find_device(name, size, err);
    return f2l_fail(err, F2L_EDOMAIN, "unknown backend");
}

f2l_status f2l_backend_check(f2l_backend backend, f2l_error *err)
{
    if (backend == F2L_BACKEND_CPU) return F2L_OK;
    if (is_cuda(backend)) return find_driver(err);
    return f2l_fail(err, F2L_EDOMAIN, "unknown backend");
}

f2l_status f2l_backend_bytes(size_t *bytes, f2l_backend backend, const f2l_seq *model,
                             const f2l_seq_trainee_options *options, f2l_error *err)
{
    const f2l_status status = f2l_backend_check(backend, err);
    if (status != F2L_OK) return status;
    return is_cuda(backend) ? f2l_seq_cuda_bytes(bytes, model, options, err)
                            : f2l_seq_trainee_bytes(bytes, model, options, err);
}

static f2l_cuda_type cuda_type_of(f2l_backend backend)
{
    return backend == F2L_BACKEND_CUDA_FLOAT ? F2L_CUDA_F32 : F2L_CUDA_BF16;
}

f2l_status f2l_backend_device_bytes(size_t *bytes, f2l_backend backend, const f2l_seq *model,
                                    const f2l_seq_trainee_options *options, size_t evaluated,
                                    f2l_error *err)
{
    const f2l_status status = f2l_backend_check(backend, err);
    *bytes = 0;
    if (status != F2L_OK || !is_cuda(backend)) return status;
    return f2l_seq_cuda_need(bytes, model, options, evaluated, cuda_type_of(backend),
                             device_kernels, err);
}

static void destroy_cpu(void *self)
{
    f2l_seq_trainee_clear(self);
    f2l_free(self);
}

static f2l_status build_cpu(f2l_backend_trainee *out, const f2l_seq *model, const f2l_data *train,
                            const f2l_data *test, const f2l_seq_trainee_options *options,
                            const f2l_task *task, f2l_error *err)
{
    f2l_seq_trainee *t = f2l_calloc(1, sizeof *t);
    if (t == NULL) return f2l_fail_memory(err);
    f2l_seq_trainee_init(t);
    const f2l_status status = f2l_seq_trainee_build(t, model, train, test, options, task, err);
    if (status != F2L_OK) {
        f2l_free(t);
        return status;
    }
    *out = (f2l_backend_trainee){.trainee = &t->trainee, .self = t, .destroy = destroy_cpu};
    return F2L_OK;
}

typedef struct on_device {
    f2l_seq_cuda trainee;
    char name[256]; /* of the device, for the log */
} on_device;

static void destroy_cuda(void *self)
{
    on_device *d = self;
    f2l_seq_cuda_clear(&d->trainee);
    f2l_free(d);
}

static f2l_status build_cuda(f2l_backend_trainee *out, f2l_backend backend, const f2l_seq *model,
                             const f2l_data *train, const f2l_data *test,
                             const f2l_seq_trainee_options *options, const f2l_task *task,
                             f2l_error *err)
{
    on_device *d = f2l_calloc(1, sizeof *d);
    if (d == NULL) return f2l_fail_memory(err);
    const f2l_seq_cuda_options how = {.kernels = device_kernels,
                                      .type = cuda_type_of(backend),
                                      .threads = task ? task->jobs : 1,
                                      .group = device_group,
                                      .devices = options->devices,
                                      .packed = backend == F2L_BACKEND_CUDA_PACKED,
                                      .backend = f2l_backend_name(backend),
                                      .device = d->name};
    f2l_seq_cuda_init(&d->trainee);
    f2l_status status = use_device(options, err);
    if (status == F2L_OK) status = f2l_backend_device(d->name, sizeof d->name, backend, err);
    if (status == F2L_OK)
        status = f2l_seq_cuda_build(&d->trainee, model, train, test, options, &how, task, err);
    if (status != F2L_OK) {
        f2l_free(d);
        return status;
    }
    *out =
        (f2l_backend_trainee){.trainee = &d->trainee.trainee, .self = d, .destroy = destroy_cuda};
    return F2L_OK;
}

f2l_status f2l_backend_build(f2l_backend_trainee *out, f2l_backend backend, const f2l_seq *model,
                             const f2l_data *train, const f2l_data *test,
                             const f2l_seq_trainee_options *options, const f2l_task *task,
                             f2l_error *err)
{
    *out = (f2l_backend_trainee){0};
    const f2l_status status = f2l_backend_check(backend, err);
    if (status != F2L_OK) return status;
    return is_cuda(backend) ? build_cuda(out, backend, model, train, test, options, task, err)
                            : build_cpu(out, model, train, test, options, task, err);
}

void f2l_backend_clear(f2l_backend_trainee *trainee)
{
    if (trainee->destroy) trainee->destroy(trainee->self);
    *trainee = (f2l_backend_trainee){0};
}

f2l_status f2l_backend_evaluate(f2l_train_score *score, size_t scores, f2l_data_wrong *wrong,
                                size_t sequences, f2l_backend backend, const f2l_seq *model,
                                const float *parameters, const f2l_data *data, const f2l_task *task,
                                f2l_error *err)
{
    f2l_cuda_model map;
    f2l_status status = f2l_backend_check(backend, err);
    if (status == F2L_OK && !is_cuda(backend))
        status =
            f2l_fail(err, F2L_EDOMAIN, "the backend %s is no device", f2l_backend_name(backend));
    if (status == F2L_OK) status = f2l_seq_cuda_takes(&model->config, err);
    if (status == F2L_OK) status = f2l_cuda_model_init(&map, model, err);
    if (status != F2L_OK) return status;
    status = f2l_seq_cuda_evaluate(score, scores, wrong, sequences, &map.shape, parameters, data,
                                   device_kernels, F2L_CUDA_F32, task, err);
    f2l_cuda_model_clear(&map);
    return status;
}
