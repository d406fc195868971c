/* check_train [SEED]: the operators of a training step on the device, all but the mixers, against models/op in double precision.
 * One line per operator: cases, largest relative Frobenius error by type of the result, ok or FAIL. Exit status 1 when anything
 * failed. */
#include "check_train_arrays.h"
#include "f2l_adamw.h"
#include "f2l_cuda_adamw.h"
#include "f2l_cuda_conv.h"
#include "f2l_cuda_letters.h"
#include "f2l_cuda_linear.h"
#include "f2l_cuda_loss.h"
#include "f2l_cuda_norm.h"
#include "f2l_cuda_point.h"
#include "f2l_op_conv.h"
#include "f2l_op_embed.h"
#include "f2l_op_loss.h"
#include "f2l_op_norm.h"
#include "f2l_op_point.h"
#include <time.h>

static f2l_error err;
#define RUN(call) demand((call), &err)

static const f2l_cuda_type types[2] = {F2L_CUDA_F32, F2L_CUDA_BF16};
#define LENGTH(a) (sizeof(a) / sizeof *(a))

static void *scratch(device_array *work, size_t bytes)
{
    *work = device_filled(bytes, 0xff, 0, run_stream);
    return work->data;
}

static void scratch_clear(device_array *work)
{
    if (!device_read(NULL, work, run_stream)) {
        printf("FAIL something was written behind a workspace\n");
        failures++;
    }
    device_clear(work);
}

/* --- pointwise --- */

static void check_point(f2l_cuda_type type, size_t n, size_t shift, tally t[4])
{
    array x = drawn(n, type, 6, shift), y = drawn(n, type, 1, shift), out = poisoned(n, type, shift);
    double *want = doubles(n);
    RUN(f2l_cuda_silu_forward(out.on.data, x.on.data, n, type, run_stream, &err));
    f2l_silu_forward_f64(want, x.host, n);
    count_error(&t[0], type, error_at(&out, want), tolerance(type));
    RUN(f2l_cuda_silu_backward(out.on.data, y.on.data, x.on.data, n, type, run_stream, &err));
    f2l_silu_backward_f64(want, y.host, x.host, n);
    count_error(&t[1], type, error_at(&out, want), tolerance(type));
    const f2l_cuda_type other = type == F2L_CUDA_F32 ? F2L_CUDA_BF16 : F2L_CUDA_F32;
    array cast = poisoned(n, other, shift);
    RUN(f2l_cuda_cast(cast.on.data, other, x.on.data, type, n, run_stream, &err));
    count_error(&t[2], other, error_at(&cast, x.host), other == F2L_CUDA_BF16 ? 4e-3 : 0);
    RUN(f2l_cuda_add(y.on.data, x.on.data, n, type, run_stream, &err));
    f2l_add_f64(y.host, x.host, n);
    count_error(&t[3], type, error_at(&y, y.host), tolerance(type));
    array_clear(&x), array_clear(&y), array_clear(&out), array_clear(&cast);
    free(want);
}

static void check_swiglu(f2l_cuda_type type, size_t rows, size_t width, size_t shift, tally t[2])
{
    const size_t n = rows * width;
    array both = drawn(2 * n, type, 4, shift), dy = drawn(n, type, 1, shift), y = poisoned(n, type, shift);
    double *a = doubles(n), *b = doubles(n), *want = doubles(n), *da = doubles(n), *db = doubles(n),
           *pair = doubles(2 * n);
    for (size_t i = 0; i < n; i++) {
        a[i] = both.host[i / width * 2 * width + i % width];
        b[i] = both.host[i / width * 2 * width + width + i % width];
    }
    RUN(f2l_cuda_swiglu_forward(y.on.data, both.on.data, rows, width, type, run_stream, &err));
    f2l_swiglu_forward_f64(want, a, b, n);
    count_error(&t[0], type, error_at(&y, want), tolerance(type));
    f2l_swiglu_backward_f64(da, db, dy.host, a, b, n);
    for (size_t i = 0; i < n; i++) {
        pair[i / width * 2 * width + i % width] = da[i];
        pair[i / width * 2 * width + width + i % width] = db[i];
    }
    RUN(f2l_cuda_swiglu_backward(both.on.data, dy.on.data, both.on.data, rows, width, type, run_stream,
                                 &err));
    count_error(&t[1], type, error_at(&both, pair), tolerance(type));
    array_clear(&both), array_clear(&dy), array_clear(&y);
    free(a), free(b), free(want), free(da), free(db), free(pair);
}

/* sigmoid and decay read a part of wider rows, and leave the rest of the rows as it is. */
static void check_range(f2l_cuda_type type, size_t rows, size_t width, size_t stride, tally t[4])
{
    const size_t n = rows * width;
    const f2l_cuda_range r = {rows, width, stride, -1, 2, 3, type};
    array x = drawn(rows * stride, type, 3, 0), dy = drawn(n, F2L_CUDA_F32, 1, 0),
          y = poisoned(n, F2L_CUDA_F32, 0);
    array rate = drawn(width, F2L_CUDA_F32, 1, 0), bias = drawn(width, F2L_CUDA_F32, 1, 0);
    array drate = drawn(width, F2L_CUDA_F32, 1, 0), dbias = drawn(width, F2L_CUDA_F32, 1, 0);
    array dx = drawn(rows * stride, type, 1, 0);
    double *dense = doubles(n), *want = doubles(n), *ddense = doubles(n), *wide = doubles(rows * stride);
    device_array work;
    for (size_t i = 0; i < n; i++) dense[i] = x.host[i / width * stride + i % width];
    RUN(f2l_cuda_sigmoid_forward((float *)(void *)y.on.data, x.on.data, &r, run_stream, &err));
    f2l_sigmoid_forward_f64(want, dense, -1, 2, 3, n);
    count_error(&t[0], F2L_CUDA_F32, error_at(&y, want), 3e-6);
    memcpy(wide, dx.host, rows * stride * sizeof *wide);
    f2l_sigmoid_backward_f64(ddense, dy.host, dense, -1, 2, 3, n);
    for (size_t i = 0; i < n; i++) wide[i / width * stride + i % width] = ddense[i];
    RUN(f2l_cuda_sigmoid_backward(dx.on.data, (const float *)(void *)dy.on.data, x.on.data, &r, run_stream,
                                  &err));
    count_error(&t[1], type, error_at(&dx, wide), tolerance(type));
    const float *rates = (const float *)(void *)rate.on.data, *biases = (const float *)(void *)bias.on.data;
    RUN(f2l_cuda_decay_forward((float *)(void *)y.on.data, x.on.data, rates, biases, &r, run_stream, &err));
    f2l_decay_forward_f64(want, dense, rate.host, bias.host, -1, 2, n, width);
    count_error(&t[2], F2L_CUDA_F32, error_at(&y, want), 3e-6);
    f2l_decay_backward_f64(ddense, drate.host, dbias.host, dy.host, dense, rate.host, bias.host, -1, 2, n,
                           width);
    for (size_t i = 0; i < n; i++) wide[i / width * stride + i % width] = ddense[i];
    RUN(f2l_cuda_decay_backward(dx.on.data, (float *)(void *)drate.on.data, (float *)(void *)dbias.on.data,
                                (const float *)(void *)dy.on.data, x.on.data, rates, biases,
                                scratch(&work, f2l_cuda_decay_work(&r)), &r, run_stream, &err));
    /* exp(-amount) has as many times the error of amount as amount is large. */
    count_error(&t[3], type, error_at(&dx, wide), type == F2L_CUDA_F32 ? 2e-5 : tolerance(type));
    count_error(&t[3], F2L_CUDA_F32, error_at(&drate, drate.host), 2e-5);
    count_error(&t[3], F2L_CUDA_F32, error_at(&dbias, dbias.host), 2e-5);
    scratch_clear(&work);
    array_clear(&x), array_clear(&dy), array_clear(&y), array_clear(&rate), array_clear(&bias),
        array_clear(&drate);
    array_clear(&dbias), array_clear(&dx);
    free(dense), free(want), free(ddense), free(wide);
}

static void point_operators(void)
{
    static const size_t sizes[] = {1, 8, 1000, 100003}, rows[] = {1, 3, 257}, widths[] = {1, 5, 16, 48, 1024};
    tally p[4] = {{.name = "silu"}, {.name = "silu backward"}, {.name = "cast"}, {.name = "add"}},
          s[2] = {{.name = "swiglu"}, {.name = "swiglu backward"}};
    tally r[4] = {
        {.name = "sigmoid"}, {.name = "sigmoid backward"}, {.name = "decay"}, {.name = "decay backward"}};
    for (size_t k = 0; k < 2; k++)
        for (size_t shift = 0; shift < 2; shift++) {
            for (size_t i = 0; i < LENGTH(sizes); i++) check_point(types[k], sizes[i], shift, p);
            for (size_t i = 0; i < LENGTH(rows); i++)
                for (size_t j = 0; j < LENGTH(widths); j++) {
                    check_swiglu(types[k], rows[i], widths[j], shift, s);
                    check_range(types[k], rows[i] * 7, widths[j] % 1000,
                                widths[j] % 1000 + 8 * (1 - shift) + 3 * shift, r);
                }
        }
    for (int i = 0; i < 4; i++) tell(&p[i]);
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
    array y = poisoned(n, type, shift), sum = poisoned(n, type, shift), dw = drawn(width, F2L_CUDA_F32, 1, 0);
    double *z = doubles(n), *want = doubles(n), *total = doubles(n), *dwant = doubles(width);
    uint32_t *letter = calloc(rows + 1, sizeof *letter);
    const float *weight = (const float *)(void *)w.on.data;
    /* In a short row the two parts of dx nearly cancel. */
    const double limit = tolerance(type) + (width < 8 ? 1e-3 : 0);
    device_array ids, work;
    for (size_t i = 0; i < rows; i++) letter[i] = (uint32_t)draw_below(letters);
    ids = device_of(letter, rows * sizeof *letter, 0, run_stream);
    for (size_t i = 0; i < n; i++) z[i] = (double)(float)scale * x.host[i];
    RUN(f2l_cuda_rmsnorm_forward(y.on.data, NULL, x.on.data, NULL, NULL, weight, &norm, run_stream, &err));
    f2l_rmsnorm_forward_f64(want, z, w.host, rows, width, 1e-3F);
    count_error(&t[0], type, error_at(&y, want), tolerance(type));
    for (int by_letter = 0; by_letter < 2; by_letter++) {
        RUN(f2l_cuda_rmsnorm_forward(y.on.data, sum.on.data, x.on.data, by_letter ? table.on.data : r.on.data,
                                     by_letter ? (const uint32_t *)(void *)ids.data : NULL,
                                     by_letter ? NULL : weight, &norm, run_stream, &err));
        double *stored = download(&sum);
        for (size_t i = 0; i < n; i++)
            total[i] =
                x.host[i] + (by_letter ? table.host[letter[i / width] * width + i % width] : r.host[i]);
        count_error(&t[1], type, error_of(stored, total, n), tolerance(type));
        for (size_t i = 0; i < n; i++) stored[i] *= (double)(float)scale;
        f2l_rmsnorm_forward_f64(want, stored, by_letter ? NULL : w.host, rows, width, 1e-3F);
        count_error(&t[1], type, error_at(&y, want), tolerance(type));
        free(stored);
    }
    memcpy(dwant, dw.host, width * sizeof *dwant);
    f2l_rmsnorm_backward_f64(want, dwant, dy.host, z, w.host, rows, width, 1e-3F);
    for (size_t i = 0; i < n; i++) want[i] = (double)(float)scale * want[i] + r.host[i];
    RUN(f2l_cuda_rmsnorm_backward(r.on.data, (float *)(void *)dw.on.data, dy.on.data, x.on.data, r.on.data,
                                  weight, scratch(&work, f2l_cuda_rmsnorm_work(&norm)), &norm, run_stream,
                                  &err));
    count_error(&t[2], type, error_at(&r, want), limit);
    count_error(&t[3], F2L_CUDA_F32, error_at(&dw, dwant), 1e-5);
    scratch_clear(&work);
    f2l_rmsnorm_backward_f64(want, NULL, dy.host, z, NULL, rows, width, 1e-3F);
    for (size_t i = 0; i < n; i++) want[i] *= (double)(float)scale;
    RUN(f2l_cuda_rmsnorm_backward(dy.on.data, NULL, dy.on.data, x.on.data, NULL, NULL, NULL, &norm,
                                  run_stream, &err));
    count_error(&t[2], type, error_at(&dy, want), limit);
    array_clear(&x), array_clear(&dy), array_clear(&r), array_clear(&table), array_clear(&w), array_clear(&y);
    array_clear(&sum), array_clear(&dw), device_clear(&ids);
    free(z), free(want), free(total), free(dwant), free(letter);
}

/* Columns of wider rows; combinations of silu and division by the length. */
static void check_unit(f2l_cuda_type x_type, f2l_cuda_type y_type, size_t rows, size_t groups, size_t width,
                       size_t stride, size_t how, tally t[2])
{
    const size_t n = rows * groups * width, row = groups * width;
    const f2l_cuda_unit u = {rows, groups, width, stride, how & 1, how & 2, 1e-3F, x_type, y_type};
    array x = drawn(rows * stride, x_type, 2, 0), y = poisoned(n, y_type, 0), dy = drawn(n, x_type, 1, 0);
    double *dense = doubles(n), *active = doubles(n), *want = doubles(n), *wide = doubles(rows * stride);
    for (size_t i = 0; i < n; i++) active[i] = dense[i] = x.host[i / row * stride + i % row];
    if (u.silu) f2l_silu_forward_f64(active, dense, n);
    memcpy(want, active, n * sizeof *want);
    if (u.unit) f2l_l2norm_forward_f64(want, active, rows * groups, width, 1e-3F);
    RUN(f2l_cuda_unit_forward(y.on.data, x.on.data, &u, run_stream, &err));
    count_error(&t[0], y_type, error_at(&y, want), tolerance(y_type));
    if (x_type == y_type) {
        memcpy(want, dy.host, n * sizeof *want);
        if (u.unit) f2l_l2norm_backward_f64(want, dy.host, active, rows * groups, width, 1e-3F);
        if (u.silu) f2l_silu_backward_f64(want, want, dense, n);
        memcpy(wide, x.host, rows * stride * sizeof *wide);
        for (size_t i = 0; i < n; i++) wide[i / row * stride + i % row] = want[i];
        RUN(f2l_cuda_unit_backward(x.on.data, dy.on.data, x.on.data, &u, run_stream, &err));
        count_error(&t[1], x_type, error_at(&x, wide), tolerance(x_type));
    }
    array_clear(&x), array_clear(&y), array_clear(&dy);
    free(dense), free(active), free(want), free(wide);
}

static void norm_operators(void)
{
    static const size_t widths[] = {1, 7, 16, 32, 33, 64, 96, 128, 256, 384, 385, 512, 768, 1024, 1536},
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
    /* So many rows that a block goes through several pieces of them. */
    static const size_t many[][2] = {{70001, 32}, {40007, 64}, {20011, 384}, {9001, 512}, {1501, 385}};
    for (size_t i = 0; i < LENGTH(many); i++)
        for (size_t k = 0; k < 2; k++) check_rmsnorm(types[k], many[i][0], many[i][1], 0, 1, t);
    for (size_t i = 0; i < LENGTH(dims); i++)
        for (size_t how = 0; how < 4; how++)
            for (size_t k = 0; k < 6; k++) {
                const size_t groups = 1 + k, stride = groups * dims[i] + (k % 2 ? 8 : 5);
                check_unit(types[k % 3 == 2], types[k % 3 > 0], 53, groups, dims[i], stride, how, u);
            }
    for (int i = 0; i < 4; i++) tell(&t[i]);
    for (int i = 0; i < 2; i++) tell(&u[i]);
}

/* --- letters --- */

static void check_letters(f2l_cuda_type type, size_t rows, size_t letters, size_t width, size_t stride,
                          bool add, bool skewed, tally t[3])
{
    array x = drawn(rows * stride, type, 1, 0), sum = drawn(letters * (width + 1), F2L_CUDA_F32, 1, 0);
    array table = drawn(letters * width, type, 1, 0), y = poisoned(rows * width, type, 0);
    uint32_t *letter = calloc(rows + 1, sizeof *letter);
    double *want = doubles(letters * (width + 1)), *gathered = doubles(rows * width);
    device_array ids, index, work;
    for (size_t i = 0; i < rows; i++)
        letter[i] = skewed && draw_below(4) ? (uint32_t)(letters - 1) : (uint32_t)draw_below(letters);
    ids = device_of(letter, rows * sizeof *letter, 0, run_stream);
    const uint32_t *on = (const uint32_t *)(void *)ids.data;
    memcpy(want, sum.host, letters * (width + 1) * sizeof *want);
    for (size_t l = 0; l < letters && !add; l++) memset(want + l * (width + 1), 0, width * sizeof *want);
    for (size_t i = 0; i < rows * width; i++) {
        want[letter[i / width] * (width + 1) + i % width] += x.host[i / width * stride + i % width];
        gathered[i] = table.host[letter[i / width] * width + i % width];
    }
    scratch(&index, f2l_cuda_letters_bytes(rows, letters));
    RUN(f2l_cuda_letters_index(index.data, on, rows, letters, run_stream, &err));
    RUN(f2l_cuda_letters_sum((float *)(void *)sum.on.data, width + 1, add, x.on.data, stride, width, type,
                             index.data, scratch(&work, f2l_cuda_letters_work(rows, letters, width)), rows,
                             letters, run_stream, &err));
    count_error(&t[0], type, error_at(&sum, want), 2e-6);
    /* The same bits once more, from a new index. */
    array again = drawn(0, F2L_CUDA_F32, 1, 0);
    double *first = download(&sum), *second;
    if (!add) {
        RUN(f2l_cuda_letters_index(index.data, on, rows, letters, run_stream, &err));
        RUN(f2l_cuda_letters_sum((float *)(void *)sum.on.data, width + 1, false, x.on.data, stride, width,
                                 type, index.data, work.data, rows, letters, run_stream, &err));
        second = download(&sum);
        count_error(&t[1], type, memcmp(first, second, sum.count * sizeof *first) ? 1 : 0, 0);
        free(second);
    }
    RUN(f2l_cuda_embed_forward(y.on.data, table.on.data, on, rows, width, type, run_stream, &err));
    count_error(&t[2], type, error_at(&y, gathered), 0);
    scratch_clear(&index), scratch_clear(&work);
    array_clear(&x), array_clear(&sum), array_clear(&table), array_clear(&y), array_clear(&again),
        device_clear(&ids);
    free(letter), free(want), free(gathered), free(first);
}

static void letter_operators(void)
{
    static const size_t rows[] = {1, 31, 1024, 1025, 20011}, letters[] = {1, 2, 120, 8192},
                        widths[] = {1, 12, 48, 384};
    tally t[3] = {{.name = "sums by letter"}, {.name = "the same twice"}, {.name = "embedding"}};
    for (size_t i = 0; i < LENGTH(rows); i++)
        for (size_t j = 0; j < LENGTH(letters); j++)
            for (size_t k = 0; k < LENGTH(widths); k++) {
                const size_t c = i + j + k;
                check_letters(types[c % 2], rows[i], letters[j], widths[k], widths[k] + (c % 3 ? 8 : 1),
                              c % 4 == 0, c % 5 == 0, t);
            }
    for (int i = 0; i < 3; i++) tell(&t[i]);
}

/* --- loss --- */

static void check_loss(f2l_cuda_type type, size_t sequences, size_t length, size_t classes, bool masked,
                       tally t[2])
{
    const size_t rows = sequences * length, stride = (classes + 7) / 8 * 8;
    const f2l_cuda_loss_shape s = {sequences, length, classes, stride, stride, type};
    array logits = array_new(rows * stride, F2L_CUDA_F32), dlogits = poisoned(rows * stride, type, 0);
    uint32_t *label = calloc(rows + 1, sizeof *label);
    uint8_t *mask = calloc(rows + 1, 1), *right = calloc(rows + 1, 1), *got_right = calloc(rows + 1, 1);
    double *dense = doubles(rows * classes), *want = doubles(rows * classes), *wide = doubles(rows * stride);
    /* Few values, so that there are ties. */
    for (size_t i = 0; i < rows * stride; i++) logits.host[i] = i % 3 ? 5 * draw() : (double)draw_below(7);
    for (size_t i = 0; i < rows; i++) {
        label[i] = (uint32_t)draw_below(classes);
        mask[i] = !masked || draw_below(3) > 0;
        if (draw_below(2)) logits.host[i * stride + label[i]] = 7;
    }
    upload(&logits, 0);
    for (size_t i = 0; i < rows * classes; i++) dense[i] = logits.host[i / classes * stride + i % classes];
    const float weight = 0.37F;
    device_array labels = device_of(label, rows * sizeof *label, 0, run_stream),
                 masks = device_of(mask, rows, 0, run_stream),
                 rights = device_filled(rows, 0xff, 0, run_stream),
                 scores = device_filled(sizeof(f2l_cuda_score), 0xff, 0, run_stream),
                 weights = device_of(&weight, sizeof weight, 0, run_stream), work;
    RUN(f2l_cuda_loss((f2l_cuda_score *)(void *)scores.data, (uint8_t *)rights.data, dlogits.on.data,
                      (const float *)(void *)logits.on.data, (const uint32_t *)(void *)labels.data,
                      masked ? (const uint8_t *)masks.data : NULL, (const float *)(void *)weights.data,
                      scratch(&work, f2l_cuda_loss_work(&s)), &s, run_stream, &err));
    f2l_loss_sum sum;
    f2l_cuda_score score;
    RUN(f2l_loss_forward_f64(&sum, right, dense, label, mask, rows, classes, &err));
    RUN(f2l_loss_backward_f64(want, dense, label, mask, (double)weight, rows, classes, &err));
    for (size_t i = 0; i < rows * classes; i++) wide[i / classes * stride + i % classes] = want[i];
    size_t any = 0, all = 0, last = 0;
    for (size_t q = 0; q < sequences; q++) {
        bool some = false, every = true, late = false;
        for (size_t i = q * length; i < (q + 1) * length; i++)
            if (mask[i]) some = true, every = every && right[i], late = right[i];
        any += some, all += some && every, last += late;
    }
    bool whole = device_read(&score, &scores, run_stream) && device_read(got_right, &rights, run_stream);
    whole = whole && score.supervised == sum.count && score.right == sum.right && score.sequences == any &&
            score.right_ones == all && score.right_last == last && memcmp(right, got_right, rows) == 0;
    count_error(&t[0], F2L_CUDA_F32, whole ? fabs(score.loss - sum.loss) / (sum.loss + 1e-300) : INFINITY,
                1e-6);
    count_error(&t[1], type, error_at(&dlogits, wide), tolerance(type));
    scratch_clear(&work);
    array_clear(&logits), array_clear(&dlogits);
    device_clear(&labels), device_clear(&masks), device_clear(&rights), device_clear(&scores),
        device_clear(&weights);
    free(label), free(mask), free(right), free(got_right), free(dense), free(want), free(wide);
}

/* Rows with what is no number: the score shows it, and no answer is right; answers say so too. */
static void check_odd_logits(tally *t)
{
    const float row[5][3] = {
        {1, NAN, 2}, {INFINITY, 0, 1}, {-INFINITY, -INFINITY, -INFINITY}, {0, 2, 2}, {0, 1, 3}};
    const uint32_t label[5] = {2, 0, 0, 1, 0}, want[5] = {UINT32_MAX, 0, 0, 1, 2};
    uint32_t answer[5];
    uint8_t right[5];
    const f2l_cuda_loss_shape s = {5, 1, 3, 3, 3, F2L_CUDA_F32};
    f2l_cuda_score score;
    device_array logits = device_of(row, sizeof row, 0, run_stream),
                 labels = device_of(label, sizeof label, 0, run_stream),
                 answers = device_filled(sizeof answer, 0, 0, run_stream),
                 rights = device_filled(5, 0xff, 0, run_stream),
                 scores = device_filled(sizeof score, 0, 0, run_stream), work;
    RUN(f2l_cuda_answers((uint32_t *)(void *)answers.data, (const float *)(void *)logits.data, 3, 5, 3,
                         run_stream, &err));
    RUN(f2l_cuda_loss((f2l_cuda_score *)(void *)scores.data, (uint8_t *)rights.data, NULL,
                      (const float *)(void *)logits.data, (const uint32_t *)(void *)labels.data, NULL, NULL,
                      scratch(&work, f2l_cuda_loss_work(&s)), &s, run_stream, &err));
    (void)device_read(answer, &answers, run_stream), (void)device_read(right, &rights, run_stream);
    (void)device_read(&score, &scores, run_stream);
    const bool good = memcmp(answer, want, sizeof want) == 0 && !right[0] && !right[1] && !right[2] &&
                      right[3] && !right[4] && isnan(score.loss) && score.supervised == 5 &&
                      score.right == 1 && score.right_ones == 1;
    count_error(t, F2L_CUDA_F32, good ? 0 : 1, 0);
    scratch_clear(&work);
    device_clear(&logits), device_clear(&labels), device_clear(&answers), device_clear(&rights),
        device_clear(&scores);
}

static void loss_operator(void)
{
    static const size_t classes[] = {1, 2, 5, 32, 33, 120, 256, 300, 1000}, lengths[] = {1, 7, 33, 128};
    tally t[3] = {{.name = "loss"}, {.name = "loss backward"}, {.name = "odd logits"}};
    for (size_t i = 0; i < LENGTH(classes); i++)
        for (size_t j = 0; j < LENGTH(lengths); j++)
            for (size_t k = 0; k < 2; k++) check_loss(types[k], 13, lengths[j], classes[i], (i + j) % 2, t);
    check_odd_logits(&t[2]);
    for (int i = 0; i < 3; i++) tell(&t[i]);
}

/* --- AdamW --- */

static void check_adamw(size_t count, bool clipped, tally t[2])
{
    enum { GROUPS = 3 };
    float *number[4], *want[4];
    device_array on[4], shadow = device_filled(2 * count, 0xff, 0, run_stream), work,
                        report = device_filled(sizeof(f2l_cuda_adamw_report), 0xff, 0, run_stream);
    for (size_t a = 0; a < 4; a++) { /* parameter, mean, square, gradient */
        number[a] = calloc(count + 1, sizeof(float)), want[a] = calloc(count + 1, sizeof(float));
        for (size_t i = 0; i < count; i++) number[a][i] = (float)(a == 2 ? fabs(draw()) * 1e-2 : draw());
        memcpy(want[a], number[a], count * sizeof(float));
        on[a] = device_of(number[a], count * sizeof(float), 0, run_stream);
    }
    const double rate = 3e-3, length = sqrt(f2l_adamw_squares_f32(want[3], count)),
                 clip = clipped ? length / 3 : 0;
    const size_t first[GROUPS + 1] = {0, count / 3, count / 3 + count / 5, count};
    f2l_cuda_adamw_group group[GROUPS];
    const f2l_cuda_adamw_step step = {
        clip, 0.9F, (float)(1 - 0.9), 0.95F, (float)(1 - 0.95), (float)sqrt(1 - pow(0.95, 7)), 1e-8F};
    for (size_t g = 0; g < GROUPS; g++) {
        const double decay = g == 1 ? 0.1 : 0, scale = clip > 0 && length > clip ? clip / length : 1;
        const f2l_adamw a = {rate, decay, 0.9, 0.95, 1e-8, scale, 7};
        group[g] = (f2l_cuda_adamw_group){(uint32_t)first[g], 0, (float)(1 - rate * decay),
                                          (float)(rate / (1 - pow(0.9, 7)))};
        f2l_adamw_update_f32(want[0] + first[g], want[1] + first[g], want[2] + first[g], want[3] + first[g],
                             first[g + 1] - first[g], &a);
    }
    device_array steps = device_of(&step, sizeof step, 0, run_stream),
                 groups = device_of(group, sizeof group, 0, run_stream);
    RUN(f2l_cuda_adamw((float *)(void *)on[0].data, (float *)(void *)on[1].data, (float *)(void *)on[2].data,
                       (uint16_t *)(void *)shadow.data, (f2l_cuda_adamw_report *)(void *)report.data,
                       (const float *)(void *)on[3].data, count,
                       (const f2l_cuda_adamw_step *)(void *)steps.data,
                       (const f2l_cuda_adamw_group *)(void *)groups.data, GROUPS,
                       scratch(&work, f2l_cuda_adamw_work(count)), run_stream, &err));
    f2l_cuda_adamw_report got;
    uint16_t *rounded = calloc(count + 1, sizeof *rounded);
    size_t wrong = !device_read(&got, &report, run_stream) || !device_read(rounded, &shadow, run_stream);
    for (size_t a = 0; a < 3; a++) {
        wrong += !device_read(number[a], &on[a], run_stream);
        wrong += memcmp(number[a], want[a], count * sizeof(float)) != 0;
    }
    for (size_t i = 0; i < count; i++) wrong += rounded[i] != f2l_replay_round(want[0][i]);
    count_error(&t[0], F2L_CUDA_F32, wrong ? 1 : 0, 0);
    count_error(&t[1], F2L_CUDA_F32, got.moved == 1 ? fabs(got.norm - length) / (length + 1e-300) : INFINITY,
                1e-13);
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

static void check_conv(f2l_cuda_type type, size_t batch, size_t tokens, size_t width, size_t taps, tally t[3])
{
    const size_t n = batch * tokens * width, kept = batch * (taps - 1) * width;
    const f2l_cuda_conv_shape s = {batch, tokens, width, taps, type};
    const f2l_conv_shape r = {batch, tokens, width, taps};
    array x = drawn(n, type, 1, 0), dy = drawn(n, type, 1, 0), w = drawn(width * taps, F2L_CUDA_F32, 1, 0),
          bias = drawn(width, F2L_CUDA_F32, 1, 0), past = drawn(kept, type, 1, 0),
          next = poisoned(kept, type, 0), y = poisoned(n, type, 0), dx = poisoned(n, type, 0),
          dw = drawn(width * taps, F2L_CUDA_F32, 1, 0), dbias = drawn(width, F2L_CUDA_F32, 1, 0);
    double *want = doubles(n);
    const float *taps_on = (const float *)(void *)w.on.data, *bias_on = (const float *)(void *)bias.on.data;
    device_array work;
    RUN(f2l_cuda_conv_forward(y.on.data, NULL, NULL, x.on.data, taps_on, bias_on, &s, run_stream, &err));
    f2l_conv_forward_f64(want, NULL, x.host, w.host, bias.host, &r);
    count_error(&t[0], type, error_at(&y, want), tolerance(type));
    RUN(f2l_cuda_conv_forward(y.on.data, next.on.data, past.on.data, x.on.data, taps_on, NULL, &s, run_stream,
                              &err));
    f2l_conv_forward_f64(want, past.host, x.host, w.host, NULL, &r);
    count_error(&t[0], type, error_at(&y, want), tolerance(type));
    count_error(&t[1], type, error_at(&next, past.host), 0);
    f2l_conv_backward_f64(want, dw.host, dbias.host, dy.host, x.host, w.host, &r);
    RUN(f2l_cuda_conv_backward(dx.on.data, (float *)(void *)dw.on.data, (float *)(void *)dbias.on.data,
                               dy.on.data, x.on.data, taps_on, scratch(&work, f2l_cuda_conv_work(&s)), &s,
                               run_stream, &err));
    count_error(&t[2], type, error_at(&dx, want), tolerance(type));
    count_error(&t[2], F2L_CUDA_F32, error_at(&dw, dw.host), 1e-5);
    count_error(&t[2], F2L_CUDA_F32, error_at(&dbias, dbias.host), 1e-5);
    scratch_clear(&work);
    array_clear(&x), array_clear(&dy), array_clear(&w), array_clear(&bias), array_clear(&past),
        array_clear(&next), array_clear(&y);
    array_clear(&dx), array_clear(&dw), array_clear(&dbias);
    free(want);
}

static void conv_operator(void)
{
    static const size_t shape[][4] = {
        {1, 1, 1, 1}, {2, 3, 5, 4}, {3, 2, 16, 6}, {7, 65, 384, 4}, {5, 300, 17, 64}};
    tally t[3] = {{.name = "convolution"}, {.name = "its past"}, {.name = "convolution backward"}};
    for (size_t i = 0; i < LENGTH(shape); i++)
        for (size_t k = 0; k < 2; k++)
            check_conv(types[k], shape[i][0], shape[i][1], shape[i][2], shape[i][3], t);
    for (int i = 0; i < 3; i++) tell(&t[i]);
}

/* --- products --- */

typedef struct matrix {
    array a;
    size_t rows, columns, stride;
    bool transposed; /* stored as [columns][rows] */
} matrix;

static matrix matrix_of(size_t rows, size_t columns, bool transposed, size_t gap, f2l_cuda_type type,
                        size_t shift)
{
    const size_t stride = (transposed ? rows : columns) + gap;
    return (matrix){drawn((transposed ? columns : rows) * stride, type, 1, shift), rows, columns, stride,
                    transposed};
}

static double entry(const matrix *m, size_t i, size_t j)
{
    return m->a.host[m->transposed ? j * m->stride + i : i * m->stride + j];
}

static void check_product(f2l_cuda_blas *blas, size_t m, size_t n, size_t k, bool at, bool bt, bool add,
                          size_t gap, f2l_cuda_type in, f2l_cuda_type out, tally *t)
{
    enum { WORK = 64 << 20 };
    matrix a = matrix_of(m, k, at, gap, in, gap % 8 ? 1 : 0), b = matrix_of(k, n, bt, gap, in, 0),
           c = matrix_of(m, n, false, gap, out, 0);
    double *want = doubles(c.a.count);
    const f2l_cuda_product_shape s = {m, n, k, a.stride, b.stride, c.stride, at, bt, add, in, out};
    f2l_cuda_product *product;
    device_array work = device_filled(WORK, 0xff, 0, run_stream);
    memcpy(want, c.a.host, c.a.count * sizeof *want);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = add ? want[i * c.stride + j] : 0;
            for (size_t l = 0; l < k; l++) sum += entry(&a, i, l) * entry(&b, l, j);
            want[i * c.stride + j] = sum;
        }
    RUN(f2l_cuda_product_new(&product, blas, &s, a.a.on.data, b.a.on.data, c.a.on.data, WORK, 0, &err));
    RUN(f2l_cuda_product_run(c.a.on.data, a.a.on.data, b.a.on.data, product, work.data, run_stream, &err));
    count_error(t, out, error_at(&c.a, want), tolerance(out));
    f2l_cuda_product_free(product);
    scratch_clear(&work);
    array_clear(&a.a), array_clear(&b.a), array_clear(&c.a);
    free(want);
}

static void products(void)
{
    static const size_t shape[][3] = {{1, 1, 1},      {5, 3, 7},      {64, 128, 32},
                                      {120, 40, 333}, {257, 96, 384}, {48, 64, 4099}};
    tally t = {.name = "products"};
    f2l_cuda_blas *blas;
    RUN(f2l_cuda_blas_new(&blas, &err));
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

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    f2l_cuda_device device;
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* what was found is said even when the program is killed */
    RUN(f2l_cuda_device_get(&device, &err));
    printf("check_train, seed %llu, %s\n", (unsigned long long)seed, device.name);
    f2l_rng_init(&run_rng, seed, 3);
    RUN(f2l_cuda_stream_new(&run_stream, &err));
    point_operators();
    norm_operators();
    letter_operators();
    loss_operator();
    adamw_operator();
    conv_operator();
    products();
    f2l_cuda_stream_free(run_stream);
    printf("%s\n", failures ? "FAIL" : "all ok");
    return failures ? 1 : 0;
}
