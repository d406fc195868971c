/* bench_step [LAUNCHES]: milliseconds of a whole training step, and of its gradient alone, by graph
 * replay; one JSON line per shape. `ms` is measured on the device, from before the copy of the
 * batch; `wall_ms` is the mean with the host's part. Letters and answers are random (the work does
 * not depend on them). */
#include "cuda/check/check_train_arrays.h"
#include "models/learn/seq/mixer.h"
#include "models/learn/train/cuda_model.h"
#include <time.h>

static f2l_error why;
#define RUN(call) demand((call), &why)

enum { ATTENTION = 2, MLSTM };
static const f2l_mixer *const other_mixers[] = {&f2l_mixer_gla, &f2l_mixer_rwkv7,
                                                &f2l_mixer_attention, &f2l_mixer_mlstm};
typedef struct shape {
    const char *name;
    size_t sequences, length, letters, width, mlp, heads, dim, householders, layers;
    bool additive;
    /* channels > 0: the diagonal mixer; else rank > 0: by the number of householders gla (0), rwkv7
     * (1), ATTENTION, to the last `states` letters (0: the default), or MLSTM */
    size_t convolution, channels, states, rank;
} shape;

/* The first shape is the anchor of the design notes: hidden 384 = 12 heads of 32, an MLP of 1024,
 * with values. */
static const shape shapes[] = {
    {"S5 n=4 with values", 2048, 128, 120, 384, 1024, 12, 32, 4, 1, true, 0, 0, 0, 0},
    {"S5 n=4", 2048, 128, 120, 384, 1024, 12, 32, 4, 1, false, 0, 0, 0, 0},
    {"S5 n=2 with values", 2048, 128, 120, 384, 1024, 12, 32, 2, 1, true, 0, 0, 0, 0},
    {"S5 n=1 with values", 2048, 128, 120, 384, 1024, 12, 32, 1, 1, true, 0, 0, 0, 0},
    {"recipe S5 n=4", 256, 128, 120, 128, 512, 4, 32, 4, 1, false, 0, 0, 0, 0},
    {"two layers n=2", 512, 128, 24, 256, 1024, 8, 32, 2, 2, false, 0, 0, 0, 0},
    {"S5 n=4 with values and convolution", 2048, 128, 120, 384, 1024, 12, 32, 4, 1, true, 4, 0, 0,
     0},
    {"diagonal, C=256, N=16", 2048, 128, 120, 128, 512, 1, 1, 1, 1, false, 4, 256, 16, 8},
    {"two layers diagonal", 256, 128, 24, 256, 1024, 1, 1, 1, 2, false, 4, 512, 16, 16},
    {"gla, 12 heads of 32", 2048, 128, 120, 384, 1024, 12, 32, 0, 1, true, 0, 0, 0, 24},
    {"rwkv7, 12 heads of 32", 2048, 128, 120, 384, 1024, 12, 32, 1, 1, true, 0, 0, 0, 24},
    {"rwkv7, 6 heads of 64", 2048, 128, 120, 384, 1024, 6, 64, 1, 1, true, 0, 0, 0, 24},
    {"attention", 2048, 128, 120, 384, 1024, 12, 32, ATTENTION, 1, true, 0, 0, 0, 1},
    {"attention, 512 letters", 512, 512, 120, 384, 1024, 12, 32, ATTENTION, 1, true, 0, 0, 0, 1},
    {"mlstm", 2048, 128, 120, 384, 1024, 12, 32, MLSTM, 1, true, 0, 0, 0, 1},
    {"mlstm with convolution", 2048, 128, 120, 384, 1024, 12, 32, MLSTM, 1, true, 4, 0, 0, 1}};

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median(float *x, size_t n)
{
    qsort(x, n, sizeof *x, by_size);
    return x[n / 2];
}

static void bench(const shape *s, size_t launches)
{
    f2l_seq seq;
    f2l_cuda_model m;
    f2l_cuda_step *step;
    f2l_seq_config c = f2l_seq_config_default(s->letters, s->letters);
    c.layers = s->layers, c.width = s->width, c.mlp = s->mlp, c.heads = s->heads,
    c.householders = s->householders;
    c.key_dim = c.value_dim = s->dim, c.additive = s->additive, c.learned_start = !s->additive;
    c.convolution = s->convolution;
    if (s->channels > 0) {
        c.mixer = &f2l_mixer_diagonal;
        c.channels = s->channels, c.states = s->states, c.step_rank = s->rank;
    }
    if (s->channels == 0 && s->rank > 0) {
        c.mixer = other_mixers[s->householders];
        c.householders = 1;
        c.step_rank = s->rank;
    }
    RUN(f2l_seq_init(&seq, &c, &why));
    RUN(f2l_cuda_model_init(&m, &seq, &why));
    float *parameter = calloc(seq.parameters, sizeof *parameter), *whole = calloc(launches, 4),
          *gradient = calloc(launches, 4);
    f2l_seq_start_f32(parameter, &seq, 1);
    RUN(f2l_cuda_step_new(&step, &m.shape, F2L_CUDA_BF16, &f2l_cuda_kernels_device, &why));
    RUN(f2l_cuda_step_put(step, parameter, NULL, NULL, &why));
    const size_t rows = s->sequences * s->length;
    uint32_t *letter = calloc(rows, sizeof *letter);
    for (size_t i = 0; i < rows; i++) letter[i] = (uint32_t)draw_below(s->letters);
    const f2l_cuda_step_batch batch = {s->sequences, s->length, letter, letter, NULL, NULL};
    void *event[3], *stream = f2l_cuda_step_stream(step);
    for (int i = 0; i < 3; i++) RUN(f2l_cuda_event_new(&event[i], &why));
    f2l_cuda_score score = {0};
    double first = 0, began = 0;
    struct timespec now;
    for (size_t i = 0; i < launches + 5; i++) {
        const f2l_cuda_step_rate rate = {1e-3, 0.01, 0.9, 0.95, 1e-8, 1, i + 1};
        RUN(f2l_cuda_wait(stream, &why));
        RUN(f2l_cuda_event_record(event[0], stream, &why));
        RUN(f2l_cuda_step_gradient(step, &batch, 1 / (double)rows, &why));
        RUN(f2l_cuda_event_record(event[1], stream, &why));
        RUN(f2l_cuda_step_update(step, &rate, &why));
        RUN(f2l_cuda_event_record(event[2], stream, &why));
        RUN(f2l_cuda_step_score(&score, NULL, step, &why));
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        if (i == 0) first = score.loss;
        if (i == 4) began = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
        if (i < 5) continue;
        RUN(f2l_cuda_event_elapsed(&gradient[i - 5], event[0], event[1], &why));
        RUN(f2l_cuda_event_elapsed(&whole[i - 5], event[0], event[2], &why));
    }
    const double ms = (double)median(whole, launches);
    const double wall =
        ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec - began) / (double)launches * 1e3;
    printf("{\"bench\":\"step\",\"mixer\":\"%s\",\"shape\":\"%s\",\"batch\":%zu,\"length\":%zu,"
           "\"width\":%zu,\"mlp\":%zu,\"heads\":%zu,\"dim\":%zu,\"n\":%zu,\"layers\":%zu,"
           "\"values\":%s,\"ms\":%.3f,\"fastest_ms\":%.3f,\"gradient_ms\":%.3f,\"wall_ms\":%.3f,"
           "\"tokens_per_s\":%.3g,\"device_MB\":%.0f,\"loss_first\":%.4f,\"loss_last\":%.4f}\n",
           c.mixer->name, s->name, s->sequences, s->length, s->width, s->mlp, s->heads, s->dim,
           s->householders, s->layers, s->additive ? "true" : "false", ms, (double)whole[0],
           (double)median(gradient, launches), wall, (double)rows / ms * 1e3,
           (double)f2l_cuda_step_bytes(step) / 1e6, first / (double)rows,
           score.loss / (double)rows);
    for (int i = 0; i < 3; i++) f2l_cuda_event_free(event[i]);
    f2l_cuda_step_free(step);
    f2l_cuda_model_clear(&m);
    f2l_seq_clear(&seq);
    free(parameter), free(letter), free(whole), free(gradient);
}

int main(int argc, char **argv)
{
    const size_t launches = argc > 1 ? strtoull(argv[1], NULL, 0) : 30;
    f2l_cuda_device device;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    RUN(f2l_cuda_device_get(&device, &why));
    f2l_rng_init(&run_rng, 1, 5);
    printf("{\"bench\":\"device\",\"name\":\"%s\"}\n", device.name);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) bench(&shapes[i], launches);
    return 0;
}
