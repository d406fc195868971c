/* How few factors shift a register (K.4, K.9): the keys of K.9 for many lengths, the determinant of
 * I - A, and an exhaustive search for two and three factors with small denominators. All numbers
 * are dyadic and small, so that doubles hold them exactly. */
#include "numeric/base/rng.h"
#include <criterion/criterion.h>
#include <string.h>

enum { MOST = 12, ROWS = 2 * MOST };

/* Applies the factor with beta and the unit key to x. */
static void apply(double *x, double beta, const double *key, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += key[i] * x[i];
    for (size_t i = 0; i < n; i++) x[i] -= beta * sum * key[i];
}

/* Sets key = (a w_p + b w_q) / 2 for w_p = e_p + e_{p+k}; p and q count from 1. */
static void set_key(double *key, size_t k, size_t p, double a, size_t q, double b)
{
    memset(key, 0, ROWS * sizeof *key);
    key[p - 1] = key[p - 1 + k] = a / 2;
    key[q - 1] = key[q - 1 + k] = b / 2;
    double norm = 0;
    for (size_t i = 0; i < 2 * k; i++) norm += key[i] * key[i];
    cr_assert(norm == 1);
}

/* Applies the k factors of K.9. */
static void shift(double *x, size_t k)
{
    double key[ROWS];
    size_t factors = 0;
    set_key(key, k, k - 1, 1, k, 1);
    apply(x, 1, key, 2 * k), factors++;
    for (size_t p = k - 2; p >= 1; p--) {
        set_key(key, k, p + 1, 1, p, -1);
        apply(x, 2, key, 2 * k), factors++;
    }
    set_key(key, k, k - 1, 1, k, -1);
    apply(x, 1, key, 2 * k), factors++;
    cr_assert_eq(factors, k);
}

/* Sets x to the vector x_i of K.9. */
static void set_slot(double *x, size_t k, size_t i)
{
    double w[MOST + 1] = {0};
    if (i == 1) w[k] = -2;
    if (i == 2) w[1] = 1, w[k - 1] -= 0.5, w[k] -= 0.5;
    if (i > 2 && i < k) w[i - 1] = 1;
    if (i == k) w[k - 1] = w[k] = 0.5;
    memset(x, 0, ROWS * sizeof *x);
    for (size_t p = 1; p <= k; p++) x[p - 1] = x[p - 1 + k] = w[p];
}

Test(register_factors, k_dyadic_factors_shift_k_slots)
{
    for (size_t k = 3; k <= MOST; k++)
        for (size_t i = 1; i <= k; i++) {
            double x[ROWS], next[ROWS] = {0};
            set_slot(x, k, i);
            if (i < k) set_slot(next, k, i + 1);
            shift(x, k);
            cr_assert_arr_eq(x, next, sizeof x, "k %zu, slot %zu", k, i);
        }
}

/* A = F_1 F_2 F_3 on the span of three unit keys with the Gram matrix g, as a matrix in the basis
 * of the keys; F_3 is applied first. */
static void product(double a[3][3], const double beta[3], double g[3][3])
{
    for (int column = 0; column < 3; column++) {
        double x[3] = {0};
        x[column] = 1;
        for (int f = 2; f >= 0; f--) {
            double sum = 0;
            for (int i = 0; i < 3; i++) sum += g[f][i] * x[i];
            x[f] -= beta[f] * sum;
        }
        for (int i = 0; i < 3; i++) a[i][column] = x[i];
    }
}

static double det(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* Returns whether a^3 = 0 and a^2 != 0. */
static bool has_index_3(double a[3][3])
{
    double two[3][3] = {{0}}, three[3][3] = {{0}};
    bool square = false, cube = false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) two[i][j] += a[i][k] * a[k][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) three[i][j] += two[i][k] * a[k][j];
            square = square || two[i][j] != 0;
            cube = cube || three[i][j] != 0;
        }
    return square && !cube;
}

Test(register_factors, determinant_of_one_minus_a)
{
    f2l_rng rng;
    f2l_rng_init(&rng, 4, 0);
    for (int round = 0; round < 1000; round++) {
        double g[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, beta[3], a[3][3];
        for (int i = 0; i < 3; i++) {
            beta[i] = (double)(1 + f2l_rng_below(&rng, 16)) / 8;
            for (int j = 0; j < i; j++)
                g[i][j] = g[j][i] = ((double)f2l_rng_below(&rng, 17) - 8) / 8;
        }
        product(a, beta, g);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) a[i][j] = (i == j) - a[i][j];
        cr_assert(det(a) == beta[0] * beta[1] * beta[2] * det(g));
    }
}

/* Inner products are multiples of 1/4, betas of 1/4; two of them vary for each beta = 1. */
Test(register_factors, three_factors_by_exhaustion)
{
    size_t found = 0, known = 0;
    for (int code = 0; code < 9 * 9 * 9; code++) {
        const double x = (code % 9 - 4) / 4.0, y = (code / 9 % 9 - 4) / 4.0,
                     z = (code / 81 - 4) / 4.0;
        double g[3][3] = {{1, x, y}, {x, 1, z}, {y, z, 1}};
        if (!(det(g) > 0) || x * x >= 1) continue;
        for (int b = 0; b < 8 * 8 * 8; b++) {
            const double beta[3] = {(b % 8 + 1) / 4.0, (b / 8 % 8 + 1) / 4.0, (b / 64 + 1) / 4.0};
            double a[3][3];
            product(a, beta, g);
            if (!has_index_3(a)) continue;
            found++;
            cr_assert(beta[0] * beta[1] * beta[2] * det(g) == 1);
            cr_assert(beta[0] == 1 || beta[1] == 1 || beta[2] == 1);
            known += beta[0] == 1 && beta[1] == 2 && beta[2] == 1 && y == 0;
        }
    }
    cr_assert_gt(found, 0);
    cr_assert_eq(known, 4); /* K.9, up to the signs of the keys */
}

/* K.4: inner products are multiples of 1/32 and betas of 1/32. */
Test(register_factors, two_factors_never_do)
{
    for (int r = -31; r < 32; r++)
        for (int b = 1; b <= 64; b++) {
            /* One of the two betas is 1, since the determinant (1 - beta_1)(1 - beta_2) is 0. */
            const double g = r / 32.0, beta = b / 32.0, trace = 1 - beta + beta * g * g;
            const bool zero = beta == 1 && g == 0;
            cr_assert(trace != 0 || zero, "g %g beta %g", g, beta);
        }
}
