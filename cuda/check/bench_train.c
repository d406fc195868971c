/* bench_train [LAUNCHES]: the operators of a training step except the mixers, at the shape of the
 * anchor (262144 positions, width 384, MLP 1024, 120 letters), bf16. Prints one JSON line per
 * operator: median milliseconds, GB/s of the necessary traffic, and its fraction of a
 * device-to-device copy measured in the same run; for products TFLOP/s, and the best of the other
 * algorithms that cuBLASLt offers. */
#include "cuda/check/check_train_arrays.h"
#include "cuda/op/cuda_adamw.h"
#include "cuda/op/cuda_conv.h"
#include "cuda/op/cuda_letters.h"
#include "cuda/op/cuda_linear.h"
#include "cuda/op/cuda_loss.h"
#include "cuda/op/cuda_norm.h"
#include "cuda/op/cuda_point.h"
#include "cuda/op/cuda_select.h"

static f2l_error why;
#define RUN(call) demand((call), &why)

enum {
    ROWS = 262144,
    WIDTH = 384,
    MLP = 1024,
    LETTERS = 120,
    HEADS = 12,
    DIM = 32,
    FACTORS = 4,
    PARAMETERS = 2200000
};
enum { WORK = 128 << 20 };

static size_t launches = 30;
static double copy_rate;
static void *event[2];

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Sets ms to the median of the launches, each timed separately. */
#define TIME(ms, call) \
    do { \
        float *each_ms = calloc(launches, sizeof *each_ms); \
        for (size_t each = 0; each < launches + 3; each++) { \
            RUN(f2l_cuda_event_record(event[0], run_stream, &why)); \
            RUN(call); \
            RUN(f2l_cuda_event_record(event[1], run_stream, &why)); \
            if (each >= 3) \
                RUN(f2l_cuda_event_elapsed(&each_ms[each - 3], event[0], event[1], &why)); \
        } \
        qsort(each_ms, launches, sizeof *each_ms, by_size); \
        (ms) = (double)each_ms[launches / 2]; \
        free(each_ms); \
    } while (0)

static void tell_bytes(const char *name, double ms, double bytes)
{
    const double rate = bytes / ms / 1e6;
    printf("{\"bench\":\"%s\",\"ms\":%.4f,\"GB_per_s\":%.0f,\"of_copy\":%.2f}\n", name, ms, rate,
           rate / copy_rate);
}

/* Returns random bf16 numbers of modest size, so that nothing is special: the pattern repeats every
 * 2^20 numbers. */
static void *random_bf16(size_t count)
{
    enum { PERIOD = 1 << 20 };
    static uint16_t pattern[PERIOD];
    void *to;
    for (size_t i = 0; i < PERIOD && pattern[PERIOD - 1] == 0; i++)
        pattern[i] = f2l_replay_round((float)draw());
    RUN(f2l_cuda_alloc(&to, 2 * count, &why));
    for (size_t at = 0; at < count; at += PERIOD)
        RUN(f2l_cuda_to_device((char *)to + 2 * at, pattern,
                               2 * (count - at < PERIOD ? count - at : PERIOD), run_stream, &why));
    return to;
}

static void *zeroed(size_t bytes)
{
    void *to;
    RUN(f2l_cuda_alloc(&to, bytes, &why));
    RUN(f2l_cuda_fill(to, 0, bytes, run_stream, &why));
    return to;
}

static void memory_bound(void *work)
{
    double ms;
    void *gate_up = random_bf16((size_t)ROWS * 2 * MLP), *product = random_bf16((size_t)ROWS * MLP);
    void *x = random_bf16((size_t)ROWS * WIDTH), *y = random_bf16((size_t)ROWS * WIDTH),
         *z = random_bf16((size_t)ROWS * WIDTH);
    float *weight = zeroed(sizeof(float) * WIDTH), *dweight = zeroed(sizeof(float) * WIDTH);
    const double one = 2.0 * ROWS * WIDTH;
    TIME(ms, f2l_cuda_cast(product, F2L_CUDA_BF16, gate_up, F2L_CUDA_BF16, (size_t)ROWS * MLP,
                           run_stream, &why));
    copy_rate = 4.0 * ROWS * MLP / ms / 1e6;
    tell_bytes("copy", ms, 4.0 * ROWS * MLP);
    TIME(ms, f2l_cuda_swiglu_forward(product, gate_up, ROWS, MLP, F2L_CUDA_BF16, run_stream, &why));
    tell_bytes("swiglu", ms, 6.0 * ROWS * MLP);
    TIME(ms, f2l_cuda_swiglu_backward(gate_up, product, gate_up, ROWS, MLP, F2L_CUDA_BF16,
                                      run_stream, &why));
    tell_bytes("swiglu backward", ms, 10.0 * ROWS * MLP);
    const f2l_cuda_norm norm = {ROWS, WIDTH, 1e-6F, 1, F2L_CUDA_BF16},
                        of_o = {(size_t)ROWS * HEADS, DIM, 1e-6F, 0.2F, F2L_CUDA_BF16};
    TIME(ms, f2l_cuda_rmsnorm_forward(y, z, x, z, NULL, weight, &norm, run_stream, &why));
    tell_bytes("rmsnorm of a sum, 384", ms, 4 * one);
    TIME(ms, f2l_cuda_rmsnorm_backward(y, dweight, y, x, z, weight, work, &norm, run_stream, &why));
    tell_bytes("rmsnorm backward, 384", ms, 4 * one);
    TIME(ms, f2l_cuda_rmsnorm_forward(y, NULL, x, NULL, NULL, weight, &of_o, run_stream, &why));
    tell_bytes("rmsnorm of heads, 32", ms, 2 * one);
    TIME(ms,
         f2l_cuda_rmsnorm_backward(y, dweight, y, x, NULL, weight, work, &of_o, run_stream, &why));
    tell_bytes("rmsnorm of heads backward, 32", ms, 3 * one);
    f2l_cuda_free(x), f2l_cuda_free(y), f2l_cuda_free(z), f2l_cuda_free(product),
        f2l_cuda_free(weight), f2l_cuda_free(dweight);
    uint32_t *letter = calloc(ROWS, sizeof *letter);
    for (size_t i = 0; i < ROWS; i++) letter[i] = (uint32_t)draw_below(LETTERS);
    device_array ids = device_of(letter, ROWS * sizeof *letter, 0, run_stream);
    const uint32_t *on = (const uint32_t *)(const void *)ids.data;
    void *index = zeroed(f2l_cuda_letters_bytes(ROWS, LETTERS));
    float *sum = zeroed(sizeof(float) * LETTERS * WIDTH * FACTORS);
    TIME(ms, f2l_cuda_letters_index(index, on, ROWS, LETTERS, run_stream, &why));
    tell_bytes("index of letters", ms, 16.0 * ROWS);
    TIME(ms, f2l_cuda_letters_sum(sum, WIDTH * FACTORS, false, gate_up, WIDTH * FACTORS,
                                  WIDTH * FACTORS, F2L_CUDA_BF16, index, work, ROWS, LETTERS,
                                  run_stream, &why));
    tell_bytes("sum by letter, 1536", ms, FACTORS * one);
    TIME(ms, f2l_cuda_letters_sum(sum, WIDTH, false, gate_up, WIDTH, WIDTH, F2L_CUDA_BF16, index,
                                  work, ROWS, LETTERS, run_stream, &why));
    tell_bytes("sum by letter, 384", ms, one);
    TIME(ms, f2l_cuda_letters_sum(sum, HEADS * FACTORS, false, gate_up, HEADS * FACTORS,
                                  HEADS * FACTORS, F2L_CUDA_F32, index, work, ROWS, LETTERS,
                                  run_stream, &why));
    tell_bytes("sum by letter, 48 of fp32", ms, 4.0 * ROWS * HEADS * FACTORS);
    f2l_cuda_free(index), f2l_cuda_free(sum), f2l_cuda_free(gate_up);
    const f2l_cuda_loss_shape loss = {2048, 128, LETTERS, LETTERS, LETTERS, F2L_CUDA_BF16, NULL, 0};
    float *logits = zeroed((size_t)4 * ROWS * LETTERS), *one_weight = zeroed(4);
    void *dlogits = zeroed((size_t)2 * ROWS * LETTERS), *right = zeroed(ROWS),
         *score = zeroed(sizeof(f2l_cuda_score));
    TIME(ms, f2l_cuda_loss(score, right, dlogits, logits, on, NULL, one_weight, work, &loss,
                           run_stream, &why));
    tell_bytes("loss, 120 classes", ms, 6.0 * ROWS * LETTERS);
    f2l_cuda_free(logits), f2l_cuda_free(one_weight), f2l_cuda_free(dlogits), f2l_cuda_free(right),
        f2l_cuda_free(score);
    device_clear(&ids);
    free(letter);
}

/* Times the operators of a first layer by position with a convolution of 4 letters: n = 4 with
 * values, so that the projection is 384 + 2 * 1536 numbers through the convolution and 48 more. */
static void convolved(void *work)
{
    enum {
        KEYS = WIDTH * FACTORS,
        MIXED = WIDTH + 2 * KEYS,
        ALL = MIXED + HEADS * FACTORS,
        TAPS = 4
    };
    double ms;
    const f2l_cuda_conv_shape s = {2048, 128, MIXED, TAPS, F2L_CUDA_BF16, ALL, MIXED, NULL};
    const f2l_cuda_unit keys = {ROWS, HEADS * FACTORS, DIM,           MIXED,        true,
                                true, 1e-6F,           F2L_CUDA_BF16, F2L_CUDA_BF16};
    void *x = random_bf16((size_t)ROWS * ALL), *y = random_bf16((size_t)ROWS * MIXED),
         *k = random_bf16((size_t)ROWS * KEYS),
         *index = zeroed(f2l_cuda_letters_bytes(ROWS, LETTERS));
    float *w = zeroed(sizeof(float) * MIXED * TAPS), *dw = zeroed(sizeof(float) * MIXED * TAPS),
          *sum = zeroed(sizeof(float) * LETTERS * ALL);
    const double row = 2.0 * ROWS;
    uint32_t *letter = calloc(ROWS, sizeof *letter);
    for (size_t i = 0; i < ROWS; i++) letter[i] = (uint32_t)draw_below(LETTERS);
    device_array ids = device_of(letter, ROWS * sizeof *letter, 0, run_stream);
    const uint32_t *on = (const uint32_t *)(const void *)ids.data;
    TIME(ms, f2l_cuda_embed_forward(x, x, on, ROWS, ALL, F2L_CUDA_BF16, run_stream, &why));
    tell_bytes("rows by letter, 3504", ms, row * ALL);
    TIME(ms, f2l_cuda_conv_forward(y, NULL, NULL, x, w, NULL, &s, run_stream, &why));
    tell_bytes("convolution, 3456", ms, row * 2 * MIXED);
    TIME(ms, f2l_cuda_unit_forward(k, y, &keys, run_stream, &why));
    tell_bytes("units of silu, 1536", ms, row * 2 * KEYS);
    TIME(ms, f2l_cuda_unit_backward(y, k, y, &keys, run_stream, &why));
    tell_bytes("units of silu backward, 1536", ms, row * 3 * KEYS);
    TIME(ms, f2l_cuda_conv_backward(x, dw, NULL, y, x, w, work, &s, run_stream, &why));
    tell_bytes("convolution backward, 3456", ms, row * 3 * MIXED);
    RUN(f2l_cuda_letters_index(index, on, ROWS, LETTERS, run_stream, &why));
    TIME(ms, f2l_cuda_letters_sum(sum, ALL, false, x, ALL, ALL, F2L_CUDA_BF16, index, work, ROWS,
                                  LETTERS, run_stream, &why));
    tell_bytes("sum by letter, 3504", ms, row * ALL);
    f2l_cuda_free(x), f2l_cuda_free(y), f2l_cuda_free(k), f2l_cuda_free(index), f2l_cuda_free(w),
        f2l_cuda_free(dw), f2l_cuda_free(sum), device_clear(&ids);
    free(letter);
}

/* Times the selective recurrence of 256 channels; bytes are the sizes of its arrays and of the
 * states that forward keeps. */
static void selective(size_t states)
{
    enum { CHANNELS = 256, RANK = 8 };
    double ms;
    const size_t stride = RANK + 2 * states;
    const f2l_cuda_select_shape s = {2048,         128, CHANNELS,      states, stride,
                                     2 * CHANNELS, 0,   F2L_CUDA_BF16, NULL,   0};
    size_t kept_bytes, work_bytes;
    RUN(f2l_cuda_select_bytes(&kept_bytes, &work_bytes, &s, &why));
    const size_t n = (size_t)ROWS * CHANNELS;
    void *u = random_bf16(n), *step = random_bf16(n), *gate = random_bf16(2 * n),
         *out = zeroed(2 * n), *rows = random_bf16(ROWS * stride), *kept = zeroed(kept_bytes),
         *space = zeroed(work_bytes), *du = zeroed(2 * n), *dstep = zeroed(2 * n),
         *drows = zeroed(2 * ROWS * stride);
    float *number = zeroed(sizeof(float) * 2 * CHANNELS * (states + 2));
    float *sums = number + CHANNELS * (states + 2);
    const f2l_cuda_select_in in = {u,
                                   step,
                                   gate,
                                   (char *)rows + 2 * RANK,
                                   (char *)rows + 2 * (RANK + states),
                                   number,
                                   number + 2 * CHANNELS,
                                   number + CHANNELS};
    const f2l_cuda_select_grad grad = {du,
                                       dstep,
                                       (char *)gate + 2 * CHANNELS,
                                       (char *)drows + 2 * RANK,
                                       (char *)drows + 2 * (RANK + states),
                                       sums,
                                       sums + 2 * CHANNELS,
                                       sums + CHANNELS};
    char name[64];
    TIME(ms, f2l_cuda_select_forward(out, kept, &in, &s, run_stream, &why));
    (void)snprintf(name, sizeof name, "selective recurrence, %zu states", states);
    tell_bytes(name, ms, 8.0 * (double)n + 4.0 * ROWS * (double)states + (double)kept_bytes);
    TIME(ms, f2l_cuda_select_backward(&grad, out, kept, space, &in, &s, run_stream, &why));
    (void)snprintf(name, sizeof name, "selective recurrence backward, %zu states", states);
    tell_bytes(name, ms, 14.0 * (double)n + 8.0 * ROWS * (double)states + (double)kept_bytes);
    f2l_cuda_free(u), f2l_cuda_free(step), f2l_cuda_free(gate), f2l_cuda_free(out),
        f2l_cuda_free(rows);
    f2l_cuda_free(kept), f2l_cuda_free(space), f2l_cuda_free(du), f2l_cuda_free(dstep),
        f2l_cuda_free(drows), f2l_cuda_free(number);
}

static void adamw(void *work)
{
    double ms;
    const f2l_cuda_adamw_step step = {1, 0.9F, 0.1F, 0.95F, 0.05F, 1, 1e-8F};
    const f2l_cuda_adamw_group group = {0, 0, 1, 1e-3F};
    device_array steps = device_of(&step, sizeof step, 0, run_stream),
                 groups = device_of(&group, sizeof group, 0, run_stream);
    float *number[4];
    for (int i = 0; i < 4; i++) number[i] = zeroed(sizeof(float) * PARAMETERS);
    void *shadow = zeroed(2 * PARAMETERS), *report = zeroed(sizeof(f2l_cuda_adamw_report));
    TIME(ms, f2l_cuda_adamw(number[0], number[1], number[2], shadow, report, number[3], PARAMETERS,
                            (const f2l_cuda_adamw_step *)(const void *)steps.data,
                            (const f2l_cuda_adamw_group *)(const void *)groups.data, 1, work,
                            run_stream, &why));
    tell_bytes("AdamW, 2.2 M", ms, 34.0 * PARAMETERS);
    for (int i = 0; i < 4; i++) f2l_cuda_free(number[i]);
    f2l_cuda_free(shadow), f2l_cuda_free(report), device_clear(&steps), device_clear(&groups);
}

static double time_product(f2l_cuda_blas *blas, const f2l_cuda_product_shape *s, unsigned choice,
                           void *c, void *a, void *b, void *work)
{
    f2l_cuda_product *p;
    f2l_error none = {0};
    double ms;
    if (f2l_cuda_product_new(&p, blas, s, a, b, c, 64 << 20, choice, &none) != F2L_OK)
        return INFINITY;
    TIME(ms, f2l_cuda_product_run(c, a, b, p, work, run_stream, &why));
    f2l_cuda_product_free(p);
    return ms;
}

/* Times the three products of a linear map of all positions. */
static void linear(f2l_cuda_blas *blas, const char *name, size_t in, size_t out,
                   f2l_cuda_type y_type, void *a, void *b, void *c, void *work)
{
    const f2l_cuda_product_shape s[3] = {
        {ROWS, out, in, in, in, out, false, true, false, F2L_CUDA_BF16, y_type},
        {ROWS, in, out, out, in, in, false, false, false, F2L_CUDA_BF16, F2L_CUDA_BF16},
        {out, in, ROWS, out, in, in, true, false, true, F2L_CUDA_BF16, F2L_CUDA_F32}};
    static const char *const way[3] = {"y", "dx", "dw"};
    for (int i = 0; i < 3; i++) {
        const double flops = 2.0 * ROWS * (double)in * (double)out,
                     taken = time_product(blas, &s[i], 0, c, a, b, work);
        double best = taken;
        unsigned of = 0;
        for (unsigned choice = 1; choice < 6; choice++) {
            const double ms = time_product(blas, &s[i], choice, c, a, b, work);
            if (ms < best) best = ms, of = choice;
        }
        printf("{\"bench\":\"product %s %s\",\"ms\":%.4f,\"TFLOP_per_s\":%.0f,\"best_ms\":%.4f,"
               "\"best_way\":%u}\n",
               name, way[i], taken, flops / taken / 1e9, best, of);
    }
}

int main(int argc, char **argv)
{
    f2l_cuda_blas *blas;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1) launches = strtoull(argv[1], NULL, 0);
    f2l_rng_init(&run_rng, 1, 6);
    RUN(f2l_cuda_stream_new(&run_stream, &why));
    for (int i = 0; i < 2; i++) RUN(f2l_cuda_event_new(&event[i], &why));
    void *work = zeroed(WORK);
    memory_bound(work);
    convolved(work);
    static const size_t states[] = {1, 8, 16, 64};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) selective(states[i]);
    adamw(work);
    RUN(f2l_cuda_blas_new(&blas, &why));
    void *a = random_bf16((size_t)ROWS * 2 * MLP), *b = random_bf16((size_t)ROWS * 2 * MLP),
         *c = zeroed((size_t)ROWS * 4 * MLP);
    linear(blas, "gate and up", WIDTH, 2 * MLP, F2L_CUDA_BF16, a, b, c, work);
    linear(blas, "down", MLP, WIDTH, F2L_CUDA_BF16, a, b, c, work);
    linear(blas, "out", WIDTH, WIDTH, F2L_CUDA_BF16, a, b, c, work);
    linear(blas, "head", WIDTH, LETTERS, F2L_CUDA_F32, a, b, c, work);
    f2l_cuda_blas_free(blas);
    f2l_cuda_free(a), f2l_cuda_free(b), f2l_cuda_free(c), f2l_cuda_free(work);
    return 0;
}
