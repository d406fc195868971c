#include "tests/support/models/op_support.h"

double *noise(size_t n, uint64_t seed)
{
    double *x = malloc((n + 1) * sizeof *x);
    f2l_rng rng;
    f2l_rng_init(&rng, seed, 0);
    for (size_t i = 0; i < n; i++) x[i] = ldexp((double)(f2l_rng_u64(&rng) >> 11), -52) - 1;
    return x;
}

double *filled(size_t n, double value)
{
    double *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = value;
    return x;
}

float *narrow(const double *x, size_t n)
{
    if (!x) return NULL;
    float *out = malloc((n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++) out[i] = (float)x[i];
    return out;
}

void to_float(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = (double)(float)x[i];
}

double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void near(const char *what, const double *got, const double *want, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        cr_assert(fabs(got[i] - want[i]) <= tolerance * (1 + fabs(want[i])),
                  "%s[%zu]: %.17g, expected %.17g", what, i, got[i], want[i]);
}

void near_float(const char *what, const float *got, const double *want, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        cr_assert(fabs((double)got[i] - want[i]) <= tolerance * (1 + fabs(want[i])),
                  "%s[%zu]: %.9g, expected %.17g", what, i, (double)got[i], want[i]);
}

void same_bits(const char *what, const void *a, const void *b, size_t bytes)
{
    cr_assert(!bytes || memcmp(a, b, bytes) == 0, "%s: the bits differ", what);
}

void check_gradient(const char *what, const double *dx, double *x, size_t n,
                    double (*loss)(void *context), void *context)
{
    const double h = 1e-5;
    for (size_t i = 0; i < n; i++) {
        const double kept = x[i];
        x[i] = kept + h;
        const double above = loss(context);
        x[i] = kept - h;
        const double below = loss(context);
        x[i] = kept;
        const double slope = (above - below) / (2 * h);
        cr_assert(fabs(dx[i] - slope) <= 2e-8 * (1 + fabs(slope)),
                  "d%s[%zu]: %.12g, by differences %.12g", what, i, dx[i], slope);
    }
}
