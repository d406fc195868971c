#include "models/inspect/inspect_dense.h"
#include "numeric/base/rng.h"
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 31
#define MOST 40

static double random_number(f2l_rng *rng)
{
    return ldexp((double)f2l_rng_u32(rng), -31) - 1;
}

/* Computes eigenvalues of a symmetric matrix by rotations of rows AND columns (Jacobi 1846), a
 * method other than the one tested. */
static void symmetric_eigenvalues(double *value, double a[MOST][MOST], size_t n)
{
    for (int sweep = 0; sweep < 30; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                const double angle = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]), c = cos(angle),
                             s = sin(angle);
                for (size_t i = 0; i < n; i++) {
                    const double x = a[i][p], y = a[i][q];
                    a[i][p] = c * x - s * y;
                    a[i][q] = s * x + c * y;
                }
                for (size_t i = 0; i < n; i++) {
                    const double x = a[p][i], y = a[q][i];
                    a[p][i] = c * x - s * y;
                    a[q][i] = s * x + c * y;
                }
            }
    for (size_t i = 0; i < n; i++) {
        value[i] = a[i][i];
        for (size_t k = i; k > 0 && value[k] > value[k - 1]; k--) {
            const double held = value[k];
            value[k] = value[k - 1];
            value[k - 1] = held;
        }
    }
}

/* In random matrices of every shape and rank, rotation * old = new, the rows of new are orthogonal,
 * and squares of their lengths are the eigenvalues of old old^T. */
Test(inspect_dense, singular_values_two_ways)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t number = 0; number < 60; number++) {
        const size_t count = 1 + f2l_rng_below(&rng, 12), columns = 1 + f2l_rng_below(&rng, MOST),
                     rank = 1 + f2l_rng_below(&rng, 12);
        double old[12 * MOST] = {0}, new[12 * MOST], rotation[144], length[12],
                        gram[MOST][MOST] = {{0}}, value[12];
        for (size_t r = 0; r < rank; r++) {
            double left[12], right[MOST];
            for (size_t i = 0; i < count; i++) left[i] = random_number(&rng);
            for (size_t j = 0; j < columns; j++) right[j] = random_number(&rng);
            for (size_t i = 0; i < count * columns; i++)
                old[i] += left[i / columns] * right[i % columns];
        }
        memcpy(new, old, sizeof new);
        cr_assert(f2l_dense_orthogonalise(length, new, rotation, count, columns));
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < count; k++) {
                double product = 0, turned = 0;
                for (size_t j = 0; j < columns; j++) {
                    product += new[i * columns + j] * new[k * columns + j];
                    gram[i][k] += old[i * columns + j] * old[k * columns + j];
                }
                for (size_t j = 0; j < count; j++)
                    turned += rotation[i * count + j] * rotation[k * count + j];
                cr_assert(fabs(turned - (i == k)) < 1e-12);
                cr_assert(fabs(product - (i == k ? length[i] * length[i] : 0)) <
                          1e-11 * (1 + length[0] * length[0]));
            }
        for (size_t i = 0; i < count * columns; i++) {
            double sum = 0;
            for (size_t k = 0; k < count; k++)
                sum += rotation[i / columns * count + k] * old[k * columns + i % columns];
            cr_assert(fabs(sum - new[i]) < 1e-12 * (1 + length[0]));
        }
        symmetric_eigenvalues(value, gram, count);
        for (size_t i = 0; i < count; i++) {
            cr_assert(fabs(value[i] - length[i] * length[i]) < 1e-11 * (1 + value[0]), "matrix %zu",
                      number);
            cr_assert(i == 0 || length[i] <= length[i - 1]);
        }
    }
}

/* For rows that differ by ten orders of magnitude each length has a small relative error. */
Test(inspect_dense, graded_rows_keep_their_digits)
{
    double a[3 * 3] = {1e10, 1e10, 0, 1, -1, 0, 0, 0, 1e-10}, length[3];
    cr_assert(f2l_dense_orthogonalise(length, a, NULL, 3, 3));
    cr_assert(fabs(length[0] / (1e10 * sqrt(2)) - 1) < 1e-14 &&
              fabs(length[1] / sqrt(2) - 1) < 1e-14);
    cr_assert(fabs(length[2] / 1e-10 - 1) < 1e-14);
}

/* Checks the power sums of degrees 1 to n, which determine n numbers. */
static void check_power_sums(const double *a, const double *re, const double *im, size_t n,
                             const char *what)
{
    double power[64], next[64];
    for (size_t i = 0; i < n * n; i++) power[i] = a[i];
    for (size_t k = 1; k <= n; k++) {
        double trace = 0, size = 1;
        double complex sum = 0;
        for (size_t i = 0; i < n; i++) {
            double complex p = 1;
            for (size_t j = 0; j < k; j++) p *= re[i] + im[i] * I;
            trace += power[i * n + i];
            sum += p;
            size = fmax(size, cabs(p));
        }
        cr_assert(cabs(sum - trace) < 1e-12 * (double)n * size, "%s, size %zu, power %zu: %g", what,
                  n, k, cabs(sum - trace));
        for (size_t i = 0; i < n * n; i++) {
            next[i] = 0;
            for (size_t j = 0; j < n; j++) next[i] += power[i / n * n + j] * a[j * n + i % n];
        }
        memcpy(power, next, sizeof power);
    }
}

Test(inspect_dense, eigenvalues_have_the_traces_of_powers)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 2);
    for (size_t number = 0; number < 400; number++) {
        const size_t n = 1 + number % F2L_DENSE_SMALL;
        double a[64], re[8], im[8], kept[64];
        for (size_t i = 0; i < n * n; i++) a[i] = random_number(&rng);
        /* Products of reflections, as networks have them. */
        for (size_t i = 0; i < n * n && number % 2; i++) a[i] = i / n == i % n;
        for (size_t f = 0; f < 1 + number % 5 && number % 2; f++) {
            double key[8], square = 0;
            for (size_t i = 0; i < n; i++) key[i] = random_number(&rng);
            for (size_t i = 0; i < n; i++) square += key[i] * key[i];
            for (size_t j = 0; j < n; j++) {
                double part = 0;
                for (size_t i = 0; i < n; i++) part += key[i] * a[i * n + j];
                for (size_t i = 0; i < n; i++) a[i * n + j] -= 2 / square * key[i] * part;
            }
        }
        memcpy(kept, a, sizeof kept);
        cr_assert(f2l_dense_eigenvalues(re, im, a, n));
        cr_assert(memcmp(kept, a, n * n * sizeof *a) == 0);
        check_power_sums(a, re, im, n, number % 2 ? "reflections" : "random");
        double sum = 0;
        for (size_t i = 0; i < n; i++) {
            sum += im[i];
            cr_assert(i == 0 || re[i] > re[i - 1] || (re[i] == re[i - 1] && im[i] >= im[i - 1]));
        }
        cr_assert(fabs(sum) < 1e-12);
    }
}

/* Cycles have roots of unity, though shift 0 leaves their matrices as they are; zero matrices,
 * Jordan blocks and single numbers have theirs. */
Test(inspect_dense, eigenvalues_that_are_known)
{
    for (size_t n = 1; n <= F2L_DENSE_SMALL; n++) {
        double a[64] = {0}, re[8], im[8];
        for (size_t i = 0; i < n; i++) a[i * n + (i + 1) % n] = 1;
        cr_assert(f2l_dense_eigenvalues(re, im, a, n));
        for (size_t k = 0; k < n; k++) {
            const double angle = 2 * acos(-1) * (double)k / (double)n;
            double nearest = 1;
            for (size_t i = 0; i < n; i++)
                nearest = fmin(nearest, hypot(re[i] - cos(angle), im[i] - sin(angle)));
            cr_assert(nearest < 1e-14, "cycle of %zu, root %zu: %g", n, k, nearest);
        }
        a[(n - 1) * n] = 0; /* a Jordan block of 0 is triangular, so found at once */
        cr_assert(f2l_dense_eigenvalues(re, im, a, n));
        for (size_t i = 0; i < n; i++) cr_assert(re[i] == 0 && im[i] == 0);
    }
    double re, im, five = 5, bad = NAN;
    cr_assert(f2l_dense_eigenvalues(&re, &im, &five, 1) && re == 5 && im == 0);
    cr_assert(f2l_dense_eigenvalues(&re, &im, &five, 0));
    cr_assert(!f2l_dense_eigenvalues(&re, &im, &bad, 1));
    bad = 1e300; /* its square is not a double */
    cr_assert(f2l_dense_eigenvalues(&re, &im, &bad, 1) && re == bad && im == 0);
    bad = INFINITY;
    cr_assert(!f2l_dense_orthogonalise(&re, &bad, NULL, 1, 1));
}
