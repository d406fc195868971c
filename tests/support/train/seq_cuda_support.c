#include "tests/support/train/seq_cuda_support.h"
#include "models/learn/seq/mixer.h"

void delta_kind(f2l_seq_config *c, size_t kind)
{
    if (kind == 1) {
        c->layers = 2;
        c->householders = 1;
        c->additive = c->silu_keys = c->forget_gate = true;
        c->learned_start = c->negative = false;
        c->mlp = 0;
    } else if (kind == 2) {
        c->layers = 3;
        c->forget_gate = true;
        c->value_dim = 16;
    } else if (kind == 3) {
        c->additive = true;
        c->householders = 3;
        c->width = 10;
        c->letters = c->labels = 7; /* with a begin letter */
        c->initializer_range = 0.1;
    } else if (kind == 4) {
        c->layers = 2;
        c->convolution = 4;
        c->additive = c->silu_keys = c->forget_gate = true;
    } else if (kind == 5) {
        c->convolution = 3;
        c->householders = 1;
        c->mlp = 0;
    }
}

f2l_seq_config config_of(size_t kind)
{
    f2l_seq_config c = f2l_seq_config_default(6, 6);
    c.width = 12;
    c.mlp = 20;
    c.heads = 2;
    c.key_dim = 8;
    c.value_dim = 4;
    c.slope = 4;
    c.householders = 2;
    delta_kind(&c, kind);
    if (kind < 6) return c;
    if (kind >= 10) {
        c.mixer = kind == 10 ? &f2l_mixer_attention : &f2l_mixer_mlstm;
        c.layers = kind == 11 ? 1 : 2;
        c.convolution = kind == 12 ? 4 : 0;
        c.window = kind == 10 ? 7 : 0;
        return c;
    }
    if (kind >= 8) {
        c.mixer = kind == 8 ? &f2l_mixer_gla : &f2l_mixer_rwkv7;
        c.layers = kind == 8 ? 1 : 2;
        c.convolution = kind == 8 ? 4 : 0;
        c.negative = kind == 9;
        c.epsilon = 0.1; /* o is short where q and k are nearly orthogonal: see
                          * tests/unit/cuda/step/t_cuda_step_replay.c */
        c.step_rank = 3;
        return c;
    }
    c.mixer = &f2l_mixer_diagonal;
    c.layers = kind == 6 ? 2 : 1;
    c.convolution = kind == 6 ? 4 : 0;
    c.channels = kind == 6 ? 11 : 24;
    c.states = kind == 6 ? 5 : 16;
    c.step_rank = kind == 6 ? 3 : 2;
    c.negative = kind == 6;
    if (kind == 7) c.mlp = 0;
    return c;
}

void task_init(task_case *c, size_t kind)
{
    f2l_error err = {0};
    const uint64_t three = 3;
    const f2l_seq_config config = config_of(kind);
    f2l_fsa_init(&c->fsa);
    f2l_data_init(&c->train);
    f2l_data_init(&c->test);
    cr_assert(f2l_family_build(&c->fsa, "symmetric", &three, 1, false, &err) == F2L_OK, "%s",
              err.text);
    f2l_data_options o = {
        .kind = F2L_DATA_AUTOMATON, .label = F2L_LABEL_STATES, .seed = 5, .stream = F2L_DATA_TRAIN};
    o.begin = config.letters == 7;
    cr_assert(f2l_data_build(&c->train, &o, &c->fsa, &err) == F2L_OK, "%s", err.text);
    o.stream = F2L_DATA_TEST;
    cr_assert(f2l_data_build(&c->test, &o, &c->fsa, &err) == F2L_OK);
    cr_assert(f2l_seq_init(&c->model, &config, &err) == F2L_OK, "%s", err.text);
    c->options = (f2l_seq_trainee_options){
        .curriculum = {.start = 3, .limit = 11, .threshold = 0.5, .patience = 2},
        .batch = 13,
        .begin = o.begin,
        .positions = 200,
        .seed = 3};
    c->options.curriculum.shorter_too = kind % 2 == 1;
    c->device = (f2l_seq_cuda_options){.kernels = &f2l_cuda_answer_host,
                                       .type = F2L_CUDA_F32,
                                       .threads = 2,
                                       .backend = "cuda-float",
                                       .device = "none"};
}

void task_clear(task_case *c)
{
    f2l_seq_clear(&c->model);
    f2l_data_clear(&c->train);
    f2l_data_clear(&c->test);
    f2l_fsa_clear(&c->fsa);
}

void build_here(f2l_seq_trainee *t, const task_case *c)
{
    f2l_error err = {0};
    f2l_seq_trainee_init(t);
    cr_assert(f2l_seq_trainee_build(t, &c->model, &c->train, &c->test, &c->options, NULL, &err) ==
                  F2L_OK,
              "%s", err.text);
}

void build_there(f2l_seq_cuda *t, const task_case *c)
{
    f2l_error err = {0};
    f2l_seq_cuda_init(t);
    cr_assert(f2l_seq_cuda_build(t, &c->model, &c->train, &c->test, &c->options, &c->device, NULL,
                                 &err) == F2L_OK,
              "%s", err.text);
}

f2l_train_options options_of(uint64_t steps)
{
    static const size_t length[] = {4, 11, 30};
    f2l_train_options o = f2l_train_options_default(steps);
    o.rate = 1e-2;
    o.length = length;
    o.lengths = 3;
    o.sequences = 40;
    o.evaluate_every = 30;
    o.log_every = 9;
    o.checkpoint_seconds = 1000;
    return o;
}

double distance(const float *x, const float *y, size_t n)
{
    double error = 0, norm = 0;
    for (size_t i = 0; i < n; i++) {
        error += ((double)x[i] - (double)y[i]) * ((double)x[i] - (double)y[i]);
        norm += (double)y[i] * (double)y[i];
    }
    return sqrt(error) / (norm > 0 ? sqrt(norm) : 1);
}

void note(void *context, const f2l_train_progress *progress)
{
    course *c = context;
    c->loss[progress->step] = progress->loss;
    c->steps = (size_t)progress->step;
}

void follow_with(course *c, f2l_train_result *result, const f2l_trainee *trainee,
                 const f2l_train_options *options)
{
    f2l_error err = {0};
    const f2l_train_watch watch = {.progress = note, .context = c};
    f2l_train_result_init(result);
    cr_assert(f2l_train_run(result, trainee, options, NULL, &watch, NULL, &err) == F2L_OK, "%s",
              err.text);
}

void follow(course *c, f2l_train_result *result, const f2l_trainee *trainee, uint64_t steps)
{
    const f2l_train_options o = options_of(steps);
    follow_with(c, result, trainee, &o);
}
