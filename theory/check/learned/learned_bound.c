/* Norms and elementary functions in doubles, with their errors (theory/pages/learned.md, LH.1). */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <string.h>

typedef double four __attribute__((vector_size(32)));

void charge(size_t products)
{
    spend(products / 64 + 1);
}

double dot(const double *x, const double *y, size_t n)
{
    four s[2] = {{0}, {0}}, a[2], b[2];
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        memcpy(a, x + i, sizeof a);
        memcpy(b, y + i, sizeof b);
        for (int j = 0; j < 2; j++) s[j] += a[j] * b[j];
    }
    s[0] += s[1];
    double sum = (s[0][0] + s[0][1]) + (s[0][2] + s[0][3]);
    for (; i < n; i++) sum += x[i] * y[i];
    return sum;
}

double length(const double *x, size_t n)
{
    return sqrt(dot(x, x, n));
}

double slack(const learned *net, size_t terms)
{
    return SLACK + net->scope->unit * (double)(terms + 16);
}

double exponential(double x)
{
    /* x = k log 2 + r with |r| <= 0.347: the first 15 terms of the series leave less than 2^-63 */
    if (!(x > -700)) return x != x ? x : 0;
    if (x > 700) return INFINITY;
    const double k = floor(x / 0x1.62e42fefa39efp-1 + 0.5);
    const double r = (x - k * 0x1.62e42feep-1) - k * 0x1.a39ef35793c76p-33;
    double sum = 1;
    for (int i = 15; i > 0; i--) sum = 1 + r * sum / i;
    return ldexp(sum, (int)k);
}

double sigmoid(double x)
{
    return 1 / (1 + exponential(-x));
}

double spectral(double *g, size_t n, size_t squares)
{
    double next[MAX_DIM * MAX_DIM];
    const double size = length(g, n * n);
    if (!(size > 0) || squares == 0 || !(size < INFINITY)) return size * (1 + SLACK);
    for (size_t i = 0; i < n * n; i++) g[i] /= size;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            next[i * n + j] = next[j * n + i] = dot(g + i * n, g + j * n, n);
    memcpy(g, next, n * n * sizeof *g);
    /* |G / size|^2 <= |next| + what g and next are off by */
    return size * sqrt(spectral(g, n, squares - 1) + 4 * SLACK) * (1 + SLACK);
}

double operator_norm(const double *m, size_t rows, size_t columns, size_t squares)
{
    double g[MAX_DIM * MAX_DIM];
    charge(rows * rows * (columns + squares * rows) / 2);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j <= i; j++)
            g[i * rows + j] = g[j * rows + i] = dot(m + i * columns, m + j * columns, columns);
    const double size = length(m, rows * columns);
    return sqrt(spectral(g, rows, squares) + SLACK * size * size) * (1 + SLACK);
}
