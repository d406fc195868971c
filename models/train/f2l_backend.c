#include "f2l_backend.h"
#include "f2l_mem.h"
#include <cblas.h>

const char *f2l_backend_name(size_t backend)
{
    static const char *const name[F2L_BACKENDS] = {"cpu", "cuda"};
    return backend < F2L_BACKENDS ? name[backend] : NULL;
}

f2l_status f2l_backend_check(f2l_backend backend, f2l_error *err)
{
    if (backend == F2L_BACKEND_CPU) return F2L_OK;
    if (backend == F2L_BACKEND_CUDA)
        return f2l_fail(err, F2L_EDOMAIN, "this program was built without CUDA: it can train on the CPU");
    return f2l_fail(err, F2L_EDOMAIN, "unknown backend");
}

f2l_status f2l_backend_bytes(size_t *bytes, f2l_backend backend, const f2l_seq *model,
                             const f2l_seq_trainee_options *options, f2l_error *err)
{
    const f2l_status status = f2l_backend_check(backend, err);
    return status == F2L_OK ? f2l_seq_trainee_bytes(bytes, model, options, err) : status;
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
    openblas_set_num_threads(1); /* sums are then taken in the same order on every machine of one kind */
    f2l_seq_trainee_init(t);
    const f2l_status status = f2l_seq_trainee_build(t, model, train, test, options, task, err);
    if (status != F2L_OK) {
        f2l_free(t);
        return status;
    }
    *out = (f2l_backend_trainee){.trainee = &t->trainee, .self = t, .destroy = destroy_cpu};
    return F2L_OK;
}

f2l_status f2l_backend_build(f2l_backend_trainee *out, f2l_backend backend, const f2l_seq *model,
                             const f2l_data *train, const f2l_data *test,
                             const f2l_seq_trainee_options *options, const f2l_task *task, f2l_error *err)
{
    *out = (f2l_backend_trainee){0};
    const f2l_status status = f2l_backend_check(backend, err);
    return status == F2L_OK ? build_cpu(out, model, train, test, options, task, err) : status;
}

void f2l_backend_clear(f2l_backend_trainee *trainee)
{
    if (trainee->destroy) trainee->destroy(trainee->self);
    *trainee = (f2l_backend_trainee){0};
}
