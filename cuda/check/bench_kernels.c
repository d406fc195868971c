/* bench_kernels: times of the delta product of the kernels' C interface, to be compared with
 * bench_delta in the same run. Prints one JSON line per shape and pass: median of 25 launches in
 * milliseconds, and the path. Queries and keys are unit vectors, values and gradients in [-1, 1],
 * betas in [0, 2], gates exp(-1) to 1. */
#include "cuda/device/cuda_memory.h"
#include "include/fsa2lrnn_kernels.h"
#include "numeric/base/rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAUNCHES = 25, BEFORE = 3, HELD = 16, BLOCK = 1 << 20, BF16 = FSA2LRNN_KERNELS_BF16 };

static void *held[HELD];
static int count;
static f2l_error error;
static fsa2lrnn_kernels_error failure;

static void need(int status, const char *text)
{
    if (!status) return;
    fprintf(stderr, "bench_kernels: %s\n", text);
    exit(1);
}

static void *room(size_t bytes)
{
    need(f2l_cuda_alloc(&held[count], bytes + 256, &error), error.text);
    need(f2l_cuda_fill(held[count], 0, bytes + 256, NULL, &error), error.text);
    return held[count++];
}

/* Writes random numbers between both ends, or unit vectors of `unit` numbers; a block of them is
 * repeated. bytes: 2, bf16 cut off, or 4. */
static void draw(void *to, size_t numbers, size_t bytes, float least, float most, size_t unit)
{
    static float x[BLOCK];
    static uint16_t half[BLOCK];
    f2l_rng rng;
    const size_t block = unit ? BLOCK / unit * unit : BLOCK;
    f2l_rng_init(&rng, 1, unit);
    for (size_t i = 0; i < block; i++)
        x[i] = least + (most - least) * ((float)(f2l_rng_u32(&rng) >> 8) * 0x1p-24f);
    for (size_t i = 0; unit && i < block; i += unit) {
        float sum = 0;
        for (size_t j = i; j < i + unit; j++) sum += x[j] * x[j];
        for (size_t j = i; j < i + unit; j++) x[j] /= sqrtf(sum);
    }
    for (size_t i = 0; i < block; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], 4);
        half[i] = (uint16_t)(bits >> 16);
    }
    for (size_t i = 0; i < numbers; i += block)
        need(f2l_cuda_to_device((char *)to + i * bytes, bytes == 2 ? (void *)half : (void *)x,
                                (numbers - i < block ? numbers - i : block) * bytes, NULL, &error),
             error.text);
}

typedef struct call {
    fsa2lrnn_delta_product p;
    fsa2lrnn_delta_product_in in;
    fsa2lrnn_delta_product_out out;
    fsa2lrnn_delta_product_grad grad;
    void *kept, *work[2];
    bool back;
} call;

static void launch(const call *c)
{
    need(
        fsa2lrnn_delta_product_forward(&c->out, c->kept, c->work[0], &c->in, &c->p, NULL, &failure),
        failure.text);
    if (!c->back) return;
    need(fsa2lrnn_delta_product_backward(&c->grad, c->kept, c->work[1], &c->in, &c->p, NULL,
                                         &failure),
         failure.text);
}

static int compare_times(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median(const call *c)
{
    float times[LAUNCHES] = {0}, ms;
    void *from, *to;
    need(f2l_cuda_event_new(&from, &error), error.text);
    need(f2l_cuda_event_new(&to, &error), error.text);
    for (int i = 0; i < BEFORE + LAUNCHES; i++) {
        need(f2l_cuda_event_record(from, NULL, &error), error.text);
        launch(c);
        need(f2l_cuda_event_record(to, NULL, &error), error.text);
        need(f2l_cuda_event_elapsed(&ms, from, to, &error), error.text);
        if (i >= BEFORE) times[i - BEFORE] = ms;
    }
    f2l_cuda_event_free(from);
    f2l_cuda_event_free(to);
    qsort(times, LAUNCHES, sizeof *times, compare_times);
    return times[LAUNCHES / 2];
}

static fsa2lrnn_kernels_array array_of(int64_t rows, int64_t heads, int64_t width, int64_t batch,
                                       size_t bytes)
{
    return (fsa2lrnn_kernels_array){room((size_t)(batch * rows * heads * width) * bytes),
                                    {rows * heads * width, heads * width, width}};
}

static fsa2lrnn_kernels_array drawn(int64_t rows, int64_t heads, int64_t width, int64_t batch,
                                    size_t bytes, float least, float most, bool unit)
{
    const fsa2lrnn_kernels_array a = array_of(rows, heads, width, batch, bytes);
    draw(a.data, (size_t)(batch * rows * heads * width), bytes, least, most,
         unit ? (size_t)width : 0);
    return a;
}

static void bench(const fsa2lrnn_delta_product *p)
{
    const int64_t B = p->batch, T = p->tokens, N = T * p->factors, H = p->heads,
                  G = p->key_heads ? p->key_heads : H;
    call c = {.p = *p};
    char path[128];
    size_t bytes[3];
    c.p.size = sizeof c.p, c.in.size = sizeof c.in;
    c.out.size = sizeof c.out, c.grad.size = sizeof c.grad;
    c.in.q = drawn(T, G, p->key, B, 2, -1, 1, true);
    c.in.k = drawn(N, G, p->key, B, 2, -1, 1, true);
    c.in.v = drawn(N, H, p->value, B, 2, -1, 1, false);
    c.in.beta = drawn(N, H, 1, B, 4, 0, 2, false);
    if (p->gate) c.in.g = drawn(T, H, 1, B, 4, -1, 0, false);
    c.out.out = array_of(T, H, p->value, B, 2);
    c.grad.dout = drawn(T, H, p->value, B, 2, -1, 1, false);
    c.grad.dq = array_of(T, G, p->key, B, 2), c.grad.dk = array_of(N, G, p->key, B, 2);
    c.grad.dv = array_of(N, H, p->value, B, 2), c.grad.dbeta = array_of(N, H, 1, B, 4);
    if (p->gate) c.grad.dg = array_of(T, H, 1, B, 4);
    need(fsa2lrnn_delta_product_bytes(&bytes[0], &bytes[1], &bytes[2], &c.p, &failure),
         failure.text);
    need(fsa2lrnn_delta_product_path(path, sizeof path, &c.p, &failure), failure.text);
    c.kept = room(bytes[0]), c.work[0] = room(bytes[1]), c.work[1] = room(bytes[2]);
    *strchr(path, ':') = 0;
    for (int back = 0; back < 2; back++) {
        c.back = back;
        printf(
            "{\"op\": \"delta_product\", \"shape\": [%lld, %lld, %lld, %lld, %lld], \"n\": %lld, "
            "\"key_heads\": %lld, \"gate\": %d, \"norm\": %d, \"path\": \"%s%s\", "
            "\"pass\": \"%s\", "
            "\"ms\": %.4f, \"kept_MB\": %.1f, \"work_MB\": %.1f}\n",
            (long long)B, (long long)T, (long long)H, (long long)p->key, (long long)p->value,
            (long long)p->factors, (long long)G, p->gate, p->norm, path,
            p->path == FSA2LRNN_KERNELS_TENSOR_STATES ? "_states" : "", back ? "both" : "forward",
            (double)median(&c), (double)bytes[0] / 1e6, (double)bytes[1 + back] / 1e6);
        fflush(stdout);
    }
    while (count) f2l_cuda_free(held[--count]);
}

static fsa2lrnn_delta_product shape(int64_t batch, int64_t tokens, int64_t heads, int64_t key,
                                    int64_t value, int64_t factors)
{
    return (fsa2lrnn_delta_product){.type = BF16,
                                    .batch = batch,
                                    .tokens = tokens,
                                    .heads = heads,
                                    .key = key,
                                    .value = value,
                                    .factors = factors};
}

/* More than 128 keys, on tensor cores and without them. */
static void bench_wide(void)
{
    for (int gate = 0; gate < 2; gate++) {
        fsa2lrnn_delta_product p = shape(8, 4096, 8, 256, 256, 1);
        p.gate = gate;
        bench(&p);
        p.tokens = 512;
        bench(&p);
        p.path = FSA2LRNN_KERNELS_RECURRENT;
        bench(&p);
    }
}

int main(void)
{
    for (int64_t n = 1; n <= 4; n *= 2) {
        fsa2lrnn_delta_product p = shape(2048, 128, 12, 32, 32, n);
        bench(&p);
        p = shape(256, 256, 4, 64, 64, n);
        bench(&p);
        p = shape(8, 4096, 16, 128, 128, n);
        bench(&p);
        p.path = FSA2LRNN_KERNELS_TENSOR_STATES;
        bench(&p);
        p = shape(2048, 128, 12, 32, 32, n), p.path = FSA2LRNN_KERNELS_TENSOR_STATES;
        bench(&p);
    }
    fsa2lrnn_delta_product p = shape(8, 4096, 16, 128, 64, 3);
    bench(&p);
    p.key_heads = 8, p.norm = FSA2LRNN_KERNELS_NORM_ADD, p.norm_eps = 1e-6f;
    p.beta = FSA2LRNN_KERNELS_BETA_TWO_SIGMOID;
    bench(&p);
    p.gate = FSA2LRNN_KERNELS_GATE_HEAD;
    bench(&p);
    p = shape(8, 4096, 16, 128, 128, 1), p.gate = FSA2LRNN_KERNELS_GATE_HEAD;
    bench(&p);
    p = shape(2048, 128, 12, 32, 32, 2), p.gate = FSA2LRNN_KERNELS_GATE_HEAD;
    bench(&p);
    bench_wide();
    return 0;
}
