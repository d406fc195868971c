/* Parts of check_train: pointwise operators and norms. */
#ifndef CHECK_TRAIN_POINT_H
#define CHECK_TRAIN_POINT_H

#include "cuda/check/check_train_run.h"
#include "cuda/op/cuda_norm.h"
#include "cuda/op/cuda_point.h"
#include "models/learn/op/op_norm.h"
#include "models/learn/op/op_point.h"

/* --- pointwise --- */

static void check_cast(f2l_cuda_type type, size_t n, size_t shift, tally *t)
{
    const f2l_cuda_type other = type == F2L_CUDA_F32 ? F2L_CUDA_BF16 : F2L_CUDA_F32;
    array x = drawn(n, type, 6, shift), cast = poisoned(n, other, shift);
    RUN(f2l_cuda_cast(cast.on.data, other, x.on.data, type, n, run_stream, &why));
    count_error(t, other, error_at(&cast, x.host), other == F2L_CUDA_BF16 ? 4e-3 : 0);
    array_clear(&x), array_clear(&cast);
}

static void check_swiglu(f2l_cuda_type type, size_t rows, size_t width, size_t shift, tally t[2])
{
    const size_t n = rows * width;
    array both = drawn(2 * n, type, 4, shift), dy = drawn(n, type, 1, shift),
          y = poisoned(n, type, shift);
    double *a = doubles(n), *b = doubles(n), *want = doubles(n), *da = doubles(n), *db = doubles(n),
           *pair = doubles(2 * n);
    for (size_t i = 0; i < n; i++) {
        a[i] = both.host[i / width * 2 * width + i % width];
        b[i] = both.host[i / width * 2 * width + width + i % width];
    }
    RUN(f2l_cuda_swiglu_forward(y.on.data, both.on.data, rows, width, type, run_stream, &why));
    f2l_swiglu_forward_f64(want, a, b, n);
    count_error(&t[0], type, error_at(&y, want), tolerance(type));
    f2l_swiglu_backward_f64(da, db, dy.host, a, b, n);
    for (size_t i = 0; i < n; i++) {
        pair[i / width * 2 * width + i % width] = da[i];
        pair[i / width * 2 * width + width + i % width] = db[i];
    }
    RUN(f2l_cuda_swiglu_backward(both.on.data, dy.on.data, both.on.data, rows, width, type,
                                 run_stream, &why));
    count_error(&t[1], type, error_at(&both, pair), tolerance(type));
    array_clear(&both), array_clear(&dy), array_clear(&y);
    free(a), free(b), free(want), free(da), free(db), free(pair);
}

/* Checks that sigmoid and decay read a part of wider rows, and do not change the rest of the
 * rows. */
static void check_range(f2l_cuda_type type, size_t rows, size_t width, size_t stride, tally t[4])
{
    const size_t n = rows * width;
    const f2l_cuda_range r = {rows, width, stride, -1, 2, 3, type};
    array x = drawn(rows * stride, type, 3, 0), dy = drawn(n, F2L_CUDA_F32, 1, 0),
          y = poisoned(n, F2L_CUDA_F32, 0);
    array rate = drawn(width, F2L_CUDA_F32, 1, 0), bias = drawn(width, F2L_CUDA_F32, 1, 0);
    array drate = drawn(width, F2L_CUDA_F32, 1, 0), dbias = drawn(width, F2L_CUDA_F32, 1, 0);
    array dx = drawn(rows * stride, type, 1, 0);
    double *dense = doubles(n), *want = doubles(n), *ddense = doubles(n),
           *wide = doubles(rows * stride);
    device_array work;
    for (size_t i = 0; i < n; i++) dense[i] = x.host[i / width * stride + i % width];
    RUN(f2l_cuda_sigmoid_forward((float *)(void *)y.on.data, x.on.data, &r, run_stream, &why));
    f2l_sigmoid_forward_f64(want, dense, -1, 2, 3, n);
    count_error(&t[0], F2L_CUDA_F32, error_at(&y, want), 3e-6);
    memcpy(wide, dx.host, rows * stride * sizeof *wide);
    f2l_sigmoid_backward_f64(ddense, dy.host, dense, -1, 2, 3, n);
    for (size_t i = 0; i < n; i++) wide[i / width * stride + i % width] = ddense[i];
    RUN(f2l_cuda_sigmoid_backward(dx.on.data, (const float *)(void *)dy.on.data, x.on.data, &r,
                                  run_stream, &why));
    count_error(&t[1], type, error_at(&dx, wide), tolerance(type));
    const float *rates = (const float *)(void *)rate.on.data,
                *biases = (const float *)(void *)bias.on.data;
    RUN(f2l_cuda_decay_forward((float *)(void *)y.on.data, x.on.data, rates, biases, &r, run_stream,
                               &why));
    f2l_decay_forward_f64(want, dense, rate.host, bias.host, -1, 2, n, width);
    count_error(&t[2], F2L_CUDA_F32, error_at(&y, want), 3e-6);
    double *sizes = sizes_of(dy.host, n), *rate_terms = sizes_of(drate.host, width),
           *bias_terms = sizes_of(dbias.host, width);
    for (size_t i = 0; i < n; i++)
        sizes[i] = -sizes[i]; /* y falls with rate and bias: now every term is positive */
    f2l_decay_backward_f64(ddense, rate_terms, bias_terms, sizes, dense, rate.host, bias.host, -1,
                           2, n, width);
    f2l_decay_backward_f64(ddense, drate.host, dbias.host, dy.host, dense, rate.host, bias.host, -1,
                           2, n, width);
    for (size_t i = 0; i < n; i++) wide[i / width * stride + i % width] = ddense[i];
    RUN(f2l_cuda_decay_backward(dx.on.data, (float *)(void *)drate.on.data,
                                (float *)(void *)dbias.on.data, (const float *)(void *)dy.on.data,
                                x.on.data, rates, biases, scratch(&work, f2l_cuda_decay_work(&r)),
                                &r, run_stream, &why));
    /* The relative error of exp(-amount) is amount times the relative error of amount. */
    count_error(&t[3], type, error_at(&dx, wide), type == F2L_CUDA_F32 ? 2e-5 : tolerance(type));
    /* Terms: amount < exp(1) softplus(4) < 11 with a relative error of at most 8 u is off by 88 u,
     * and so is its exponential, relatively; a dozen roundings besides. 8 lanes of every 64-th row
     * and more. */
    const double depth = column_depth(rows, 1 + (rows - 1) / 64, 8) + 100;
    count_sums(&t[3], &drate, drate.host, rate_terms, depth, 2e-5);
    count_sums(&t[3], &dbias, dbias.host, bias_terms, depth, 2e-5);
    scratch_clear(&work);
    array_clear(&x), array_clear(&dy), array_clear(&y), array_clear(&rate), array_clear(&bias),
        array_clear(&drate);
    array_clear(&dbias), array_clear(&dx);
    free(dense), free(want), free(ddense), free(wide), free(sizes), free(rate_terms),
        free(bias_terms);
}

static void point_operators(void)
{
    static const size_t sizes[] = {1, 8, 1000, 100003}, rows[] = {1, 3, 257},
                        widths[] = {1, 5, 16, 48, 1024};
    tally c = {.name = "cast"}, s[2] = {{.name = "swiglu"}, {.name = "swiglu backward"}};
    tally r[4] = {{.name = "sigmoid"},
                  {.name = "sigmoid backward"},
                  {.name = "decay"},
                  {.name = "decay backward"}};
    for (size_t k = 0; k < 2; k++)
        for (size_t shift = 0; shift < 2; shift++) {
            for (size_t i = 0; i < LENGTH(sizes); i++) check_cast(types[k], sizes[i], shift, &c);
            for (size_t i = 0; i < LENGTH(rows); i++)
                for (size_t j = 0; j < LENGTH(widths); j++) {
                    check_swiglu(types[k], rows[i], widths[j], shift, s);
                    check_range(types[k], rows[i] * 7, widths[j] % 1000,
                                widths[j] % 1000 + 8 * (1 - shift) + 3 * shift, r);
                }
        }
    tell(&c);
    for (int i = 0; i < 2; i++) tell(&s[i]);
    for (int i = 0; i < 4; i++) tell(&r[i]);
}

/* --- norms --- */

static void check_rmsnorm(f2l_cuda_type type, size_t rows, size_t width, size_t shift, double scale,
                          tally t[4])
{
    const size_t n = rows * width, letters = 3;
    const f2l_cuda_norm norm = {rows, width, 1e-3F, (float)scale, type};
    array x = drawn(n, type, 1, shift), dy = drawn(n, type, 1, shift), r = drawn(n, type, 1, shift);
    array table = drawn(letters * width, type, 1, shift), w = drawn(width, F2L_CUDA_F32, 2, shift);
    array y = poisoned(n, type, shift), sum = poisoned(n, type, shift),
          dw = drawn(width, F2L_CUDA_F32, 1, 0);
    double *z = doubles(n), *want = doubles(n), *total = doubles(n), *dwant = doubles(width);
    uint32_t *letter = calloc(rows + 1, sizeof *letter);
    const float *weight = (const float *)(void *)w.on.data;
    /* In a short row the two parts of dx nearly cancel. */
    const double limit = tolerance(type) + (width < 8 ? 1e-3 : 0);
    device_array ids, work;
    for (size_t i = 0; i < rows; i++) letter[i] = (uint32_t)draw_below(letters);
    ids = device_of(letter, rows * sizeof *letter, 0, run_stream);
    for (size_t i = 0; i < n; i++) z[i] = (double)(float)scale * x.host[i];
    RUN(f2l_cuda_rmsnorm_forward(y.on.data, NULL, x.on.data, NULL, NULL, weight, &norm, run_stream,
                                 &why));
    f2l_rmsnorm_forward_f64(want, z, w.host, rows, width, 1e-3F);
    count_error(&t[0], type, error_at(&y, want), tolerance(type));
    for (int by_letter = 0; by_letter < 2; by_letter++) {
        RUN(f2l_cuda_rmsnorm_forward(y.on.data, sum.on.data, x.on.data,
                                     by_letter ? table.on.data : r.on.data,
                                     by_letter ? (const uint32_t *)(void *)ids.data : NULL,
                                     by_letter ? NULL : weight, &norm, run_stream, &why));
        double *stored = download(&sum);
        for (size_t i = 0; i < n; i++)
            total[i] = x.host[i] +
                       (by_letter ? table.host[letter[i / width] * width + i % width] : r.host[i]);
        count_error(&t[1], type, error_of(stored, total, n), tolerance(type));
        for (size_t i = 0; i < n; i++) stored[i] *= (double)(float)scale;
        f2l_rmsnorm_forward_f64(want, stored, by_letter ? NULL : w.host, rows, width, 1e-3F);
        count_error(&t[1], type, error_at(&y, want), tolerance(type));
        free(stored);
    }
    double *dsizes = sizes_of(dy.host, n), *zsizes = sizes_of(z, n),
           *terms = sizes_of(dw.host, width);
    f2l_rmsnorm_backward_f64(want, terms, dsizes, zsizes, w.host, rows, width, 1e-3F);
    memcpy(dwant, dw.host, width * sizeof *dwant);
    f2l_rmsnorm_backward_f64(want, dwant, dy.host, z, w.host, rows, width, 1e-3F);
    for (size_t i = 0; i < n; i++) want[i] = (double)(float)scale * want[i] + r.host[i];
    RUN(f2l_cuda_rmsnorm_backward(r.on.data, (float *)(void *)dw.on.data, dy.on.data, x.on.data,
                                  r.on.data, weight, scratch(&work, f2l_cuda_rmsnorm_work(&norm)),
                                  &norm, run_stream, &why));
    count_error(&t[2], type, error_at(&r, want), limit);
    /* A block has between 1 and 64 lanes with separate rows, and there are at most 1056 blocks. A
     * term is a product of three numbers; 1 / sqrt of a sum of squares with at most 64 roundings
     * has an error of half as many roundings, and a few more. */
    const size_t parts = rows < 1056 ? rows : 1056;
    count_sums(&t[3], &dw, dwant, terms, column_depth(rows, parts, 64) + 40, 1e-5);
    scratch_clear(&work);
    f2l_rmsnorm_backward_f64(want, NULL, dy.host, z, NULL, rows, width, 1e-3F);
    for (size_t i = 0; i < n; i++) want[i] *= (double)(float)scale;
    RUN(f2l_cuda_rmsnorm_backward(dy.on.data, NULL, dy.on.data, x.on.data, NULL, NULL, NULL, &norm,
                                  run_stream, &why));
    count_error(&t[2], type, error_at(&dy, want), limit);
    array_clear(&x), array_clear(&dy), array_clear(&r), array_clear(&table), array_clear(&w),
        array_clear(&y);
    array_clear(&sum), array_clear(&dw), device_clear(&ids);
    free(z), free(want), free(total), free(dwant), free(letter), free(dsizes), free(zsizes),
        free(terms);
}

/* Checks columns of wider rows, and combinations of silu and division by the length. */
static void check_unit(f2l_cuda_type x_type, f2l_cuda_type y_type, size_t rows, size_t groups,
                       size_t width, size_t stride, size_t how, tally t[2])
{
    const size_t n = rows * groups * width, row = groups * width;
    const f2l_cuda_unit u = {rows, groups, width, stride, how & 1, how & 2, 1e-3F, x_type, y_type};
    array x = drawn(rows * stride, x_type, 2, 0), y = poisoned(n, y_type, 0),
          dy = drawn(n, x_type, 1, 0);
    double *dense = doubles(n), *active = doubles(n), *want = doubles(n),
           *wide = doubles(rows * stride);
    for (size_t i = 0; i < n; i++) active[i] = dense[i] = x.host[i / row * stride + i % row];
    if (u.silu) f2l_silu_forward_f64(active, dense, n);
    memcpy(want, active, n * sizeof *want);
    if (u.unit) f2l_l2norm_forward_f64(want, active, rows * groups, width, 1e-3F);
    RUN(f2l_cuda_unit_forward(y.on.data, x.on.data, &u, run_stream, &why));
    count_error(&t[0], y_type, error_at(&y, want), tolerance(y_type));
    if (x_type == y_type) {
        memcpy(want, dy.host, n * sizeof *want);
        if (u.unit) f2l_l2norm_backward_f64(want, dy.host, active, rows * groups, width, 1e-3F);
        if (u.silu) f2l_silu_backward_f64(want, want, dense, n);
        memcpy(wide, x.host, rows * stride * sizeof *wide);
        for (size_t i = 0; i < n; i++) wide[i / row * stride + i % row] = want[i];
        RUN(f2l_cuda_unit_backward(x.on.data, dy.on.data, x.on.data, &u, run_stream, &why));
        count_error(&t[1], x_type, error_at(&x, wide), tolerance(x_type));
    }
    array_clear(&x), array_clear(&y), array_clear(&dy);
    free(dense), free(active), free(want), free(wide);
}

static void norm_operators(void)
{
    static const size_t widths[] = {1,   7,   16,  32,  33,  64,   96,  128,
                                    256, 384, 385, 512, 768, 1024, 1536},
                        rows[] = {1, 67, 3001};
    static const size_t dims[] = {3, 16, 32, 48, 64, 128, 256};
    tally t[4] = {{.name = "rmsnorm"},
                  {.name = "rmsnorm of a sum"},
                  {.name = "rmsnorm backward"},
                  {.name = "rmsnorm's weight"}};
    tally u[2] = {{.name = "units"}, {.name = "units backward"}};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < LENGTH(widths); i++)
            for (size_t j = 0; j < LENGTH(rows); j++)
                for (size_t shift = 0; shift < 2; shift++)
                    check_rmsnorm(types[k], rows[j], widths[i], shift, shift ? 1 : 0.25, t);
    /* enough rows for a block to go through several pieces of them */
    static const size_t many[][2] = {
        {70001, 32}, {40007, 64}, {20011, 384}, {9001, 512}, {1501, 385}};
    for (size_t i = 0; i < LENGTH(many); i++)
        for (size_t k = 0; k < 2; k++) check_rmsnorm(types[k], many[i][0], many[i][1], 0, 1, t);
    for (size_t i = 0; i < LENGTH(dims); i++)
        for (size_t how = 0; how < 4; how++)
            for (size_t k = 0; k < 6; k++) {
                const size_t groups = 1 + k, stride = groups * dims[i] + (k % 2 ? 8 : 5);
                check_unit(types[k % 3 == 2], types[k % 3 > 0], 53, groups, dims[i], stride, how,
                           u);
            }
    for (int i = 0; i < 4; i++) tell(&t[i]);
    for (int i = 0; i < 2; i++) tell(&u[i]);
}

#endif
