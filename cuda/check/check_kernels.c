/* check_kernels [SEED]: the delta product of the kernels' C interface on a GPU against the
 * reference in double on the CPU (include/fsa2lrnn_kernels.h), on fresh random inputs and options.
 * Outputs and workspaces start as NaN, and what lies around them must not change. Every case is run
 * twice, the second time as a graph on another stream, then its last sequence alone, then packed
 * and with other strides: all with the same bits. Prints one line per case with errors relative to
 * double; the exit status is 1 when a case failed. */
#include "cuda/device/cuda_memory.h"
#include "numeric/base/rng.h"
#include "tests/support/kernels/kernels_cases.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { F32 = FSA2LRNN_KERNELS_F32, BF16 = FSA2LRNN_KERNELS_BF16, F16 = FSA2LRNN_KERNELS_F16 };

static void *streams[2];

static void need(f2l_status status, const f2l_error *err)
{
    if (status == F2L_OK) return;
    printf("FAIL %s\n", err->text);
    exit(1);
}

static void *device_alloc(size_t bytes)
{
    void *memory;
    f2l_error err;
    need(f2l_cuda_alloc(&memory, bytes, &err), &err);
    return memory;
}
static void device_up(void *to, const void *from, size_t bytes)
{
    f2l_error err;
    need(f2l_cuda_to_device(to, from, bytes, streams[0], &err), &err);
    need(f2l_cuda_wait(streams[0], &err), &err);
}
static void device_down(void *to, const void *from, size_t bytes)
{
    f2l_error err;
    need(f2l_cuda_to_host(to, from, bytes, streams[0], &err), &err);
}
static void device_run(void (*launch)(void *what, void *stream), void *what, int round)
{
    f2l_error err;
    void *graph, *stream = streams[round & 1];
    if (round & 1) {
        need(f2l_cuda_graph_begin(stream, &err), &err);
        launch(what, stream);
        need(f2l_cuda_graph_end(&graph, stream, &err), &err);
        need(f2l_cuda_graph_run(graph, stream, &err), &err);
        need(f2l_cuda_wait(stream, &err), &err);
        f2l_cuda_graph_free(graph);
    } else {
        launch(what, stream);
        need(f2l_cuda_wait(stream, &err), &err);
    }
}
static const f2l_cases_device device = {device_alloc, f2l_cuda_free, device_up, device_down,
                                        device_run};

static f2l_kernels_case plain(int type, int64_t batch, int64_t tokens, int64_t heads,
                              int64_t factors, int64_t key, int64_t value)
{
    f2l_kernels_case c = {.additive = true, .initial = true, .dfinal = true};
    c.p.type = type, c.p.batch = batch, c.p.tokens = tokens, c.p.heads = heads;
    c.p.factors = factors, c.p.key = key, c.p.value = value;
    return c;
}

static int check_plain(uint64_t seed)
{
    static const int64_t shapes[][6] = {{16, 128, 3, 4, 32, 32},  {5, 100, 2, 1, 32, 32},
                                        {2, 200, 2, 2, 64, 64},   {2, 150, 2, 3, 128, 64},
                                        {2, 100, 2, 1, 128, 128}, {2, 100, 2, 4, 64, 128},
                                        {1, 300, 2, 1, 64, 256},  {1, 90, 2, 2, 256, 256},
                                        {2, 0, 2, 2, 32, 32},     {0, 9, 2, 2, 64, 64}};
    int bad = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *s = shapes[i];
        for (int type = BF16; type <= F16; type++) {
            const f2l_kernels_case c = plain(type, s[0], s[1], s[2], s[3], s[4], s[5]);
            bad += f2l_kernels_case_fails(&c, seed + i, &device);
        }
        f2l_kernels_case c = plain(F32, s[0], s[1], s[2], s[3], s[4], s[5]);
        c.p.gate = 1 + (int)(i % 2);
        bad += f2l_kernels_case_fails(&c, seed + i, &device);
    }
    for (int type = BF16; type <= F16; type++) {
        f2l_kernels_case c = plain(type, 2, 75, 4, 1, 64, 64);
        c.p.gate = FSA2LRNN_KERNELS_GATE_HEAD, c.faint = true;
        bad += f2l_kernels_case_fails(&c, seed, &device);
    }
    return bad;
}

static int check_pieces(uint64_t seed)
{
    int bad = 0;
    for (int64_t n = 1; n <= 8; n++) {
        f2l_kernels_case c = plain(BF16, 2, 50, 2, n, n % 2 ? 32 : 128, n % 3 ? 32 : 64);
        bad += f2l_kernels_prefix_fails(&c, 2 * (16 / n), seed + (uint64_t)n, &device);
        c = plain(n % 2 ? BF16 : F32, 2, 40, 2, n, 20 * n, 64);
        c.p.gate = (int)(n % 3), c.p.path = FSA2LRNN_KERNELS_RECURRENT;
        bad += f2l_kernels_prefix_fails(&c, 4 * n + 1, seed + (uint64_t)n, &device);
        c.p.tokens = 5, c.p.norm = (int)(n % 2), c.p.norm_eps = 1e-6f;
        bad += f2l_kernels_steps_fail(&c, seed + (uint64_t)n, &device);
    }
    return bad;
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    f2l_error err;
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    printf("check_kernels: seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 2; i++) need(f2l_cuda_stream_new(&streams[i], &err), &err);
    int bad = check_plain(seed) + check_pieces(seed);
    for (int i = 0; i < 60; i++) {
        const f2l_kernels_case c = f2l_kernels_draw_case(&rng, i % 2, false);
        bad += f2l_kernels_case_fails(&c, f2l_rng_u64(&rng), &device);
    }
    printf("check_kernels: %s\n", bad ? "FAIL" : "ok");
    for (int i = 0; i < 2; i++) f2l_cuda_stream_free(streams[i]);
    return bad ? 1 : 0;
}
