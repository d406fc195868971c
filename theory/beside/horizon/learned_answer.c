/* The read-out of a ball (theory/pages/learned.md, LH.5). */
#include "theory/beside/horizon/impl.h"
#include <math.h>
#include <string.h>

/* Returns the sum of |M_h^T c| nu_h, which no |c^T dx| exceeds. */
static double length_along(const f2l_learned_net *net, const double *c)
{
    const size_t V = net->c->value_dim, n = net->c->width;
    double sum = f2l_learned_length(c, n) * net->nu[net->c->heads];
    for (size_t h = 0; h < net->c->heads; h++) {
        double squares = 0;
        for (size_t i = h * V; i < (h + 1) * V; i++) {
            const double r = f2l_learned_dot(net->mt + i * n, c, n);
            squares += r * r;
        }
        sum += sqrt(squares) * net->nu[h];
    }
    return sum;
}

void f2l_learned_head_norms(f2l_learned_net *net, const f2l_learned_question *q)
{
    const double *radius = q->radius;
    const size_t V = net->c->value_dim;
    const double root = sqrt((double)V), added = (double)V * net->c->epsilon;
    for (size_t h = 0; h < net->c->heads; h++) {
        const double *o = q->centre + h * V;
        const double size = f2l_learned_length(o, V), least = fmax(size - radius[h], 0);
        net->nu[h] = fmin(radius[h] * root / sqrt(least * least + added), 2 * root) +
                     f2l_learned_slack(net, V) * root;
        if (!(radius[h] < F2L_LEARNED_MOST_BALL)) net->nu[h] = INFINITY;
        for (size_t i = 0; i < V; i++) net->n[h * V + i] = o[i] * root / sqrt(size * size + added);
    }
}

/* Returns false where the ball is too large to go on. */
static bool bound_residual(f2l_learned_net *net, size_t letter)
{
    const size_t n = net->c->width, hv = net->c->heads * net->c->value_dim;
    const double *e = net->embedding + letter * n;
    double far =
        f2l_learned_slack(net, hv) * (f2l_learned_length(e, n) + net->m_size * sqrt((double)hv));
    for (size_t i = 0; i < n; i++) net->x[i] = e[i] + f2l_learned_dot(net->m + i * hv, net->n, hv);
    net->nu[net->c->heads] = far;
    for (size_t h = 0; h < net->c->heads; h++) far += net->m_norm[h] * net->nu[h];
    const double squares = f2l_learned_dot(net->x, net->x, n) + (double)n * net->c->epsilon;
    const double z = (2 * length_along(net, net->x) + far * far) / squares;
    net->s = sqrt(squares / (double)n);
    net->far = far;
    if (!(z < 0.5)) return false;
    net->theta = 1 / sqrt(1 - z) - 1 + f2l_learned_slack(net, n);
    net->theta2 =
        far * far / squares / 2 + 0.375 * z * z * pow(1 - z, -2.5) + f2l_learned_slack(net, n);
    return true;
}

static void bound_hidden_units(f2l_learned_net *net)
{
    const size_t n = net->c->width, H = net->c->heads;
    const double most = (1 + net->theta) / net->s, root = sqrt((double)n);
    const double own = f2l_learned_slack(net, n);
    for (size_t i = 0; i < net->c->mlp; i++) {
        const double g = f2l_learned_dot(net->gate + i * n, net->x, n) / net->s;
        const double u = f2l_learned_dot(net->up + i * n, net->x, n) / net->s;
        const double sigmoid = 1 / (1 + exp(-g)), slope = sigmoid * (1 + g * (1 - sigmoid));
        const double *gn = net->gate_norm + i * (H + 1), *un = net->up_norm + i * (H + 1);
        const double dg =
            fabs(g) * net->theta + most * f2l_learned_dot(gn, net->nu, H + 1) + own * gn[H] * root;
        const double du =
            fabs(u) * net->theta + most * f2l_learned_dot(un, net->nu, H + 1) + own * un[H] * root;
        const double both = fabs(slope * u) * gn[H] + fabs(g * sigmoid) * un[H];
        const double away = fmax(fabs(g) - dg, 0);
        const double bend = fmin(0.5, (2 + away) * exp(-away));
        net->g[i] = g;
        net->u[i] = u;
        net->a[i] = slope * u;
        net->b[i] = g * sigmoid;
        net->hidden[i] = net->b[i] * u;
        net->rest[i] = 0.5 * bend * dg * dg * fabs(u) +
                       fmin(1.1, fabs(slope) + bend * dg) * dg * du +
                       own * (both * root + (1 + fabs(g)) * fabs(u) * (1 + dg) +
                              (fabs(g * sigmoid) + 2 * dg) * du);
        net->off[i] = fabs(net->a[i]) * dg + fabs(net->b[i]) * du + net->rest[i];
    }
}

/* Returns what the ball may change of a difference of logits, with the linear parts of all hidden
 * units together. */
static double linear_spread(f2l_learned_net *net)
{
    const size_t n = net->c->width;
    double kappa = 0, rest = 0;
    memset(net->v, 0, n * sizeof *net->v);
    for (size_t i = 0; i < net->c->mlp; i++) {
        const double a = net->dk[i] * net->a[i], b = net->dk[i] * net->b[i];
        for (size_t j = 0; j < n; j++)
            net->v[j] += a * net->gate[i * n + j] + b * net->up[i * n + j];
        kappa += a * net->g[i] + b * net->u[i];
        rest += fabs(net->dk[i]) * net->rest[i];
    }
    const double turn = kappa / ((double)n * net->s * net->s);
    for (size_t i = 0; i < n; i++) net->w[i] = net->dh[i] + net->v[i] / net->s - turn * net->x[i];
    return length_along(net, net->w) + fabs(kappa) * net->theta2 +
           net->theta * length_along(net, net->v) / net->s + rest;
}

/* The same with the hidden units one by one. */
static double plain_spread(const f2l_learned_net *net, size_t right, size_t other)
{
    const size_t V = net->c->value_dim, hv = net->c->heads * V;
    const double *p = net->head_m + right * hv, *q = net->head_m + other * hv;
    double sum = f2l_learned_length(net->dh, net->c->width) * net->nu[net->c->heads];
    for (size_t h = 0; h < net->c->heads; h++) {
        double squares = 0;
        for (size_t i = h * V; i < (h + 1) * V; i++) squares += (p[i] - q[i]) * (p[i] - q[i]);
        sum += sqrt(squares) * net->nu[h];
    }
    for (size_t i = 0; i < net->c->mlp; i++) sum += fabs(net->dk[i]) * net->off[i];
    return sum;
}

static f2l_learned_margin margin_against(f2l_learned_net *net, size_t right, size_t other)
{
    const size_t n = net->c->width, F = net->c->mlp;
    for (size_t i = 0; i < n; i++) net->dh[i] = net->head[right * n + i] - net->head[other * n + i];
    for (size_t i = 0; i < F; i++)
        net->dk[i] = net->head_down[right * F + i] - net->head_down[other * F + i];
    const double found =
        f2l_learned_dot(net->dh, net->x, n) + f2l_learned_dot(net->dk, net->hidden, F);
    double spread = plain_spread(net, right, other);
    /* The checker does so from 0.75 on, and its own spread, which may be some percent less, must
     * have come to that where this one has. */
    if (!(spread < 0.8 * found)) spread = fmin(spread, linear_spread(net));
    const double sizes =
        f2l_learned_length(net->head + right * n, n) + f2l_learned_length(net->head + other * n, n);
    const double own =
        f2l_learned_length(net->x, n) + net->far +
        net->down_size * (f2l_learned_length(net->hidden, F) + f2l_learned_length(net->off, F));
    spread += f2l_learned_slack(net, n + F) * sizes * own;
    return (f2l_learned_margin){other, found, spread};
}

bool f2l_learned_margin_is_enough(const f2l_learned_margin *m)
{
    return (m->difference - m->spread) * 0.999 >= F2L_LEARNED_UNIT;
}

void f2l_learned_answer_normed(f2l_learned_margin *out, f2l_learned_net *net, size_t letter,
                               size_t right)
{
    *out = (f2l_learned_margin){right, 0, INFINITY};
    if (!bound_residual(net, letter)) return;
    bound_hidden_units(net);
    out->difference = INFINITY;
    out->spread = 0;
    for (size_t j = 0; j < net->c->labels; j++) {
        if (j == right) continue;
        const f2l_learned_margin m = margin_against(net, right, j);
        if (!(m.difference - m.spread >= out->difference - out->spread)) *out = m;
        if (!(out->difference > out->spread)) return;
    }
}

void f2l_learned_answer(f2l_learned_margin *out, f2l_learned_net *net,
                        const f2l_learned_question *q)
{
    f2l_learned_head_norms(net, q);
    f2l_learned_answer_normed(out, net, q->letter, q->right);
}
