/* The answer: norm of o per head, output projection, MLP, norm, head, and the largest logit
 * (theory/pages/learned.md, LH.5). What a vector is off by is a sum of `parts` vectors, each the
 * image of a ball: one for each head, and the last one for roundings. */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <string.h>

/* Returns a matrix whose columns are multiplied by the weights of a norm, again and again. */
static double *scaled(const double *w, size_t count, const double *weights, size_t period)
{
    double *to = grab(count, sizeof *to);
    charge(count);
    for (size_t i = 0; i < count; i++) to[i] = w[i] * weights[i % period];
    return to;
}

static double *transposed(const double *w, size_t rows, size_t columns)
{
    double *to = grab(product_of(rows, columns), sizeof *to);
    charge(rows * columns);
    for (size_t i = 0; i < rows * columns; i++) to[i % columns * rows + i / columns] = w[i];
    return to;
}

/* Returns a b^T for rows of n numbers. */
static double *products(const double *a, size_t rows, const double *b, size_t columns, size_t n)
{
    double *to = grab(product_of(rows, columns), sizeof *to);
    charge(rows * columns * n);
    for (size_t i = 0; i < rows * columns; i++)
        to[i] = dot(a + i / columns * n, b + i % columns * n, n);
    return to;
}

/* Returns the lengths of the heads' parts of each row of w M, and of the row of w. */
static double *row_norms(const answers *x, const double *w, size_t rows)
{
    const size_t V = x->net->value, hv = x->net->heads * V, n = x->net->width;
    double *wm = products(w, rows, x->mt, hv, n), *to = grab(rows * x->parts, sizeof *to);
    for (size_t i = 0; i < rows; i++) {
        const double size = length(w + i * n, n);
        for (size_t h = 0; h < x->net->heads; h++)
            to[i * x->parts + h] =
                length(wm + i * hv + h * V, V) * (1 + SLACK) + SLACK * size * x->m_size;
        to[i * x->parts + x->net->heads] = size * (1 + SLACK);
    }
    return to;
}

answers *new_answers(const learned *net)
{
    answers *x = grab(1, sizeof *x);
    const size_t n = net->width, V = net->value, hv = net->heads * V, F = net->mlp;
    *x = (answers){.net = net, .parts = net->heads + 1};
    x->m = scaled(net->out, n * hv, net->o_norm, V);
    x->mt = transposed(x->m, n, hv);
    x->m_size = length(x->m, n * hv) * (1 + SLACK);
    x->m_norm = grab(net->heads, sizeof(double));
    for (size_t h = 0; h < net->heads; h++)
        x->m_norm[h] = operator_norm(x->mt + h * V * n, V, n, 10);
    x->gate = scaled(net->gate, F * n, net->mlp_norm, n);
    x->up = scaled(net->up, F * n, net->mlp_norm, n);
    x->gate_norm = row_norms(x, x->gate, F);
    x->up_norm = row_norms(x, x->up, F);
    x->head = scaled(net->head, net->labels * n, net->norm, n);
    x->head_m = products(x->head, net->labels, x->mt, hv, n);
    x->head_down = products(x->head, net->labels, transposed(net->down, n, F), F, n);
    x->head_size = grab(net->labels, sizeof(double));
    for (size_t j = 0; j < net->labels; j++)
        x->head_size[j] = length(x->head + j * n, n) * (1 + SLACK);
    x->down_size = length(net->down, n * F) * (1 + SLACK);
    double **scratch[] = {&x->n, &x->nu,  &x->x,    &x->g,  &x->u,  &x->hidden, &x->a, &x->b,
                          &x->c, &x->off, &x->rest, &x->dh, &x->dk, &x->v,      &x->mc};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++)
        *scratch[i] = grab(MAXIMUM(MAXIMUM(n, F), hv + 1), sizeof(double));
    x->many = grab(hv + n + 2 * F + net->labels, sizeof *x->many);
    return x;
}

/* Returns a bound of |c^T dx| where mc is M^T c: the sum of |M_h^T c| nu_h. */
static double spread(const answers *x, const double *c)
{
    const size_t V = x->net->value;
    double sum = length(c, x->net->width) * x->nu[x->net->heads];
    for (size_t h = 0; h < x->net->heads; h++) sum += length(x->mc + h * V, V) * x->nu[h];
    return sum * (1 + SLACK);
}

/* Returns the same for every c. */
static double along(answers *x, const double *c)
{
    const size_t n = x->net->width;
    charge((n + 1) * x->net->heads * x->net->value);
    for (size_t i = 0; i < x->net->heads * x->net->value; i++) x->mc[i] = dot(x->mt + i * n, c, n);
    return spread(x, c);
}

/* Sets n and nu: the norm of o per head, whose slope is at most sqrt(V / (|o|^2 + V epsilon)).
 * Large balls are refused, so that the states are bounded (LH.10). */
void norm_heads(answers *x, const question *q)
{
    const learned *net = x->net;
    const double root = sqrt((double)net->value), added = (double)net->value * net->epsilon;
    const double *radius = q->radius;
    charge(3 * net->heads * net->value);
    for (size_t h = 0; h < net->heads; h++) {
        const double *o = q->centre + h * net->value;
        const double size = length(o, net->value), scale = root / sqrt(size * size + added);
        const double least = fmax(size * (1 - SLACK) - radius[h], 0);
        const double slope = root / sqrt(least * least + added);
        x->nu[h] = fmin(radius[h] * slope, 2 * root) * (1 + SLACK) + slack(net, net->value) * root;
        if (!(radius[h] < 512)) x->nu[h] = INFINITY;
        for (size_t i = 0; i < net->value; i++) x->n[h * net->value + i] = o[i] * scale;
    }
}

/* Sets x and the bounds of dx = x - true and of tau = (what the second norm divides by at x) /
 * (by at the true one): |dx| <= far, |tau - 1| <= theta, |tau - 1 + x^T dx / (width s^2)| <=
 * theta2. Returns false where they are too large to go on. */
static bool residual(answers *x, size_t letter)
{
    const learned *net = x->net;
    const size_t n = net->width, hv = net->heads * net->value;
    const double *e = net->embedding + letter * n;
    const double ball = sqrt((double)net->heads * (double)net->value);
    const double heads = fmax(ball, length(x->n, hv) * (1 + SLACK)); /* a box's n may be longer */
    charge(n * hv);
    for (size_t i = 0; i < n; i++) x->x[i] = e[i] + dot(x->m + i * hv, x->n, hv);
    x->nu[net->heads] = slack(net, hv) * (length(e, n) + x->m_size * heads) + net->scope->tiny;
    x->far = x->nu[net->heads];
    for (size_t h = 0; h < net->heads; h++) x->far += x->m_norm[h] * x->nu[h];
    x->far *= 1 + SLACK;
    const double squares = dot(x->x, x->x, n) + (double)n * net->epsilon, d2 = x->far * x->far;
    const double e1 = (2 * along(x, x->x) + d2) / squares * (1 + SLACK) + SLACK;
    x->s = sqrt(squares / (double)n);
    if (!(e1 < 0.5)) return false;
    const double root = sqrt(1 - e1);
    x->theta = (1 / root - 1) * (1 + SLACK) + slack(net, n);
    x->theta2 =
        (d2 / squares / 2 + 0.375 * e1 * e1 / (root * root * root * root * root)) * (1 + SLACK) +
        slack(net, n);
    return true;
}

/* Sets off[i], a bound of what hidden unit i is off by, and rest[i], of what remains of it after
 * the linear part. */
static void hidden_units(answers *x)
{
    const learned *net = x->net;
    const double root = sqrt((double)net->width), own = slack(net, net->width);
    double y = 0;
    charge(net->mlp * (2 * (net->width + x->parts) + 2 * EXPONENTIAL));
    for (size_t i = 0; i < net->mlp; i++) {
        const double *gn = x->gate_norm + i * x->parts, *un = x->up_norm + i * x->parts;
        const double g = dot(x->gate + i * net->width, x->x, net->width) / x->s;
        const double u = dot(x->up + i * net->width, x->x, net->width) / x->s;
        const double gl = gn[net->heads], ul = un[net->heads], sg = sigmoid(g);
        const double slope = sg * (1 + g * (1 - sg)), a = slope * u, b = g * sg;
        const double most = (1 + x->theta) / x->s * (1 + SLACK);
        const double dg = fabs(g) * x->theta + most * dot(gn, x->nu, x->parts) + own * gl * root;
        const double du = fabs(u) * x->theta + most * dot(un, x->nu, x->parts) + own * ul * root;
        const double away = fmax(fabs(g) - dg, 0);
        const double bend = fmin(0.5, (2 + away) * exponential(-away) * (1 + SLACK));
        const double change = fmin(1.1, fabs(slope) + bend * dg + SLACK) * dg;
        const double both = fabs(a) * gl + fabs(b) * ul;
        x->g[i] = g;
        x->u[i] = u;
        x->a[i] = a;
        x->b[i] = b;
        x->hidden[i] = b * u;
        x->rest[i] =
            (0.5 * bend * dg * dg * fabs(u) + change * du) * (1 + SLACK) +
            own * (both * root + (1 + fabs(g)) * fabs(u) * (1 + dg) + (fabs(b) + 2 * dg) * du);
        x->off[i] = (fabs(a) * dg + fabs(b) * du) * (1 + SLACK) + x->rest[i];
        y += both * both;
    }
    x->y = sqrt(y) * (1 + SLACK);
    x->hidden_size = length(x->hidden, net->mlp);
    x->off_size = length(x->off, net->mlp);
}

/* Returns a bound of what the difference of two logits is off by, with the linear parts of all
 * hidden units together. */
static double linear_off(answers *x)
{
    const learned *net = x->net;
    const size_t n = net->width;
    double kappa = 0, left_over = 0;
    charge((2 * net->mlp + 1) * n);
    memset(x->v, 0, n * sizeof *x->v);
    for (size_t i = 0; i < net->mlp; i++) {
        const double a = x->dk[i] * x->a[i], b = x->dk[i] * x->b[i];
        const double *gate = x->gate + i * n, *up = x->up + i * n;
        for (size_t j = 0; j < n; j++) x->v[j] += a * gate[j] + b * up[j];
        kappa += a * x->g[i] + b * x->u[i];
        left_over += fabs(x->dk[i]) * x->rest[i];
    }
    const double turn = kappa / ((double)n * x->s * x->s);
    for (size_t i = 0; i < n; i++) x->c[i] = x->dh[i] + x->v[i] / x->s - turn * x->x[i];
    return (along(x, x->c) + fabs(kappa) * x->theta2 + x->theta * along(x, x->v) / x->s +
            left_over) *
           (1 + SLACK);
}

/* The same with the hidden units one by one: much faster, and larger. */
static double plain_off(answers *x, size_t right, size_t other)
{
    const size_t hv = x->net->heads * x->net->value;
    for (size_t i = 0; i < hv; i++)
        x->mc[i] = x->head_m[right * hv + i] - x->head_m[other * hv + i];
    double sum = spread(x, x->dh);
    for (size_t i = 0; i < x->net->mlp; i++) sum += fabs(x->dk[i]) * x->off[i];
    return sum * (1 + SLACK);
}

/* Returns a lower bound of the difference of two logits. */
static double difference(answers *x, size_t right, size_t other)
{
    const learned *net = x->net;
    const size_t n = net->width, F = net->mlp;
    charge(3 * (n + F) + 4 * net->heads * net->value);
    for (size_t i = 0; i < n; i++) x->dh[i] = x->head[right * n + i] - x->head[other * n + i];
    for (size_t i = 0; i < F; i++)
        x->dk[i] = x->head_down[right * F + i] - x->head_down[other * F + i];
    const double found = dot(x->dh, x->x, n) + dot(x->dk, x->hidden, F);
    const double sizes = x->head_size[right] + x->head_size[other];
    const double own = length(x->x, n) + x->far + x->down_size * (x->hidden_size + x->off_size);
    const double turned = sqrt((double)n) + (1 + x->m_size) * x->far / x->s;
    const double rounding =
        slack(net, n + F) * own + SLACK * (x->m_size * x->far + x->down_size * x->y * turned);
    double off = plain_off(x, right, other);
    if (!(off < 0.75 * found)) off = fmin(off, linear_off(x));
    return found - off - sizes * rounding - net->scope->tiny;
}

bool normed_rightly(answers *x, size_t letter, size_t right)
{
    if (!residual(x, letter)) return false;
    hidden_units(x);
    for (size_t j = 0; j < x->net->labels; j++)
        if (j != right && !(difference(x, right, j) > 0)) return false;
    return true;
}

bool answers_rightly(answers *x, const question *q)
{
    norm_heads(x, q);
    return normed_rightly(x, q->letter, q->right);
}
