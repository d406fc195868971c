#include "models/learn/inspect/inspect_dense.h"
#include "numeric/base/rng.h"
#include "numeric/exact/arb_headers.h"
#include <complex.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 31
#define MOST 48
#define ROWS 12

static double random_number(f2l_rng *rng)
{
    return ldexp((double)f2l_rng_u32(rng), -31) - 1;
}

/* Computes eigenvalues of a symmetric matrix by rotations of rows and columns (Jacobi 1846),
 * largest first: a second way beside LAPACK's. */
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

/* Computes the singular values of a [count][columns], count <= columns, a second way: the symmetric
 * matrix of a and its transpose has them, and their negatives, as eigenvalues. */
static void singular_values_again(double *value, const double *a, size_t count, size_t columns)
{
    double both[MOST][MOST] = {{0}}, all[MOST];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < columns; j++)
            both[i][count + j] = both[count + j][i] = a[i * columns + j];
    symmetric_eigenvalues(all, both, count + columns);
    for (size_t i = 0; i < count; i++) value[i] = all[i];
}

/* Checks the singular values of a [count][columns] against the second way, within 1e-12 of the
 * largest; that the directions are orthonormal; and that the rows of their product with a are
 * orthogonal, of the lengths that the singular values say. */
static void check_singular(const double *a, size_t count, size_t columns, const char *what,
                           size_t number)
{
    double *const copy = malloc((count * columns + 1) * sizeof *copy), value[ROWS], again[ROWS],
                  direction[ROWS * ROWS], turned[ROWS * MOST] = {0};
    cr_assert(copy);
    memcpy(copy, a, count * columns * sizeof *a);
    cr_assert(f2l_dense_singular_values(value, direction, copy, count, columns, NULL) == F2L_OK);
    singular_values_again(again, a, count, columns);
    const double size = value[0] > 0 ? value[0] : 1;
    for (size_t i = 0; i < count; i++) {
        cr_assert(fabs(value[i] - again[i]) <= 1e-12 * size, "%s %zu: %.17g and %.17g", what,
                  number, value[i], again[i]);
        cr_assert(value[i] >= 0 && (i == 0 || value[i] <= value[i - 1]));
        for (size_t j = 0; j < columns; j++)
            for (size_t k = 0; k < count; k++)
                turned[i * columns + j] += direction[i * count + k] * a[k * columns + j];
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count; k++) {
            double product = 0, angle = 0;
            for (size_t j = 0; j < columns; j++)
                product += turned[i * columns + j] * turned[k * columns + j];
            for (size_t j = 0; j < count; j++)
                angle += direction[i * count + j] * direction[k * count + j];
            cr_assert(fabs(angle - (i == k)) < 1e-13 * ROWS, "%s %zu", what, number);
            cr_assert(fabs(product - (i == k ? value[i] * value[i] : 0)) <= 1e-12 * size * size,
                      "%s %zu", what, number);
        }
    free(copy);
}

/* Random matrices of every shape, rank and size; every third has rows that differ by up to twelve
 * orders of magnitude. */
Test(inspect_dense, singular_values_two_ways)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 1);
    for (size_t number = 0; number < 90; number++) {
        const size_t count = 1 + f2l_rng_below(&rng, ROWS),
                     columns = count + f2l_rng_below(&rng, MOST - 2 * ROWS),
                     rank = 1 + f2l_rng_below(&rng, ROWS);
        double a[ROWS * MOST] = {0};
        for (size_t r = 0; r < rank; r++) {
            double left[ROWS], right[MOST];
            for (size_t i = 0; i < count; i++)
                left[i] = random_number(&rng) * (number % 3 ? 1 : pow(10, -(double)i));
            for (size_t j = 0; j < columns; j++) right[j] = random_number(&rng);
            for (size_t i = 0; i < count * columns; i++)
                a[i] += left[i / columns] * right[i % columns];
        }
        check_singular(a, count, columns, rank < count ? "singular" : "random", number);
    }
}

Test(inspect_dense, singular_values_of_special_matrices)
{
    double a[ROWS * ROWS] = {0};
    check_singular(a, ROWS, ROWS, "zero", 0);
    for (size_t i = 0; i < ROWS; i++) a[i * ROWS + (i + 1) % ROWS] = 2;
    check_singular(a, ROWS, ROWS, "twice a cycle", 0);
    a[(ROWS - 1) * ROWS] = 0;
    check_singular(a, ROWS, ROWS, "nilpotent", 0);
    for (size_t i = 0; i < ROWS * ROWS; i++) a[i] = 1 / (double)(i / ROWS + i % ROWS + 1);
    check_singular(a, ROWS, ROWS, "Hilbert", 0);
    for (size_t i = 0; i < ROWS * ROWS; i++) a[i] = 1e-200 * (double)(i % 7);
    check_singular(a, ROWS, ROWS, "tiny", 0);
}

/* For rows that differ by ten orders of magnitude each length has a small relative error. */
Test(inspect_dense, graded_rows_keep_their_digits)
{
    double a[3 * 3] = {1e10, 1e10, 0, 1, -1, 0, 0, 0, 1e-10}, length[3];
    cr_assert(f2l_dense_singular_values(length, NULL, a, 3, 3, NULL) == F2L_OK);
    cr_assert(fabs(length[0] / (1e10 * sqrt(2)) - 1) < 1e-14 &&
              fabs(length[1] / sqrt(2) - 1) < 1e-14);
    cr_assert(fabs(length[2] / 1e-10 - 1) < 1e-14);
}

/* Numbers that are not finite are refused, wherever they are. */
Test(inspect_dense, only_finite_numbers)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < 3; b++)
        for (size_t at = 0; at < 9; at++) {
            double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10}, re[3], im[3];
            a[at] = bad[b];
            cr_assert(f2l_dense_eigenvalues(re, im, a, 3, NULL) == F2L_EDOMAIN);
            cr_assert(f2l_dense_singular_values(re, NULL, a, 3, 3, NULL) == F2L_EDOMAIN);
        }
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
        cr_assert(f2l_dense_eigenvalues(re, im, a, n, NULL) == F2L_OK);
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
        cr_assert(f2l_dense_eigenvalues(re, im, a, n, NULL) == F2L_OK);
        for (size_t k = 0; k < n; k++) {
            const double angle = 2 * acos(-1) * (double)k / (double)n;
            double nearest = 1;
            for (size_t i = 0; i < n; i++)
                nearest = fmin(nearest, hypot(re[i] - cos(angle), im[i] - sin(angle)));
            cr_assert(nearest < 1e-14, "cycle of %zu, root %zu: %g", n, k, nearest);
        }
        a[(n - 1) * n] = 0; /* a Jordan block of 0 is triangular, so found at once */
        cr_assert(f2l_dense_eigenvalues(re, im, a, n, NULL) == F2L_OK);
        for (size_t i = 0; i < n; i++) cr_assert(re[i] == 0 && im[i] == 0);
    }
    double re, im, five = 5, bad = NAN;
    cr_assert(f2l_dense_eigenvalues(&re, &im, &five, 1, NULL) == F2L_OK && re == 5 && im == 0);
    cr_assert(f2l_dense_eigenvalues(&re, &im, &five, 0, NULL) == F2L_OK);
    cr_assert(f2l_dense_eigenvalues(&re, &im, &bad, 1, NULL) == F2L_EDOMAIN);
    bad = 1e300; /* its square is not a double */
    cr_assert(f2l_dense_eigenvalues(&re, &im, &bad, 1, NULL) == F2L_OK && re == bad && im == 0);
}

/* Computes the eigenvalues by the QR iteration of Arb with 256 bits: the second way. */
static void eigenvalues_again(double complex *value, const double *a, size_t n)
{
    const slong size = (slong)n;
    acb_mat_t matrix;
    acb_ptr found = _acb_vec_init(size);
    acb_mat_init(matrix, size, size);
    for (slong i = 0; i < size; i++)
        for (slong k = 0; k < size; k++) acb_set_d(acb_mat_entry(matrix, i, k), a[i * size + k]);
    cr_assert(acb_mat_approx_eig_qr(found, NULL, NULL, matrix, NULL, 0, 256));
    for (slong i = 0; i < size; i++)
        value[i] = arf_get_d(arb_midref(acb_realref(found + i)), ARF_RND_NEAR) +
                   arf_get_d(arb_midref(acb_imagref(found + i)), ARF_RND_NEAR) * I;
    acb_mat_clear(matrix);
    _acb_vec_clear(found, size);
}

/* Returns the distance of the farthest eigenvalue from its partner of the second way. */
static double farthest(const double *a, size_t n)
{
    double re[8], im[8], most = 0;
    double complex again[8];
    bool taken[8] = {false};
    cr_assert(f2l_dense_eigenvalues(re, im, a, n, NULL) == F2L_OK);
    eigenvalues_again(again, a, n);
    for (size_t i = 0; i < n; i++) {
        size_t best = n;
        for (size_t k = 0; k < n; k++)
            if (!taken[k] && (best == n || cabs(again[k] - re[i] - im[i] * I) <
                                               cabs(again[best] - re[i] - im[i] * I)))
                best = k;
        taken[best] = true;
        most = fmax(most, cabs(again[best] - re[i] - im[i] * I));
    }
    return most;
}

/* Makes a product of `factors` generalized Householder matrices with betas in [0, 2], the matrices
 * that inspect looks at. */
static void random_transition(double *a, size_t n, size_t factors, f2l_rng *rng)
{
    for (size_t i = 0; i < n * n; i++) a[i] = i / n == i % n;
    for (size_t f = 0; f < factors; f++) {
        double key[8], square = 0;
        const double beta = 1 + random_number(rng);
        for (size_t i = 0; i < n; i++) key[i] = random_number(rng);
        for (size_t i = 0; i < n; i++) square += key[i] * key[i];
        for (size_t j = 0; j < n; j++) {
            double part = 0;
            for (size_t i = 0; i < n; i++) part += key[i] * a[i * n + j];
            for (size_t i = 0; i < n; i++) a[i * n + j] -= beta / square * key[i] * part;
        }
    }
}

/* The eigenvalues of transitions of n dimensions and n factors agree with the second way within
 * 1e-12 of the largest singular value, which is at most 1; singular ones among them. */
Test(inspect_dense, eigenvalues_two_ways)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 3);
    for (size_t number = 0; number < 400; number++) {
        const size_t n = 1 + number % F2L_DENSE_SMALL;
        double a[64];
        random_transition(a, n, n, &rng);
        for (size_t j = 0; j < n && number % 5 == 0; j++) a[j] = 0;
        const double away = farthest(a, n);
        cr_assert(away <= 1e-12, "matrix %zu of size %zu: %g", number, n, away);
    }
}

/* Defective matrices: a Jordan block of 1/2 in another orthonormal basis. No method in doubles
 * finds its eigenvalues within 1e-12; the ones found are those of a matrix next to it: a - lambda I
 * is singular up to rounding errors, the sum is the trace, and each is within the k-th root of
 * them. */
Test(inspect_dense, eigenvalues_of_defective_matrices)
{
    f2l_rng rng;
    f2l_rng_init(&rng, SEED, 4);
    for (size_t number = 0; number < 60; number++) {
        const size_t n = 2 + number % 3;
        double q[64], a[64] = {0}, re[8], im[8], sum = 0;
        random_transition(q, n, 0, &rng);
        for (size_t f = 0; f < 3; f++) { /* q: a product of reflections */
            double key[8], square = 0;
            for (size_t i = 0; i < n; i++) key[i] = random_number(&rng);
            for (size_t i = 0; i < n; i++) square += key[i] * key[i];
            for (size_t j = 0; j < n; j++) {
                double part = 0;
                for (size_t i = 0; i < n; i++) part += key[i] * q[i * n + j];
                for (size_t i = 0; i < n; i++) q[i * n + j] -= 2 / square * key[i] * part;
            }
        }
        for (size_t i = 0; i < n * n; i++)
            for (size_t k = 0; k < n; k++) {
                a[i] += 0.5 * q[i / n * n + k] * q[i % n * n + k];
                if (k + 1 < n) a[i] += q[i / n * n + k] * q[i % n * n + k + 1];
            }
        cr_assert(f2l_dense_eigenvalues(re, im, a, n, NULL) == F2L_OK);
        for (size_t i = 0; i < n; i++) {
            /* a - lambda I as a real matrix of twice the size */
            double shifted[256] = {0}, value[16];
            for (size_t r = 0; r < n; r++)
                for (size_t c = 0; c < n; c++) {
                    shifted[r * 2 * n + c] = shifted[(n + r) * 2 * n + n + c] =
                        a[r * n + c] - (r == c ? re[i] : 0);
                    shifted[r * 2 * n + n + c] = r == c ? im[i] : 0;
                    shifted[(n + r) * 2 * n + c] = r == c ? -im[i] : 0;
                }
            cr_assert(f2l_dense_singular_values(value, NULL, shifted, 2 * n, 2 * n, NULL) ==
                      F2L_OK);
            cr_assert(value[2 * n - 1] <= 1e-14 * value[0], "matrix %zu: %g", number,
                      value[2 * n - 1]);
            cr_assert(hypot(re[i] - 0.5, im[i]) <= pow(1e-14, 1.0 / (double)n));
            sum += re[i];
        }
        cr_assert(fabs(sum - 0.5 * (double)n) <= 1e-12);
    }
}

/* Turns by different angles, in blocks of two: the largest matrix. */
Test(inspect_dense, eigenvalues_of_many_turns)
{
    enum { N = F2L_DENSE_MOST };
    double a[N * N] = {0}, re[N], im[N];
    f2l_error err;
    for (size_t b = 0; b < N / 2; b++) {
        const double turn = 3 - 5.8 * (double)b / N;
        a[(2 * b) * N + 2 * b] = a[(2 * b + 1) * N + 2 * b + 1] = cos(turn);
        a[(2 * b) * N + 2 * b + 1] = sin(turn);
        a[(2 * b + 1) * N + 2 * b] = -sin(turn);
    }
    cr_assert_eq(f2l_dense_eigenvalues(re, im, a, N, &err), F2L_OK);
    for (size_t b = 0; b < N / 2; b++) {
        const double turn = 3 - 5.8 * (double)b / N;
        cr_assert_float_eq(re[2 * b], cos(turn), 1e-13);
        cr_assert_float_eq(re[2 * b + 1], cos(turn), 1e-13);
        cr_assert_float_eq(fabs(im[2 * b]), sin(turn), 1e-13);
    }
}
