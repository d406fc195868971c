/* Keys, betas, values and queries of a letter, which determine its recurrence because the layer
 * reads the embedding alone (theory/pages/learned.md, LH.2). */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <string.h>

/* Computes y = W x for the rows from `row` on, with SiLU if `active`; returns a bound of |y - true|
 * for x off by SLACK |x|. */
static double project(double *y, const double *w, size_t row, size_t rows, const double *x,
                      size_t n, bool active)
{
    double squares = 0;
    for (size_t i = 0; i < rows; i++) {
        const double *wi = w + (row + i) * n;
        y[i] = dot(wi, x, n);
        squares += dot(wi, wi, n);
        if (active) y[i] *= sigmoid(y[i]);
    }
    return 4 * SLACK * sqrt(squares) * length(x, n); /* SiLU has slopes below 1.1 */
}

/* Replaces y by y / sqrt(|y|^2 + epsilon); returns a bound of what it is off by, at most 2. */
static double unit(double *y, size_t n, double off, double epsilon)
{
    const double size = length(y, n), scale = sqrt(size * size + epsilon);
    const double least = fmax(size * (1 - SLACK) - off, 0);
    for (size_t i = 0; i < n; i++) y[i] /= scale;
    return fmin(off / sqrt(least * least + epsilon) + SLACK, 2) * (1 + SLACK);
}

static void read_letter(letter_head *to, const learned *net, const double *x, size_t h)
{
    const size_t n = net->width, K = net->key, V = net->value;
    double a_off = 0, b_off = 0, size = 0;
    to->q = grab(K, sizeof(double));
    to->k = grab(net->factors * K, sizeof(double));
    to->v = net->additive ? grab(net->factors * V, sizeof(double)) : NULL;
    to->beta = grab(net->factors, sizeof(double));
    const double off = project(to->q, net->q, h * K, K, x, n, net->silu);
    to->q_off = unit(to->q, K, off, net->epsilon);
    for (size_t i = 0; i < net->factors; i++) {
        const size_t at = i * net->heads + h;
        double *k = to->k + i * K, in;
        const double k_off =
            unit(k, K, project(k, net->k, at * K, K, x, n, net->silu), net->epsilon);
        const double in_off = project(&in, net->b, at, 1, x, n, false);
        to->beta[i] = net->range * sigmoid(net->slope * in);
        const double beta_off = net->range * net->slope * in_off / 4 + 4 * SLACK;
        /* of the factor I - beta k k^T */
        const double factor_off = 1.01 * beta_off + 4.1 * k_off + SLACK;
        a_off += factor_off;
        b_off += factor_off * size;
        if (!net->additive) continue;
        double *v = to->v + i * V;
        const double v_off = project(v, net->v, at * V, V, x, n, true);
        const double v_size = length(v, V) + v_off;
        b_off += 1.01 * (beta_off * v_size + 2.1 * k_off * v_size + 2 * v_off) + SLACK * v_size;
        size += 2.1 * v_size;
    }
    /* the errors of a product of factors of norm <= 1, and of the roundings of apply_letter */
    to->a_off = 1.01 * a_off + SLACK;
    to->b_off = 1.01 * b_off + SLACK * size;
    if (!(to->a_off < 0.01)) give_up("a key is too short for doubles");
}

letter_head *read_letters(const learned *net)
{
    const size_t n = net->width;
    letter_head *all = grab(product_of(net->letters, net->heads), sizeof *all);
    double *x = grab(n, sizeof *x);
    for (size_t a = 0; a < net->letters; a++) {
        const double *e = net->embedding + a * n;
        const double scale = sqrt(dot(e, e, n) / (double)n + net->epsilon);
        for (size_t i = 0; i < n; i++) x[i] = e[i] / scale * net->mixer_norm[i];
        for (size_t h = 0; h < net->heads; h++) read_letter(&all[a * net->heads + h], net, x, h);
    }
    return all;
}

void apply_letter(double *to, const double *from, const learned *net, const letter_head *x,
                  size_t columns, bool with_b)
{
    double r[MAX_DIM * 2];
    const size_t K = net->key;
    memmove(to, from, K * columns * sizeof *to);
    for (size_t i = 0; i < net->factors; i++) {
        const double *k = x->k + i * K;
        for (size_t j = 0; j < columns; j++) r[j] = with_b && x->v ? -x->v[i * columns + j] : 0;
        for (size_t l = 0; l < K; l++)
            for (size_t j = 0; j < columns; j++) r[j] += k[l] * to[l * columns + j];
        for (size_t l = 0; l < K; l++) {
            const double scale = x->beta[i] * k[l];
            for (size_t j = 0; j < columns; j++) to[l * columns + j] -= scale * r[j];
        }
    }
}
