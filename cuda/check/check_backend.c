/* check_backend [host] [gpus N] [SEED]: training with the numbers on a device against training on the CPU, for several models, in float
 * and in bf16. One line per property: the largest error, ok or FAIL. Exit status 1 when anything failed.
 *   steps    100 steps, each from the same numbers on both sides: loss, gradient (relative Frobenius), numbers after the
 *            update, curriculum
 *   course   100 steps left to themselves: relative distance of the running means of the loss
 *   bits     the same run twice, and in pieces with checkpoints in between: equal weights
 *   answers  an evaluation against that of the CPU
 *   devices  with `gpus N`: sums over N devices, bit by bit; a run on N devices twice, and against one on one device
 * With `host` the host's operators stand in for the device's: a test of this program. */
#include "f2l_adamw.h"
#include "f2l_cuda_host.h"
#include "f2l_cuda_ready.h"
#include "f2l_experiment.h"
#include "f2l_family.h"
#include "f2l_mem.h"
#include "f2l_rng.h"
#include "f2l_seq_cuda.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 100, BATCH = 64 };

static f2l_error err;
static bool failed;
static const f2l_cuda_answer_kernels *kernels = &f2l_cuda_answer_device;
static const f2l_cuda_group_kernels *group = &f2l_cuda_group_device;
static size_t devices = 1;
static uint32_t seed;

static void demand(f2l_status status)
{
    if (status == F2L_OK) return;
    printf("FAIL %s\n", err.text);
    exit(1);
}

static void judge(const char *model, const char *type, const char *what, double error, double bound)
{
    const bool ok = error <= bound; /* not for NaN */
    printf("%-24s %-4s %-28s %.3g (at most %.3g) %s\n", model, type, what, error, bound, ok ? "ok" : "FAIL");
    fflush(stdout);
    failed = failed || !ok;
}

typedef struct trial {
    const char *name;
    size_t layers, width, mlp, heads, householders, dim;
    bool additive, gate, silu, start, shorter;
} trial;

static const trial trials[] = {
    {"T3 n=4", 1, 64, 96, 2, 4, 32, false, false, false, true, false},
    {"n=1 D=64", 1, 64, 64, 1, 1, 64, false, false, false, true, true},
    {"values, two layers, n=2", 2, 32, 48, 2, 2, 32, true, false, true, true, false},
    {"gate, three layers", 3, 32, 40, 2, 2, 16, true, true, true, false, true},
    {"odd sizes, no MLP", 2, 28, 0, 3, 3, 16, true, true, false, true, true}};

typedef struct setting {
    f2l_fsa fsa;
    f2l_data train, test;
    f2l_seq model;
    f2l_seq_trainee_options options;
    f2l_seq_cuda_options device;
} setting;

static void open_setting(setting *s, const trial *t, f2l_cuda_type type)
{
    const uint64_t four = 4;
    f2l_data_options d = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .seed = seed, .stream = F2L_DATA_TRAIN};
    f2l_fsa_init(&s->fsa);
    f2l_data_init(&s->train);
    f2l_data_init(&s->test);
    demand(f2l_family_build(&s->fsa, "symmetric", &four, 1, false, &err));
    demand(f2l_data_build(&s->train, &d, &s->fsa, &err));
    d.stream = F2L_DATA_TEST;
    demand(f2l_data_build(&s->test, &d, &s->fsa, &err));
    f2l_seq_config c = f2l_seq_config_default(s->train.letters.count, s->train.labels.count);
    c.layers = t->layers, c.width = t->width, c.mlp = t->mlp, c.heads = t->heads,
    c.householders = t->householders;
    c.key_dim = c.value_dim = t->dim, c.additive = t->additive, c.forget_gate = t->gate,
    c.silu_keys = t->silu;
    c.learned_start = t->start, c.slope = 4;
    demand(f2l_seq_init(&s->model, &c, &err));
    s->options = (f2l_seq_trainee_options){
        .curriculum = {.start = 4, .limit = 48, .threshold = 0.08, .patience = 1, .shorter_too = t->shorter},
        .batch = BATCH,
        .positions = BATCH * 48,
        .seed = seed};
    s->device = (f2l_seq_cuda_options){
        .kernels = kernels, .type = type, .threads = 4, .backend = "cuda", .device = "the device"};
}

static void close_setting(setting *s)
{
    f2l_seq_clear(&s->model);
    f2l_data_clear(&s->train);
    f2l_data_clear(&s->test);
    f2l_fsa_clear(&s->fsa);
}

static void build_here(f2l_seq_trainee *t, const setting *s)
{
    f2l_seq_trainee_init(t);
    demand(f2l_seq_trainee_build(t, &s->model, &s->train, &s->test, &s->options, NULL, &err));
}
static void build_there(f2l_seq_cuda *t, const setting *s)
{
    f2l_seq_cuda_init(t);
    demand(f2l_seq_cuda_build(t, &s->model, &s->train, &s->test, &s->options, &s->device, NULL, &err));
}

static f2l_train_options options_of(void)
{
    static const size_t length[] = {8, 48, 100};
    f2l_train_options o = f2l_train_options_default(STEPS);
    o.rate = 5e-3;
    o.warmup = 20;
    o.length = length;
    o.lengths = 3;
    o.sequences = 100;
    o.checkpoint_seconds = 1000;
    return o;
}

static double distance(const float *x, const float *y, size_t n)
{
    double error = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        error += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        norm += (double)y[i] * (double)y[i];
    }
    return sqrt(error) / (norm > 0 ? sqrt(norm) : 1);
}

/* NaN stays. */
static void worse(double *worst, double error)
{
    if (!(error <= *worst)) *worst = error;
}

static void update_here(f2l_seq_trainee *t, float *mean, float *square, const float *gradient, double norm,
                        const f2l_train_pace *pace)
{
    const f2l_seq *m = t->model;
    const double scale = pace->clip > 0 && norm > pace->clip ? pace->clip / norm : 1;
    for (size_t i = 0; i < m->tensors; i++) {
        const size_t first = m->tensor[i].offset;
        const f2l_adamw how = {.rate = pace->rate,
                               .decay = m->tensor[i].decays ? pace->weight_decay : 0,
                               .beta1 = pace->beta1,
                               .beta2 = pace->beta2,
                               .epsilon = pace->epsilon,
                               .scale = scale,
                               .time = pace->time};
        f2l_adamw_update_f32(t->parameter + first, mean + first, square + first, gradient + first,
                             m->tensor[i].count, &how);
    }
}

/* The gradient of the same step by the same schedule on the host, with the reference's operators in the same type: how far bf16
 * alone leads where a gradient is what rounding leaves of it. */
static double distance_on_host(f2l_seq_cuda *host, const setting *s, const f2l_seq_trainee *here,
                               const float *want, const float *mean, const float *square,
                               const f2l_train_pace *pace, uint64_t step)
{
    const size_t n = s->model.parameters;
    f2l_train_batch batch = {0};
    double norm;
    float *got = f2l_calloc(n, sizeof *got);
    memcpy(host->state, here->state, sizeof here->state);
    demand(host->engine.put(host, here->parameter, mean, square, &err));
    demand(host->engine.advance(host, &batch, &norm, pace, step, NULL, &err));
    demand(f2l_cuda_step_gradient_get(got, host->step[0], &err));
    const double error = distance(got, want, n);
    f2l_free(got);
    return error;
}

static void check_steps(const setting *s, const char *name, const char *type)
{
    const bool wide = s->device.type == F2L_CUDA_F32;
    const size_t n = s->model.parameters;
    const f2l_train_options o = options_of();
    f2l_seq_trainee here;
    f2l_seq_cuda there, host;
    setting at_host = *s;
    at_host.device.kernels = &f2l_cuda_answer_host;
    const double close = wide ? 1e-4 : 5e-2;
    double loss = 0, gradient = 0, update = 0, states = 0, beyond = 0, worst = 0;
    unsigned hosts = 0;
    float *g = f2l_calloc(6 * n, sizeof *g), *mean = g + n, *square = mean + n, *got = square + n;
    build_here(&here, s);
    build_there(&there, s);
    build_there(&host, &at_host);
    for (uint64_t step = 0; step < STEPS; step++) {
        f2l_train_batch a = {0}, b = {0};
        double norm = 0;
        const f2l_train_pace pace = {.rate = f2l_train_rate(&o, step),
                                     .weight_decay = 0.1,
                                     .beta1 = o.beta1,
                                     .beta2 = o.beta2,
                                     .epsilon = o.epsilon,
                                     .clip = step % 2 ? 0.3 : 0,
                                     .time = step + 1};
        const uint64_t before[2] = {here.state[0], here.state[1]};
        memset(g, 0, n * sizeof *g);
        memcpy(there.state, here.state, sizeof here.state);
        demand(here.trainee.gradient(&here, &a, g, step, NULL, &err));
        demand(there.engine.put(&there, here.parameter, mean, square, &err));
        demand(there.engine.advance(&there, &b, &norm, &pace, step, NULL, &err));
        demand(f2l_cuda_step_gradient_get(got, there.step[0], &err));
        worse(&loss, fabs(a.loss - b.loss) / (1 + a.loss));
        const double error = distance(got, g, n);
        /* A step on the host takes seconds: the first ones and the worst so far are judged so. */
        if (error > close && (hosts < 4 || error > worst)) {
            hosts++;
            worst = error;
            f2l_seq_trainee then = here;
            memcpy(then.state, before, sizeof before);
            const double at_least = distance_on_host(&host, &at_host, &then, g, mean, square, &pace, step);
            printf("%-24s %-4s step %llu: gradient of length %.3g, error %.3g, on the host %.3g\n", name,
                   type, (unsigned long long)step, sqrt(f2l_adamw_squares_f32(g, n)), error, at_least);
            worse(&beyond, error / at_least);
        } else if (!(error > close)) {
            worse(&gradient, error);
        }
        worse(&update, fabs(norm - sqrt(f2l_adamw_squares_f32(got, n))) / norm);
        states += a.tokens != b.tokens || a.length != b.length || a.supervised != b.supervised ||
                  (wide && llabs((long long)a.right - (long long)b.right) > 2);
        update_here(&here, mean, square, got, norm, &pace);
        demand(there.engine.get(&there, got, got + n, got + 2 * n, &err));
        worse(&update, fmax(distance(got, here.parameter, n), distance(got + n, mean, 2 * n)));
    }
    judge(name, type, "steps: loss", loss, wide ? 1e-5 : 1e-2);
    judge(name, type, "steps: gradient", gradient, close);
    judge(name, type, "steps: beyond the host's", beyond, 3);
    judge(name, type, "steps: norm and update", update, 1e-6);
    judge(name, type, "steps: batches that differ", states, 0);
    f2l_free(g);
    f2l_seq_trainee_clear(&here);
    f2l_seq_cuda_clear(&there);
    f2l_seq_cuda_clear(&host);
}

/* The losses of a run, which is interrupted after step `stop` (0: never). */
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
    const f2l_train_watch watch = {note, c};
    const f2l_task task = {.cancel = &c->flag};
    f2l_train_result result;
    f2l_train_result_init(&result);
    const f2l_status status = f2l_train_run(&result, trainee, &o, dir, &watch, &task, &err);
    f2l_train_result_clear(&result);
    return status;
}

static void check_course(const setting *s, const char *name, const char *type, const f2l_seq_cuda *there,
                         const course *b)
{
    const bool wide = s->device.type == F2L_CUDA_F32;
    f2l_seq_trainee here;
    course a = {{0}, 0, 0};
    double apart = 0, wrong = 0;
    build_here(&here, s);
    demand(follow(&a, &here.trainee, NULL));
    for (size_t i = 1; i <= STEPS; i++) worse(&apart, fabs(a.loss[i] - b->loss[i]) / a.loss[i]);
    judge(name, type, "course: loss", apart, wide ? 0.02 : 0.1);
    f2l_train_score x[3] = {{.length = 1}, {.length = 30}, {.length = 500}}, y[3];
    memcpy(y, x, sizeof x);
    demand(f2l_experiment_evaluate(x, 3, NULL, 600, F2L_BACKEND_CPU, &s->model, there->parameter, &s->test,
                                   NULL, &err));
    demand(f2l_seq_cuda_evaluate(y, 3, NULL, 600, 0, &there->map.shape, there->parameter, &s->test, kernels,
                                 F2L_CUDA_F32, NULL, &err));
    for (size_t i = 0; i < 3; i++) worse(&wrong, fabs(f2l_train_accuracy(&x[i]) - f2l_train_accuracy(&y[i])));
    judge(name, type, "answers: accuracy", wrong, 2e-3);
    f2l_seq_trainee_clear(&here);
}

/* In pieces, by the folder of a run. */
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
        demand(stop == 37 ? f2l_train_dir_create(&dir, path, config, &nobody, &err)
                          : f2l_train_dir_open(&dir, path, config, &err));
        status = follow(&c, &t.trainee, &dir);
        if (status != F2L_UNKNOWN) demand(status);
        memcpy(parameter, t.parameter, s->model.parameters * sizeof *parameter);
        f2l_train_dir_clear(&dir);
        f2l_seq_cuda_clear(&t);
    }
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0) printf("%s is left\n", folder);
}

static double differ(const float *x, const float *y, size_t n)
{
    double bits = 0;
    for (size_t i = 0; i < n; i++) bits += memcmp(&x[i], &y[i], sizeof *x) != 0;
    return bits;
}

static void check_runs(const setting *s, const char *name, const char *type)
{
    const size_t n = s->model.parameters;
    f2l_seq_cuda first, second;
    course a = {{0}, 0, 0}, b = {{0}, 0, 0};
    float *pieces = f2l_calloc(n, sizeof *pieces);
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
    check_course(s, name, type, &first, &a);
    f2l_free(pieces);
    f2l_seq_cuda_clear(&first);
    f2l_seq_cuda_clear(&second);
}

/* The sum of `count` random numbers of each device, against the same additions here. */
static void check_sum(size_t count)
{
    const f2l_cuda_kernels *k = kernels->step;
    const size_t bytes = count * sizeof(float);
    f2l_cuda_group *g;
    float *sum = f2l_calloc(count, sizeof *sum), *one = f2l_calloc(count, sizeof *one),
          *x[F2L_CUDA_GROUP_MOST];
    void *stream[F2L_CUDA_GROUP_MOST], *memory;
    double wrong = 0;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, count);
    demand(group->create(&g, devices, count, &err));
    for (size_t d = 0; d < devices; d++) {
        for (size_t i = 0; i < count; i++) {
            one[i] = (float)((double)f2l_rng_u32(&rng) / 4294967296.0 - 0.5) * (i % 3 ? 1.0F : 1e-6F);
            sum[i] = d == 0 ? one[i] : sum[i] + one[i];
        }
        demand(group->use(g, d, &err));
        demand(k->stream_new(&stream[d], &err));
        demand(k->alloc(&memory, bytes, &err));
        x[d] = memory;
        demand(k->to_device(x[d], one, bytes, stream[d], &err));
        demand(k->wait(stream[d], &err));
    }
    demand(group->sum(g, x, stream, &err));
    for (size_t d = 0; d < devices; d++) {
        demand(group->use(g, d, &err));
        demand(k->to_host(one, x[d], bytes, stream[d], &err));
        wrong += differ(one, sum, count);
    }
    const double from = f2l_now();
    for (size_t i = 0; i < 20; i++) demand(group->sum(g, x, stream, &err));
    for (size_t d = 0; d < devices; d++) {
        demand(group->use(g, d, &err));
        demand(k->wait(stream[d], &err));
    }
    printf("%zu devices, sum of %zu floats: %.3f ms\n", devices, count, (f2l_now() - from) * 1000 / 20);
    judge("sums over devices", "f32", "devices: wrong numbers", wrong, 0);
    for (size_t d = 0; d < devices; d++) {
        demand(group->use(g, d, &err));
        k->free(x[d]);
        k->stream_free(stream[d]);
    }
    group->destroy(g);
    f2l_free(sum);
    f2l_free(one);
}

static void check_devices(const setting *one, const char *name, const char *type)
{
    const size_t n = one->model.parameters;
    setting many = *one;
    f2l_seq_cuda t[3];
    course c[3] = {0};
    double apart = 0;
    many.device.group = group;
    many.device.devices = devices;
    for (size_t i = 0; i < 3; i++) {
        build_there(&t[i], i == 0 ? one : &many);
        const double from = f2l_now();
        demand(follow(&c[i], &t[i].trainee, NULL));
        printf("%-24s %-4s %zu devices: %.0f steps/s with evaluation\n", name, type, t[i].devices,
               STEPS / (f2l_now() - from));
    }
    for (size_t i = 1; i <= STEPS; i++) worse(&apart, fabs(c[0].loss[i] - c[1].loss[i]) / c[0].loss[i]);
    judge(name, type, "devices: loss", apart, one->device.type == F2L_CUDA_F32 ? 0.02 : 0.1);
    judge(name, type, "devices: twice", differ(t[1].parameter, t[2].parameter, n), 0);
    for (size_t i = 0; i < 3; i++) f2l_seq_cuda_clear(&t[i]);
}

static void read_arguments(int count, char **argument)
{
    seed = (uint32_t)time(NULL);
    for (int i = 1; i < count; i++) {
        if (strcmp(argument[i], "host") == 0) {
            kernels = &f2l_cuda_answer_host;
            group = &f2l_cuda_group_host;
        } else if (strcmp(argument[i], "gpus") == 0 && i + 1 < count) {
            devices = strtoul(argument[++i], NULL, 10);
        } else {
            seed = (uint32_t)strtoul(argument[i], NULL, 10);
        }
    }
}

int main(int count, char **argument)
{
    static const char *const word[] = {"f32", "bf16"};
    char device[256] = "the host";
    read_arguments(count, argument);
    if (kernels == &f2l_cuda_answer_device) demand(f2l_cuda_ready(device, sizeof device, &err));
    printf("check_backend on %s, seed %lu\n", device, (unsigned long)seed);
    for (size_t c = 0; devices > 1 && c < 4; c++) check_sum((const size_t[]){1, 7, 4096, 10000019}[c]);
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        for (size_t type = 0; type < 2; type++) {
            setting s;
            open_setting(&s, &trials[i], type ? F2L_CUDA_BF16 : F2L_CUDA_F32);
            if (devices > 1) {
                check_devices(&s, trials[i].name, word[type]);
            } else {
                check_steps(&s, trials[i].name, word[type]);
                check_runs(&s, trials[i].name, word[type]);
            }
            close_setting(&s);
        }
    printf(failed ? "FAIL\n" : "ok\n");
    return failed ? 1 : 0;
}
