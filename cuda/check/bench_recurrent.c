/* bench_recurrent [LAUNCHES]: times of the recurrent delta product and the diagonal scan as JSON
 * lines: medians over LAUNCHES (20) launches after a warm-up, between events. "gb" is the traffic
 * that is necessary (every input and output once), "gflop" the operations that are done, with
 * recomputation; the two fractions divide them by the memory bandwidth and the fp32 arithmetic of
 * the device, if its name is known here. */
#include "cuda/check/check_recurrent_device.h"
#include "cuda/delta/cuda_recurrent.h"
#include "cuda/lab/cuda_scan.h"
#include "cuda/lab/scan_plan.h"
#include "numeric/base/rng.h"
#include "tests/support/cuda/replay_bf16.h"
#include <math.h>

enum { POOL = 1 << 20, WARM = 3, MOST = 1000 };

typedef struct limits {
    double bytes, flops; /* per second; 0: not known */
} limits;

/* Returns the limits of a device. Bytes per second: copies between arrays of the device, measured
 * on these cards. */
static limits limits_of(const char *name)
{
    if (strstr(name, "H200")) return (limits){4.3e12, 66.9e12};
    if (strstr(name, "H100")) return (limits){3.0e12, 66.9e12};
    return (limits){0, 0};
}

/* Returns an array of `count` numbers that repeats a pool. `row`: rows of that length are made unit
 * vectors; numbers are uniform in `low` + [0, range). */
static device_array numbers(size_t count, bool bf16, size_t row, double low, double range,
                            uint64_t seed, void *stream)
{
    static float pool[POOL];
    static uint16_t narrow[POOL];
    const size_t number = bf16 ? 2 : 4;
    device_array a = device_filled(count * number, 0, 0, stream);
    f2l_error err = {0};
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < POOL; i++)
        pool[i] = (float)(low + range * ldexp((double)(f2l_rng_u64(&rng) >> 11), -53));
    for (size_t i = 0; row && i + row <= POOL; i += row) {
        double norm = 0;
        for (size_t j = 0; j < row; j++) norm += (double)pool[i + j] * (double)pool[i + j];
        for (size_t j = 0; j < row; j++) pool[i + j] = (float)((double)pool[i + j] / sqrt(norm));
    }
    for (size_t i = 0; i < POOL; i++) narrow[i] = f2l_replay_round(pool[i]);
    for (size_t at = 0; at < count; at += POOL) {
        const size_t n = count - at < POOL ? count - at : POOL;
        const void *from = bf16 ? (const void *)narrow : pool;
        demand(f2l_cuda_to_device(a.data + at * number, from, n * number, stream, &err), &err);
    }
    return a;
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

typedef struct clockwork {
    void *stream, *before, *after;
    size_t launches;
    limits limit;
} clockwork;

static double median(const clockwork *w, void (*launch)(void *context), void *context)
{
    static float ms[MOST];
    f2l_error err = {0};
    for (size_t i = 0; i < WARM + w->launches; i++) {
        demand(f2l_cuda_event_record(w->before, w->stream, &err), &err);
        launch(context);
        demand(f2l_cuda_event_record(w->after, w->stream, &err), &err);
        demand(f2l_cuda_event_elapsed(&ms[i < WARM ? 0 : i - WARM], w->before, w->after, &err),
               &err);
    }
    qsort(ms, w->launches, sizeof *ms, by_size);
    return (double)ms[w->launches / 2];
}

static void say(const char *what, const char *shape, double ms, double bytes, double flops,
                const clockwork *w)
{
    printf("{\"op\": \"%s\", %s, \"ms\": %.4f, \"gb\": %.3f, \"gbps\": %.0f, \"gflop\": %.1f, "
           "\"tflops\": %.2f",
           what, shape, ms, bytes / 1e9, bytes / ms / 1e6, flops / 1e9, flops / ms / 1e9);
    if (w->limit.bytes > 0)
        printf(", \"of_memory\": %.3f, \"of_fp32\": %.3f", bytes / ms * 1e3 / w->limit.bytes,
               flops / ms * 1e3 / w->limit.flops);
    printf("}\n");
}

typedef struct recurrent_case {
    f2l_delta_shape shape;
    f2l_recurrent_in in;
    f2l_recurrent_grad grad;
    device_array q, k, v, beta, gate, h0, letter, dout, out, dq, dk, dv, dbeta, dgate, dh0, kept,
        work, state;
    float *carried;
    bool keeps;
    void *stream;
} recurrent_case;

static void forward(void *context)
{
    recurrent_case *c = context;
    f2l_error err = {0};
    demand(f2l_cuda_recurrent_forward(c->out.data, c->carried, c->keeps ? c->kept.data : NULL,
                                      &c->in, &c->shape, c->stream, &err),
           &err);
}

static void backward(void *context)
{
    recurrent_case *c = context;
    f2l_error err = {0};
    demand(f2l_cuda_recurrent_backward(&c->grad, c->dout.data, c->kept.data, c->work.data, &c->in,
                                       &c->shape, c->stream, &err),
           &err);
}

static void both(void *context)
{
    forward(context);
    backward(context);
}

static void case_clear(recurrent_case *c)
{
    device_array *all[] = {&c->q,      &c->k,     &c->v,   &c->beta, &c->gate, &c->h0,
                           &c->letter, &c->dout,  &c->out, &c->dq,   &c->dk,   &c->dv,
                           &c->dbeta,  &c->dgate, &c->dh0, &c->kept, &c->work, &c->state};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) device_clear(all[i]);
}

/* Initialises a case; letters 0: by position. Without gradients for streaming (`training`
 * false). */
static void case_init(recurrent_case *c, f2l_delta_shape s, bool bf16, bool values, bool gates,
                      size_t letters, bool training, void *stream)
{
    const size_t positions = s.batch * s.tokens, rows = letters ? letters : positions,
                 heads = rows * s.heads;
    const size_t number = bf16 ? 2 : 4, factors = heads * s.householders;
    *c = (recurrent_case){.shape = s, .stream = stream, .keeps = training};
    c->q = numbers(heads * s.key, bf16, s.key, -1, 2, 1, stream);
    c->k = numbers(factors * s.key, bf16, s.key, -1, 2, 2, stream);
    if (values) c->v = numbers(factors * s.value, bf16, 0, -1, 2, 3, stream);
    c->beta = numbers(factors, false, 0, 0, 2, 4, stream);
    if (gates) c->gate = numbers(heads, false, 0, 0.9, 0.1, 5, stream);
    c->h0 = numbers(s.heads * s.key * s.value, false, 0, -1, 2, 6, stream);
    c->out = device_filled(positions * s.heads * s.value * number, 0, 0, stream);
    c->in = (f2l_recurrent_in){bf16,
                               c->q.data,
                               c->k.data,
                               c->v.data,
                               (float *)c->beta.data,
                               (float *)c->gate.data,
                               (float *)c->h0.data,
                               NULL,
                               NULL};
    if (!training) return;
    c->dout = numbers(positions * s.heads * s.value, bf16, 0, -1, 2, 7, stream);
    c->dq = device_filled(positions * s.heads * s.key * number, 0, 0, stream);
    c->dk = device_filled(positions * s.heads * s.householders * s.key * number, 0, 0, stream);
    if (values)
        c->dv =
            device_filled(positions * s.heads * s.householders * s.value * number, 0, 0, stream);
    c->dbeta = device_filled(positions * s.heads * s.householders * 4, 0, 0, stream);
    if (gates) c->dgate = device_filled(positions * s.heads * 4, 0, 0, stream);
    c->dh0 = device_filled(s.heads * s.key * s.value * 4, 0, 0, stream);
    c->kept = device_filled(f2l_cuda_recurrent_kept(&s), 0, 0, stream);
    c->work = device_filled(f2l_cuda_recurrent_work(&s, gates, true), 0, 0, stream);
    c->grad = (f2l_recurrent_grad){
        c->dq.data,          c->dk.data, c->dv.data, (float *)c->dbeta.data, (float *)c->dgate.data,
        (float *)c->dh0.data};
}

static void bench_training(f2l_delta_shape s, bool bf16, bool values, bool gates,
                           const clockwork *w)
{
    recurrent_case c;
    char text[200];
    case_init(&c, s, bf16, values, gates, 0, true, w->stream);
    snprintf(text, sizeof text,
             "\"shape\": [%zu, %zu, %zu, %zu], \"n\": %zu, \"type\": \"%s\", \"values\": %s, "
             "\"gates\": %s, \"kept_mb\": %zu, \"work_mb\": %zu",
             s.batch, s.tokens, s.heads, s.key, s.householders, bf16 ? "bf16" : "fp32",
             values ? "true" : "false", gates ? "true" : "false", c.kept.bytes >> 20,
             c.work.bytes >> 20);
    const double in = (double)(c.q.bytes + c.k.bytes + c.v.bytes + c.beta.bytes + c.gate.bytes),
                 out = (double)c.out.bytes, n = (double)s.householders,
                 tile = 2 * (double)(s.batch * s.tokens * s.heads) * (double)(s.key * s.value),
                 forth = (2 * n + 1) * tile, back = (7 * n + 2) * tile;
    c.keeps = false;
    say("recurrent forward", text, median(w, forward, &c), in + out, forth, w);
    c.keeps = true;
    say("recurrent forward, kept", text, median(w, forward, &c), in + out, forth, w);
    say("recurrent backward", text, median(w, backward, &c), 2 * in + out, back, w);
    say("recurrent forward+backward", text, median(w, both, &c), 3 * in + 2 * out, forth + back, w);
    case_clear(&c);
}

/* Times one piece of `tokens` letters for every sequence, tables by letter, the state carried
 * on. */
static void bench_streaming(f2l_delta_shape s, size_t letters, const clockwork *w)
{
    recurrent_case c;
    char text[200];
    f2l_error err = {0};
    const size_t positions = s.batch * s.tokens;
    case_init(&c, s, true, false, false, letters, false, w->stream);
    uint32_t *letter = malloc(positions * sizeof *letter);
    f2l_rng rng;
    f2l_rng_init(&rng, 9, 0);
    for (size_t i = 0; i < positions; i++) letter[i] = (uint32_t)f2l_rng_below(&rng, letters);
    c.letter = device_of(letter, positions * sizeof *letter, 0, w->stream);
    c.state = numbers(s.batch * s.heads * s.key * s.value, false, 0, -1, 2, 8, w->stream);
    c.in.letter = (uint32_t *)c.letter.data, c.carried = (float *)c.state.data;
    const double ms = median(w, forward, &c), n = (double)s.householders,
                 tile = 2 * (double)(positions * s.heads) * (double)(s.key * s.value);
    snprintf(text, sizeof text,
             "\"shape\": [%zu, %zu, %zu, %zu], \"n\": %zu, \"type\": \"bf16\", \"letters\": %zu, "
             "\"us_per_letter\": %.3f, \"seconds_per_million_letters\": %.2f",
             s.batch, s.tokens, s.heads, s.key, s.householders, letters,
             ms * 1e3 / (double)s.tokens, ms * 1e3 / (double)s.tokens);
    say("recurrent streaming", text, ms, (double)(c.out.bytes + c.letter.bytes), (2 * n + 1) * tile,
        w);
    demand(f2l_cuda_wait(w->stream, &err), &err);
    free(letter);
    case_clear(&c);
}

typedef struct scan_case {
    f2l_scan_shape shape;
    f2l_cuda_type type;
    device_array a, b, dh, h, da, db, h0, dh0, work;
    void *stream;
} scan_case;

static void scan_forward(void *context)
{
    scan_case *c = context;
    f2l_error err = {0};
    demand(f2l_cuda_scan_forward(c->h.data, NULL, c->a.data, c->b.data, (float *)c->h0.data,
                                 c->work.data, c->type, &c->shape, c->stream, &err),
           &err);
}

static void scan_backward(void *context)
{
    scan_case *c = context;
    f2l_error err = {0};
    demand(f2l_cuda_scan_backward(c->da.data, c->db.data, (float *)c->dh0.data, c->dh.data,
                                  c->h.data, c->a.data, (float *)c->h0.data, c->work.data, c->type,
                                  &c->shape, c->stream, &err),
           &err);
}

static void bench_scan(f2l_scan_shape s, bool bf16, const clockwork *w)
{
    const size_t n = s.batch * s.tokens * s.width, number = bf16 ? 2 : 4;
    scan_case c = {.shape = s, .type = bf16 ? F2L_CUDA_BF16 : F2L_CUDA_F32, .stream = w->stream};
    char text[200];
    c.a = numbers(n, bf16, 0, 0, 1, 1, w->stream), c.b = numbers(n, bf16, 0, -1, 2, 2, w->stream);
    c.dh = numbers(n, bf16, 0, -1, 2, 3, w->stream),
    c.h0 = numbers(s.width, false, 0, -1, 2, 4, w->stream);
    c.h = device_filled(n * number, 0, 0, w->stream),
    c.da = device_filled(n * number, 0, 0, w->stream);
    c.db = device_filled(n * number, 0, 0, w->stream),
    c.dh0 = device_filled(s.width * 4, 0, 0, w->stream);
    c.work = device_filled(f2l_cuda_scan_work(&s), 0, 0, w->stream);
    snprintf(text, sizeof text, "\"shape\": [%zu, %zu, %zu], \"type\": \"%s\", \"chunks\": %zu",
             s.batch, s.tokens, s.width, bf16 ? "bf16" : "fp32", f2l_scan_chunks(&s));
    say("scan forward", text, median(w, scan_forward, &c), 3.0 * (double)(n * number),
        2 * (double)n, w);
    say("scan backward", text, median(w, scan_backward, &c), 5.0 * (double)(n * number),
        3 * (double)n, w);
    device_array *all[] = {&c.a, &c.b, &c.dh, &c.h, &c.da, &c.db, &c.h0, &c.dh0, &c.work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) device_clear(all[i]);
}

int main(int argc, char **argv)
{
    const long launches = argc > 1 ? strtol(argv[1], NULL, 10) : 20;
    clockwork w = {.launches = launches > 0 && launches <= MOST ? (size_t)launches : 20};
    f2l_error err = {0};
    f2l_cuda_device device;
    setvbuf(stdout, NULL, _IOLBF, 0);
    demand(f2l_cuda_device_get(&device, &err), &err);
    demand(f2l_cuda_stream_new(&w.stream, &err), &err);
    demand(f2l_cuda_event_new(&w.before, &err), &err);
    demand(f2l_cuda_event_new(&w.after, &err), &err);
    w.limit = limits_of(device.name);
    printf("{\"device\": \"%s\", \"multiprocessors\": %d, \"launches\": %zu}\n", device.name,
           device.multiprocessors, w.launches);
    for (size_t n = 1; n <= 4; n *= 2)
        bench_training((f2l_delta_shape){2048, 128, 12, n, 32, 32}, true, true, false, &w);
    bench_training((f2l_delta_shape){2048, 128, 12, 4, 32, 32}, true, false, false, &w);
    bench_training((f2l_delta_shape){2048, 128, 12, 4, 32, 32}, true, true, true, &w);
    bench_training((f2l_delta_shape){1024, 128, 12, 4, 32, 32}, false, true, false, &w);
    bench_training((f2l_delta_shape){256, 256, 4, 4, 64, 64}, true, true, false, &w);
    bench_training((f2l_delta_shape){32, 512, 12, 4, 32, 32}, true, true, false, &w);
    bench_training((f2l_delta_shape){8, 4096, 16, 4, 128, 128}, true, true, false, &w);
    bench_streaming((f2l_delta_shape){256, 2048, 12, 4, 32, 32}, 120, &w);
    bench_streaming((f2l_delta_shape){256, 2048, 4, 4, 32, 32}, 120, &w);
    bench_streaming((f2l_delta_shape){256, 8192, 1, 1, 32, 32}, 8, &w);
    bench_scan((f2l_scan_shape){256, 1024, 768}, false, &w);
    bench_scan((f2l_scan_shape){256, 1024, 768}, true, &w);
    bench_scan((f2l_scan_shape){8, 16384, 1536}, true, &w);
    f2l_cuda_event_free(w.before), f2l_cuda_event_free(w.after);
    f2l_cuda_stream_free(w.stream);
    return 0;
}
