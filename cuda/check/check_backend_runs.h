/* Whole runs: compared with the CPU, repeated, in pieces, on several devices. */
#ifndef CHECK_BACKEND_RUNS_H
#define CHECK_BACKEND_RUNS_H

#include "cuda/check/check_backend_model.h"
#include "models/learn/experiment/experiment.h"
#include "numeric/base/rng.h"
#include <unistd.h>

/* The losses of a run that is interrupted after step `stop` (0: never). */
typedef struct course {
    double loss[STEPS + 1];
    volatile sig_atomic_t flag;
    uint64_t stop;
} course;

static void note(void *context, const f2l_train_progress *progress)
{
    course *c = context;
    c->loss[progress->step] = progress->loss;
    if (c->stop > 0 && progress->step == c->stop) c->flag = SIGTERM;
}

static f2l_status follow(course *c, const f2l_trainee *trainee, f2l_train_dir *dir)
{
    const f2l_train_options o = options_of();
    const f2l_train_watch watch = {.progress = note, .context = c};
    const f2l_task task = {.cancel = &c->flag};
    f2l_train_result result;
    f2l_train_result_init(&result);
    const f2l_status status = f2l_train_run(&result, trainee, &o, dir, &watch, &task, &why);
    f2l_train_result_clear(&result);
    return status;
}

/* Does the same run on the CPU; the runs of both types are compared with it. */
static void follow_here(course *c, const setting *s)
{
    f2l_seq_trainee here;
    build_here(&here, s);
    demand(follow(c, &here.trainee, NULL));
    f2l_seq_trainee_clear(&here);
}

static double losses_apart(const course *a, const course *b)
{
    double apart = 0;
    for (size_t i = 1; i <= STEPS; i++) worse(&apart, fabs(a->loss[i] - b->loss[i]) / a->loss[i]);
    return apart;
}

static void check_answers(const setting *s, const char *type, const f2l_seq_cuda *there)
{
    f2l_train_score x[3] = {{.length = 1}, {.length = 30}, {.length = 300}}, y[3];
    double wrong = 0;
    memcpy(y, x, sizeof x);
    demand(f2l_experiment_evaluate(x, 3, NULL, 200, F2L_BACKEND_CPU, &s->model, there->parameter,
                                   &s->test, NULL, &why));
    demand(f2l_seq_cuda_evaluate(y, 3, NULL, 200, &there->map.shape, there->parameter, &s->test,
                                 kernels, F2L_CUDA_F32, NULL, &why));
    for (size_t i = 0; i < 3; i++)
        worse(&wrong, fabs(f2l_train_accuracy(&x[i]) - f2l_train_accuracy(&y[i])));
    judge(s->trial->name, type, "answers: accuracy", wrong, 2e-3);
}

/* Does a run in pieces, with the folder of a run. */
static void run_in_pieces(float *parameter, const setting *s)
{
    static const char config[] = "{}\n";
    const f2l_train_provenance nobody = {0};
    char folder[] = "/tmp/f2l-check-XXXXXX", path[64], command[96];
    f2l_status status = F2L_UNKNOWN;
    if (mkdtemp(folder) == NULL) exit(1);
    (void)snprintf(path, sizeof path, "%s/run", folder);
    for (uint64_t stop = 37; status != F2L_OK; stop += 41) {
        f2l_train_dir dir;
        f2l_seq_cuda t;
        course c = {{0}, 0, stop};
        build_there(&t, s);
        demand(stop == 37 ? f2l_train_dir_create(&dir, path, config, &nobody, &why)
                          : f2l_train_dir_open(&dir, path, config, &why));
        status = follow(&c, &t.trainee, &dir);
        if (status != F2L_UNKNOWN) demand(status);
        memcpy(parameter, t.parameter, s->model.parameters * sizeof *parameter);
        f2l_train_dir_clear(&dir);
        f2l_seq_cuda_clear(&t);
    }
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) printf("%s is left\n", folder);
}

static void check_runs(const setting *s, const char *type, const course *here)
{
    const bool wide = s->device.type == F2L_CUDA_F32;
    const char *name = s->trial->name;
    const size_t n = s->model.parameters;
    f2l_seq_cuda first, second;
    course a = {{0}, 0, 0}, b = {{0}, 0, 0};
    float *pieces = f2l_calloc(n, sizeof *pieces);
    if (pieces == NULL) demand(f2l_fail_memory(&why));
    build_there(&first, s);
    build_there(&second, s);
    const double from = f2l_now();
    demand(follow(&a, &first.trainee, NULL));
    const double seconds = f2l_now() - from;
    demand(follow(&b, &second.trainee, NULL));
    judge(name, type, "bits: twice", differ(first.parameter, second.parameter, n), 0);
    run_in_pieces(pieces, s);
    judge(name, type, "bits: in pieces", differ(first.parameter, pieces, n), 0);
    printf("%-24s %-4s %.0f steps/s with evaluation\n", name, type, STEPS / seconds);
    judge(name, type, "course: loss", losses_apart(here, &a), wide ? 0.02 : 0.1);
    check_answers(s, type, &first);
    f2l_free(pieces);
    f2l_seq_cuda_clear(&first);
    f2l_seq_cuda_clear(&second);
}

/* Puts `count` random numbers on every device, and their sum, added up on the host, into `sum`. */
static void put_terms(float *sum, float *x[], void *stream[], size_t count, f2l_cuda_group *g)
{
    const f2l_cuda_kernels *k = kernels->step;
    const size_t bytes = count * sizeof(float);
    float *one = f2l_calloc(count, sizeof *one);
    void *memory;
    f2l_rng rng;
    if (one == NULL) demand(f2l_fail_memory(&why));
    f2l_rng_init(&rng, seed, count);
    for (size_t d = 0; d < devices; d++) {
        for (size_t i = 0; i < count; i++) {
            one[i] =
                (float)((double)f2l_rng_u32(&rng) / 4294967296.0 - 0.5) * (i % 3 ? 1.0F : 1e-6F);
            sum[i] = d == 0 ? one[i] : sum[i] + one[i];
        }
        demand(group->use(g, d, &why));
        demand(k->stream_new(&stream[d], &why));
        demand(k->alloc(&memory, bytes, &why));
        x[d] = memory;
        demand(k->to_device(x[d], one, bytes, stream[d], &why));
        demand(k->wait(stream[d], &why));
    }
    f2l_free(one);
}

/* Returns the milliseconds of a sum. */
static double time_sums(float *x[], void *stream[], f2l_cuda_group *g)
{
    const double from = f2l_now();
    for (size_t i = 0; i < 20; i++) demand(group->sum(g, x, stream, &why));
    for (size_t d = 0; d < devices; d++) {
        demand(group->use(g, d, &why));
        demand(kernels->step->wait(stream[d], &why));
    }
    return (f2l_now() - from) * 1000 / 20;
}

/* Checks that every device has the sum that additions on the host give. */
static void check_sum(size_t count)
{
    const f2l_cuda_kernels *k = kernels->step;
    f2l_cuda_group *g;
    float *sum = f2l_calloc(count, sizeof *sum), *got = f2l_calloc(count, sizeof *got),
          *x[F2L_CUDA_GROUP_MOST];
    void *stream[F2L_CUDA_GROUP_MOST];
    double wrong = 0;
    if (sum == NULL || got == NULL) demand(f2l_fail_memory(&why));
    demand(group->create(&g, devices, count, &why));
    put_terms(sum, x, stream, count, g);
    demand(group->sum(g, x, stream, &why));
    for (size_t d = 0; d < devices; d++) {
        demand(group->use(g, d, &why));
        demand(k->to_host(got, x[d], count * sizeof *got, stream[d], &why));
        wrong += differ(got, sum, count);
    }
    printf("%zu devices, sum of %zu floats: %.3f ms\n", devices, count, time_sums(x, stream, g));
    judge("sums over devices", "f32", "devices: wrong numbers", wrong, 0);
    for (size_t d = 0; d < devices; d++) {
        demand(group->use(g, d, &why));
        k->free(x[d]);
        k->stream_free(stream[d]);
    }
    group->destroy(g);
    f2l_free(sum);
    f2l_free(got);
}

static void check_devices(const setting *one, const char *type)
{
    const char *name = one->trial->name;
    const size_t n = one->model.parameters;
    setting many = *one;
    f2l_seq_cuda t[3];
    course c[3] = {0};
    many.device.group = group;
    many.device.devices = devices;
    for (size_t i = 0; i < 3; i++) {
        build_there(&t[i], i == 0 ? one : &many);
        const double from = f2l_now();
        demand(follow(&c[i], &t[i].trainee, NULL));
        printf("%-24s %-4s %zu devices: %.0f steps/s with evaluation\n", name, type, t[i].devices,
               STEPS / (f2l_now() - from));
    }
    judge(name, type, "devices: loss", losses_apart(&c[0], &c[1]),
          one->device.type == F2L_CUDA_F32 ? 0.02 : 0.1);
    judge(name, type, "devices: twice", differ(t[1].parameter, t[2].parameter, n), 0);
    for (size_t i = 0; i < 3; i++) f2l_seq_cuda_clear(&t[i]);
}

#endif
