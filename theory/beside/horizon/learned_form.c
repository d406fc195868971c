/* Norms of matrices, and the forms of LH.4. */
#include "numeric/base/clones.h"
#include "theory/beside/horizon/impl.h"
#include <math.h>
#include <string.h>

enum { MOST = F2L_LEARNED_MAX_DIM, ROUNDS = 60 };

F2L_CLONES double f2l_learned_dot(const double *x, const double *y, size_t n)
{
    double s[8] = {0}, sum = 0;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++) s[j] += x[i + j] * y[i + j];
    for (size_t j = 0; j < 8; j++) sum += s[j];
    for (; i < n; i++) sum += x[i] * y[i];
    return sum;
}

double f2l_learned_length(const double *x, size_t n)
{
    return sqrt(f2l_learned_dot(x, x, n));
}

/* Numbers of a symmetric matrix whose rows are read as many lanes at once, behind its end, too. */
enum { LANES = F2L_LEARNED_LANES, PADDED = MOST * MOST + LANES };

/* Computes the rows' inner products. */
static void gram(double *g, const double *m, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j <= i; j++)
            g[i * rows + j] = g[j * rows + i] =
                f2l_learned_dot(m + i * columns, m + j * columns, columns);
}

/* The same for a symmetric matrix, whose rows are columns: several products at once, each with the
 * sums of f2l_learned_dot in their order. Both matrices are PADDED. */
F2L_CLONES static void square_symmetric(double *g, const double *m, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j += LANES) {
            f2l_lanes s[8] = {0}, sum = {0};
            size_t l = 0;
            for (; l + 8 <= n; l += 8)
                for (size_t k = 0; k < 8; k++)
                    s[k] += m[i * n + l + k] * *(const f2l_lanes *)(m + (l + k) * n + j);
            for (size_t k = 0; k < 8; k++) sum += s[k];
            for (; l < n; l++) sum += m[i * n + l] * *(const f2l_lanes *)(m + l * n + j);
            *(f2l_lanes *)(g + i * n + j) = sum;
        }
}

double f2l_learned_norm(const double *m, size_t rows, size_t columns, int squarings)
{
    double g[PADDED], next[PADDED], result = 1, power = 0.5;
    memset(g + rows * rows, 0, LANES * sizeof *g);
    gram(g, m, rows, columns);
    for (int i = 0;; i++, power /= 2) {
        const double size = f2l_learned_length(g, rows * rows);
        if (!(size > 0) || !isfinite(size)) return i == 0 ? sqrt(size) : result;
        result *= pow(size, power);
        if (i == squarings) return result;
        for (size_t j = 0; j < rows * rows; j++) g[j] /= size;
        square_symmetric(next, g, rows);
        memcpy(g, next, rows * rows * sizeof *g);
    }
}

/* Sets to [n][n] <- A^T p A, for symmetric p. */
static void pull_back(double *to, const double *p, const f2l_learned_net *net, size_t head,
                      size_t letter)
{
    const size_t K = net->c->key_dim;
    double a[MOST * MOST] = {0}, pa[MOST * MOST], one[MOST * MOST] = {0};
    for (size_t i = 0; i < K; i++) one[i * K + i] = 1;
    f2l_learned_apply(a, one, net, letter, head, K, false);
    memset(pa, 0, K * K * sizeof *pa);
    memset(to, 0, K * K * sizeof *to);
    for (size_t i = 0; i < K; i++)
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < K; j++) pa[i * K + j] += p[i * K + l] * a[l * K + j];
    for (size_t l = 0; l < K; l++)
        for (size_t i = 0; i < K; i++)
            for (size_t j = 0; j < K; j++) to[i * K + j] += a[l * K + i] * pa[l * K + j];
}

/* Replaces the lower triangle's matrix by R, upper triangular with R^T R = p. */
static bool factorise(double *r, const double *p, size_t n)
{
    memset(r, 0, n * n * sizeof *r);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) {
            double sum = p[i * n + j];
            for (size_t l = 0; l < i; l++) sum -= r[l * n + i] * r[l * n + j];
            if (i == j && !(sum > 0)) return false;
            r[i * n + j] = i == j ? sqrt(sum) : sum / r[i * n + i];
        }
    for (size_t i = 0; i < n * n; i++) r[i] = nearbyint(r[i] / F2L_LEARNED_UNIT) * F2L_LEARNED_UNIT;
    for (size_t i = 0; i < n; i++)
        if (!(r[i * n + i] >= F2L_LEARNED_UNIT)) return false;
    return true;
}

bool f2l_learned_form(double *r, const f2l_learned_net *net, size_t head, size_t letters,
                      double kappa)
{
    const size_t K = net->c->key_dim, H = net->c->heads;
    double seen[MOST * MOST] = {0}, p[MOST * MOST] = {0}, next[MOST * MOST], one[MOST * MOST] = {0};
    for (size_t w = 0; w < letters; w++) {
        const double *q = net->query + (w * H + head) * K;
        for (size_t i = 0; i < K; i++)
            for (size_t l = 0; l < K; l++) one[i * K + l] = q[i] * q[l];
        pull_back(next, one, net, head, w);
        for (size_t i = 0; i < K * K; i++) seen[i] += next[i];
    }
    for (int round = 0; round < ROUNDS; round++) {
        double sum[MOST * MOST] = {0};
        for (size_t w = 0; w < letters; w++) {
            pull_back(next, p, net, head, w);
            for (size_t i = 0; i < K * K; i++) sum[i] += next[i];
        }
        for (size_t i = 0; i < K * K; i++) p[i] = (seen[i] + sum[i]) / (double)letters;
    }
    const double size = f2l_learned_norm(p, K, K, 10);
    if (!(size > 0) || !isfinite(size)) return false;
    for (size_t i = 0; i < K * K; i++) p[i] = p[i] / size + (i % (K + 1) == 0 ? kappa : 0);
    return factorise(r, p, K);
}

void f2l_learned_inverse(double *inverse, const double *r, size_t n)
{
    memset(inverse, 0, n * n * sizeof *inverse);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i-- > 0;) {
            double sum = i == j ? 1 : 0;
            for (size_t l = i + 1; l <= j; l++) sum -= r[i * n + l] * inverse[l * n + j];
            inverse[i * n + j] = sum / r[i * n + i];
        }
}
