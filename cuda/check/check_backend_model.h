/* The models, data and settings of check_backend, and the output of its parts. */
#ifndef CHECK_BACKEND_MODEL_H
#define CHECK_BACKEND_MODEL_H

#include "automata/family/family.h"
#include "models/learn/seq/mixer.h"
#include "models/learn/train/seq_cuda.h"
#include "numeric/base/mem.h"
#include "tests/support/cuda/host_kernels.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 100, BATCH = 50, LONGEST = 24 };

static f2l_error why;
static bool failed;
static const f2l_cuda_answer_kernels *kernels = &f2l_cuda_answer_device;
static const f2l_cuda_group_kernels *group = &f2l_cuda_group_device;
static size_t devices = 1;
static uint32_t seed;

static void demand(f2l_status status)
{
    if (status == F2L_OK) return;
    printf("FAIL %s\n", why.text);
    exit(1);
}

static void judge(const char *model, const char *type, const char *what, double error, double bound)
{
    const bool ok = error <= bound; /* false for NaN */
    printf("%-24s %-4s %-28s %.3g (at most %.3g) %s\n", model, type, what, error, bound,
           ok ? "ok" : "FAIL");
    fflush(stdout);
    failed = failed || !ok;
}

/* Returns the distance of x and y relative to y. */
static double distance(const float *x, const float *y, size_t n)
{
    double error = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        error += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        norm += (double)y[i] * (double)y[i];
    }
    return sqrt(error) / (norm > 0 ? sqrt(norm) : 1);
}

/* Keeps the larger error in *worst; NaN stays. */
static void worse(double *worst, double error)
{
    if (!(error <= *worst)) *worst = error;
}

static double differ(const float *x, const float *y, size_t n)
{
    double bits = 0;
    for (size_t i = 0; i < n; i++) bits += memcmp(&x[i], &y[i], sizeof *x) != 0;
    return bits;
}

typedef struct trial {
    const char *name;
    size_t layers, width, mlp, heads, householders, dim;
    bool additive, gate, silu, start, shorter;
    size_t convolution;
    size_t channels; /* not 0: the diagonal mixer */
    double epsilon;  /* of the norms; 0: the models' default */
    bool steep;      /* o nearly vanishes at some letters (check_backend_steps.h) */
    bool steps_only; /* only steps, no runs */
} trial;

static const trial trials[] = {
    {"T3 n=4", 1, 64, 96, 2, 4, 32, .start = true},
    {"n=1 D=64", 1, 64, 64, 1, 1, 64, .start = true, .shorter = true},
    {"values, two layers, n=2", 2, 32, 48, 2, 2, 32, .additive = true, .silu = true, .start = true},
    {"gate, three layers", 3, 32, 40, 2, 2, 16, .additive = true, .gate = true, .silu = true,
     .shorter = true, .steep = true},
    {"gate, epsilon 1e-2", 3, 32, 40, 2, 2, 16, .additive = true, .gate = true, .silu = true,
     .shorter = true, .epsilon = 1e-2, .steps_only = true},
    {"odd sizes, no MLP", 2, 28, 0, 3, 3, 16, .additive = true, .gate = true, .start = true,
     .shorter = true, .steep = true},
    {"convolutions", 2, 32, 40, 2, 2, 16, .additive = true, .gate = true, .silu = true,
     .start = true, .convolution = 4, .steep = true},
    {"diagonal", 2, 32, 40, .shorter = true, .convolution = 3, .channels = 44}};

/* Returns whether the mixer chooses the kernels of the tensor cores, which round more often than
 * the host does. */
static bool through_tensor_cores(const trial *t)
{
    return t->channels == 0 && !t->gate && t->dim % 32 == 0;
}

typedef struct setting {
    const trial *trial;
    f2l_fsa fsa;
    f2l_data train, test;
    f2l_seq model;
    f2l_seq_trainee_options options;
    f2l_seq_cuda_options device;
} setting;

static f2l_seq_config config_of(const trial *t, const f2l_data *data)
{
    f2l_seq_config c = f2l_seq_config_default(data->letters.count, data->labels.count);
    c.layers = t->layers;
    c.width = t->width;
    c.mlp = t->mlp;
    c.convolution = t->convolution;
    if (t->epsilon > 0) c.epsilon = t->epsilon;
    if (t->channels > 0) {
        c.mixer = &f2l_mixer_diagonal;
        c.channels = t->channels;
        c.states = 5;
        c.step_rank = 3;
        return c;
    }
    c.heads = t->heads;
    c.householders = t->householders;
    c.key_dim = c.value_dim = t->dim;
    c.additive = t->additive;
    c.forget_gate = t->gate;
    c.silu_keys = t->silu;
    c.learned_start = t->start;
    c.slope = 4;
    return c;
}

static void open_setting(setting *s, const trial *t)
{
    const uint64_t four = 4;
    f2l_data_options d = {.kind = F2L_DATA_AUTOMATON,
                          .label = F2L_LABEL_STATES,
                          .seed = seed,
                          .stream = F2L_DATA_TRAIN};
    s->trial = t;
    f2l_fsa_init(&s->fsa);
    f2l_data_init(&s->train);
    f2l_data_init(&s->test);
    demand(f2l_family_build(&s->fsa, "symmetric", &four, 1, false, &why));
    demand(f2l_data_build(&s->train, &d, &s->fsa, &why));
    d.stream = F2L_DATA_TEST;
    demand(f2l_data_build(&s->test, &d, &s->fsa, &why));
    const f2l_seq_config c = config_of(t, &s->train);
    demand(f2l_seq_init(&s->model, &c, &why));
    s->options = (f2l_seq_trainee_options){.curriculum = {.start = 4,
                                                          .limit = LONGEST,
                                                          .threshold = 0.08,
                                                          .patience = 1,
                                                          .shorter_too = t->shorter},
                                           .batch = BATCH,
                                           .positions = BATCH * LONGEST,
                                           .seed = seed};
    s->device = (f2l_seq_cuda_options){.kernels = kernels,
                                       .type = F2L_CUDA_F32,
                                       .threads = 4,
                                       .backend = "cuda",
                                       .device = "the device"};
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
    demand(f2l_seq_trainee_build(t, &s->model, &s->train, &s->test, &s->options, NULL, &why));
}

static void build_there(f2l_seq_cuda *t, const setting *s)
{
    f2l_seq_cuda_init(t);
    demand(
        f2l_seq_cuda_build(t, &s->model, &s->train, &s->test, &s->options, &s->device, NULL, &why));
}

static f2l_train_options options_of(void)
{
    static const size_t length[] = {8, LONGEST, 100};
    f2l_train_options o = f2l_train_options_default(STEPS);
    o.rate = 5e-3;
    o.warmup = 20;
    o.length = length;
    o.lengths = 3;
    o.sequences = 50;
    o.checkpoint_seconds = 1000;
    return o;
}

#endif
