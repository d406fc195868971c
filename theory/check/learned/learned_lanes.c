/* Answers of several points at once (theory/pages/learned.md, LH.11): the bounds of LH.5 with
 * lengths of rows in place of what each ball makes of them. */
#include "theory/check/learned/learned.h"
#include <math.h>
#include <string.h>

/* One point: what its numbers are off by. */
typedef struct point {
    double far, s, theta, each; /* each: of a row of length 1 of gate or up, behind its norm */
    double hidden, off, y;      /* squares of the lengths of x->hidden, x->off and a gradient */
} point;

/* Adds w [rows][n] x to y [rows]. */
CLONES static void add_products(lanes *y, const double *w, size_t rows, size_t n, const lanes *x)
{
    size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const double *v = w + i * n;
        lanes a = y[i], b = y[i + 1], c = y[i + 2], d = y[i + 3];
        for (size_t j = 0; j < n; j++) {
            a += v[j] * x[j];
            b += v[n + j] * x[j];
            c += v[2 * n + j] * x[j];
            d += v[3 * n + j] * x[j];
        }
        y[i] = a;
        y[i + 1] = b;
        y[i + 2] = c;
        y[i + 3] = d;
    }
    for (; i < rows; i++)
        for (size_t j = 0; j < n; j++) y[i] += w[i * n + j] * x[j];
}

/* Replaces x by 1 / (1 + e^-x), with a relative error of at most 2^-45 (LH.1). */
INLINE void sigmoids(double x[LANES])
{
    static const double term[] = {0x1p0,
                                  0x1p0,
                                  0x1p-1,
                                  1.0 / 6,
                                  1.0 / 24,
                                  1.0 / 120,
                                  1.0 / 720,
                                  1.0 / 5040,
                                  1.0 / 40320,
                                  1.0 / 362880,
                                  1.0 / 3628800,
                                  1.0 / 39916800,
                                  1.0 / 479001600,
                                  1.0 / 6227020800,
                                  1.0 / 87178291200,
                                  1.0 / 1307674368000};
    double k[LANES], r[LANES], sum[LANES];
    uint64_t bits[LANES];
    for (int l = 0; l < LANES; l++) {
        double z = -x[l];
        z = z > 700 ? 700 : z; /* what is not a number stays so */
        z = z < -700 ? -700 : z;
        const double t = z / 0x1.62e42fefa39efp-1 + 0x1.8p52; /* to the next whole number */
        k[l] = t - 0x1.8p52;
        r[l] = (z - k[l] * 0x1.62e42feep-1) - k[l] * 0x1.a39ef35793c76p-33;
        sum[l] = term[15];
        memcpy(&bits[l], &t, sizeof t);
    }
    for (int i = 14; i >= 0; i--)
        for (int l = 0; l < LANES; l++) sum[l] = term[i] + r[l] * sum[l];
    for (int l = 0; l < LANES; l++) {
        double power;
        bits[l] = (bits[l] << 52) + 0x3ff0000000000000; /* 2^k */
        memcpy(&power, &bits[l], sizeof power);
        x[l] = 1 / (1 + sum[l] * power);
    }
}

/* Replaces G x and U x of a hidden unit by the unit, in u, and adds to what all units are off by;
 * gl and ul are the lengths of its rows, own what a sum of them is off by. */
INLINE void hidden_unit(point p[LANES], double g[LANES], double u[LANES], double gl, double ul,
                        double own, double root)
{
    double sg[LANES];
    for (int l = 0; l < LANES; l++) {
        g[l] /= p[l].s;
        u[l] /= p[l].s;
        sg[l] = g[l];
    }
    sigmoids(sg);
    for (int l = 0; l < LANES; l++) {
        const double slope = fabs(sg[l] * (1 + g[l] * (1 - sg[l]))), b = fabs(g[l] * sg[l]);
        const double size = fabs(u[l]), a = slope * size;
        const double dg = fabs(g[l]) * p[l].theta + gl * p[l].each;
        const double du = size * p[l].theta + ul * p[l].each, both = a * gl + b * ul;
        const double left = 0.25 * dg * dg * size + (slope + 0.5 * dg + SLACK) * dg * du;
        const double off =
            (a * dg + b * du + left) * (1 + SLACK) +
            own * (both * root + (1 + fabs(g[l])) * size * (1 + dg) + (b + 2 * dg) * du);
        u[l] = g[l] * sg[l] * u[l];
        p[l].hidden += u[l] * u[l];
        p[l].off += off * off;
        p[l].y += both * both;
    }
}

/* Turns G x and U x of all hidden units into the units, in u. */
CLONES static void hidden_lanes(const answers *x, point p[LANES], lanes *g, lanes *u, double own)
{
    const double root = sqrt((double)x->net->width);
    for (size_t i = 0; i < x->net->mlp; i++) {
        const size_t last = i * x->parts + x->net->heads;
        double here[LANES], up[LANES];
        memcpy(here, &g[i], sizeof here);
        memcpy(up, &u[i], sizeof up);
        hidden_unit(p, here, up, x->gate_norm[last], x->up_norm[last], own, root);
        memcpy(&u[i], up, sizeof up);
    }
}

/* Sets the bounds of a point from x, squares being |x|^2; returns false where they are too large.
 */
static bool bound_point(point *p, const answers *x, size_t letter, double squares)
{
    const learned *net = x->net;
    const size_t n = net->width, hv = net->heads * net->value;
    const double heads = sqrt((double)hv), with = squares + (double)n * net->epsilon;
    *p = (point){.s = sqrt(with / (double)n)};
    p->far = slack(net, hv) * (length(net->embedding + letter * n, n) + x->m_size * heads) +
             net->scope->tiny;
    for (size_t h = 0; h < net->heads; h++) p->far += x->m_norm[h] * x->nu[h];
    p->far *= 1 + SLACK;
    const double e1 = (2 * sqrt(squares) * p->far + p->far * p->far) / with * (1 + SLACK) + SLACK;
    p->theta = (1 / sqrt(1 - e1) - 1) * (1 + SLACK) + slack(net, n);
    p->each = (1 + p->theta) / p->s * (1 + SLACK) * p->far + slack(net, n) * sqrt((double)n);
    return e1 < 0.5;
}

/* Returns what the difference of two logits is off by for rows of the head of length 1 together. */
static double logit_off(const point *p, const answers *x, double squares)
{
    const learned *net = x->net;
    const double hidden = sqrt(p->hidden), off = sqrt(p->off) * (1 + SLACK);
    const double own = sqrt(squares) + p->far + x->down_size * (hidden + off);
    const double turned = sqrt((double)net->width) + (1 + x->m_size) * p->far / p->s;
    return (p->far + x->down_size * off) * (1 + SLACK) + slack(net, net->width + net->mlp) * own +
           SLACK * (x->m_size * p->far + x->down_size * sqrt(p->y) * (1 + SLACK) * turned);
}

static bool logits_are_right(const answers *x, const lanes *logit, size_t l, size_t right,
                             double off)
{
    const double best = logit[right][l], *size = x->head_size;
    bool found = true;
    for (size_t j = 0; j < x->net->labels; j++)
        if (j != right)
            found =
                found && best - logit[j][l] > (size[right] + size[j]) * off + x->net->scope->tiny;
    return found;
}

bool all_answered_rightly(answers *x, const question *q, size_t count)
{
    const learned *net = x->net;
    const size_t n = net->width, hv = net->heads * net->value, F = net->mlp;
    lanes *o = x->many, *at = o + hv, *g = at + n, *u = g + F, *logit = u + F;
    point p[LANES];
    double squares[LANES] = {0}, nu[LANES][MAX_HEADS + 1];
    bool small[LANES] = {false}, right = true;
    charge(count * (n * hv + 2 * F * n + net->labels * (n + F) + F * EXPONENTIAL / 4));
    memset(x->many, 0, (hv + n + 2 * F + net->labels) * sizeof *x->many);
    for (size_t l = 0; l < count; l++) {
        norm_heads(x, &q[l]);
        memcpy(nu[l], x->nu, (net->heads + 1) * sizeof(double));
        for (size_t i = 0; i < hv; i++) o[i][l] = x->n[i];
        for (size_t i = 0; i < n; i++) at[i][l] = net->embedding[q[l].letter * n + i];
    }
    add_products(at, x->m, n, hv, o);
    for (size_t l = 0; l < LANES; l++) {
        const size_t from = l < count ? l : 0; /* a lane without a question is like the first one */
        memcpy(x->nu, nu[from], (net->heads + 1) * sizeof(double));
        for (size_t i = 0; i < n; i++) squares[l] += at[i][l] * at[i][l];
        const bool fits = bound_point(&p[l], x, q[from].letter, squares[l]);
        small[l] = fits && l < count;
    }
    add_products(g, x->gate, F, n, at);
    add_products(u, x->up, F, n, at);
    hidden_lanes(x, p, g, u, slack(net, n));
    add_products(logit, x->head, net->labels, n, at);
    add_products(logit, x->head_down, net->labels, F, u);
    for (size_t l = 0; l < count && right; l++)
        right = (small[l] &&
                 logits_are_right(x, logit, l, q[l].right, logit_off(&p[l], x, squares[l]))) ||
                answers_rightly(x, &q[l]);
    return right;
}
