/* check_recurrent [SEED [all]]: the recurrent delta product on the device against its replay on the
 * CPU, bit for bit, and against the reference in double precision. Prints one line per shape: the
 * number of sets of options, the largest relative error of every result (Frobenius), ok or FAIL.
 * Without `all` every third set of options is tried, a different third for every shape and seed.
 * Exit status 1 when anything failed. */
#include "cuda/check/check_recurrent_device.h"
#include "cuda/delta/cuda_recurrent.h"
#include "tests/support/cuda/recurrent_support.h"
#include <time.h>

static const char *const name[OUTPUTS] = {"out", "dq", "dk", "dv", "dbeta", "dgate", "dh0"};

/* The differences of a run from the plain run. */
typedef struct manner {
    size_t shift; /* bytes by which arrays are misaligned */
    int poison;   /* byte in outputs and workspaces */
    int only;     /* number of the one wanted result; -1: all */
    bool graph;
} manner;

typedef struct device_sample {
    device_array in[INPUTS], letter, out[OUTPUTS], kept, work;
} device_sample;

static size_t number_bytes(const recurrent_sample *r, bool wide)
{
    return r->bf16 && !wide ? 2 : 4;
}

static void device_sample_init(device_sample *d, const recurrent_sample *r, const manner *m,
                               void *stream)
{
    const f2l_delta_shape *s = &r->shape;
    for (int i = 0; i < INPUTS; i++)
        d->in[i] = device_of(r->number[i], r->count[i] * number_bytes(r, recurrent_is_wide(i)),
                             recurrent_is_wide(i) ? 2 * m->shift : m->shift, stream);
    d->letter =
        device_of(r->letter, r->letter ? s->batch * s->tokens * sizeof *r->letter : 0, 0, stream);
    for (int i = 0; i < OUTPUTS; i++)
        d->out[i] = device_filled(r->results[i] * number_bytes(r, recurrent_out_is_wide(i)),
                                  i == OUT_DH0 ? 0 : m->poison,
                                  recurrent_out_is_wide(i) ? 2 * m->shift : m->shift, stream);
    d->kept = device_filled(f2l_cuda_recurrent_kept(s), m->poison, 0, stream);
    d->work = device_filled(f2l_cuda_recurrent_work(s, r->count[IN_GATE] > 0 || r->number[IN_GATE],
                                                    r->number[IN_H0] != NULL),
                            m->poison, 0, stream);
}

static bool device_sample_clear(device_sample *d, void *stream)
{
    bool whole = true;
    device_array *all[] = {&d->letter, &d->kept, &d->work};
    for (int i = 0; i < 3; i++) whole &= device_read(NULL, all[i], stream), device_clear(all[i]);
    for (int i = 0; i < INPUTS; i++)
        whole &= device_read(NULL, &d->in[i], stream), device_clear(&d->in[i]);
    for (int i = 0; i < OUTPUTS; i++)
        whole &= device_read(NULL, &d->out[i], stream), device_clear(&d->out[i]);
    return whole;
}

static f2l_recurrent_in device_inputs(const device_sample *d, const recurrent_sample *r)
{
    return (f2l_recurrent_in){.bf16 = r->bf16,
                              .q = d->in[IN_Q].data,
                              .k = d->in[IN_K].data,
                              .v = r->number[IN_V] ? d->in[IN_V].data : NULL,
                              .beta = (const float *)d->in[IN_BETA].data,
                              .gate =
                                  r->number[IN_GATE] ? (const float *)d->in[IN_GATE].data : NULL,
                              .h0 = r->number[IN_H0] ? (const float *)d->in[IN_H0].data : NULL,
                              .letter = r->letter ? (const uint32_t *)d->letter.data : NULL};
}

static void launch(const device_sample *d, const recurrent_sample *r, const manner *m, void *stream)
{
    f2l_error err = {0};
    const f2l_recurrent_in in = device_inputs(d, r);
    void *out[OUTPUTS];
    for (int i = 0; i < OUTPUTS; i++)
        out[i] =
            (m->only < 0 || m->only == i || i == OUT_O) && r->results[i] ? d->out[i].data : NULL;
    const f2l_recurrent_grad grad = {out[OUT_DQ],    out[OUT_DK],    out[OUT_DV],
                                     out[OUT_DBETA], out[OUT_DGATE], out[OUT_DH0]};
    demand(f2l_cuda_recurrent_forward(out[OUT_O], NULL, d->kept.data, &in, &r->shape, stream, &err),
           &err);
    demand(f2l_cuda_recurrent_backward(&grad, d->in[IN_DOUT].data, d->kept.data, d->work.data, &in,
                                       &r->shape, stream, &err),
           &err);
}

/* Returns whether the device has the bits of the replay in all wanted results, and wrote nowhere
 * else. */
static bool same(const recurrent_sample *r, const recurrent_results *want, const manner *m,
                 void *stream)
{
    device_sample d;
    f2l_error err = {0};
    void *graph = NULL;
    bool good = true;
    device_sample_init(&d, r, m, stream);
    if (m->graph) demand(f2l_cuda_graph_begin(stream, &err), &err);
    launch(&d, r, m, stream);
    if (m->graph) {
        demand(f2l_cuda_graph_end(&graph, stream, &err), &err);
        demand(f2l_cuda_graph_run(graph, stream, &err), &err);
    }
    for (int i = 0; i < OUTPUTS; i++) {
        void *got = malloc(d.out[i].bytes + 1);
        good &= device_read(got, &d.out[i], stream);
        const bool wanted = m->only < 0 || m->only == i || i == OUT_O;
        if (wanted && d.out[i].bytes && memcmp(got, want->narrow[i], d.out[i].bytes) != 0) {
            good = false;
            printf("FAIL %s differs from the replay\n", name[i]);
        }
        for (size_t j = 0; !wanted && j < d.out[i].bytes; j++)
            good &= ((unsigned char *)got)[j] == (i == OUT_DH0 ? 0 : m->poison);
        free(got);
    }
    if (graph) f2l_cuda_graph_free(graph);
    return device_sample_clear(&d, stream) && good;
}

/* Compares pieces of 0, 1, 2, .. tokens with a state carried on with the replay of the whole word,
 * for one sequence. */
static bool pieces(const recurrent_sample *r, const recurrent_results *want, void *stream)
{
    const f2l_delta_shape *s = &r->shape;
    const manner m = {.poison = 0xff, .only = -1};
    const size_t number = number_bytes(r, false), row = s->heads * s->value * number;
    f2l_error err = {0};
    device_sample d;
    device_sample_init(&d, r, &m, stream);
    const size_t matrices = s->heads * s->key * s->value;
    device_array state = device_filled(matrices * sizeof(float), 0, 0, stream);
    if (r->number[IN_H0])
        demand(f2l_cuda_to_device(state.data, r->number[IN_H0], matrices * sizeof(float), stream,
                                  &err),
               &err);
    for (size_t first = 0, length = 0; first < s->tokens; first += length, length++) {
        if (length > s->tokens - first) length = s->tokens - first;
        f2l_recurrent_in in = device_inputs(&d, r);
        f2l_delta_shape piece = *s;
        piece.tokens = length;
        if (in.letter) {
            in.letter += first;
        } else {
            in.q = d.in[IN_Q].data + first * recurrent_row(s, IN_Q) * number;
            in.k = d.in[IN_K].data + first * recurrent_row(s, IN_K) * number;
            if (in.v) in.v = d.in[IN_V].data + first * recurrent_row(s, IN_V) * number;
            in.beta += first * recurrent_row(s, IN_BETA);
            if (in.gate) in.gate += first * recurrent_row(s, IN_GATE);
        }
        demand(f2l_cuda_recurrent_forward(d.out[OUT_O].data + first * row, (float *)state.data,
                                          NULL, &in, &piece, stream, &err),
               &err);
    }
    void *got = malloc(d.out[OUT_O].bytes + 1);
    bool good = device_read(got, &d.out[OUT_O], stream) && device_read(NULL, &state, stream);
    if (memcmp(got, want->narrow[OUT_O], d.out[OUT_O].bytes) != 0) {
        good = false;
        printf("FAIL a word in pieces differs from the replay\n");
    }
    free(got);
    device_clear(&state);
    return device_sample_clear(&d, stream) && good;
}

/* Checks one set of options; worst [OUTPUTS] of the fp32 and of the bf16 results. */
static bool check_options(double worst[2][OUTPUTS], f2l_delta_shape shape, unsigned options,
                          bool dyadic, uint64_t seed, void *stream)
{
    recurrent_sample r;
    recurrent_results want, replayed;
    f2l_error err = {0};
    recurrent_sample_init(&r, shape, options, dyadic, seed);
    bool good = recurrent_reference(&want, &r);
    demand(recurrent_replay(&replayed, &r, &err), &err);
    for (int i = 0; i < OUTPUTS; i++) {
        const bool narrow = r.bf16 && !recurrent_out_is_wide(i);
        if (!r.results[i]) continue;
        const double error =
            recurrent_error(replayed.narrow[i], want.wide[i], r.results[i], narrow);
        if (!(error <= worst[narrow][i])) worst[narrow][i] = error;
        good &= error <= (narrow ? 0.004 : dyadic ? 0 : 2e-5);
    }
    manner m = {.poison = 0xff, .only = -1};
    good &= same(&r, &replayed, &m, stream);
    m = (manner){.poison = 0, .only = -1, .graph = true};
    good &= same(&r, &replayed, &m, stream);
    m = (manner){.poison = 0xff, .only = -1, .shift = r.bf16 ? 2 : 4};
    good &= same(&r, &replayed, &m, stream);
    m = (manner){.poison = 0xff, .only = OUT_DQ + (int)(options % (OUTPUTS - OUT_DQ))};
    good &= same(&r, &replayed, &m, stream);
    if (shape.batch == 1) good &= pieces(&r, &replayed, stream);
    recurrent_results_clear(&want), recurrent_results_clear(&replayed);
    recurrent_sample_clear(&r);
    if (!good) printf("FAIL options %u\n", options);
    return good;
}

/* Checks every step-th set of options from the first on. */
static bool check_shape(f2l_delta_shape s, unsigned first, unsigned step, bool dyadic,
                        uint64_t seed, void *stream)
{
    double worst[2][OUTPUTS] = {{0}};
    bool good = true;
    unsigned tried = 0;
    for (unsigned options = first; options < WITH_OPTIONS; options += step) {
        if (dyadic && options & WITH_BF16) continue; /* exact results have more bits */
        good &= check_options(worst, s, options, dyadic, seed + options, stream);
        tried++;
    }
    printf("%s recurrent B%zu T%zu H%zu n%zu K%zu V%zu%s %u "
           "options;",
           good ? "ok" : "FAIL", s.batch, s.tokens, s.heads, s.householders, s.key, s.value,
           dyadic ? " exact," : ",", tried);
    for (int i = 0; i < OUTPUTS; i++)
        printf(" %s %.1e%s%.1e", name[i], worst[0][i], worst[1][i] > 0 ? "/" : "/-", worst[1][i]);
    printf("\n");
    return good;
}

int main(int argc, char **argv)
{
    static const struct {
        f2l_delta_shape shape;
        bool dyadic;
    } list[] = {
        {{1, 1, 1, 1, 1, 1}, false},      {{2, 5, 2, 1, 3, 4}, false},
        {{1, 19, 1, 2, 16, 16}, false},   {{2, 33, 3, 3, 32, 32}, false},
        {{1, 40, 1, 4, 32, 33}, false},   {{1, 17, 2, 1, 48, 20}, false},
        {{1, 18, 1, 8, 64, 48}, false},   {{1, 9, 1, 5, 100, 24}, false},
        {{1, 16, 1, 2, 128, 9}, false},   {{67, 2, 1, 2, 8, 8}, false},
        {{1, 3, 1, 7, 17, 128}, false},   {{0, 4, 2, 1, 4, 4}, false},
        {{1, 0, 2, 1, 4, 4}, false},      {{1, 37, 1, 6, 128, 128}, false},
        {{1, 20, 1, 8, 128, 128}, false}, {{2, 32, 1, 4, 4, 40}, false},
        {{1, 50, 3, 1, 64, 64}, false},   {{2, 2, 2, 2, 32, 32}, true},
        {{1, 3, 1, 1, 16, 20}, true},     {{1, 1, 2, 4, 64, 64}, true},
        {{2, 2, 1, 2, 128, 33}, true},
    };
    /* More pairs than blocks of backward: each block does several pairs. */
    const f2l_delta_shape many = {200, 18, 12, 4, 32, 32};
    const unsigned step = argc > 2 && strcmp(argv[2], "all") == 0 ? 1 : 3;
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    f2l_error err = {0};
    f2l_cuda_device device;
    void *stream;
    bool good = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    demand(f2l_cuda_device_get(&device, &err), &err);
    demand(f2l_cuda_stream_new(&stream, &err), &err);
    printf("check_recurrent on %s, seed %llu; errors of fp32/bf16 results against "
           "double\n",
           device.name, (unsigned long long)seed);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        good &= check_shape(list[i].shape, (unsigned)((seed + i) % step), step, list[i].dyadic,
                            seed + 1000 * i, stream);
    good &=
        check_shape(many, WITH_VALUES | WITH_START | WITH_BF16, WITH_OPTIONS, false, seed, stream);
    good &= check_shape(many, WITH_GATES | WITH_START | WITH_LETTERS, WITH_OPTIONS, false, seed,
                        stream);
    printf("%s recurrent\n", good ? "ok" : "FAIL");
    f2l_cuda_stream_free(stream);
    return good ? 0 : 1;
}
