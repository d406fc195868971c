#include "models/learn/train/seq_cuda.h"
#include "cuda/device/group_wait.h"
#include "cuda/step/cuda_mixer.h"
#include "models/learn/train/impl.h"
#include "numeric/base/mem.h"
#include <math.h>
#include <string.h>

f2l_status f2l_seq_cuda_takes(const f2l_seq_config *c, f2l_error *err)
{
    const f2l_step_mixer *mixer = f2l_step_mixer_of(c->mixer, err);
    return mixer == NULL ? F2L_EDOMAIN : mixer->takes(c, err);
}

void f2l_seq_cuda_init(f2l_seq_cuda *t)
{
    *t = (f2l_seq_cuda){0};
}

static f2l_status use_group_device(const f2l_seq_cuda *t, size_t device, f2l_error *err)
{
    return t->group ? t->device.group->use(t->group, device, err) : F2L_OK;
}

void f2l_seq_cuda_clear(f2l_seq_cuda *t)
{
    for (size_t d = 0; t->step && d < t->devices; d++) {
        (void)use_group_device(t, d, NULL);
        f2l_cuda_step_free(t->step[d]);
    }
    if (t->group) t->device.group->destroy(t->group);
    f2l_free(t->step);
    f2l_data_ahead_free(t->ahead);
    f2l_cuda_model_clear(&t->map);
    f2l_free(t->parameter);
    f2l_free(t->other);
    f2l_seq_cuda_init(t);
}

/* Launches the gradient of a device's part of the batch. */
static f2l_status launch_gradient(f2l_seq_cuda *t, size_t d, const f2l_data_batch *batch,
                                  f2l_error *err)
{
    const double positions = batch->counted > 0 ? (double)batch->counted : 1;
    const size_t first = d * batch->sequences / t->devices,
                 end = (d + 1) * batch->sequences / t->devices;
    const size_t at = first * batch->length;
    const f2l_cuda_step_batch in = {
        end - first,       batch->length,    batch->letter + at,
        batch->label + at, batch->mask + at, t->device.packed ? batch->lengths + first : NULL};
    f2l_error why = {0};
    f2l_status status = use_group_device(t, d, err);
    if (status != F2L_OK) return status;
    status = f2l_cuda_step_gradient(t->step[d], &in, 1 / positions, &why);
    if (status == F2L_ENOMEM)
        return f2l_fail(err, status,
                        "%zu sequences of %zu letters at once: %s; fewer or shorter ones need less",
                        in.sequences, in.length, why.text);
    return status == F2L_OK ? F2L_OK : f2l_fail(err, status, "%s", why.text);
}

static f2l_status add_gradients(f2l_seq_cuda *t, f2l_error *err)
{
    float *x[F2L_CUDA_GROUP_MOST];
    void *stream[F2L_CUDA_GROUP_MOST];
    if (t->group == NULL) return F2L_OK;
    for (size_t d = 0; d < t->devices; d++) {
        x[d] = f2l_cuda_step_gradient_on_device(t->step[d]);
        stream[d] = f2l_cuda_step_stream(t->step[d]);
    }
    return t->device.group->sum(t->group, x, stream, err);
}

static f2l_status launch_step(f2l_seq_cuda *t, const f2l_data_batch *batch,
                              const f2l_train_pace *pace, f2l_error *err)
{
    const f2l_cuda_step_rate rate = {.rate = pace->rate,
                                     .decay = pace->weight_decay,
                                     .beta1 = pace->beta1,
                                     .beta2 = pace->beta2,
                                     .epsilon = pace->epsilon,
                                     .clip = pace->clip,
                                     .time = pace->time};
    f2l_status status = F2L_OK;
    for (size_t d = 0; status == F2L_OK && d < t->devices; d++)
        status = launch_gradient(t, d, batch, err);
    if (status == F2L_OK) status = add_gradients(t, err);
    for (size_t d = 0; status == F2L_OK && d < t->devices; d++) {
        status = use_group_device(t, d, err);
        if (status == F2L_OK) status = f2l_cuda_step_update(t->step[d], &rate, err);
    }
    return status;
}

/* Waits for all devices, which have exchanged their gradients. After a failure they are lost. */
static f2l_status wait_for_devices(f2l_seq_cuda *t, f2l_error *err)
{
    void *stream[F2L_CUDA_GROUP_MOST];
    if (t->group == NULL) return F2L_OK;
    const double limit = t->options.step_limit > 0 ? t->options.step_limit : F2L_GROUP_STEP_LIMIT;
    for (size_t d = 0; d < t->devices; d++) stream[d] = f2l_cuda_step_stream(t->step[d]);
    const f2l_status status = t->device.group->wait(t->group, stream, limit, err);
    t->lost = status != F2L_OK;
    return status;
}

/* Waits for all devices and adds up their scores; the norm is the same on all devices. */
static f2l_status collect_device_scores(f2l_seq_score *score, double *norm, f2l_seq_cuda *t,
                                        f2l_error *err)
{
    f2l_status status = F2L_OK;
    *score = (f2l_seq_score){0};
    for (size_t d = 0; status == F2L_OK && d < t->devices; d++) {
        f2l_cuda_score part;
        f2l_cuda_adamw_report update;
        status = use_group_device(t, d, err);
        if (status == F2L_OK) status = f2l_cuda_step_score(&part, &update, t->step[d], err);
        if (status != F2L_OK) return status;
        if (d == 0) *norm = update.norm;
        score->loss += part.loss;
        score->supervised += part.supervised;
        score->right += part.right;
        score->sequences += part.sequences;
        score->right_ones += part.right_ones;
        score->right_last += part.right_last;
    }
    return status;
}

static f2l_status advance_on_devices(void *self, f2l_train_batch *out, double *norm,
                                     const f2l_train_pace *pace, uint64_t step,
                                     const f2l_task *task, f2l_error *err)
{
    f2l_seq_cuda *t = self;
    const f2l_data_batch *batch;
    f2l_data_range range;
    f2l_seq_score score;
    (void)task; /* a step is short, and cannot be undone once it is launched */
    f2l_status status = f2l_seq_trainee_range(&range, &t->options, t->state, t->train, err);
    if (status == F2L_OK) status = f2l_data_ahead_take(&batch, t->ahead, range, step, err);
    if (status == F2L_OK) status = launch_step(t, batch, pace, err);
    if (status != F2L_OK) return status;
    f2l_data_ahead_make(t->ahead, range, step + 1);
    status = wait_for_devices(t, err);
    if (status == F2L_OK) status = collect_device_scores(&score, norm, t, err);
    if (status == F2L_OK)
        f2l_seq_trainee_report(out, t->state, &t->options, &score, batch, t->train);
    return status;
}

static f2l_status put_on_devices(void *self, const void *parameter, const void *mean,
                                 const void *square, f2l_error *err)
{
    const f2l_seq_cuda *t = self;
    f2l_status status = F2L_OK;
    for (size_t d = 0; status == F2L_OK && d < t->devices; d++) {
        status = use_group_device(t, d, err);
        if (status == F2L_OK) status = f2l_cuda_step_put(t->step[d], parameter, mean, square, err);
    }
    return status;
}

/* Fails if the devices' parameters differ. Devices with equal gradients make equal updates. A
 * device with another result is broken, and the numbers that it contributed to are invalid: the run
 * stops at the last checkpoint. */
static f2l_status compare_devices(const f2l_seq_cuda *t, const float *parameter, f2l_error *err)
{
    f2l_status status = F2L_OK;
    for (size_t d = 1; status == F2L_OK && d < t->devices; d++) {
        status = use_group_device(t, d, err);
        if (status == F2L_OK) status = f2l_cuda_step_get(t->other, NULL, NULL, t->step[d], err);
        if (status == F2L_OK &&
            memcmp(t->other, parameter, t->model->parameters * sizeof *parameter) != 0)
            status = f2l_fail(err, F2L_EIO, "devices 0 and %zu do not have the same parameters", d);
    }
    return status;
}

static f2l_status get_from_device(void *self, void *parameter, void *mean, void *square,
                                  f2l_error *err)
{
    const f2l_seq_cuda *t = self;
    if (t->lost) return f2l_fail(err, F2L_UNKNOWN, "the devices were given up");
    f2l_status status = use_group_device(t, 0, err);
    if (status == F2L_OK) status = f2l_cuda_step_get(parameter, mean, square, t->step[0], err);
    return status == F2L_OK ? compare_devices(t, parameter, err) : status;
}

static f2l_status evaluate_on_device(void *self, f2l_train_score *score, size_t scores,
                                     size_t sequences, uint64_t step, const f2l_task *task,
                                     f2l_error *err)
{
    (void)step;
    f2l_seq_cuda *t = self;
    f2l_status status = get_from_device(t, t->parameter, NULL, NULL, err);
    if (status == F2L_OK) status = use_group_device(t, 0, err);
    if (status != F2L_OK) return status;
    return f2l_seq_cuda_evaluate(score, scores, NULL, sequences, &t->map.shape, t->parameter,
                                 t->test, t->device.kernels, F2L_CUDA_F32, task, err);
}

static f2l_status write_device_weights(void *self, const char *path, f2l_error *err)
{
    const f2l_seq_cuda *t = self;
    return f2l_seq_trainee_write(path, t->model, t->parameter, err);
}

static f2l_status make_steps(f2l_seq_cuda *t, f2l_error *err)
{
    f2l_status status = F2L_OK;
    t->step = f2l_calloc(t->devices, sizeof(f2l_cuda_step *));
    if (t->step == NULL) return f2l_fail_memory(err);
    if (t->devices > 1) {
        t->other = f2l_calloc(t->model->parameters, sizeof *t->other);
        if (t->other == NULL) return f2l_fail_memory(err);
        status = t->device.group->create(&t->group, t->devices, t->model->parameters, err);
    }
    for (size_t d = 0; status == F2L_OK && d < t->devices; d++) {
        status = use_group_device(t, d, err);
        if (status == F2L_OK)
            status = f2l_cuda_step_new(&t->step[d], &t->map.shape, t->device.type,
                                       t->device.kernels->step, err);
    }
    return status;
}

static f2l_status make_device_numbers(f2l_seq_cuda *t, const f2l_task *task, f2l_error *err)
{
    size_t bytes;
    f2l_status status = f2l_seq_cuda_bytes(&bytes, t->model, &t->options, err);
    if (status == F2L_OK) status = f2l_task_memory(task, "training", bytes, err);
    if (status == F2L_OK) status = f2l_seq_cuda_takes(&t->model->config, err);
    if (status == F2L_OK) status = f2l_cuda_model_init(&t->map, t->model, err);
    if (status != F2L_OK) return status;
    t->parameter = f2l_calloc(t->model->parameters, sizeof *t->parameter);
    if (t->parameter == NULL) return f2l_fail_memory(err);
    f2l_seq_trainee_start(t->parameter, t->model, &t->options);
    status = f2l_data_ahead_new(&t->ahead, t->train, 0, t->options.batch, t->device.threads, err);
    return status == F2L_OK ? make_steps(t, err) : status;
}

f2l_status f2l_seq_cuda_build(f2l_seq_cuda *t, const f2l_seq *model, const f2l_data *train,
                              const f2l_data *test, const f2l_seq_trainee_options *options,
                              const f2l_seq_cuda_options *device, const f2l_task *task,
                              f2l_error *err)
{
    t->model = model;
    t->train = train;
    t->test = test;
    t->options = *options;
    t->device = *device;
    t->devices = device->group && device->devices > 1 ? device->devices : 1;
    f2l_status status = f2l_seq_trainee_check(&t->options, model, train, test, err);
    if (status == F2L_OK &&
        t->devices > (options->batch < F2L_CUDA_GROUP_MOST ? options->batch : F2L_CUDA_GROUP_MOST))
        status = f2l_fail(err, F2L_EDOMAIN,
                          "%zu devices cannot share a batch of %zu "
                          "sequences",
                          t->devices, options->batch);
    if (status == F2L_OK) status = make_device_numbers(t, task, err);
    if (status != F2L_OK) {
        f2l_seq_cuda_clear(t);
        return status;
    }
    t->state[0] = t->options.curriculum.length;
    t->state[1] = t->options.curriculum.streak;
    t->engine = (f2l_train_engine){.backend = device->backend,
                                   .device = device->device,
                                   .advance = advance_on_devices,
                                   .put = put_on_devices,
                                   .get = get_from_device};
    t->trainee = (f2l_trainee){.self = t,
                               .number = sizeof(float),
                               .parameters = model->parameters,
                               .parameter = t->parameter,
                               .reference = options->reference,
                               .chance_loss = log((double)model->config.labels),
                               .state = t->state,
                               .states = 2,
                               .engine = &t->engine,
                               .evaluate = evaluate_on_device,
                               .write = write_device_weights};
    return F2L_OK;
}
