/* check_train [SEED [NAME]]: the operators of a training step on the device except the mixers,
 * against models/learn/op in double precision. Prints one line per operator: cases, largest
 * relative Frobenius error by type of the result, ok or FAIL. Exit status 1 when anything failed.
 * With NAME only the parts whose names contain it: point, norm, letters, loss, adamw, convolution,
 * products. */
#include "cuda/check/check_train_letters.h"
#include "cuda/check/check_train_point.h"
#include "cuda/op/cuda_adamw.h"
#include "cuda/op/cuda_conv.h"
#include "cuda/op/cuda_linear.h"
#include "models/learn/op/op_conv.h"
#include "models/learn/train/adamw.h"
#include <time.h>

/* --- AdamW --- */

static void check_adamw(size_t count, bool clipped, tally t[2])
{
    enum { GROUPS = 3 };
    float *number[4], *want[4];
    device_array on[4], shadow = device_filled(2 * count, 0xff, 0, run_stream), work,
                        report = device_filled(sizeof(f2l_cuda_adamw_report), 0xff, 0, run_stream);
    for (size_t a = 0; a < 4; a++) { /* parameter, mean, square, gradient */
        number[a] = calloc(count + 1, sizeof(float)), want[a] = calloc(count + 1, sizeof(float));
        for (size_t i = 0; i < count; i++)
            number[a][i] = (float)(a == 2 ? fabs(draw()) * 1e-2 : draw());
        memcpy(want[a], number[a], count * sizeof(float));
        on[a] = device_of(number[a], count * sizeof(float), 0, run_stream);
    }
    const double rate = 3e-3, length = sqrt(f2l_adamw_squares_f32(want[3], count)),
                 clip = clipped ? length / 3 : 0;
    const size_t first[GROUPS + 1] = {0, count / 3, count / 3 + count / 5, count};
    f2l_cuda_adamw_group group[GROUPS];
    const f2l_cuda_adamw_step step = {
        clip, 0.9F, (float)(1 - 0.9), 0.95F, (float)(1 - 0.95), (float)sqrt(1 - pow(0.95, 7)),
        1e-8F};
    for (size_t g = 0; g < GROUPS; g++) {
        const double decay = g == 1 ? 0.1 : 0,
                     scale = clip > 0 && length > clip ? clip / length : 1;
        const f2l_adamw a = {rate, decay, 0.9, 0.95, 1e-8, scale, 7};
        group[g] = (f2l_cuda_adamw_group){(uint32_t)first[g], 0, (float)(1 - rate * decay),
                                          (float)(rate / (1 - pow(0.9, 7)))};
        f2l_adamw_update_f32(want[0] + first[g], want[1] + first[g], want[2] + first[g],
                             want[3] + first[g], first[g + 1] - first[g], &a);
    }
    device_array steps = device_of(&step, sizeof step, 0, run_stream),
                 groups = device_of(group, sizeof group, 0, run_stream);
    RUN(f2l_cuda_adamw(
        (float *)(void *)on[0].data, (float *)(void *)on[1].data, (float *)(void *)on[2].data,
        (uint16_t *)(void *)shadow.data, (f2l_cuda_adamw_report *)(void *)report.data,
        (const float *)(void *)on[3].data, count, (const f2l_cuda_adamw_step *)(void *)steps.data,
        (const f2l_cuda_adamw_group *)(void *)groups.data, GROUPS,
        scratch(&work, f2l_cuda_adamw_work(count)), run_stream, &why));
    f2l_cuda_adamw_report got;
    uint16_t *rounded = calloc(count + 1, sizeof *rounded);
    size_t wrong =
        !device_read(&got, &report, run_stream) || !device_read(rounded, &shadow, run_stream);
    for (size_t a = 0; a < 3; a++) {
        wrong += !device_read(number[a], &on[a], run_stream);
        wrong += memcmp(number[a], want[a], count * sizeof(float)) != 0;
    }
    for (size_t i = 0; i < count; i++) wrong += rounded[i] != f2l_replay_round(want[0][i]);
    count_error(&t[0], F2L_CUDA_F32, wrong ? 1 : 0, 0);
    count_error(&t[1], F2L_CUDA_F32,
                got.moved == 1 ? fabs(got.norm - length) / (length + 1e-300) : INFINITY, 1e-13);
    scratch_clear(&work), device_clear(&shadow), device_clear(&report), device_clear(&steps),
        device_clear(&groups);
    for (size_t a = 0; a < 4; a++) device_clear(&on[a]), free(number[a]), free(want[a]);
    free(rounded);
}

static void adamw_operator(void)
{
    tally t[2] = {{.name = "AdamW, bit for bit"}, {.name = "length of the gradient"}};
    for (size_t count = 1; count < 3000000; count = 7 * count + 3) {
        check_adamw(count, false, t);
        check_adamw(count, true, t);
    }
    for (int i = 0; i < 2; i++) tell(&t[i]);
}

/* --- convolution --- */

static void check_conv(f2l_cuda_type type, size_t batch, size_t tokens, size_t width, size_t taps,
                       bool in_place, tally t[3])
{
    const size_t n = batch * tokens * width, kept = batch * (taps - 1) * width;
    const f2l_cuda_conv_shape s = {batch, tokens, width, taps, type, 0, 0, NULL};
    const f2l_conv_shape r = {batch, tokens, width, taps};
    array x = drawn(n, type, 1, 0), dy = drawn(n, type, 1, 0),
          w = drawn(width * taps, F2L_CUDA_F32, 1, 0), bias = drawn(width, F2L_CUDA_F32, 1, 0),
          past = drawn(kept, type, 1, 0), next = poisoned(kept, type, 0), y = poisoned(n, type, 0),
          dx = poisoned(n, type, 0), dw = drawn(width * taps, F2L_CUDA_F32, 1, 0),
          dbias = drawn(width, F2L_CUDA_F32, 1, 0);
    double *want = doubles(n);
    const float *taps_on = (const float *)(void *)w.on.data,
                *bias_on = (const float *)(void *)bias.on.data;
    device_array work;
    RUN(f2l_cuda_conv_forward(y.on.data, NULL, NULL, x.on.data, taps_on, bias_on, &s, run_stream,
                              &why));
    f2l_conv_forward_f64(want, NULL, x.host, w.host, bias.host, &r);
    count_error(&t[0], type, error_at(&y, want), tolerance(type));
    RUN(f2l_cuda_conv_forward(y.on.data, next.on.data, past.on.data, x.on.data, taps_on, NULL, &s,
                              run_stream, &why));
    f2l_conv_forward_f64(want, past.host, x.host, w.host, NULL, &r);
    count_error(&t[0], type, error_at(&y, want), tolerance(type));
    count_error(&t[1], type, error_at(&next, past.host), 0);
    double *dsizes = sizes_of(dy.host, n), *xsizes = sizes_of(x.host, n),
           *tap_terms = sizes_of(dw.host, width * taps), *bias_terms = sizes_of(dbias.host, width);
    f2l_conv_backward_f64(want, tap_terms, bias_terms, dsizes, xsizes, w.host, &r);
    f2l_conv_backward_f64(want, dw.host, dbias.host, dy.host, x.host, w.host, &r);
    RUN(f2l_cuda_conv_backward(in_place ? x.on.data : dx.on.data, (float *)(void *)dw.on.data,
                               (float *)(void *)dbias.on.data, dy.on.data, x.on.data, taps_on,
                               scratch(&work, f2l_cuda_conv_work(&s)), &s, run_stream, &why));
    count_error(&t[2], type, error_at(in_place ? &x : &dx, want), tolerance(type));
    /* With few taps and wide rows, 64 tokens one after the other, and again 64 for every 1024 such
     * walks; then 4 warps. Otherwise 64 rows, and again for every part. The parts are added by 8
     * lanes; products are rounded once. */
    const size_t walks = batch * ((tokens - 1) / 64 + 1),
                 parts = walks < 1024 ? (walks - 1) / 4 + 1 : 256;
    const bool walked = taps >= 2 && taps <= 4 && width % (type == F2L_CUDA_F32 ? 4 : 8) == 0;
    const size_t in_turn =
        walked ? (walks - 1) / (4 * parts) + 1 : (batch * tokens - 1) / 64 / parts + 1;
    const double depth = (double)(64 * in_turn + (walked ? 4 : 0) + parts / 8 + 1 + 8 + 2 + 1);
    count_sums(&t[2], &dw, dw.host, tap_terms, depth, 1e-5);
    count_sums(&t[2], &dbias, dbias.host, bias_terms, depth, 1e-5);
    scratch_clear(&work);
    array_clear(&x), array_clear(&dy), array_clear(&w), array_clear(&bias), array_clear(&past),
        array_clear(&next), array_clear(&y);
    array_clear(&dx), array_clear(&dw), array_clear(&dbias);
    free(want), free(dsizes), free(xsizes), free(tap_terms), free(bias_terms);
}

static void conv_operator(void)
{
    static const size_t shape[][4] = {
        {1, 1, 1, 1},     {2, 3, 5, 4},    {3, 2, 16, 6},    {7, 65, 384, 4}, {5, 300, 17, 64},
        {1, 1, 8, 2},     {3, 2, 16, 4},   {9, 130, 264, 3}, {3, 67, 40, 2},  {1101, 70, 24, 4},
        {300, 5, 520, 4}, {2, 63, 384, 1}, {6, 64, 1032, 4}, {5, 66, 12, 3},  {4, 129, 4, 2}};
    tally t[3] = {{.name = "convolution"}, {.name = "its past"}, {.name = "convolution backward"}};
    for (size_t i = 0; i < LENGTH(shape); i++)
        for (size_t k = 0; k < 2; k++)
            check_conv(types[k], shape[i][0], shape[i][1], shape[i][2], shape[i][3], i % 2, t);
    for (int i = 0; i < 3; i++) tell(&t[i]);
}

/* --- products --- */

typedef struct matrix {
    array a;
    size_t rows, columns, stride;
    bool transposed; /* stored as [columns][rows] */
} matrix;

static matrix matrix_of(size_t rows, size_t columns, bool transposed, size_t gap,
                        f2l_cuda_type type, size_t shift)
{
    const size_t stride = (transposed ? rows : columns) + gap;
    return (matrix){drawn((transposed ? columns : rows) * stride, type, 1, shift), rows, columns,
                    stride, transposed};
}

static double entry(const matrix *m, size_t i, size_t j)
{
    return m->a.host[m->transposed ? j * m->stride + i : i * m->stride + j];
}

static void check_product(f2l_cuda_blas *blas, size_t m, size_t n, size_t k, bool at, bool bt,
                          bool add, size_t gap, f2l_cuda_type in, f2l_cuda_type out, tally *t)
{
    enum { WORK = 64 << 20 };
    matrix a = matrix_of(m, k, at, gap, in, gap % 8 ? 1 : 0), b = matrix_of(k, n, bt, gap, in, 0),
           c = matrix_of(m, n, false, gap, out, 0);
    double *want = doubles(c.a.count), *way = doubles(c.a.count), *terms;
    const f2l_cuda_product_shape s = {m, n, k, a.stride, b.stride, c.stride, at, bt, add, in, out};
    f2l_cuda_product *product;
    device_array work = device_filled(WORK, 0xff, 0, run_stream);
    memcpy(want, c.a.host, c.a.count * sizeof *want);
    terms = sizes_of(want, c.a.count);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            const size_t at_c = i * c.stride + j;
            double sum = add ? want[at_c] : 0, size = add ? terms[at_c] : 0;
            for (size_t l = 0; l < k; l++) {
                const double term = entry(&a, i, l) * entry(&b, l, j);
                sum += term;
                size += fabs(term);
            }
            way[at_c] = add ? fabs(sum - want[at_c]) : 0;
            want[at_c] = sum, terms[at_c] = size;
        }
    RUN(f2l_cuda_product_new(&product, blas, &s, a.a.on.data, b.a.on.data, c.a.on.data, WORK, 0,
                             &why));
    RUN(f2l_cuda_product_run(c.a.on.data, a.a.on.data, b.a.on.data, product, work.data, run_stream,
                             &why));
    /* cuBLASLt's order is unknown: the depth of the deepest order, with a rounding for the product,
     * for each of the two factors in front, and for c. Tensor cores truncate instead of rounding,
     * and truncate the terms of a sum at the place of the largest (Fasi, Higham, Mikaitis, Pranesh
     * 2021): twice as much. Before c is added a product may have been rounded to the output's type:
     * this was observed on an H200 for bf16. */
    count_sums_on_the_way(t, &c.a, want, terms, way,
                          (in == F2L_CUDA_BF16 ? 2 : 1) * ((double)k + 4), tolerance(out));
    f2l_cuda_product_free(product);
    scratch_clear(&work);
    array_clear(&a.a), array_clear(&b.a), array_clear(&c.a);
    free(want), free(way), free(terms);
}

static void products(void)
{
    static const size_t shape[][3] = {{1, 1, 1},      {5, 3, 7},      {64, 128, 32},
                                      {120, 40, 333}, {257, 96, 384}, {48, 64, 4099}};
    tally t = {.name = "products"};
    f2l_cuda_blas *blas;
    RUN(f2l_cuda_blas_new(&blas, &why));
    printf("     cuBLASLt %zu\n", f2l_cuda_blas_version(blas));
    for (size_t i = 0; i < LENGTH(shape); i++)
        for (size_t how = 0; how < 24; how++)
            check_product(blas, shape[i][0], shape[i][1], shape[i][2], how & 1, how & 2, how & 4,
                          how % 3 == 0   ? 0
                          : how % 3 == 1 ? 8
                                         : 1,
                          types[how / 8 > 0], types[how / 8 > 1], &t);
    tell(&t);
    f2l_cuda_blas_free(blas);
}

static const struct {
    const char *name;
    void (*check)(void);
} parts[] = {{"point", point_operators}, {"norm", norm_operators},  {"letters", letter_operators},
             {"loss", loss_operator},    {"adamw", adamw_operator}, {"convolution", conv_operator},
             {"products", products}};

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    f2l_cuda_device device;
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* results are printed even when the program is
                                             * killed */
    RUN(f2l_cuda_device_get(&device, &why));
    printf("check_train, seed %llu, %s\n", (unsigned long long)seed, device.name);
    f2l_rng_init(&run_rng, seed, 3);
    RUN(f2l_cuda_stream_new(&run_stream, &why));
    for (size_t i = 0; i < LENGTH(parts); i++)
        if (argc < 3 || strstr(parts[i].name, argv[2])) parts[i].check();
    f2l_cuda_stream_free(run_stream);
    printf("%s\n", failures ? "FAIL" : "all ok");
    return failures ? 1 : 0;
}
