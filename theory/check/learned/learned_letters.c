/* Keys, betas, values and queries of a letter, which determine its recurrence because the layer
 * reads the embedding alone (theory/pages/learned.md, LH.2). */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <string.h>

void normed_letter(double *x, const learned *net, size_t letter)
{
    const size_t n = net->width;
    const double *e = net->embedding + letter * n;
    const double scale = sqrt(dot(e, e, n) / (double)n + net->epsilon);
    for (size_t i = 0; i < n; i++) x[i] = e[i] / scale * net->mixer_norm[i];
}

double project(double *y, const learned *net, const double *w, size_t row, size_t rows,
               const double *x, bool active)
{
    const size_t n = net->width;
    double terms = 0, size = 0;
    charge(rows * (2 * n + (active ? EXPONENTIAL : 0)));
    for (size_t i = 0; i < rows; i++) {
        const double *wi = w + (row + i) * n;
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += fabs(wi[j] * x[j]);
        y[i] = dot(wi, x, n);
        terms += sum * sum;
        size += y[i] * y[i];
        if (active) y[i] *= sigmoid(y[i]);
    }
    return 1.1 * slack(net, n) * (sqrt(terms) + sqrt(size)); /* SiLU has slopes below 1.1 */
}

double unit(double *y, const learned *net, double off)
{
    const size_t n = net->key;
    const double added = net->exact ? 0 : net->epsilon;
    const double size = length(y, n), scale = sqrt(size * size + added);
    const double least = fmax(size * (1 - SLACK) - off, 0), room = least * least + added;
    const double longer = added * (size + off) / (room * sqrt(room));
    if (net->exact && !(least > SHORTEST)) {
        memset(y, 0, n * sizeof *y);
        return 2;
    }
    for (size_t i = 0; i < n; i++) y[i] /= scale;
    return fmin(off / sqrt(room) * (1 + longer) * (1 + SLACK), 2) + slack(net, n);
}

bool all_zero(const learned *net, const double *w, size_t row, size_t letter)
{
    const size_t n = net->width;
    const double *e = net->embedding + letter * n;
    charge(net->key * n);
    for (size_t i = 0; i < net->key * n; i++)
        if (w[row * n + i] != 0 && e[i % n] != 0 && net->mixer_norm[i % n] != 0) return false;
    return true;
}

/* x: the norm of the letter's embedding. */
static void read_letter(letter_head *to, const learned *net, size_t letter, const double *x,
                        size_t h)
{
    const size_t K = net->key, V = net->value;
    /* step: of the sums along keys, where |S|_F <= sqrt(K) |S| */
    double a_off = 0, b_off = 0, size = 0, step = sqrt((double)K) * slack(net, K);
    to->q = grab(K, sizeof(double));
    to->k = grab(net->factors * K, sizeof(double));
    to->v = net->additive ? grab(net->factors * V, sizeof(double)) : NULL;
    to->beta = grab(net->factors, sizeof(double));
    to->k_off = grab(net->factors, sizeof(double));
    to->q_off = unit(to->q, net, project(to->q, net, net->q, h * K, K, x, net->silu)) + step;
    for (size_t i = 0; i < net->factors; i++) {
        const size_t at = i * net->heads + h;
        double *k = to->k + i * K, in;
        const double k_off = unit(k, net, project(k, net, net->k, at * K, K, x, net->silu));
        to->k_off[i] = all_zero(net, net->k, at * K, letter) ? 0 : k_off;
        const double z_off = net->slope * project(&in, net, net->b, at, 1, x, false);
        const double slope = exponential(z_off - fabs(net->slope * in)) * (1 + SLACK);
        to->beta[i] = net->range * sigmoid(net->slope * in);
        const double beta_off = net->range * fmin(slope, 0.25) * z_off + 2 * slack(net, 0);
        /* of the factor I - beta k k^T, and of the rounding of a step with it */
        const double most = to->beta[i] + beta_off;
        const double factor_off = 1.01 * beta_off + most * (1.025 * k_off + step) + slack(net, 0);
        a_off += factor_off;
        b_off += factor_off * size;
        if (!net->additive) continue;
        const double v_off = project(to->v + i * V, net, net->v, at * V, V, x, true);
        const double v_size = length(to->v + i * V, V) + v_off;
        b_off += 1.01 * ((beta_off + most * k_off + slack(net, 0)) * v_size + most * v_off);
        size += 1.05 * most * v_size;
    }
    /* the errors of a product of factors of norm <= 1, and of the roundings of apply_letter */
    to->a_off = 1.01 * a_off + SLACK;
    to->b_off = 1.01 * b_off + SLACK * size;
    if (!(to->a_off < 0.01)) give_up("a key is too short for this proof");
}

/* Sets what an answer reads of a state before the letter: q^T (A S + B) = (A^T q)^T S + q^T B. */
static void read_through(letter_head *x, const learned *net)
{
    const size_t K = net->key, V = net->value;
    double m[MAX_DIM * MAX_DIM], one[MAX_DIM * MAX_DIM] = {0};
    x->aq = grab(K, sizeof(double));
    x->bq = grab(V, sizeof(double));
    apply_letter(m, one, net, x, V, true);
    x->b_size = length(m, K * V);
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < V; j++) x->bq[j] += x->q[i] * m[i * V + j];
    for (size_t i = 0; i < K; i++) one[i * K + i] = 1;
    apply_letter(m, one, net, x, K, false);
    for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) x->aq[j] += x->q[i] * m[i * K + j];
}

letter_head *read_letters(const learned *net)
{
    letter_head *letter = grab(product_of(net->letters, net->heads), sizeof *letter);
    double *x = grab(net->width, sizeof *x);
    for (size_t a = 0; a < net->letters; a++) {
        normed_letter(x, net, a);
        for (size_t h = 0; h < net->heads; h++) {
            read_letter(&letter[a * net->heads + h], net, a, x, h);
            read_through(&letter[a * net->heads + h], net);
        }
    }
    return letter;
}

void apply_letter(double *to, const double *from, const learned *net, const letter_head *x,
                  size_t columns, bool with_b)
{
    double r[MAX_DIM * 2];
    const size_t K = net->key;
    charge((2 * net->factors + 1) * K * columns);
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

double move_state(double *to, const learned *net, const letter_head *x, const double *s)
{
    apply_letter(to, s, net, x, net->value, true);
    return (x->a_off * length(s, net->key * net->value) + x->b_off) * (1 + SLACK);
}
