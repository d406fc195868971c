/* Arrays of random numbers with equal values on host and device for check_train and check_step:
 * doubles on the host, float or bf16 on the device. */
#ifndef CHECK_TRAIN_ARRAYS_H
#define CHECK_TRAIN_ARRAYS_H

#include "cuda/check/check_recurrent_device.h"
#include "numeric/base/rng.h"
#include "tests/support/cuda/replay_bf16.h"
#include <math.h>

typedef struct array {
    double *host;
    size_t count;
    f2l_cuda_type type;
    device_array on;
} array;

static void *run_stream;
static f2l_rng run_rng;
static size_t failures;

static inline double draw(void)
{
    return ldexp((double)(f2l_rng_u64(&run_rng) >> 11), -52) - 1;
}
static inline size_t draw_below(size_t n)
{
    return (size_t)f2l_rng_below(&run_rng, n);
}

static inline double *doubles(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    if (x == NULL) exit(1);
    return x;
}

static inline array array_new(size_t count, f2l_cuda_type type)
{
    return (array){.host = doubles(count), .count = count, .type = type};
}

/* Rounds the host's numbers to the type and copies them to the device, misaligned by `shift`
 * numbers. */
static inline void upload(array *a, size_t shift)
{
    const size_t size = f2l_cuda_bytes(a->type);
    char *bytes = calloc(a->count + 1, size);
    for (size_t i = 0; i < a->count; i++) {
        f2l_replay_put(bytes, i, (float)a->host[i], a->type == F2L_CUDA_BF16);
        a->host[i] = (double)f2l_replay_get(bytes, i, a->type == F2L_CUDA_BF16);
    }
    device_clear(&a->on);
    a->on = device_of(bytes, a->count * size, shift * size, run_stream);
    free(bytes);
}

static inline array drawn(size_t count, f2l_cuda_type type, double scale, size_t shift)
{
    array a = array_new(count, type);
    for (size_t i = 0; i < count; i++) a.host[i] = scale * draw();
    upload(&a, shift);
    return a;
}

/* Returns an array of NaN. */
static inline array poisoned(size_t count, f2l_cuda_type type, size_t shift)
{
    array a = array_new(count, type);
    a.on =
        device_filled(count * f2l_cuda_bytes(type), 0xff, shift * f2l_cuda_bytes(type), run_stream);
    return a;
}

/* Returns the device's numbers as doubles; fails if the guard behind them has changed. */
static inline double *download(const array *a)
{
    double *x = doubles(a->count);
    char *bytes = calloc(a->count + 1, f2l_cuda_bytes(a->type));
    if (!device_read(bytes, &a->on, run_stream)) {
        printf("FAIL something was written behind an array\n");
        failures++;
    }
    for (size_t i = 0; i < a->count; i++)
        x[i] = (double)f2l_replay_get(bytes, i, a->type == F2L_CUDA_BF16);
    free(bytes);
    return x;
}

static inline void array_clear(array *a)
{
    free(a->host);
    device_clear(&a->on);
    *a = (array){0};
}

/* Returns the relative Frobenius error; infinite for NaN. */
static inline double error_of(const double *got, const double *want, size_t n)
{
    double error = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        error += (got[i] - want[i]) * (got[i] - want[i]);
        square += want[i] * want[i];
    }
    if (!(error >= 0)) return INFINITY;
    return error == 0 ? 0 : square == 0 ? INFINITY : sqrt(error / square);
}

static inline double error_at(const array *a, const double *want)
{
    double *got = download(a), error = error_of(got, want, a->count);
    free(got);
    return error;
}

/* Results of one operator over many cases, by type. */
typedef struct tally {
    const char *name;
    double worst[2];
    size_t cases, bad;
} tally;

/* Returns the relative error that rounding the output may cause. */
static inline double tolerance(f2l_cuda_type type)
{
    return type == F2L_CUDA_F32 ? 3e-6 : 4e-3; /* half a unit in the last place of bf16 is 2^-8 of a
                                                  number */
}

static inline void count_error(tally *t, f2l_cuda_type type, double error, double limit)
{
    if (error > t->worst[type] || !(error >= 0)) t->worst[type] = error;
    t->cases++;
    t->bad += !(error <= limit);
}

/* Compares sums of terms of both signs, as floats, with `want`. A number is right when its error is
 * at most
 *
 *     depth u / (1 - depth u) * (sum of the sizes of its terms),  u = 2^-24,
 *
 * if no term passes through more than `depth` roundings on its way into the sum, the roundings of
 * the term included: every rounding multiplies its operand by 1 + d, |d| <= u (Higham, Accuracy and
 * Stability of Numerical Algorithms, section 4.2). Cancellation cannot break this bound, whatever
 * the seed, but a term that is lost or doubled breaks it as soon as the term is larger than the
 * average of depth * (number of terms) * u terms. An output in bf16 is rounded once more; where
 * `way` is given, numbers of these sizes may have been rounded to the output's type on the way. For
 * 64 numbers and more the relative Frobenius error must be within `limit` too: that many do not all
 * cancel at once. */
static inline void count_sums_on_the_way(tally *t, const array *a, const double *want,
                                         const double *terms, const double *way, double depth,
                                         double limit)
{
    double *got = download(a);
    const double error = error_of(got, want, a->count), unit = ldexp(1, -24),
                 of_output = a->type == F2L_CUDA_BF16 ? ldexp(1, -8) : 0;
    bool good = a->count < 64 || error <= limit;
    if (!good)
        printf("%s: %zu numbers, error %.3g, at most %.3g\n", t->name, a->count, error, limit);
    for (size_t i = 0; i < a->count; i++) {
        const double bound = depth * unit / (1 - depth * unit) * terms[i];
        const double size = fabs(want[i]) + bound + (way ? way[i] : 0);
        const bool near = fabs(got[i] - want[i]) <= bound + of_output * size;
        if (!near && good)
            printf("%s: number %zu of %zu is %.9g for %.9g, terms %.9g, depth %g, %s\n", t->name, i,
                   a->count, got[i], want[i], terms[i], depth, of_output > 0 ? "bf16" : "fp32");
        good = good && near;
    }
    free(got);
    if (error > t->worst[a->type] || !(error >= 0)) t->worst[a->type] = error;
    t->cases++;
    t->bad += !good;
}

static inline void count_sums(tally *t, const array *a, const double *want, const double *terms,
                              double depth, double limit)
{
    count_sums_on_the_way(t, a, want, terms, NULL, depth, limit);
}

/* Returns the absolute values of numbers, from which the reference computes the sizes of terms. */
static inline double *sizes_of(const double *x, size_t n)
{
    double *size = doubles(n);
    for (size_t i = 0; i < n; i++) size[i] = fabs(x[i]);
    return size;
}

/* Returns the number of roundings of a sum over rows in at most `parts` parts; each part adds the
 * sums of `lanes` lanes, each over every (parts lanes)-th row; the parts are added by 8 lanes; then
 * the old value is added. Lanes with fewer rows have fewer roundings. */
static inline double column_depth(size_t rows, size_t parts, size_t lanes)
{
    return (double)((rows - 1) / parts + 1 + lanes + (parts - 1) / 8 + 1 + 8 + 1);
}

static inline void tell(const tally *t)
{
    printf("%s %-22s %4zu cases, largest error fp32 %.1e, bf16 %.1e\n", t->bad ? "FAIL" : "ok  ",
           t->name, t->cases, t->worst[0], t->worst[1]);
    failures += t->bad > 0;
}

#endif
